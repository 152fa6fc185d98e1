// The conic part of a certificate, computed from original data.
#pragma once

#include "pliant/certificate.hpp"
#include "rows/constraint_system.hpp"

#include <vector>

namespace pliant {

/// The cones at x with multipliers z: their part z'(Gx - h) of the Lagrangian, and how far x is from each.
struct ConicEvaluation {
  std::vector<Vector> multipliers;  ///< one per conic constraint, in K*
  double product = 0.0;             ///< sum z'(Gx - h)
  Vector a;                         ///< distance of every cone but the zero ones (cones/distance.hpp)
  Vector scales;                    ///< 1 + max |h| of each of these cones
  double worth = 0.0;               ///< sum z'v for v that move s into its cone, along its eigenvectors or along e
  double zero_residual = 0.0;       ///< max |s| over the rows of zero cones
  double zero_residual_rel = 0.0;   ///< the same of |s|/(1 + |h|)
};

/// `multipliers` may be empty (0); others are moved into K*. gradient += G'z. One read of G, booked on `system`.
ConicEvaluation evaluate_cones(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                               const std::vector<Vector>& multipliers, VectorRef gradient);

/// Multipliers of cones combined for a proof of infeasibility (infeasibility.cpp): their rows are linear functions.
struct ConicCombination {
  Index rows = 0;         ///< with a multiplier
  double size = 0.0;      ///< sum |z_i| |G_i|
  double constant = 0.0;  ///< sum |z_i|, of use where all rows are 0
  double reach = 0.0;     ///< max |h_i| / |G_i|: where their constants put them
};
ConicCombination combine_cones(const Problem& problem, ConstraintSystem& system,
                               const std::vector<Vector>& multipliers);

/// Along d: the largest distance of -Gd from a cone, relative to the Frobenius norm of the cone's rows (zero cones:
/// each row's own), -infinity without cones; and the violation at x relative to the scale of each cone. d has length 1.
struct ConicRecession {
  double leaving = -kInfinity;
  double leaving_rows = -kInfinity;  ///< the same of nonnegative and zero cones alone
  double longest = 0.0;              ///< roundings of the distance of the largest cone
  double violation = 0.0;
};
ConicRecession recede_cones(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, ConstVectorRef d);

}  // namespace pliant
