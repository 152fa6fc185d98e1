// Solves problems with cones through rows (cone_rows.hpp).
#pragma once

#include "pliant/solve.hpp"

#include <span>

namespace pliant {

/// The attempts all treat cones as rows, spectral or logsumexp. The result is one of the problem with cones. Where
/// spectral rows fail, the cones they ended with are asked for a proof of infeasibility.
Result solve_cones_as_rows(const Problem& problem, std::span<const Attempt> attempts, const Settings& settings,
                           const SolveHooks& hooks);

/// What earlier parts of a solve cost.
void add_costs(const Result& before, Result& after);

}  // namespace pliant
