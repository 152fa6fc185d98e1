// Solves over shards (include/pliant/shards.hpp): the path engine on rows that never come here all at once.
#include "parallel/parallel.hpp"
#include "parallel/stop.hpp"
#include "pliant/shards.hpp"
#include "rows/shared_rows.hpp"
#include "solve/solve_beside.hpp"
#include "solve/solve_soft_over_shards.hpp"

#include <algorithm>

namespace pliant {
namespace {

constexpr std::string_view kInShards = "in shards";

void expect_shards_taken(const Problem& problem, Index shards, const Settings& settings) {
  if (shards <= 0) throw InputError("rows in shards: expected at least one shard");
  expect_taken_beside(problem, settings, kInShards);
  if (settings.device.on_card()) {
    throw InputError("rows in shards are read where they are: --device does not apply");
  }
}

// Every shard draws the whole sample of the middle level, and keeps its part. Rounds are dearer than reads: a look that
// would find nothing is left out.
WorkingSetParameters over_shards() {
  WorkingSetParameters out;
  out.most_level_rows = Index{1} << 22;
  out.most_looks = 2;
  return out;
}

}  // namespace

ShardedResult solve(const Problem& problem, Index shards, const Exchange& exchange, const Settings& settings,
                    const SolveHooks& hooks) {
  return solve(problem, SoftInShards{}, shards, exchange, settings, hooks);
}

ShardedResult solve(const Problem& problem, const SoftInShards& soft, Index shards, const Exchange& exchange,
                    const Settings& settings, const SolveHooks& hooks) {
  validate(settings);
  problem.validate();
  expect_shards_taken(problem, shards, settings);
  const parallel::ThreadScope threads(settings.threads);
  const WorkingSetParameters parameters = over_shards();
  Context context(problem, settings, hooks);
  InnerPoint point = start_beside(problem, hooks);
  // Whoever interrupts may not wait for the round that certifies the latest point: it is shown before.
  bool shown = hooks.interrupt == nullptr || !hooks.best;
  const Exchange careful = [&](const std::vector<std::string>& requests) {
    if (!shown && hooks.interrupt->load()) {
      shown = true;
      hooks.best({point.x, {}, -kInfinity});
    }
    return exchange(requests);
  };
  ShardRounds rounds(shards, careful);
  const ShardShapes shapes = ShardShapes::open(rounds, problem.dimension());
  const parallel::StopSign sign = context.budget().stop_sign();
  const parallel::StopScope stops(&sign);
  ShardedResult out;
  if (shapes.soft() || soft.loss != SoftLoss::as_held) {
    expect_soft_taken(problem, soft);
    SharedSoft rows(shapes, rounds, soft, context.system(), problem.dimension());
    out = solve_soft_beside(context, point, rows, hooks);
  } else {
    expect_no_inequalities(problem, kInShards);
    const double scale = std::max(problem.constant_scale(), shapes.constant_scale);
    SharedRows holder(shapes, rounds, context.system(), problem.dimension(), parameters.check_slack * (1.0 + scale));
    EndBeside end = solve_beside(context, point, holder, parameters, hooks, kInShards);
    out.result = std::move(end.result);
    out.rows = std::move(end.rows);
    out.all_rows = holder.rows();
  }
  out.rounds = rounds.rounds;
  out.bytes_sent = rounds.bytes_sent;
  out.bytes_received = rounds.bytes_received;
  out.seconds_waited = rounds.seconds_waited;
  return out;
}

}  // namespace pliant
