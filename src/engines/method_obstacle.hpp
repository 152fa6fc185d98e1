// What a method cannot do, said before anything is computed.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/settings.hpp"

#include <string>

namespace pliant {

/// Why a method other than `auto` and `path` cannot solve this problem with these settings; empty: it can.
std::string method_obstacle(Method method, const Problem& problem, const Settings& settings);

/// Throws InputError where --batch-size is given to a method that draws no batches.
void expect_batches_apply(const Settings& settings);

}  // namespace pliant
