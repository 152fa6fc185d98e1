// The checks of pliant/infeasibility.hpp on a ConstraintSystem, which books what they read.
#pragma once

#include "pliant/infeasibility.hpp"
#include "rows/constraint_system.hpp"

namespace pliant {

/// Multipliers of all rows of the system, sides of equalities included, and of cones (none: 0).
InfeasibilityProof check_infeasibility(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                                       ConstVectorRef multipliers, const std::vector<Vector>& cone_multipliers = {});

/// The same; multipliers of rows that prove nothing as they are, or only within a radius, are balanced first and replaced
/// where that helps. Those of cones stay.
InfeasibilityProof check_infeasibility_balanced(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                                                Vector& multipliers, const std::vector<Vector>& cone_multipliers = {});
/// The same of split multipliers.
InfeasibilityProof prove_infeasible_balanced(const Problem& problem, ConstVectorRef x, Multipliers& multipliers);

UnboundednessProof check_unboundedness(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                                       ConstVectorRef direction);

}  // namespace pliant
