#include "pliant/solve.hpp"

#include "run/budget.hpp"
#include "solve/degenerate_points.hpp"
#include "solve/diagnosis.hpp"
#include "solve/duals.hpp"
#include "solve/registry.hpp"
#include "solve/slack_form.hpp"
#include "solve/soft_budget.hpp"
#include "solve/soft_recession.hpp"
#include "solve/solve_ball.hpp"
#include "solve/solve_cones.hpp"
#include "solve/solve_in_units.hpp"
#include "solve/solve_remembering.hpp"
#include "solve/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace pliant {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

bool as_rows(const Attempt& attempt) {
  return attempt.treatment == Nonsmooth::spectral || attempt.treatment == Nonsmooth::logsumexp;
}

// The first attempts that see the problem in the same form: its cones, its ball or its soft rows as they are, or as rows.
std::span<const Attempt> in_one_form(std::span<const Attempt> attempts) {
  const Attempt& first = attempts.front();
  const auto other = std::find_if(attempts.begin(), attempts.end(), [&](const Attempt& a) {
    return as_rows(a) != as_rows(first) || a.ball_as_row != first.ball_as_row ||
           a.soft_as_slacks != first.soft_as_slacks || a.slacks_as_soft != first.slacks_as_soft;
  });
  return attempts.first(static_cast<std::size_t>(other - attempts.begin()));
}

std::string reasons(const std::vector<AttemptRecord>& attempts) {
  std::string out;
  for (const AttemptRecord& a : attempts) {
    if (a.reason.empty()) continue;
    if (!out.empty()) out += "; ";
    out += a.reason;
  }
  return out;
}

// Engines on sparse matrices and matrix blocks divide rows and columns by their norms themselves; conjugate gradients are
// preconditioned by the diagonal, and units that single variables suggest cost them twice the passes (sparse_qp with
// n = 7000, m = 21000: 2535 instead of 1480).
bool equilibrates(const Attempt& attempt) {
  if (attempt.slacks_as_soft) return true;  // the problem without these columns is put in units of its own
  const std::string_view name = engine_of(attempt).name;
  return name == "sparse_factorisations" || name == "semidefinite" || name == "conjugate_gradients";
}

// Other engines read rows in ways that only the processor knows.
void expect_device_applies(const Plan& plan, const Settings& settings) {
  if (!settings.device.on_card() || engine_of(plan.attempts.front()).name == "working_sets") return;
  throw InputError(fmt::format("--device cuda: applies to working sets of rows, but this problem is solved by {}",
                               plan.attempts.front().engine));
}

// What a Solver remembers counts the rows of the original problem: cones as rows begin anew.
Result follow(const Problem& problem, const Plan& plan, const Settings& settings, const SolveHooks& hooks,
              RowKnowledge* known) {
  const auto begin = Clock::now();
  std::span<const Attempt> left = plan.attempts;
  Result result;
  Settings now = settings;
  do {
    const std::span<const Attempt> form = in_one_form(left);
    left = left.subspan(form.size());
    Result next = form.front().soft_as_slacks   ? solve_with_slacks(problem, form.front(), now, hooks)
                  : form.front().slacks_as_soft ? solve_with_soft_rows(problem, form.front(), now, hooks)
                  : as_rows(form.front())       ? solve_cones_as_rows(problem, form, now, hooks)
                  : form.front().ball_as_row    ? solve_ball_as_row(problem, form, now, hooks)
                                                : walk(problem, form, now, hooks, diagnose, known);
    if (!result.attempts.empty()) add_costs(result, next);
    next.attempts.insert(next.attempts.begin(), result.attempts.begin(), result.attempts.end());
    result = std::move(next);
    const bool bands = problem.has_soft_rows() && !form.front().soft_as_slacks;
    if (bands && result.status == Status::numerical_error) look_for_soft_ray(problem, now, hooks, result);
    now = lower_limits(settings, {seconds_since(begin), result.passes, result.iterations});
  } while (!left.empty() && result.status == Status::numerical_error);
  result.choice = reasons(result.attempts);
  return result;
}

Result solve_by_plan(const Problem& problem, const Plan& plan, const Settings& settings, const SolveHooks& hooks,
                     RowKnowledge* known) {
  const auto begin = Clock::now();
  validate(settings);
  problem.validate();
  expect_device_applies(plan, settings);
  if (settings.check_functions) problem.check_functions();
  const double setup = seconds_since(begin);
  const Settings rest = lower_limits(settings, {setup, 0.0, 0});  // what checks took is gone
  Result result;
  std::optional<ProblemInUnits> copy;
  if (!equilibrates(plan.attempts.front())) copy = copy_in_units(problem, rest);
  if (copy) {
    copy->problem.validate();
    result = solve_in_units(problem, *copy, rest, hooks, [&](const Problem& scaled, const SolveHooks& its_hooks) {
      return follow(scaled, plan, rest, its_hooks, nullptr);
    });
  } else {
    result = follow(problem, plan, rest, hooks, known);
  }
  if (result.status == Status::numerical_error) {
    if (std::string why = degenerate_points(problem); !why.empty()) result.message = std::move(why);
  }
  result.constraint_duals = duals_by_handle(problem, result.multipliers);
  result.time.setup = setup;
  if (settings.measure_stream) result.stream_time = measure_stream(problem, settings.threads);
  result.time.total = seconds_since(begin);
  return result;
}

}  // namespace

Result solve(const Problem& problem, const Plan& plan, const Settings& settings, const SolveHooks& hooks) {
  return solve_by_plan(problem, plan, settings, hooks, nullptr);
}

Result solve(const Problem& problem, const Settings& settings, const SolveHooks& hooks) {
  return solve_remembering(problem, settings, hooks, nullptr);
}

Result solve_remembering(const Problem& problem, const Settings& settings, const SolveHooks& hooks,
                         RowKnowledge* known) {
  const auto begin = Clock::now();
  validate(settings);
  problem.validate();
  const Plan plan = choose(problem, settings);
  const double choosing = seconds_since(begin);
  Result result = solve_by_plan(problem, plan, lower_limits(settings, {choosing, 0.0, 0}), hooks, known);
  result.time.setup += choosing;
  result.time.total += choosing;
  return result;
}

}  // namespace pliant
