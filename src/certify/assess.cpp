#include "certify/assess.hpp"

#include "certify/approximation.hpp"
#include "certify/bound_proof.hpp"
#include "certify/estimate.hpp"
#include "certify/exact_dual.hpp"
#include "linalg/sums.hpp"
#include "model/natural_units.hpp"
#include "parallel/long_vectors.hpp"
#include "prox/domain.hpp"
#include "rows/row_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace pliant {
namespace {

// Norms of the positive parts, scaled so that huge ones do not overflow the squares.
struct Norms {
  double l1 = 0.0, l2 = 0.0, linf = 0.0;

  explicit Norms(const std::vector<double>& positive) {
    const auto count = static_cast<Index>(positive.size());
    const auto entry = [&](Index i) { return positive[static_cast<std::size_t>(i)]; };
    l1 = pairwise_sum(0, count, entry);
    for (const double v : positive) linf = std::max(linf, v);
    const double scale = linf > 0.0 ? linf : 1.0;
    l2 = scale * std::sqrt(pairwise_sum(0, count, [&](Index i) { return std::pow(entry(i) / scale, 2); }));
  }
};

// One look at each constraint: few are positive.
struct Survey {
  std::vector<double> excess, relative;  // of the violated ones
  Index active = 0;
  bool finite = true;

  void look(ConstVectorRef a, ConstVectorRef scales, double active_tolerance) {
    for (const Survey& part : parallel::parts<Survey>(a.size(), [&](Index begin, Index end) {
           Survey seen;
           for (Index i = begin; i < end; ++i) seen.look(a[i], scales[i], active_tolerance);
           return seen;
         })) {
      excess.insert(excess.end(), part.excess.begin(), part.excess.end());
      relative.insert(relative.end(), part.relative.begin(), part.relative.end());
      active += part.active;
      finite = finite && part.finite;
    }
  }

 private:
  void look(double a, double scale, double active_tolerance) {
    if (a < -active_tolerance * scale && a > -kInfinity) return;  // nearly all
    finite = finite && std::isfinite(a);
    if (!(a >= -active_tolerance * scale)) return;
    ++active;
    if (!(a > 0.0)) return;
    excess.push_back(a);
    relative.push_back(a / scale);
  }
};

// Soft rows at their kink; beyond it they have a price, which is no violation.
Index count_kinks(const ConstraintSystem& system, ConstVectorRef a, double active_tolerance) {
  Index count = 0;
  for (Index s = 0; s < system.segments(); ++s) {
    const Index begin = system.segment_begin(s);
    const auto count_of = [&](Index first, Index last) {
      Index found = 0;
      system.for_scales(s, first, last, [&](Index i, double scale) {
        found += std::abs(a[begin + i]) <= active_tolerance * scale ? 1 : 0;
      });
      return found;
    };
    for (const Index part : parallel::parts<Index>(system.caps(s).size(), count_of)) count += part;
  }
  return count;
}

void measure_violation(const ConstraintSystem& system, const LagrangianEvaluation& at, double active_tolerance,
                       Certificate& out) {
  Survey survey;
  const Index m = system.inequalities();
  if (system.has_soft_rows()) {
    survey.look(system.hard_rows(at.a), system.hard_scales(), active_tolerance);
    survey.active += count_kinks(system, at.a, active_tolerance);
  } else if (system.grouped()) {
    survey.look(system.group_maxima(at.a), system.group_maxima(system.scales()), active_tolerance);
  } else {
    survey.look(at.a.head(m), system.scales().head(m), active_tolerance);
  }
  survey.look(at.cones.a, at.cones.scales, active_tolerance);
  const Norms absolute(survey.excess), relative(survey.relative);
  out.violation_l1 = absolute.l1;
  out.violation_l2 = absolute.l2;
  out.violation_linf = absolute.linf;
  out.relative_l1 = relative.l1;
  out.relative_l2 = relative.l2;
  out.relative_linf = relative.linf;
  out.active = survey.active;
  out.equality_residual = at.cones.zero_residual;
  out.equality_residual_rel = at.cones.zero_residual_rel;
  for (Index s = 0; s < system.segments(); ++s) {
    const Index begin = system.segment_begin(s);
    if (begin < m) continue;  // the sides of equalities alone
    system.for_scales(s, 0, system.batch(s).size(), [&](Index i, double scale) {
      const double a = at.a[begin + i];
      survey.finite = survey.finite && std::isfinite(a);
      out.equality_residual = std::max(out.equality_residual, a);
      out.equality_residual_rel = std::max(out.equality_residual_rel, a / scale);
    });
  }
  // A constraint that cannot be evaluated is violated, not satisfied.
  if (survey.finite) return;
  out.violation_l1 = out.violation_l2 = out.violation_linf = kInfinity;
  out.relative_l1 = out.relative_l2 = out.relative_linf = kInfinity;
}

// The smaller of the two usual measures: what no multiplier balances, and the natural residual (x - prox(x - t g))/t, which
// forgives kinks of psi that x misses by a little. The latter is one of variables of one size. The step t moves x by its
// own size at most: with a longer one the width of dom psi would pass for a small gradient, wherever gradients are large.
double dual_residual(const Problem& problem, ConstVectorRef x, const Vector& gradient, double unbalanced) {
  if (problem.natural_units().size() > 0) return unbalanced;
  const double size = x.lpNorm<Eigen::Infinity>();
  const double step = std::min(1.0, std::max(1.0, size) / (1.0 + gradient.lpNorm<Eigen::Infinity>()));
  const Vector shifted = x - step * gradient;
  Vector r(x.size());
  problem.prox().prox(shifted, step, r);
  // Differences of large numbers lose their digits: what rounding may hide is counted as residual.
  const double hidden = 4.0 * std::numeric_limits<double>::epsilon() * size;
  const double natural = ((x - r).lpNorm<Eigen::Infinity>() + hidden) / step;
  return std::min(unbalanced, natural);
}

void bound_from_below(const Problem& problem, const ConstraintSystem& system, ConstVectorRef x,
                      const LagrangianEvaluation& at, double upper_bound, Certificate& out) {
  const double lagrangian = at.smooth_value + at.cones.product + long_pairwise_sum(at.a.size(), [&](Index i) {
                              return at.multipliers[i] != 0.0 ? at.multipliers[i] * at.a[i] : 0.0;
                            });
  // Outside the domain of the objective the Lagrangian says nothing, nor with multipliers above prices of soft rows.
  if (!std::isfinite(lagrangian) || !system.within_caps(at.multipliers)) return;
  const double mu = problem.smooth_strong_convexity();
  double model = problem.prox().lower_model(x, at.gradient, mu);
  if (!std::isfinite(model)) {
    const double psi_max = upper_bound - problem.smooth_lower_bound();
    if (std::isfinite(psi_max)) {
      model = problem.prox().lower_model_bounded(x, at.gradient, mu, std::max(0.0, psi_max));
    }
  }
  if (std::isfinite(model)) out.proof = {lagrangian + model, BoundKind::proved};
  const ModelEstimate estimate = estimate_model(problem.prox(), x, at.gradient, mu, problem.natural_units());
  out.estimate = lagrangian + estimate.minimum;
  out.estimate_residual = dual_residual(problem, x, at.gradient, estimate.residual);
}

void use_exact_dual(const Problem& problem, ConstraintSystem& system, const LagrangianEvaluation& at,
                    Certificate& out) {
  if (!system.within_caps(at.multipliers)) return;
  const std::optional<double> dual = exact_dual_value(problem, system, at.multipliers);
  if (!dual || !std::isfinite(*dual) || *dual <= out.proof.value) return;
  out.proof = {*dual, BoundKind::proved};
}

}  // namespace

