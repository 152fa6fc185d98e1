// The engine for semidefinite programs (docs/methods.md): linear objective, semidefinite and nonnegative cones.
#pragma once

#include "outer/run.hpp"

namespace pliant {

/// Drives a problem with a SemidefiniteForm to the tolerances of the run. Leaves the last point judged.
void solve_semidefinite_path(Run& run, InnerPoint& point);

}  // namespace pliant
