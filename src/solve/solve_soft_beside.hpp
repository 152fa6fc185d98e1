// Solves beside soft rows that are held elsewhere, in shards or on a device: the bands on rows that never come here all at once.
#pragma once

#include "pliant/function_ref.hpp"
#include "pliant/soft_loss.hpp"
#include "rows/soft_mass.hpp"
#include "run/context.hpp"

#include <string_view>
#include <vector>

namespace pliant {

/// Throws InputError where the problem beside the rows is not what bands take. `where` the rows are: "in shards".
void expect_taken_beside_soft(const Problem& problem, std::string_view where);

struct EndBesideSoft {
  Result result;
  /// Of the rows that came: numbers (HeldSide), and multipliers of these sides at the best point.
  std::vector<Index> numbers;
  Vector multipliers;
};

/// The result without multipliers of soft rows, which are no part of the problem. `look`, before anything else happens to
/// them, unless a solve was stopped before the rows had anything to say. What is thrown on the way leaves it, after hooks.best
/// has seen the latest point.
EndBesideSoft solve_beside_soft(Context& run, InnerPoint& point, SoftMass& rows, const SolveHooks& hooks,
                                std::string_view where, FunctionRef<void(const EndBesideSoft&)> look);

}  // namespace pliant
