// Solves over soft rows in shards: the bands on rows that never come here all at once.
#pragma once

#include "pliant/shards.hpp"
#include "rows/shared_soft.hpp"
#include "run/context.hpp"

namespace pliant {

/// Throws InputError where the problem beside the rows, or their prices, are not what bands take.
void expect_soft_taken(const Problem& problem, const SoftInShards& soft);

/// The result with the slopes of all rows. What is thrown on the way leaves it, after hooks.best has seen the latest point.
ShardedResult solve_soft_beside(Context& run, InnerPoint& point, SharedSoft& rows, const SolveHooks& hooks);

}  // namespace pliant
