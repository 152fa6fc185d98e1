// Soft rows of any family, and beside rows of any family: the primal path (primal_path.hpp) on all rows at once.
//
// Curved rows have no bands: where a row is linear in x its sign far from the kink is all there is to know of it, a curved
// one has to be read. Every Newton step reads all rows near their boundary or above it.
#pragma once

#include "run/context.hpp"

#include <string>

namespace pliant {

struct SoftPathParameters {
  double margin = 0.5;      ///< of what is asked for: rounding and the certificate need room
  double tightening = 0.1;  ///< of that, where the certificate asks for more
  double finest = 1e-14;    ///< accuracies below this are lost to rounding
};

/// Why a problem cannot be solved so, in words; empty if it can.
std::string soft_path_obstacle(const Problem& problem);

/// Drives the problem to the tolerances of the run. Leaves the last point judged.
void solve_soft_path(Context& run, InnerPoint& point, const SoftPathParameters& parameters = {});

}  // namespace pliant
