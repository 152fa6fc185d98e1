// Second-order engines know rows and boxes, no balls: |x| <= R is one curved row to them.
#pragma once

#include "pliant/solve.hpp"

#include <span>

namespace pliant {

bool has_ball(const Problem& problem);

/// The problem without its ball and with the row |x|^2/(2R) - R/2 <= 0, whose gradient has length 1 where it binds.
Problem ball_as_row(const Problem& problem);

/// Follows attempts at that problem. The result is one of the problem with the ball: x lies in it, and the certificate
/// comes from its data.
Result solve_ball_as_row(const Problem& problem, std::span<const Attempt> attempts, const Settings& settings,
                         const SolveHooks& hooks);

}  // namespace pliant
