#include "solve/slack_form.hpp"

#include "linalg/csr_builder.hpp"
#include "model/widened.hpp"
#include "pliant/infeasibility.hpp"
#include "pliant/regularizers.hpp"
#include "solve/certify_again.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

SeparableParameters separable_part_of(const Problem& problem) {
  const SeparableParameters* psi = separable_parameters(problem.prox());
  return psi != nullptr ? *psi : SeparableParameters{};
}

std::vector<std::vector<Index>> constraints_with_a_price(const Problem& problem) {
  std::vector<std::vector<Index>> out(problem.batches().size());
  for (std::size_t b = 0; b < out.size(); ++b) {
    const Doubles& caps = problem.caps(static_cast<Index>(b));
    for (Index i = 0; i < caps.size(); ++i) {
      if (caps[i] > 0.0) out[b].push_back(i);
    }
  }
  return out;
}

// The median of the prices that are not 0.
double usual_price(const Problem& problem, const std::vector<std::vector<Index>>& priced) {
  std::vector<double> all;
  for (std::size_t b = 0; b < priced.size(); ++b) {
    const Doubles& caps = problem.caps(static_cast<Index>(b));
    for (const Index i : priced[b]) all.push_back(caps[i]);
  }
  if (all.empty()) return 1.0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

Index count_all(const std::vector<std::vector<Index>>& lists) {
  std::size_t sum = 0;
  for (const std::vector<Index>& list : lists) sum += list.size();
  return static_cast<Index>(sum);
}

}  // namespace

std::string SlackForm::obstacle(const Problem& problem) { return widening_obstacle(problem, "soft rows"); }

SlackForm::SlackForm(const Problem& problem)
    : original_(problem),
      priced_(constraints_with_a_price(problem)),
      usual_price_(usual_price(problem, priced_)),
      slacks_(count_all(priced_)),
      absolute_(separable_part_of(problem).l1 > 0.0 ? problem.dimension() : 0),
      form_(problem.dimension() + slacks_ + absolute_) {
  const Index total = form_.dimension();
  add_terms();
  add_batches();
  if (absolute_ > 0) add_l1(separable_part_of(problem).l1);
  add_bounds();
  if (problem.has_equalities()) form_.equal(widened(problem.equality_matrix(), total), problem.equality_rhs());
  if (is_simplex(problem)) form_.equal(sum_of_first(problem.dimension(), total), {radius_parameter(problem.prox())});
  for (const ConicConstraint& conic : problem.conic()) {
    form_.subject_to(ConicConstraint{widened(conic.G, total), conic.h, conic.cones});
  }
  form_.name = problem.name;
  form_.sense = problem.sense;
  if (problem.start) form_.start = lift(*problem.start);
}

double SlackForm::unit_of_slack(double price) const {
  constexpr double kFarthest = 256.0;  // no row overflows or vanishes by it
  return std::exp2(std::clamp(std::round(std::log2(price / usual_price_)), -kFarthest, kFarthest));
}

void SlackForm::add_terms() {
  const Index n = original_.dimension(), total = form_.dimension();
  for (const Problem::WeightedTerm& t : original_.terms()) form_.minimize(widened(*t.term, total), t.weight);
  const double l2 = separable_part_of(original_).l2;
  if (l2 > 0.0) form_.minimize(half_square(n, total, l2));
}

void SlackForm::add_batches() {
  const Index n = original_.dimension(), total = form_.dimension();
  Vector cost = Vector::Zero(total);
  Index next = n;
  for (std::size_t b = 0; b < original_.batches().size(); ++b) {
    const ConstraintBatch& batch = *original_.batches()[b];
    const LinearRows& linear_rows = *batch.linear_rows();
    const Doubles& caps = original_.caps(static_cast<Index>(b));
    if (caps.empty()) {
      form_.subject_to(widened(linear_rows, total), batch.name);
      continue;
    }
    CsrBuilder rows(total);
    std::vector<double> constants;
    for (const Index i : priced_[b]) {
      const LinearRows::Side side = linear_rows.side(i);
      const double unit = unit_of_slack(caps[i]);
      rows.entries(linear_rows.matrix(), side.row, unit * side.sign);
      rows.entry(next, -1.0);
      rows.end_row();
      constants.push_back(unit * linear_rows.constant(i));
      cost[next++] = caps[i] / unit;
    }
    form_.subject_to(linear_le(rows.take(), std::move(constants)), batch.name);
  }
  form_.minimize(linear(to_array(cost)));
}

// |x_j| <= t_j
void SlackForm::add_l1(double weight) {
  const Index n = original_.dimension(), total = form_.dimension();
  Vector cost = Vector::Zero(total);
  CsrBuilder rows(total);
  for (Index j = 0; j < n; ++j) {
    const Index t = n + slacks_ + j;
    cost[t] = weight;
    for (const double sign : {1.0, -1.0}) {
      rows.entry(j, sign);
      rows.entry(t, -1.0);
      rows.end_row();
    }
  }
  form_.minimize(linear(to_array(cost)));
  form_.subject_to(linear_le(rows.take(), to_array(Vector::Zero(2 * n))), "l1 term");
}

void SlackForm::add_bounds() {
  const Index n = original_.dimension(), total = form_.dimension();
  Vector lo = Vector::Zero(total), hi = Vector::Constant(total, kInfinity);
  lo.head(n).setConstant(is_simplex(original_) ? 0.0 : -kInfinity);
  const SeparableParameters psi = separable_part_of(original_);
  if (!psi.lo.empty()) std::copy_n(psi.lo.begin(), n, lo.begin());
  if (!psi.hi.empty()) std::copy_n(psi.hi.begin(), n, hi.begin());
  form_.regularize(box(to_array(lo), to_array(hi)));
}

