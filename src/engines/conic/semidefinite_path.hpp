// The engine for semidefinite programs (docs/methods.md): linear objective, semidefinite and nonnegative cones.
#pragma once

#include "run/context.hpp"

namespace pliant {

/// Drives a problem with a SemidefiniteForm to the tolerances of the run. Leaves the last point judged. False where it
/// fell short by what no other engine here would gain: its iterates met the tolerances and only the certificate's
/// charge for the residual they left did not, or orthogonal transformations ended near them.
bool solve_semidefinite_path(Context& run, InnerPoint& point);

}  // namespace pliant
