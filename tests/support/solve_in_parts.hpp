// A solve over parts of the rows of a problem, all in this memory.
#pragma once

#include "pliant/shards.hpp"

#include <string>
#include <vector>

namespace pliant::testing {

inline std::vector<Shard> cut_into(Index parts, const Problem& problem) {
  std::vector<Shard> shards;
  for (Index p = 0; p < parts; ++p) shards.emplace_back(rows_of_part(problem, p, parts));
  return shards;
}

/// `shards` hold the rows of `problem`.
inline ShardedResult solve_over(std::vector<Shard>& shards, const Problem& problem, const Settings& settings) {
  const Exchange exchange = [&](const std::vector<std::string>& requests) {
    std::vector<std::string> out;
    for (std::size_t s = 0; s < requests.size(); ++s) out.push_back(shards[s].answer(requests[s]));
    return out;
  };
  return solve(without_rows(problem), static_cast<Index>(shards.size()), exchange, settings);
}

inline ShardedResult solve_in_parts(const Problem& problem, Index parts, const Settings& settings) {
  std::vector<Shard> shards = cut_into(parts, problem);
  return solve_over(shards, problem, settings);
}

}  // namespace pliant::testing
