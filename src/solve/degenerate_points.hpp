// Ellipsoids around points that do not span the space have no least volume; the solve says so instead of blaming rounding.
#pragma once

#include "pliant/problem.hpp"

#include <string>

namespace pliant {

/// Why -log det X has no minimum under rows q_i'X q_i <= b_i, in words: too few points, or all in a hyperplane. Empty:
/// it has one, or the problem is another. Reads the points once.
std::string degenerate_points(const Problem& problem);

}  // namespace pliant
