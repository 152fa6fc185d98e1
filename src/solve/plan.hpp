// How a plan is made; `choose` itself is public (pliant/solve.hpp).
#pragma once

#include "pliant/solve.hpp"

#include <string>
#include <string_view>

namespace pliant {

/// -log det has no smoothness constant, and gradient steps would leave its domain: an InputError that begins with
/// `who`.
void expect_smooth(const Problem& problem, std::string_view who);

/// Why primal-dual steps on all cones of a problem cannot be taken, in words; empty if they can.
std::string interior_obstacle(const Problem& problem);

/// The settings as an attempt by primal-dual steps on all cones understands them.
Settings interior_settings(Settings settings);

}  // namespace pliant
