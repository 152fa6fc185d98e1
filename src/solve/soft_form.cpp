#include "solve/soft_form.hpp"

#include "engines/path/soft_bands.hpp"
#include "pliant/regularizers.hpp"
#include "solve/certify_again.hpp"
#include "solve/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Bands read rows, and factorise in the variables that are left: with fewer rows than these for each of those, or few
// altogether, a sparse factorisation of the problem as it is takes no longer.
constexpr Index kRowsPerVariable = 8, kLeastRows = 1000;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Problem with_remaining_variables(const Problem& problem, const std::vector<SlackColumn>& slacks) {
  Index gone = 0;
  for (const SlackColumn& slack : slacks) gone += slack.other_column >= 0 ? 2 : 1;
  return Problem(problem.dimension() - gone);
}

// Multiples of the last digit of c below c: with these c - lambda is exact, and so is every sum that must be c again.
double on_grid(double lambda, double c) { return std::clamp((c + lambda) - c, 0.0, c); }

}  // namespace

std::unique_ptr<SoftForm> SoftForm::find(const Problem& problem) {
  if (*slack_columns_obstacle(problem) != '\0') return nullptr;
  const Index n = problem.dimension();
  const Index least = std::max(kLeastRows, kRowsPerVariable * n / (kRowsPerVariable + 1));
  std::vector<SlackColumn> slacks = find_slack_columns(problem, least);
  const auto count = static_cast<Index>(slacks.size());
  const Index left = with_remaining_variables(problem, slacks).dimension();
  if (count < kLeastRows || count < kRowsPerVariable * left || left == 0) return nullptr;
  auto form = std::make_unique<SoftForm>(problem, std::move(slacks));
  return soft_bands_obstacle(form->problem()).empty() ? std::move(form) : nullptr;
}

SoftForm::SoftForm(const Problem& problem, std::vector<SlackColumn> slacks)
    : original_(problem),
      slacks_(std::move(slacks)),
      form_(with_remaining_variables(problem, slacks_)),
      parts_(quadratic_parts(problem)) {
  mark();
  cost_ = restrict(parts_.cost);
  constant_ = parts_.constant;
  add_soft_rows();
  add_hard_rows();
  add_equalities();
  add_objective();
  add_bounds();
  form_.name = problem.name;
  form_.sense = problem.sense;
  if (problem.start) form_.start = restrict(*problem.start);
}

void SoftForm::mark() {
  place_.assign(at(original_.dimension()), 0);
  for (const BatchPtr& batch : original_.batches()) dropped_.emplace_back(at(batch->size()), 0);
  dropped_.emplace_back(original_.has_equalities() ? at(original_.equality_matrix().rows()) : 0, 0);
  for (const SlackColumn& slack : slacks_) {
    place_[at(slack.column)] = -1;
    if (slack.kind == SlackColumn::Kind::parts) {
      place_[at(slack.other_column)] = -1;
      dropped_.back()[at(slack.row.constraint)] = 1;
      continue;
    }
    dropped_[at(slack.row.batch)][at(slack.row.constraint)] = 1;
    if (slack.other_row.batch >= 0) dropped_[at(slack.other_row.batch)][at(slack.other_row.constraint)] = 1;
  }
  for (Index j = 0; j < original_.dimension(); ++j) {
    if (place_[at(j)] < 0) continue;
    place_[at(j)] = static_cast<Index>(kept_.size());
    kept_.push_back(j);
  }
}

std::string SoftForm::description() const {
  return fmt::format("{} columns are prices of rows: {} soft rows in {} variables",
                     original_.dimension() - form_.dimension(), soft_rows(), form_.dimension());
}

Vector SoftForm::restrict(ConstVectorRef x) const {
  Vector out(form_.dimension());
  for (Index k = 0; k < out.size(); ++k) out[k] = x[kept_[at(k)]];
  return out;
}

// ---- rows of the original ----

const DataMatrix& SoftForm::matrix_of(const RowOfBatch& row) const {
  return row.batch < 0 ? original_.equality_matrix() : original_.batches()[at(row.batch)]->linear_rows()->matrix();
}

double SoftForm::sign_of(const RowOfBatch& row) const {
  return row.batch < 0 ? 1.0 : original_.batches()[at(row.batch)]->linear_rows()->side(row.constraint).sign;
}

double SoftForm::constant_of(const RowOfBatch& row) const {
  return row.batch < 0 ? original_.equality_rhs()[row.constraint]
                       : original_.batches()[at(row.batch)]->linear_rows()->constant(row.constraint);
}

Index SoftForm::stored_row(const RowOfBatch& row) const {
  return row.batch < 0 ? row.constraint : original_.batches()[at(row.batch)]->linear_rows()->side(row.constraint).row;
}

