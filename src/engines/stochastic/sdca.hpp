// Stochastic dual coordinate ascent on the exact penalty, an outer strategy of its own: no delta, no stages.
//
//   repeat: visit every dual coordinate once, in random order (dual_coordinates.hpp)
//           judge x and the multipliers now and then; raise xi where multipliers stick to it
#pragma once

#include "run/context.hpp"

namespace pliant {

struct SdcaParameters {
  Index judge_every = 10;   ///< epochs between certificates, fewer when an epoch looks good enough
  double xi_growth = 4.0;   ///< xi is multiplied by this when multipliers stick to it
  Index patience = 3;       ///< epochs in a row that multipliers may be at xi while their rows stay violated
  double look_ahead = 1.0;  ///< a certificate is worth its pass once an epoch met this many times the tolerances
};

/// Why sdca cannot take a problem; empty: it can.
std::string sdca_obstacle(const Problem& problem);

/// Starts at alpha = 0, or at point.x and point.at.multipliers where these are given.
void solve_with_dual_coordinates(Context& run, InnerPoint& point, const SdcaParameters& parameters);

}  // namespace pliant
