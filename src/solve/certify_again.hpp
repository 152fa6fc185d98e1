// The certificate of a result that was found on another form of its problem: cones as rows, variables in other units.
#pragma once

#include "pliant/solve.hpp"

namespace pliant {

/// Certificate, overview and bound duals of result.x and its multipliers from the data of `problem`: one pass.
void certify_again(const Problem& problem, const Settings& settings, Result& result);

}  // namespace pliant