void SoftForm::add_entries(const RowOfBatch& row, double factor, Entries& out) const {
  const double scale = factor * sign_of(row);
  for_each_entry(matrix_of(row), stored_row(row), [&](Index j, double value) {
    if (place_[at(j)] >= 0) out.emplace_back(place_[at(j)], scale * value);
  });
}

// ---- the form ----

// Rows, constants and prices of the soft rows, and what they leave in the linear term.
void SoftForm::add_soft_rows() {
  CsrBuilder rows(form_.dimension());
  std::vector<double> constants, prices;
  Entries entries;
  for (const SlackColumn& s : slacks_) {
    entries.clear();
    const double alpha = s.coefficient, beta = s.other_coefficient;
    switch (s.kind) {
      case SlackColumn::Kind::floor:
        add_entries(s.row, 1.0, entries);
        constants.push_back(constant_of(s.row) + alpha * s.floor);
        prices.push_back(s.cost / alpha);
        constant_ += s.cost * s.floor;
        break;
      case SlackColumn::Kind::pair:
        add_entries(s.other_row, s.cost / beta, entries);
        for (const auto& [j, value] : entries) cost_[j] += value;
        constant_ -= s.cost * constant_of(s.other_row) / beta;
        entries.clear();
        add_entries(s.row, 1.0 / alpha, entries);
        add_entries(s.other_row, -1.0 / beta, entries);
        constants.push_back(constant_of(s.row) / alpha - constant_of(s.other_row) / beta);
        prices.push_back(s.cost);
        break;
      case SlackColumn::Kind::parts:
        add_entries(s.row, s.other_cost / beta, entries);
        for (const auto& [j, value] : entries) cost_[j] += value;
        constant_ -= s.other_cost / beta * constant_of(s.row);
        entries.clear();
        add_entries(s.row, -1.0, entries);
        constants.push_back(-constant_of(s.row));
        prices.push_back(s.cost / alpha + s.other_cost / beta);
        break;
    }
    end_row(entries, rows);
  }
  form_.minimize(positive_part(rows.take_as_stored_best(), std::move(constants), std::move(prices)));
}

// Entries of one column are added.
void SoftForm::end_row(Entries& entries, CsrBuilder& rows) {
  const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(entries.begin(), entries.end(), by_column)) {
    std::stable_sort(entries.begin(), entries.end(), by_column);
  }
  for (std::size_t p = 0; p < entries.size();) {
    const Index column = entries[p].first;
    double sum = 0.0;
    for (; p < entries.size() && entries[p].first == column; ++p) sum += entries[p].second;
    if (sum != 0.0) rows.entry(column, sum);
  }
  rows.end_row();
}

// One-sided rows, batch by batch; batches of which nothing stays are left out.
void SoftForm::add_hard_rows() {
  Entries entries;
  for (std::size_t b = 0; b < original_.batches().size(); ++b) {
    CsrBuilder rows(form_.dimension());
    std::vector<double> constants;
    rows_.emplace_back();
    for (Index i = 0; i < original_.batches()[b]->size(); ++i) {
      if (dropped_[b][at(i)] != 0) continue;
      const RowOfBatch row{static_cast<Index>(b), i};
      entries.clear();
      add_entries(row, 1.0, entries);
      end_row(entries, rows);
      constants.push_back(constant_of(row));
      rows_.back().push_back(i);
    }
    if (rows_.back().empty()) continue;
    form_.subject_to(linear_le(rows.take_as_stored_best(), std::move(constants)), original_.batches()[b]->name);
  }
}

void SoftForm::add_equalities() {
  if (!original_.has_equalities()) return;
  CsrBuilder rows(form_.dimension());
  std::vector<double> constants;
  Entries entries;
  for (Index i = 0; i < original_.equality_matrix().rows(); ++i) {
    if (dropped_.back()[at(i)] != 0) continue;
    entries.clear();
    add_entries({-1, i}, 1.0, entries);
    end_row(entries, rows);
    constants.push_back(original_.equality_rhs()[i]);
    equalities_.push_back(i);
  }
  if (!equalities_.empty()) form_.equal(rows.take(), std::move(constants));
}

// Slacks have no curvature: forms lose columns of zeros.
void SoftForm::add_objective() {
  const Index n = form_.dimension();
  for (const QuadraticParts::Form& form : parts_.forms) {
    CsrBuilder P(n);
    Entries entries;
    for (const Index j : kept_) {
      entries.clear();
      for_each_entry(*form.P, j, [&](Index k, double value) { entries.emplace_back(place_[at(k)], value); });
      end_row(entries, P);
    }
    form_.minimize(quadratic(P.take_as_stored_best(), to_array(Vector::Zero(n))), form.weight);
  }
  form_.minimize(linear(to_array(cost_), constant_));
}

