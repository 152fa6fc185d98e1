// First guesses of xi and delta, where the settings leave them open.
#pragma once

#include "pliant/settings.hpp"
#include "rows/constraint_system.hpp"

namespace pliant {

struct InitialPenalty {
  double xi = 1.0;
  double delta = 1.0;
  Vector norms;  ///< gradient norms of all rows at x0, which were read anyway; empty without rows
};

InitialPenalty initial_penalty(const Problem& problem, ConstraintSystem& system, const Settings& settings,
                               ConstVectorRef x0);

}  // namespace pliant
