#include "certify/assess.hpp"

#include "certify/exact_dual.hpp"
#include "linalg/sums.hpp"
#include "prox/domain.hpp"
#include "rows/row_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

// Rows of a group count once, by the largest; cones by their distances.
RowSums sum_constraints(const ConstraintSystem& system, const LagrangianEvaluation& at, double threshold) {
  const Vector& distances = at.cones.a;
  const auto rows = at.a.head(system.inequalities());
  if (!system.grouped() && distances.size() == 0) return sum_rows(rows, threshold);
  const Vector leading = system.grouped() ? system.group_maxima(at.a) : Vector(rows);
  Vector joined(leading.size() + distances.size());
  joined << leading, distances;
  return sum_rows(joined, threshold);
}

void measure_violation(const ConstraintSystem& system, const LagrangianEvaluation& at, double threshold,
                       Certificate& out) {
  const RowSums sums = sum_constraints(system, at, threshold);
  out.violation_l1 = sums.l1;
  out.violation_l2 = sums.l2();
  out.violation_linf = std::max(0.0, sums.largest);
  out.active = sums.active;
  bool finite = sums.finite;
  out.equality_residual = at.cones.zero_residual;
  for (Index i = system.inequalities(); i < at.a.size(); ++i) {
    finite = finite && std::isfinite(at.a[i]);
    out.equality_residual = std::max(out.equality_residual, at.a[i]);
  }
  // A constraint that cannot be evaluated is violated, not satisfied.
  if (!finite) out.violation_l1 = out.violation_l2 = out.violation_linf = kInfinity;
}

// The smaller of the two usual measures: what no multiplier balances, and the natural residual x - prox(x - g), which
// forgives kinks of psi that x misses by a little.
double dual_residual(const ProxTerm& prox, ConstVectorRef x, const Vector& gradient) {
  const double unbalanced = dual_infeasibility(prox, x, gradient).lpNorm<Eigen::Infinity>();
  const Vector shifted = x - gradient;
  Vector r(x.size());
  prox.prox(shifted, 1.0, r);
  // Differences of large numbers lose their digits: what rounding may hide is counted as residual.
  const double hidden = 4.0 * std::numeric_limits<double>::epsilon() * x.lpNorm<Eigen::Infinity>();
  const double natural = (x - r).lpNorm<Eigen::Infinity>() + hidden;
  return std::min(unbalanced, natural);
}

void bound_from_below(const Problem& problem, ConstVectorRef x, const LagrangianEvaluation& at, UpperBound upper_bound,
                      Certificate& out) {
  const double lagrangian = at.smooth_value + at.cones.product + pairwise_sum(0, at.a.size(), [&](Index i) {
                              return at.multipliers[i] != 0.0 ? at.multipliers[i] * at.a[i] : 0.0;
                            });
  const double mu = problem.smooth_strong_convexity();
  double model = problem.prox().lower_model(x, at.gradient, mu);
  out.lower_bound_rigorous = std::isfinite(model);
  if (!out.lower_bound_rigorous) {
    const double psi_max = upper_bound - problem.smooth_lower_bound();
    if (std::isfinite(psi_max)) {
      model = problem.prox().lower_model_bounded(x, at.gradient, mu, std::max(0.0, psi_max));
      out.lower_bound_rigorous = std::isfinite(model);
    }
  }
  out.lower_bound =
      lagrangian + (out.lower_bound_rigorous ? model : lower_model_estimate(problem.prox(), x, at.gradient, mu));
  // Outside the domain of the objective the Lagrangian says nothing.
  if (!std::isfinite(lagrangian)) {
    out.lower_bound = -kInfinity;
    out.lower_bound_rigorous = false;
  }
}

void use_exact_dual(const Problem& problem, ConstraintSystem& system, const LagrangianEvaluation& at,
                    Certificate& out) {
  const std::optional<double> dual = exact_dual_value(problem, system, at.multipliers);
  if (!dual || !std::isfinite(*dual) || (out.lower_bound_rigorous && *dual <= out.lower_bound)) return;
  out.lower_bound = *dual;
  out.lower_bound_rigorous = true;
}

}  // namespace

double active_threshold(const Problem& problem, double tolerance) {
  return -tolerance * (1.0 + problem.constant_scale());
}

Certificate assess(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, const LagrangianEvaluation& at,
                   UpperBound upper_bound, double active_tolerance) {
  Certificate out;
  out.constant_scale = problem.constant_scale();
  out.objective = at.smooth_value + problem.prox().value(x);
  out.domain_violation = problem.prox().domain_violation(x);
  measure_violation(system, at, active_threshold(problem, active_tolerance), out);
  out.dual_residual = dual_residual(problem.prox(), x, at.gradient);
  out.dual_residual_rel = out.dual_residual / (1.0 + at.smooth_gradient_inf);
  const bool feasible = out.violation_linf <= 0.0 && out.equality_residual <= 0.0 && out.domain_violation <= 0.0;
  if (feasible) upper_bound = std::min(upper_bound, out.objective);
  bound_from_below(problem, x, at, upper_bound, out);
  use_exact_dual(problem, system, at, out);
  return out;
}

}  // namespace pliant
