// How a plan is made; `choose` itself is public (pliant/solve.hpp).
#pragma once

#include "pliant/solve.hpp"

#include <string>
#include <string_view>

namespace pliant {

/// -log det has no smoothness constant, and gradient steps would leave its domain: an InputError that begins with
/// `who`.
void expect_smooth(const Problem& problem, std::string_view who);

/// Whether the settings ask for a method of gradients, or for a penalty that only these take.
bool asks_for_first_order(const Settings& settings);

/// The method of gradients that the settings ask for, or the one that fits. The reason begins with `before`, where `auto`
/// chooses. InputError where there is none.
Plan plan_gradients(const Problem& problem, const Settings& settings, std::string_view before);

/// Why primal-dual steps on all cones of a problem cannot be taken, in words; empty if they can.
std::string interior_obstacle(const Problem& problem);

/// The settings as an attempt by primal-dual steps on all cones understands them.
Settings interior_settings(Settings settings);

}  // namespace pliant
