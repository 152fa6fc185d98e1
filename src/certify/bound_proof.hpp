// A lower bound that is a proof: it holds for the data as stored, in exact arithmetic.
//
// Everything is computed once more from the rows that have a multiplier, beside the sums of the absolute values of all
// that enters (linalg/rounding.hpp). Whoever found x and the multipliers, and how, does not matter.
#pragma once

#include "pliant/certificate.hpp"
#include "rows/constraint_system.hpp"

namespace pliant {

/// Whose multipliers: rows of the system, sides of equalities included; one vector per conic constraint, or one per
/// batch of eigenvalues (ConstraintBatch::group), or none.
struct ProofPoint {
  ConstVectorRef x;
  ConstVectorRef multipliers;
  const std::vector<Vector>& cones;
  /// A point believed to be feasible: where it is for certain, F there bounds F*, which l1 and group terms need without
  /// strong convexity. Null: none.
  const Vector* feasible = nullptr;
};

/// The best bound of section "Reading the certificate" with rounding taken off; -infinity where there is none. Reads the
/// rows with a multiplier once, and all of them twice where a feasible point has to be verified.
/// `unbalanced`: what the estimate of the same point has to count as well (unbalanced.hpp).
LowerBound prove_lower_bound(const Problem& problem, ConstraintSystem& system, const ProofPoint& at,
                             double* unbalanced = nullptr);

}  // namespace pliant
