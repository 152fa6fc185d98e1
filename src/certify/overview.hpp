// The overview of a result, from values that a certificate has read anyway.
#pragma once

#include "pliant/overview.hpp"
#include "rows/constraint_system.hpp"

namespace pliant {

/// `a` and `multipliers` of all rows of `system`; distances and multipliers of the cones; no data are read. `bounded`:
/// rows of which `a` holds an upper bound. Rows that are eigenvalues count once for each cone; then `cone_multipliers`
/// are the dual points of every batch of them, or none.
ConstraintOverview survey(const Problem& problem, const ConstraintSystem& system, ConstVectorRef a,
                          ConstVectorRef multipliers, ConstVectorRef cone_distances,
                          const std::vector<Vector>& cone_multipliers, Index bounded);

}  // namespace pliant
