// The engine for semidefinite programs (docs/methods.md): linear objective, semidefinite and nonnegative cones.
#pragma once

#include "run/context.hpp"

namespace pliant {

/// Drives a problem with a SemidefiniteForm to the tolerances of the run. Leaves the last point judged.
void solve_semidefinite_path(Context& run, InnerPoint& point);

}  // namespace pliant
