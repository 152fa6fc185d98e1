// Variables that something pushes and nothing holds.
//
// A small entry of the Lagrangian's gradient is noise where it is what is left of large parts that balance each other, and
// the estimate of a bound (estimate.hpp) takes it for that: what it would cost to follow it to a bound of the variable far
// away, or for ever, is not counted. Where nothing balances the objective, and the Lagrangian is linear along the variable,
// the entry is no noise, however small it looks beside others: min 1e-7 x over |x| <= 1e7 is -1 and not 0.
#pragma once

#include "certify/bound_proof.hpp"
#include "certify/lagrangian_enclosure.hpp"

namespace pliant {

/// What the objective would fall by if such variables went to their bounds; infinite where they have none.
double unbalanced_cost(const Problem& problem, const ConstraintSystem& system, const ProofPoint& at,
                       const LagrangianEnclosure& lagrangian);

}  // namespace pliant
