#include "solve/solve_soft_over_shards.hpp"

#include "engines/path/held_soft.hpp"
#include "engines/path/path_model.hpp"
#include "engines/path/soft_bands.hpp"
#include "parallel/stop.hpp"
#include "solve/solve_beside.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {
namespace {

constexpr std::string_view kSoftEngine = "path / bands of soft rows in shards";

// Stopped in the middle of a round: shards have forgotten what they knew. Where there is no point that was certified, the
// latest one is, without multipliers and undisturbed. False: shards have nothing to say.
bool settle_for_latest_soft(Context& run, InnerPoint& point, SharedSoft& rows) {
  const parallel::StopScope undisturbed(nullptr);
  run.check_limits();
  if (run.incumbent().any()) return false;
  run.problem().prox().project(point.x);
  const RowsHere none = rows.read(point.x, {});
  evaluate_held_soft(run, rows, {*none.copies, Vector(), Vector::Zero(run.system().size())}, point);
  run.observe(point);
  return true;
}

// What rows are frozen to, but for those that the multipliers of the best point speak of.
Vector slopes_of_all(Context& run, SharedSoft& rows, const Result& result) {
  const parallel::StopScope undisturbed(nullptr);
  Vector out = rows.slopes();
  const std::vector<Index> numbers = run.incumbent().held_rows();
  if (numbers.empty()) return out;
  const Vector& multipliers = result.multipliers.lambda.back();
  for (const Index number : numbers) out[HeldSide::of(number).row] = 0.0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const HeldSide side = HeldSide::of(numbers[k]);
    out[side.row] += side.sign * multipliers[static_cast<Index>(k)];
  }
  return out;
}

}  // namespace

void expect_soft_taken(const Problem& problem, const SoftInShards& soft) {
  if (problem.has_soft_rows()) throw InputError("soft rows in shards: others stand beside them, which may not");
  const std::string why = problem.constraints() > 0 ? soft_bands_obstacle(problem) : std::string();
  if (!why.empty()) throw InputError(fmt::format("soft rows in shards: {}", why));
  if (!PathModel(problem).quadratic) {
    throw InputError("soft rows in shards: the objective beside them is not linear or quadratic");
  }
  if (!(soft.weight >= 0.0) || !std::isfinite(soft.weight)) {
    throw InputError(fmt::format("soft rows in shards: weight must be finite and >= 0, got {}", soft.weight));
  }
  const double p = soft.parameter;
  if (soft.loss == SoftLoss::quantile && !(p > 0.0 && p < 1.0)) {
    throw InputError(fmt::format("quantile: tau: expected 0 < tau < 1, got {}", p));
  }
  if (soft.loss == SoftLoss::epsilon_insensitive && (!(p >= 0.0) || !std::isfinite(p))) {
    throw InputError(fmt::format("epsilon_insensitive: eps: expected a finite number >= 0, got {}", p));
  }
}

ShardedResult solve_soft_beside(Context& run, InnerPoint& point, SharedSoft& rows, const SolveHooks& hooks) {
  ShardedResult out;
  bool whole = true, known = true;
  try {
    try {
      solve_with_bands(run, point, rows);
    } catch (const parallel::Stopped&) {
      whole = false;
      known = settle_for_latest_soft(run, point, rows);
    }
    out.result = whole ? run.finish(point) : run.finish();
    if (known) out.slopes = slopes_of_all(run, rows, out.result);
    const bool may_exclude = run.problem().constraints() > 0 || run.problem().has_equalities();
    if (may_exclude && out.result.status == Status::numerical_error) {
      prove_infeasible(run, run.problem(), hooks, out.result);
    }
  } catch (const std::exception&) {  // of whoever has the rows: the latest point is all that is left of the solve
    if (hooks.best) hooks.best({point.x, {}, -kInfinity});
    throw;
  }
  Result& result = out.result;
  // Those of the few soft rows that were judged are no part of the problem.
  result.multipliers.lambda.resize(run.problem().batches().size());
  result.overview = {};
  result.method = Method::path;
  result.linear_algebra = LinearAlgebra::dense;
  result.engine = kSoftEngine;
  result.attempts = {{result.engine, "soft rows are in shards", std::string(to_string(result.status))}};
  result.time.total = result.time.solve;
  out.all_rows = rows.size();
  return out;
}

}  // namespace pliant