void SoftForm::add_bounds() {
  const SeparableParameters* psi = separable_parameters(original_.prox());
  if (psi == nullptr || (psi->lo.empty() && psi->hi.empty())) return;
  const Index n = form_.dimension();
  Vector lo = Vector::Constant(n, -kInfinity), hi = Vector::Constant(n, kInfinity);
  for (Index k = 0; k < n; ++k) {
    if (!psi->lo.empty()) lo[k] = psi->lo[kept_[at(k)]];
    if (!psi->hi.empty()) hi[k] = psi->hi[kept_[at(k)]];
  }
  if ((lo.array() == -kInfinity).all() && (hi.array() == kInfinity).all()) return;
  form_.regularize(box(to_array(lo), to_array(hi)));
}

// ---- back to the original ----

double SoftForm::value_at(const RowOfBatch& row, ConstVectorRef x) const {
  double sum = -constant_of(row);
  const double sign = sign_of(row);
  for_each_entry(matrix_of(row), stored_row(row), [&](Index j, double value) {
    if (place_[at(j)] >= 0) sum += sign * value * x[place_[at(j)]];
  });
  return sum;
}

Vector SoftForm::lift(ConstVectorRef x) const {
  Vector out = Vector::Zero(original_.dimension());
  for (Index k = 0; k < x.size(); ++k) out[kept_[at(k)]] = x[k];
  for (const SlackColumn& s : slacks_) {
    const double a = value_at(s.row, x);
    switch (s.kind) {
      case SlackColumn::Kind::floor:
        out[s.column] = std::max(s.floor, a / s.coefficient);
        break;
      case SlackColumn::Kind::pair:
        out[s.column] = std::max(a / s.coefficient, value_at(s.other_row, x) / s.other_coefficient);
        break;
      case SlackColumn::Kind::parts:
        out[s.column] = std::max(0.0, -a / s.coefficient);
        out[s.other_column] = std::max(0.0, a / s.other_coefficient);
        break;
    }
  }
  return out;
}

Multipliers SoftForm::to_original(const Multipliers& of_form) const {
  Multipliers out = zero_multipliers(original_);
  for (std::size_t k = 0; k < slacks_.size(); ++k) {
    const SlackColumn& s = slacks_[k];
    const double lambda = of_form.lambda[0][static_cast<Index>(k)];
    const auto set = [&](const RowOfBatch& row, double value) { out.lambda[at(row.batch)][row.constraint] = value; };
    switch (s.kind) {
      case SlackColumn::Kind::floor: {
        const double share = on_grid(lambda * s.coefficient, s.cost);
        set(s.row, share / s.coefficient);
        if (s.other_row.batch >= 0 && !s.bound_is_floor) set(s.other_row, (s.cost - share) / s.other_coefficient);
        break;
      }
      case SlackColumn::Kind::pair: {
        const double share = on_grid(lambda, s.cost);
        set(s.row, share / s.coefficient);
        set(s.other_row, (s.cost - share) / s.other_coefficient);
        break;
      }
      case SlackColumn::Kind::parts:
        out.nu[s.row.constraint] = std::clamp(s.other_cost / s.other_coefficient - lambda, -s.cost / s.coefficient,
                                              s.other_cost / s.other_coefficient);
        break;
    }
  }
  std::size_t next = 1;  // the soft rows come first
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    if (rows_[b].empty()) continue;
    const Vector& lambda = of_form.lambda[next++];
    for (std::size_t i = 0; i < rows_[b].size(); ++i) out.lambda[b][rows_[b][i]] = lambda[static_cast<Index>(i)];
  }
  for (std::size_t i = 0; i < equalities_.size(); ++i) out.nu[equalities_[i]] = of_form.nu[static_cast<Index>(i)];
  return out;
}

Result solve_with_soft_rows(const Problem& problem, const Attempt& attempt, const Settings& settings,
                            const SolveHooks& hooks) {
  const std::unique_ptr<SoftForm> form = SoftForm::find(problem);
  if (form == nullptr) throw std::logic_error("a plan with soft rows for a problem without slack columns");
  SolveHooks inner = hooks;
  Vector start;
  if (hooks.warm_start != nullptr) {
    start = form->restrict(*hooks.warm_start);
    inner.warm_start = &start;
  }
  inner.warm_multipliers = nullptr;  // bands find theirs in the first rounds
  if (hooks.point) inner.point = [&](const Progress& row, ConstVectorRef x) { return hooks.point(row, form->lift(x)); };
  Plan plan;
  plan.attempts.push_back(attempt);
  plan.attempts.back().slacks_as_soft = false;
  Result result = solve(form->problem(), plan, settings, inner);
  result.x = form->lift(result.x);
  problem.prox().project(result.x);
  result.multipliers = form->to_original(result.multipliers);
  certify_again(problem, settings, result);
  if (result.status == Status::optimal && !result.certificate.satisfies(settings)) {
    result.status = Status::numerical_error;
    result.message = fmt::format("solved as soft rows, but not to the tolerances with its columns (gap {:.2g})",
                                 result.certificate.gap_rel());
  }
  return result;
}

}  // namespace pliant
