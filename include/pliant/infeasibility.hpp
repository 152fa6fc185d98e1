// Proofs that a problem has no feasible point, or no dual one, checked from its original data alone.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/problem.hpp"

#include <string>
#include <string_view>

namespace pliant {

/// What such a proof is worth: unconditional for the data as stored, or true within a radius only, beyond which double
/// precision cannot tell.
enum class InfeasibilityKind { proved, within_radius };
std::string_view to_string(InfeasibilityKind kind);

/// Multipliers lambda >= 0, z in K* with sum lambda_i a_i(y) + z'(Gy - h) > 0 wherever y may lie: no y satisfies all
/// constraints. Rows of cones count like rows of linear constraints, with |z_i| in the place of lambda_i.
struct InfeasibilityProof {
  bool holds = false;
  /// Lower bound of sum lambda_i a_i(y) / sum lambda_i |grad a_i(x)| over these y, rounding taken off: a distance.
  double excess = -kInfinity;
  /// No feasible y has |y|_inf <= radius. Infinite where that is proved for all y.
  double radius = 0.0;
  /// |sum lambda_i grad a_i(x)| / sum lambda_i |grad a_i(x)|
  double gradient = 0.0;
  Index rows = 0;  ///< constraints with a multiplier

  InfeasibilityKind kind() const {
    return radius == kInfinity ? InfeasibilityKind::proved : InfeasibilityKind::within_radius;
  }
};

/// A direction d along which F falls for ever while no constraint grows: the dual problem has no feasible point, and
/// the problem itself is unbounded below if x is feasible.
struct UnboundednessProof {
  bool holds = false;
  double descent = 0.0;        ///< -slope of F / (|grad f(x)| |d|)
  double leaving = kInfinity;  ///< largest slope of a constraint / (|grad a_i(x)| |d|); <= 0: all recede
                               ///< (cone: min {t : -Gd + t e in K} / (|G| |d|), |G| the Frobenius norm of its rows)
  /// Largest second derivative along d / (smoothness |d|^2), of F and the constraints: nothing but rounding is allowed.
  double curvature = kInfinity;
  double multiplier_bound = 0;   ///< no dual point has sum lambda_i |grad a_i(x)| below this times |grad f(x)|
  double violation = kInfinity;  ///< of the constraints at x, relative as in Certificate::violation_rel
  /// F falls along d so far without any constraint growing by more than 1 + |its constant|. Infinite where it is proved
  /// that none grows at all, for this d or one within rounding of it.
  double radius = 0.0;

  InfeasibilityKind kind() const {
    return radius == kInfinity ? InfeasibilityKind::proved : InfeasibilityKind::within_radius;
  }
};

/// Checks a proof of infeasibility: reads the constraints with a multiplier a few times, nothing else. Negative
/// multipliers count as 0; non-finite input proves nothing. For linear constraints x does not matter.
InfeasibilityProof prove_infeasible(const Problem& problem, ConstVectorRef x, const Multipliers& multipliers);

/// Checks a direction of unboundedness from x: a few passes.
UnboundednessProof prove_unbounded(const Problem& problem, ConstVectorRef x, ConstVectorRef direction);

/// In words, one line.
std::string describe(const InfeasibilityProof& proof);
std::string describe(const UnboundednessProof& proof, double feasibility_tolerance);

}  // namespace pliant
