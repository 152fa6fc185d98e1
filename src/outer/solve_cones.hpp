// Solves problems with cones through rows (cone_rows.hpp).
#pragma once

#include "pliant/function_ref.hpp"
#include "pliant/solve.hpp"

namespace pliant {

/// Solves a problem without cones.
using SolveRows = FunctionRef<Result(const Problem&, const Settings&, const SolveHooks&)>;

/// `treatment`: spectral or logsumexp. The result is one of the problem with cones.
Result solve_cones_as_rows(const Problem& problem, const Settings& settings, const SolveHooks& hooks,
                           Nonsmooth treatment, SolveRows solve_rows);

}  // namespace pliant
