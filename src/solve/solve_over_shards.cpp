// Solves over shards (include/pliant/shards.hpp): the path engine on rows that never come here all at once.
#include "engines/path/path_model.hpp"
#include "engines/path/working_set.hpp"
#include "parallel/parallel.hpp"
#include "pliant/shards.hpp"
#include "rows/shared_rows.hpp"

#include <fmt/format.h>

namespace pliant {
namespace {

void expect_shards_taken(const Problem& problem, Index shards, const Settings& settings) {
  if (problem.constraints() > 0 || problem.has_soft_rows()) {
    throw InputError("rows in shards: the problem beside them has inequalities of its own, which it may not");
  }
  if (shards <= 0) throw InputError("rows in shards: expected at least one shard");
  if (const std::string why = PathModel::obstacle_beside_rows(problem); !why.empty()) {
    throw InputError(fmt::format("rows in shards are solved by method path: {}", why));
  }
  const bool others =
      (settings.method != Method::automatic && settings.method != Method::path) || settings.outer != Outer::automatic ||
      settings.xi || settings.delta || settings.guarantee || settings.device.on_card() ||
      (settings.linear_algebra != LinearAlgebra::automatic && settings.linear_algebra != LinearAlgebra::dense);
  if (others) {
    throw InputError("rows in shards are solved by method path on working sets: other settings do not apply");
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
  validate(settings);
  problem.validate();
  expect_shards_taken(problem, shards, settings);
  const parallel::ThreadScope threads(settings.threads);
  const WorkingSetParameters parameters = over_shards();
  Context context(problem, settings, hooks);
  ShardRounds rounds(shards, exchange);
  const ShardShapes shapes = ShardShapes::open(rounds, problem.dimension());
  const double scale = std::max(problem.constant_scale(), shapes.constant_scale);
  SharedRows holder(shapes, rounds, context.system(), problem.dimension(), parameters.check_slack * (1.0 + scale));
  InnerPoint point;
  point.x = problem.start ? *problem.start : Vector(Vector::Zero(problem.dimension()));
  if (hooks.warm_start != nullptr) point.x = *hooks.warm_start;
  problem.prox().project(point.x);
  try {
    solve_with_working_sets(context, point, holder, RowsAre::elsewhere, parameters);
  } catch (const std::exception&) {  // of an exchange: the latest point is all that is left of the solve
    if (hooks.best) hooks.best({point.x, {}, -kInfinity});
    throw;
  }
  ShardedResult out;
  out.result = context.finish(point);
  out.result.method = Method::path;
  out.result.linear_algebra = LinearAlgebra::dense;
  out.result.engine = "path / working sets, rows in shards";
  out.result.attempts = {{out.result.engine, "rows are in shards", std::string(to_string(out.result.status))}};
  out.result.time.total = out.result.time.solve;
  out.rows = context.incumbent().held_rows();
  out.all_rows = holder.rows();
  out.rounds = rounds.rounds;
  out.bytes_sent = rounds.bytes_sent;
  out.bytes_received = rounds.bytes_received;
  out.seconds_waited = rounds.seconds_waited;
  return out;
}

}  // namespace pliant
