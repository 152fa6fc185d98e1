// The Lagrangian and its gradient at a point, with bounds of what rounding did to them.
#pragma once

#include "certify/bound_proof.hpp"

namespace pliant {

/// Smaller multipliers count as 0, which is as good a multiplier: their products would underflow.
inline constexpr double kLeastMultiplier = 1e-200;

struct LagrangianEnclosure {
  double value = 0.0, value_error = 0.0;
  Vector gradient, gradient_error;
  Vector gradient_sizes;      ///< the sum of the absolute values behind each entry of the gradient
  double largest_size = 0.0;  ///< the largest of them
  double defect = 0.0;        ///< L + defect/2 |.|^2 is convex, where that is proved
  /// sum lambda_i Delta_i, rounded up: the combination of the functions that rows stand for is at most so much below.
  double approximation = 0.0;
  bool convexity_known = true;  ///< false: some family's convexity is somebody's word
};

/// From the rows and cones with a multiplier. Multipliers of cones are moved into the dual cones for certain.
LagrangianEnclosure enclose_lagrangian(const Problem& problem, ConstraintSystem& system, const ProofPoint& at);

/// The same without the objective.
LagrangianEnclosure enclose_constraints(const Problem& problem, ConstraintSystem& system, const ProofPoint& at);

/// Linear rows and the linear part of the objective alone: sum of their multipliers times them, as gradient'y - constant.
/// False if some row with a multiplier is not linear.
bool enclose_linear_rows(ConstraintSystem& system, ConstVectorRef multipliers, LagrangianEnclosure& out);

/// The largest s >= 0 for which every row is certainly at most -s at x, negative where some row may be positive; two
/// reads. Infinite without rows.
double certain_slack(ConstraintSystem& system, const Vector& x);

/// Whether all constraints hold at x for certain; two reads.
bool certainly_feasible(const Problem& problem, ConstraintSystem& system, const Vector& x);

/// F(x), rounded up.
double objective_from_above(const Problem& problem, const Vector& x);

}  // namespace pliant
