#include "solve/solve_beside.hpp"

#include "engines/path/path_model.hpp"
#include "parallel/stop.hpp"
#include "run/budget.hpp"

#include <fmt/format.h>

namespace pliant {
namespace {

// Rows that exclude each other do so in any company: what proves that for the rows that were judged last proves it for all.
void prove_infeasible_beside(Context& run, RowHolder& rows, const SolveHooks& hooks, EndBeside& end) {
  if (end.result.status != Status::numerical_error || end.rows.empty()) return;
  Problem few = run.problem();
  for (BatchPtr& batch : rows.fetch(end.rows)) few.subject_to(std::move(batch));
  prove_infeasible(run, few, hooks, end.result);
}

bool cut_off(Status status) {
  return status == Status::interrupted || status == Status::time_limit || status == Status::pass_limit ||
         status == Status::iteration_limit;
}

}  // namespace

void prove_infeasible(Context& run, const Problem& few, const SolveHooks& hooks, Result& failed) {
  Settings here = lower_limits(run.settings(), {failed.time.solve, failed.passes, failed.iterations});
  here.device = {};
  here.method = Method::automatic;
  SolveHooks quiet;
  quiet.interrupt = hooks.interrupt;
  Result found = solve(few, here, quiet);
  if (cut_off(found.status)) {  // so was the whole: with more of it there might have been a proof
    failed.status = found.status;
    failed.message = std::move(found.message);
  }
  if (found.status != Status::primal_infeasible) return;
  found.trace = std::move(failed.trace);
  found.passes = failed.passes;
  found.time.solve += failed.time.solve;
  failed = std::move(found);
}

void expect_no_inequalities(const Problem& problem, std::string_view where) {
  if (problem.constraints() == 0 && !problem.has_soft_rows()) return;
  throw InputError(
      fmt::format("rows {}: the problem beside them has inequalities of its own, which it may not", where));
}

void expect_taken_beside(const Problem& problem, const Settings& settings, std::string_view where) {
  if (const std::string why = PathModel::obstacle_beside_rows(problem); !why.empty()) {
    throw InputError(fmt::format("rows {} are solved by method path: {}", where, why));
  }
  const bool others =
      (settings.method != Method::automatic && settings.method != Method::path) || settings.outer != Outer::automatic ||
      settings.xi || settings.delta || settings.guarantee ||
      (settings.linear_algebra != LinearAlgebra::automatic && settings.linear_algebra != LinearAlgebra::dense);
  if (others) {
    throw InputError(
        fmt::format("rows {} are solved by method path on working sets: other settings do not apply", where));
  }
}

InnerPoint start_beside(const Problem& problem, const SolveHooks& hooks) {
  InnerPoint point;
  point.x = problem.start ? *problem.start : Vector(Vector::Zero(problem.dimension()));
  if (hooks.warm_start != nullptr) point.x = *hooks.warm_start;
  problem.prox().project(point.x);
  return point;
}

EndBeside solve_beside(Context& run, InnerPoint& point, RowHolder& rows, const WorkingSetParameters& parameters,
                       const SolveHooks& hooks, std::string_view where) {
  try {
    solve_with_working_sets(run, point, rows, RowsAre::elsewhere, parameters);
  } catch (const std::exception&) {  // of whoever has the rows: the latest point is all that is left of the solve
    if (hooks.best) hooks.best({point.x, {}, -kInfinity});
    throw;
  }
  const parallel::StopScope undisturbed(nullptr);  // few rows are left to look at; searches have limits of their own
  EndBeside end;
  end.result = run.finish(point);
  end.rows = run.incumbent().held_rows();
  prove_infeasible_beside(run, rows, hooks, end);
  end.result.method = Method::path;
  end.result.linear_algebra = LinearAlgebra::dense;
  end.result.engine = fmt::format("path / working sets, rows {}", where);
  end.result.attempts = {
      {end.result.engine, fmt::format("rows are {}", where), std::string(to_string(end.result.status))}};
  end.result.time.total = end.result.time.solve;
  return end;
}

}  // namespace pliant
