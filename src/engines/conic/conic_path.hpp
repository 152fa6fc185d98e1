// The engine for second-order, exponential and power cones (docs/methods.md): linear and quadratic objectives.
#pragma once

#include "run/context.hpp"

namespace pliant {

/// Drives a problem without conic_obstacle to the tolerances of the run. Leaves the last point judged.
void solve_conic_path(Context& run, InnerPoint& point);

}  // namespace pliant
