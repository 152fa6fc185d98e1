// Solves problems with cones through rows (cone_rows.hpp).
#pragma once

#include "pliant/function_ref.hpp"
#include "pliant/solve.hpp"

namespace pliant {

/// Solves a problem without cones, or one with cones by interior steps.
using SolveDirectly = FunctionRef<Result(const Problem&, const Settings&, const SolveHooks&)>;

/// `choice.treatment`: spectral or logsumexp. The result is one of the problem with cones. Where spectral rows fail,
/// the cones they ended with are asked for a proof of infeasibility, and if the choice was free, interior steps on all
/// cones are tried where they fit.
Result solve_cones_as_rows(const Problem& problem, const Settings& settings, const SolveHooks& hooks,
                           const ChosenMethod& choice, SolveDirectly solve_directly);

}  // namespace pliant
