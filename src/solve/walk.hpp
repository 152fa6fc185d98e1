// The attempts of a plan on one problem, one after the other.
#pragma once

#include "pliant/solve.hpp"
#include "run/proof_search.hpp"

#include <span>

namespace pliant {

struct RowKnowledge;

/// Makes the attempts until one of them answers; `search` (may be empty) is asked for proofs where they do not. The
/// problem is valid and the attempts fit it: engines take its cones as they are. `known` is what a Solver remembers of
/// the rows of this problem, or null.
Result walk(const Problem& problem, std::span<const Attempt> attempts, const Settings& settings,
            const SolveHooks& hooks, const ProofSearch& search, RowKnowledge* known = nullptr);

}  // namespace pliant
