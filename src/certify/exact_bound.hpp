// Lower bounds where the domain is not bounded: multipliers nearby for which the Lagrangian has a minimum.
#pragma once

#include "certify/lagrangian_enclosure.hpp"

namespace pliant {

/// The Lagrangian is linear in its unbounded directions or has no minimum there, so that its gradient must be exactly 0 on
/// variables without bounds and must point away from the bound that others lack. Multipliers of linear rows are moved for
/// that, each as little as it takes relative to itself; those of free variables' equations are enclosed
/// (row_combination.hpp). `whole` is the Lagrangian with the multipliers as they are. nullopt where that fails, the multipliers are far off, or the dense systems would be too large.
std::optional<double> bound_by_exact_multipliers(const Problem& problem, ConstraintSystem& system, const ProofPoint& at,
                                                 const LagrangianEnclosure& whole);

}  // namespace pliant
