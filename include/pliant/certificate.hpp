// The judge: how good is x? Everything is computed from the original data of the problem.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/settings.hpp"

#include <vector>

namespace pliant {

/// Multipliers of a problem: lambda >= 0 per constraint of each batch, nu of each equality, z in the dual cone K* of
/// each conic constraint (L = F + lambda'a + nu'(Ex - e) + z'(Gx - h)).
struct Multipliers {
  std::vector<Vector> lambda;
  Vector nu;
  std::vector<Vector> cones{};  ///< one per conic constraint, or none at all: 0
};

struct Certificate {
  double objective = 0.0;             ///< F(x)
  double lower_bound = -kInfinity;    ///< a lower bound of F*, or an estimate of one
  bool lower_bound_rigorous = false;  ///< whether it is proven
  /// Norms of max(0, a_i(x)); for a cone a(x) = min {t : h - Gx + t e in K} (cones/distance.hpp).
  double violation_l1 = 0.0, violation_l2 = 0.0, violation_linf = 0.0;
  double domain_violation = 0.0;   ///< distance of x from the domain of the prox term
  double equality_residual = 0.0;  ///< |Ex - e|_inf, rows of zero cones included
  double dual_residual = 0.0;      ///< |r|_inf, r the smallest subgradient of the Lagrangian at x
  double dual_residual_rel = 0.0;  ///< relative to 1 + |grad F|_inf
  double constant_scale = 0.0;     ///< max |constant term|
  Index active = 0;                ///< constraints with a_i(x) >= -tolerance

  double gap_abs() const { return objective - lower_bound; }
  double gap_rel() const;
  double violation_rel() const { return violation_linf / (1.0 + constant_scale); }
  double violation(ViolationNorm norm) const;
  /// Within the tolerances of `settings` (contract: "optimal").
  bool satisfies(const Settings& settings) const;
};

/// Judges x with the given multipliers: one pass over the constraints. Negative ones count as 0, and those of cones are
/// moved into K* first.
Certificate certify(const Problem& problem, ConstVectorRef x, const Multipliers& multipliers,
                    double active_tolerance = 1e-6);

/// Judges x without multipliers: those that best explain x are not searched; the bound uses lambda = 0.
Certificate certify(const Problem& problem, ConstVectorRef x);

/// lambda = 0, nu = 0 in the right shapes.
Multipliers zero_multipliers(const Problem& problem);

/// A feasible point between x and a Slater point: x + v/(v+s)(slater - x), v = max a_i(x).
/// nullopt if `slater` is not strictly feasible or the problem has equalities it misses.
std::optional<Vector> feasible_from_slater(const Problem& problem, ConstVectorRef x, ConstVectorRef slater);

}  // namespace pliant
