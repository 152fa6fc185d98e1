#include "pliant/certificate.hpp"

#include "certify/assess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {

double Certificate::gap_rel() const { return gap_abs() / (1.0 + std::abs(objective)); }

double Certificate::violation(ViolationNorm norm) const {
  switch (norm) {
    case ViolationNorm::l1:
      return violation_l1;
    case ViolationNorm::l2:
      return violation_l2;
    case ViolationNorm::linf:
      return violation_linf;
  }
  return violation_linf;
}

bool Certificate::satisfies(const Settings& settings) const {
  const double feasible = settings.tol_feas * (1.0 + constant_scale);
  return violation(settings.norm) <= feasible && equality_residual <= feasible && domain_violation <= feasible &&
         std::abs(gap_rel()) <= settings.tol_gap && (lower_bound_rigorous || dual_residual_rel <= settings.tol_gap);
}

Multipliers zero_multipliers(const Problem& problem) {
  Multipliers out;
  for (const BatchPtr& batch : problem.batches()) out.lambda.emplace_back(Vector::Zero(batch->size()));
  if (problem.has_equalities()) out.nu = Vector::Zero(problem.equality_batch()->dual_size());
  for (const ConicConstraint& conic : problem.conic()) out.cones.emplace_back(Vector::Zero(conic.G.rows()));
  return out;
}

Certificate certify(const Problem& problem, ConstVectorRef x, const Multipliers& multipliers, double active_tolerance) {
  ConstraintSystem system(problem);
  LagrangianEvaluation at;
  evaluate_lagrangian(problem, system, x, system.join(multipliers), at, multipliers.cones);
  UpperBound upper_bound = kInfinity;
  if (problem.slater_point) {
    if (const auto feasible = feasible_from_slater(problem, x, *problem.slater_point)) {
      upper_bound = problem.objective(*feasible);
    }
  }
  return assess(problem, system, x, at, upper_bound, active_tolerance);
}

Certificate certify(const Problem& problem, ConstVectorRef x) { return certify(problem, x, zero_multipliers(problem)); }

// Convexity: a_i(x + t (slater - x)) <= (1-t) v - t s <= 0 for t = v / (v + s).
std::optional<Vector> feasible_from_slater(const Problem& problem, ConstVectorRef x, ConstVectorRef slater) {
  if (problem.has_equalities()) return std::nullopt;  // a point is on them only up to rounding
  if (!problem.conic().empty()) return std::nullopt;  // the slack is that of rows
  ConstraintSystem system(problem);
  Vector a(system.size());
  system.values(slater, a);
  const double slack = a.size() > 0 ? -a.maxCoeff() : kInfinity;
  if (!(slack > 0.0) || problem.prox().domain_violation(slater) > 0.0) return std::nullopt;
  Vector inside = x;
  problem.prox().project(inside);
  system.values(inside, a);
  const double violation = a.size() > 0 ? std::max(0.0, a.maxCoeff()) : 0.0;
  if (violation == 0.0) return inside;
  // A hair further than needed, against rounding; then checked.
  const double t = std::min(1.0, violation / (violation + slack) * (1.0 + 1e-9) + 1e-15);
  Vector point = inside + t * (slater - inside);
  system.values(point, a);
  if (a.maxCoeff() > 0.0) return std::nullopt;
  return point;
}

}  // namespace pliant
