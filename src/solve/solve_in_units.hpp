// A problem whose variables are of very different sizes is solved in units in which they are not.
#pragma once

#include "model/natural_units.hpp"
#include "pliant/solve.hpp"

namespace pliant {

/// The problem in natural units, where it has some and the copy fits into memory beside it. Not where the settings ask
/// for a guarantee or a given delta: constants and minimisers are then those of the problem as it stands.
std::optional<ProblemInUnits> copy_in_units(const Problem& problem, const Settings& settings);

/// Solves the copy by `solve` and brings the answer back. The certificate is computed anew from the original problem (one
/// pass), and so is a proof that there is no solution: a claim that does not hold in the original units is not made.
using SolveProblem = FunctionRef<Result(const Problem& problem, const SolveHooks& hooks)>;
Result solve_in_units(const Problem& problem, const ProblemInUnits& copy, const Settings& settings,
                      const SolveHooks& hooks, SolveProblem solve);

}  // namespace pliant
