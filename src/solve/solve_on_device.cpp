// Solves beside a device (include/pliant/device.hpp): the path engine on rows that never come here all at once.
#include "engines/path/held_soft.hpp"
#include "parallel/parallel.hpp"
#include "pliant/device.hpp"
#include "rows/device_rows.hpp"
#include "rows/device_soft.hpp"
#include "solve/solve_beside.hpp"
#include "solve/solve_soft_beside.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {
namespace {

constexpr std::string_view kOnDevice = "on a device";

void expect_columns(const Problem& problem, const DeviceBatch& rows) {
  if (rows.dimension() == problem.dimension()) return;
  throw InputError(fmt::format("rows on a device: {} columns, but the problem has {} variables", rows.dimension(),
                               problem.dimension()));
}

void expect_taken(const Problem& problem, const std::vector<DeviceBatchPtr>& rows, const Settings& settings) {
  if (rows.empty()) throw InputError("rows on a device: expected at least one batch");
  for (const DeviceBatchPtr& batch : rows) expect_columns(problem, *batch);
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

void add_read_time(DeviceBatch& batch, DeviceResult& out) {
  double seconds = 0.0;
  Index reads = 0;
  batch.call([&](const auto& api, auto* object) { return api.read_time(object, &seconds, &reads); });
  out.read_seconds += seconds;
  out.reads = std::max(out.reads, reads);
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
  for (const DeviceBatchPtr& batch : rows) add_read_time(*batch, out);
  return out;
}

DeviceResult solve(const Problem& problem, const SoftOnDevice& soft, const Settings& settings,
                   const SolveHooks& hooks) {
  validate(settings);
  problem.validate();
  if (soft.rows == nullptr) throw InputError("soft rows on a device: expected rows");
  expect_columns(problem, *soft.rows);
  expect_taken_beside_soft(problem, kOnDevice);
  expect_taken_beside(problem, settings, kOnDevice);
  expect_loss_parameters(soft.loss, soft.parameter, soft.weight, kOnDevice);
  const parallel::ThreadScope threads(settings.threads);
  Context context(problem, settings, hooks);
  const LossPrices prices = prices_of(soft.loss, soft.parameter, soft.weight, soft.rows->stored_rows());
  DeviceSoft mass(soft.rows, prices, soft.weights, context.system());
  InnerPoint point = start_beside(problem, hooks);
  EndBesideSoft end = solve_beside_soft(context, point, mass, hooks, kOnDevice, [](const EndBesideSoft&) {});
  DeviceResult out;
  out.result = std::move(end.result);
  for (std::size_t k = 0; k < end.numbers.size(); ++k) {
    const HeldSide side = HeldSide::of(end.numbers[k]);
    if (out.rows.empty() || out.rows.back() != side.row) {
      out.rows.push_back(side.row);
      out.slopes.push_back(0.0);
    }
    out.slopes.back() += side.sign * end.multipliers[static_cast<Index>(k)];
  }
  add_read_time(*soft.rows, out);
  return out;
}

}  // namespace pliant