Vector SlackForm::lift_with(ConstVectorRef x, FunctionRef<double(const LinearRows&, Index)> value) const {
  const Index n = original_.dimension();
  Vector out(form_.dimension());
  out.head(n) = x;
  Index next = n;
  for (std::size_t b = 0; b < priced_.size(); ++b) {
    const LinearRows& rows = *original_.batches()[b]->linear_rows();
    const Doubles& caps = original_.caps(static_cast<Index>(b));
    for (const Index i : priced_[b]) out[next++] = unit_of_slack(caps[i]) * std::max(0.0, value(rows, i));
  }
  out.tail(absolute_) = x.head(absolute_).cwiseAbs();
  return out;
}

Vector SlackForm::lift(ConstVectorRef x) const {
  return lift_with(x, [&](const LinearRows& rows, Index i) {
    const LinearRows::Side side = rows.side(i);
    return side.sign * rows.matrix().dot(side.row, x.data()) - rows.constant(i);
  });
}

Vector SlackForm::lift_ray(ConstVectorRef d) const {
  return lift_with(d, [&](const LinearRows& rows, Index i) {
    const LinearRows::Side side = rows.side(i);
    return side.sign * rows.matrix().dot(side.row, d.data());
  });
}

Multipliers SlackForm::to_original(const Multipliers& of_form) const {
  Multipliers out;
  for (std::size_t b = 0; b < priced_.size(); ++b) {
    const Doubles& caps = original_.caps(static_cast<Index>(b));
    if (caps.empty()) {
      out.lambda.push_back(of_form.lambda[b]);
      continue;
    }
    Vector lambda = Vector::Zero(caps.size());
    Index k = 0;
    for (const Index i : priced_[b]) lambda[i] = std::min(unit_of_slack(caps[i]) * of_form.lambda[b][k++], caps[i]);
    out.lambda.push_back(std::move(lambda));
  }
  if (original_.has_equalities()) out.nu = of_form.nu.head(original_.equality_matrix().rows());
  out.cones = of_form.cones;
  return out;
}

Multipliers SlackForm::to_form(const Multipliers& of_original) const {
  Multipliers out = zero_multipliers(form_);
  for (std::size_t b = 0; b < priced_.size(); ++b) {
    const Doubles& caps = original_.caps(static_cast<Index>(b));
    if (caps.empty()) {
      out.lambda[b] = of_original.lambda[b];
      continue;
    }
    Index k = 0;
    for (const Index i : priced_[b]) out.lambda[b][k++] = of_original.lambda[b][i] / unit_of_slack(caps[i]);
  }
  out.nu.head(of_original.nu.size()) = of_original.nu;
  out.cones = of_original.cones;
  return out;
}

Result solve_with_slacks(const Problem& problem, const Attempt& attempt, const Settings& settings,
                         const SolveHooks& hooks) {
  const SlackForm form(problem);
  const Index n = problem.dimension();
  SolveHooks inner = hooks;
  Vector start;
  Multipliers warm;
  if (hooks.warm_start != nullptr) {
    start = form.lift(*hooks.warm_start);
    inner.warm_start = &start;
  }
  if (hooks.warm_multipliers != nullptr) {
    warm = form.to_form(*hooks.warm_multipliers);
    inner.warm_multipliers = &warm;
  }
  if (hooks.point) inner.point = [&](const Progress& row, ConstVectorRef x) { return hooks.point(row, x.head(n)); };
  if (hooks.best) {
    inner.best = [&](const BestSoFar& best) {
      hooks.best({best.x.head(n), form.to_original(best.multipliers), best.proved_bound});
    };
  }
  Result result = solve(form.problem(), settings, inner);
  std::string& reason = result.attempts.front().reason;
  reason = reason.empty() ? attempt.reason : fmt::format("{}; {}", attempt.reason, reason);
  result.x = result.x.head(n).eval();
  if (result.ray.size() > 0) result.ray = result.ray.head(n).eval();
  problem.prox().project(result.x);
  result.multipliers = form.to_original(result.multipliers);
  if (result.status == Status::dual_infeasible) {
    // The smallest slacks at x and along the ray say the same of the problem itself, or nothing does.
    const UnboundednessProof proof = prove_unbounded(form.problem(), form.lift(result.x), form.lift_ray(result.ray));
    prove_unbounded_again(problem, proof,
                          "with slacks the objective falls without end, but that does not prove it of the problem",
                          settings, result);
    return result;
  }
  certify_again(problem, settings, result);
  if (result.status == Status::numerical_error && result.certificate.satisfies(settings)) {
    result.status = Status::optimal;  // without slacks, which are then the smallest, the point is better
    result.message.clear();
  }
  if (result.status == Status::primal_infeasible) {
    prove_infeasible_again(problem, "the rows with slacks leave no point, but that does not prove it of the problem",
                           result);
  } else if (result.status == Status::optimal && !result.certificate.satisfies(settings)) {
    result.status = Status::numerical_error;
    result.message = fmt::format("solved with slacks, but not to the tolerances without them (gap {:.2g})",
                                 result.certificate.gap_rel());
  }
  return result;
}

UnboundednessProof prove_unbounded_with_slacks(const Problem& problem, ConstVectorRef x, ConstVectorRef direction) {
  if (!problem.has_soft_rows()) return prove_unbounded(problem, x, direction);
  if (!SlackForm::obstacle(problem).empty() || direction.size() != problem.dimension()) return {};
  const SlackForm form(problem);
  return prove_unbounded(form.problem(), form.lift(x), form.lift_ray(direction));
}

}  // namespace pliant
