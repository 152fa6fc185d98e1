#include "solve/solve_soft_beside.hpp"

#include "engines/path/held_soft.hpp"
#include "engines/path/path_model.hpp"
#include "engines/path/soft_bands.hpp"
#include "parallel/stop.hpp"
#include "solve/solve_beside.hpp"

#include <fmt/format.h>

namespace pliant {
namespace {

// Stopped in the middle of a round: who has the rows has forgotten what it knew. Where there is no point that was certified,
// the latest one is, without multipliers and undisturbed. False: nothing is known of the rows.
bool settle_for_latest_soft(Context& run, InnerPoint& point, SoftMass& rows) {
  const parallel::StopScope undisturbed(nullptr);
  run.check_limits();
  if (run.incumbent().any()) return false;
  run.problem().prox().project(point.x);
  const RowsHere none = rows.read(point.x, {});
  evaluate_held_soft(run, rows, {*none.copies, Vector(), Vector::Zero(run.system().size())}, point);
  run.observe(point);
  return true;
}

}  // namespace

void expect_taken_beside_soft(const Problem& problem, std::string_view where) {
  if (problem.has_soft_rows()) {
    throw InputError(fmt::format("soft rows {}: others stand beside them, which may not", where));
  }
  const std::string why = problem.constraints() > 0 ? soft_bands_obstacle(problem) : std::string();
  if (!why.empty()) throw InputError(fmt::format("soft rows {}: {}", where, why));
  if (!PathModel(problem).quadratic) {
    throw InputError(fmt::format("soft rows {}: the objective beside them is not linear or quadratic", where));
  }
}

EndBesideSoft solve_beside_soft(Context& run, InnerPoint& point, SoftMass& rows, const SolveHooks& hooks,
                                std::string_view where, FunctionRef<void(const EndBesideSoft&)> look) {
  EndBesideSoft out;
  bool whole = true, known = true;
  try {
    try {
      solve_with_bands(run, point, rows);
    } catch (const parallel::Stopped&) {
      whole = false;
      known = settle_for_latest_soft(run, point, rows);
    }
    const parallel::StopScope undisturbed(nullptr);  // as in solve_beside
    out.result = whole ? run.finish(point) : run.finish();
    out.numbers = run.incumbent().held_rows();
    if (!out.numbers.empty()) out.multipliers = out.result.multipliers.lambda.back();
    if (known) look(out);
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
  result.engine = fmt::format("path / bands of soft rows {}", where);
  result.attempts = {{result.engine, fmt::format("soft rows are {}", where), std::string(to_string(result.status))}};
  result.time.total = result.time.solve;
  return out;
}

}  // namespace pliant
