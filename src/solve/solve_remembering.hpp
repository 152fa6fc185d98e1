// pliant::solve for a Solver: `known` is what it remembers of the rows (null: nothing), brought up to date.
#pragma once

#include "pliant/solve.hpp"

namespace pliant {

struct RowKnowledge;

Result solve_remembering(const Problem& problem, const Settings& settings, const SolveHooks& hooks,
                         RowKnowledge* known);

}  // namespace pliant
