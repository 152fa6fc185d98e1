// One solve, watched from Python.
#pragma once

#include "background.hpp"
#include "core.hpp"

#include "pliant/checkpoint.hpp"
#include "pliant/function_ref.hpp"
#include "pliant/io.hpp"
#include "pliant/solve.hpp"

namespace pliant::python {

/// What Python wants of a solve besides the settings.
struct Watch {
  nb::object callback;         ///< None, or called with each row of progress (to_python); true: stop
  nb::object write;            ///< None, or takes the text that the command would print
  const Solution* warm_start;  ///< may be null
  CheckpointOptions checkpoints = {};
};

/// Runs `solve` in the background with hooks for interrupts and `watch`, and makes its result a dict for the package.
nb::dict run_solve(const Problem& problem, const Settings& settings, const Watch& watch,
                   FunctionRef<Result(const SolveHooks&)> solve);

/// The same, where the solve itself asks for things of Python on the way.
nb::dict run_solve_in(const Problem& problem, const Settings& settings, const Watch& watch,
                      FunctionRef<Result(Background&, const SolveHooks&)> solve);

}  // namespace pliant::python
