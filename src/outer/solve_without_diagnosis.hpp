// A solve that takes the engine's word: no search for proofs afterwards. For auxiliary problems that are known to be
// feasible and bounded, the search itself among them.
#pragma once

#include "pliant/solve.hpp"

namespace pliant {

Result solve_without_diagnosis(const Problem& problem, const Settings& settings, const SolveHooks& hooks);

}  // namespace pliant
