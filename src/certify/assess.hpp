// From an evaluation of the Lagrangian to a certificate.
#pragma once

#include "lagrangian/lagrangian.hpp"
#include "pliant/certificate.hpp"

namespace pliant {

/// The best objective seen at a point without violation, or infinity, and that point.
struct UpperBound {
  double value = kInfinity;
  const Vector* point = nullptr;  ///< null: not kept
};

/// Rows with a value of at least -tolerance (1 + |constant term|) count as active.
inline constexpr double kActiveTolerance = 1e-6;
/// The same for all rows at once, where only how many are near the boundary matters: on the largest scale.
double active_threshold(const Problem& problem, double tolerance = kActiveTolerance);

/// The certificate of x before rounding is taken off its bound.
///
/// LB = s(x) + min_y [grad s(x)'(y-x) + mu/2 |y-x|^2 + psi(y)], mu the strong convexity of f. It holds
/// for every x and every lambda >= 0. Where the minimum is -infinity but psi is coercive and f bounded
/// below, the minimum over psi(y) <= UB - inf f takes its place, since x* satisfies that. Otherwise the
/// Lagrangian itself stands in, as an estimate. An objective with a known conjugate has an exact dual value
/// (exact_dual.hpp), which counts where it is better; it reads the linear rows that have a multiplier once more.
Certificate assess(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, const LagrangianEvaluation& at,
                   const UpperBound& upper_bound = {}, double active_tolerance = kActiveTolerance);

/// Puts a bound that is a proof (bound_proof.hpp) into a certificate of x with these multipliers, and presents it or the
/// estimate (Certificate::choose_bound).
void take_rounding_off(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, ConstVectorRef multipliers,
                       const std::vector<Vector>& cone_multipliers, const UpperBound& upper_bound, double tol_gap,
                       Certificate& certificate);

/// Where that proof is not within the tolerance and the variables have natural units, one in these.
void prove_in_units(const Problem& problem, ConstVectorRef x, const Multipliers& multipliers, double tol_gap,
                    Certificate& certificate);

}  // namespace pliant
