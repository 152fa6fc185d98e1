// Solves beside a device (include/pliant/device.hpp): the path engine on rows that never come here all at once.
#include "parallel/parallel.hpp"
#include "pliant/device.hpp"
#include "rows/device_rows.hpp"
#include "solve/solve_beside.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {
namespace {

constexpr std::string_view kOnDevice = "on a device";

void expect_taken(const Problem& problem, const std::vector<DeviceBatchPtr>& rows, const Settings& settings) {
  if (rows.empty()) throw InputError("rows on a device: expected at least one batch");
  for (const DeviceBatchPtr& batch : rows) {
    if (batch->dimension() != problem.dimension()) {
      throw InputError(fmt::format("rows on a device: {} columns, but the problem has {} variables", batch->dimension(),
                                   problem.dimension()));
    }
  }
  expect_no_inequalities(problem, kOnDevice);
  expect_taken_beside(problem, settings, kOnDevice);
}

// A read of a sample costs a device next to nothing, but its numbers must travel: the middle level holds no more rows than
// the geometric mean of the first sample and of all.
WorkingSetParameters beside_device() {
  WorkingSetParameters out;
  out.level_share = 0.0;
  return out;
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
  InnerPoint point = start_beside(problem, hooks);
  EndBeside end = solve_beside(context, point, holder, parameters, hooks, kOnDevice);
  DeviceResult out;
  out.result = std::move(end.result);
  out.rows = std::move(end.rows);
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
