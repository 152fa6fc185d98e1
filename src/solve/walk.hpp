// The attempts of a plan on one problem, one after the other.
#pragma once

#include "pliant/solve.hpp"
#include "run/proof_search.hpp"

#include <span>

namespace pliant {

/// Makes the attempts until one of them answers; `search` (may be empty) is asked for proofs where they do not. The
/// problem is valid and the attempts fit it: engines take its cones as they are.
Result walk(const Problem& problem, std::span<const Attempt> attempts, const Settings& settings,
            const SolveHooks& hooks, const ProofSearch& search);

}  // namespace pliant
