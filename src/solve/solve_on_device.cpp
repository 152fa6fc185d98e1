// Solves beside a device (include/pliant/device.hpp): the path engine on rows that never come here all at once.
#include "engines/path/path_model.hpp"
#include "engines/path/working_set.hpp"
#include "parallel/parallel.hpp"
#include "pliant/device.hpp"
#include "rows/device_rows.hpp"
#include "run/budget.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {
namespace {

void expect_taken(const Problem& problem, const std::vector<DeviceBatchPtr>& rows, const Settings& settings) {
  if (problem.constraints() > 0 || problem.has_soft_rows()) {
    throw InputError("rows on a device: the problem beside them has inequalities of its own, which it may not");
  }
  if (rows.empty()) throw InputError("rows on a device: expected at least one batch");
  for (const DeviceBatchPtr& batch : rows) {
    if (batch->dimension() != problem.dimension()) {
      throw InputError(fmt::format("rows on a device: {} columns, but the problem has {} variables", batch->dimension(),
                                   problem.dimension()));
    }
  }
  if (const std::string why = PathModel::obstacle_beside_rows(problem); !why.empty()) {
    throw InputError(fmt::format("rows on a device are solved by method path: {}", why));
  }
  const bool others =
      (settings.method != Method::automatic && settings.method != Method::path) || settings.outer != Outer::automatic ||
      settings.xi || settings.delta || settings.guarantee ||
      (settings.linear_algebra != LinearAlgebra::automatic && settings.linear_algebra != LinearAlgebra::dense);
  if (others)
    throw InputError("rows on a device are solved by method path on working sets: other settings do not apply");
}

// A read of a sample costs a device next to nothing, but its numbers must travel: the middle level holds no more rows than
// the geometric mean of the first sample and of all.
WorkingSetParameters beside_device() {
  WorkingSetParameters out;
  out.level_share = 0.0;
  return out;
}

// Rows that exclude each other do so in any company: what proves that for the rows that were judged last proves it for all.
void prove_infeasible(const Problem& problem, RowHolder& holder, const Settings& settings, const SolveHooks& hooks,
                      DeviceResult& out) {
  if (out.result.status != Status::numerical_error || out.rows.empty()) return;
  Problem few = problem;
  for (BatchPtr& batch : holder.fetch(out.rows)) few.subject_to(std::move(batch));
  Settings here = lower_limits(settings, {out.result.time.solve, out.result.passes, out.result.iterations});
  here.device = {};
  here.method = Method::automatic;
  SolveHooks quiet;
  quiet.interrupt = hooks.interrupt;
  Result found = solve(few, here, quiet);
  if (found.status != Status::primal_infeasible) return;
  const std::vector<Progress> trace = std::move(out.result.trace);
  const double passes = out.result.passes, seconds = out.result.time.solve;
  out.result = std::move(found);
  out.result.trace = trace;
  out.result.passes = passes;
  out.result.time.solve += seconds;
}

}  // namespace

DeviceResult solve(const Problem& problem, const std::vector<DeviceBatchPtr>& rows, const Settings& settings,
                   const SolveHooks& hooks) {
  validate(settings);
  problem.validate();
  expect_taken(problem, rows, settings);
  const parallel::ThreadScope threads(settings.threads);
  const WorkingSetParameters parameters = beside_device();
  Context context(problem, settings, hooks);
  double scale = problem.constant_scale();
  for (const DeviceBatchPtr& batch : rows) {
    context.system().count_held(batch->bytes());
    scale = std::max(scale, batch->constant_scale());
  }
  DeviceRows holder(rows, context.system(), parameters.check_slack * (1.0 + scale));
  InnerPoint point;
  point.x = problem.start ? *problem.start : Vector(Vector::Zero(problem.dimension()));
  if (hooks.warm_start != nullptr) point.x = *hooks.warm_start;
  problem.prox().project(point.x);
  solve_with_working_sets(context, point, holder, RowsAre::elsewhere, parameters);
  DeviceResult out;
  out.result = context.finish(point);
  out.rows = context.incumbent().held_rows();
  prove_infeasible(problem, holder, settings, hooks, out);
  out.result.method = Method::path;
  out.result.linear_algebra = LinearAlgebra::dense;
  out.result.engine = "path / working sets, rows on a device";
  out.result.time.total = out.result.time.solve;
  for (const DeviceBatchPtr& batch : rows) {
    double seconds = 0.0;
    Index reads = 0;
    batch->call([&](const auto& api, auto* object) { return api.read_time(object, &seconds, &reads); });
    out.read_seconds += seconds;
    out.reads = std::max(out.reads, reads);
  }
  return out;
}

}  // namespace pliant