double active_threshold(const Problem& problem, double tolerance) {
  return -tolerance * (1.0 + problem.constant_scale());
}

Certificate assess(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, const LagrangianEvaluation& at,
                   const UpperBound& upper_bound, double active_tolerance) {
  Certificate out;
  out.constant_scale = problem.constant_scale();
  out.objective = at.smooth_value + problem.prox().value(x) + system.soft_value(at.a);
  out.domain_violation = problem.prox().domain_violation(x);
  out.domain_violation_rel = relative_domain_violation(problem.prox(), x);
  measure_violation(system, at, active_tolerance, out);
  const auto worth = [&](double multiplier, double value) {
    return multiplier > 0.0 && value > 0.0 ? multiplier * value : 0.0;
  };
  out.violation_worth = at.cones.worth;
  for (Index s = 0; s < system.segments(); ++s) {
    if (!system.caps(s).empty()) continue;
    const Index begin = system.segment_begin(s);
    out.violation_worth += long_pairwise_sum(
        system.batch(s).size(), [&](Index i) { return worth(at.multipliers[begin + i], at.a[begin + i]); });
  }
  const double unbalanced = gradient_size(problem, dual_infeasibility(problem.prox(), x, at.gradient));
  out.dual_residual = out.estimate_residual = dual_residual(problem, x, at.gradient, unbalanced);
  const bool feasible = out.violation_linf <= 0.0 && out.equality_residual <= 0.0 && out.domain_violation <= 0.0;
  const double best = feasible ? std::min(upper_bound.value, out.objective) : upper_bound.value;
  bound_from_below(problem, system, x, at, best, out);
  use_exact_dual(problem, system, at, out);
  out.dual_residual_rel = out.dual_residual / (1.0 + at.smooth_gradient_size);
  out.estimate_residual_rel = out.estimate_residual / (1.0 + at.smooth_gradient_size);
  out.choose_bound(Settings{}.tol_gap);
  return out;
}

void take_rounding_off(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, ConstVectorRef multipliers,
                       const std::vector<Vector>& cone_multipliers, const UpperBound& upper_bound, double tol_gap,
                       Certificate& certificate) {
  const bool feasible = certificate.violation_linf <= 0.0 && certificate.equality_residual <= 0.0 &&
                        certificate.domain_violation <= 0.0 && certificate.objective <= upper_bound.value;
  const Vector here = x;
  const ProofPoint at{x, multipliers, cone_multipliers, feasible ? &here : upper_bound.point};
  double unbalanced = 0.0;
  certificate.proof = prove_lower_bound(problem, system, at, &unbalanced);
  certificate.estimate -= unbalanced;
  certificate.approximation = assess_approximation(system, x, multipliers);
  certificate.choose_bound(tol_gap);
}

}  // namespace pliant
