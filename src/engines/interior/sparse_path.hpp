// The path engine on sparse linear and quadratic programs: presolve, equilibration, elastic Newton on everything.
#pragma once

#include "outer/run.hpp"

#include <string>

namespace pliant {

/// Why the engine cannot take a problem, in words; empty if it can.
std::string sparse_path_obstacle(const Problem& problem);

/// Drives the problem to the tolerances of the run. Leaves the last point judged.
void solve_sparse_path(Run& run, InnerPoint& point);

}  // namespace pliant
