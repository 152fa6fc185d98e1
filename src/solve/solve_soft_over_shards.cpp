#include "solve/solve_soft_over_shards.hpp"

#include "engines/path/held_soft.hpp"
#include "parallel/stop.hpp"
#include "rows/soft_prices.hpp"
#include "solve/solve_soft_beside.hpp"

namespace pliant {
namespace {

constexpr std::string_view kSoftInShards = "in shards";

// What rows are frozen to, but for those that the multipliers of the best point speak of.
Vector slopes_of_all(SharedSoft& rows, const EndBesideSoft& end) {
  const parallel::StopScope undisturbed(nullptr);
  Vector out = rows.slopes();
  for (const Index number : end.numbers) out[HeldSide::of(number).row] = 0.0;
  for (std::size_t k = 0; k < end.numbers.size(); ++k) {
    const HeldSide side = HeldSide::of(end.numbers[k]);
    out[side.row] += side.sign * end.multipliers[static_cast<Index>(k)];
  }
  return out;
}

}  // namespace

void expect_soft_taken(const Problem& problem, const SoftInShards& soft) {
  expect_taken_beside_soft(problem, kSoftInShards);
  expect_loss_parameters(soft.loss, soft.parameter, soft.weight, kSoftInShards);
}

ShardedResult solve_soft_beside(Context& run, InnerPoint& point, SharedSoft& rows, const SolveHooks& hooks) {
  ShardedResult out;
  out.result = solve_beside_soft(run, point, rows, hooks, kSoftInShards, [&](const EndBesideSoft& end) {
                 out.slopes = slopes_of_all(rows, end);
               }).result;
  out.all_rows = rows.size();
  return out;
}

}  // namespace pliant
