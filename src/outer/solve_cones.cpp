#include "outer/solve_cones.hpp"

#include "certify/assess.hpp"
#include "outer/cone_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// The first smoothing where none is given, relative to 1 + the constant terms, how it falls, and how often.
constexpr double kFirstNu = 1e-3;
constexpr double kLargestFall = 0.01, kSmallestFall = 0.3;
constexpr int kMostStages = 12;
// Share of the tolerances left to the rows, and of the gap left to the smoothing.
constexpr double kShareOfRows = 0.5;
constexpr double kShareOfSmoothing = 0.4;

SolveHooks rows_hooks(const SolveHooks& hooks, const ConeRows& rows, Multipliers& warm) {
  SolveHooks out = hooks;
  out.known_rows = nullptr;  // what a Solver remembers counts the rows of the original problem
  if (hooks.warm_multipliers != nullptr && !hooks.warm_multipliers->cones.empty()) {
    warm = rows.to_rows(*hooks.warm_multipliers);
    out.warm_multipliers = &warm;
  } else {
    out.warm_multipliers = nullptr;
  }
  return out;
}

// What earlier stages cost.
void add_costs(const Result& before, Result& after) {
  after.iterations += before.iterations;
  after.passes += before.passes;
  after.component_evaluations += before.component_evaluations;
  std::vector<Progress> trace = before.trace;
  const double time = before.time.total;
  for (Progress row : after.trace) {
    row.iteration += before.iterations;
    row.time += time;
    row.passes += before.passes;
    row.component_evaluations += before.component_evaluations;
    trace.push_back(row);
  }
  after.trace = std::move(trace);
  after.time.setup += before.time.setup;
  after.time.solve += before.time.solve;
  after.time.total += before.time.total;
  for (const auto& [name, seconds] : before.time.phases) {
    const auto same = std::find_if(after.time.phases.begin(), after.time.phases.end(),
                                   [&name = name](const auto& phase) { return phase.first == name; });
    if (same == after.time.phases.end()) {
      after.time.phases.emplace_back(name, seconds);
    } else {
      same->second += seconds;
    }
  }
}

Settings remaining(const Settings& settings, const Result& spent) {
  Settings out = settings;
  if (out.time_limit) out.time_limit = std::max(1e-3, *out.time_limit - spent.time.total);
  if (out.max_passes) out.max_passes = std::max(1e-3, *out.max_passes - spent.passes);
  if (out.max_iterations) out.max_iterations = std::max<Index>(1, *out.max_iterations - spent.iterations);
  return out;
}

// The certificate of the problem with cones: one pass.
void certify(const Problem& problem, Result& result) {
  ConstraintSystem system(problem);
  LagrangianEvaluation at;
  evaluate_lagrangian(problem, system, result.x, system.join(result.multipliers), at, result.multipliers.cones);
  result.certificate = assess(problem, system, result.x, at);
  result.passes += system.passes();
}

Result solve_spectral(const Problem& problem, const Settings& settings, const SolveHooks& hooks, SolveRows solve_rows) {
  const ConeRows rows(problem, Nonsmooth::spectral, 0.0);
  Multipliers warm;
  Result result = solve_rows(rows.problem(), settings, rows_hooks(hooks, rows, warm));
  const bool read_again = result.multipliers.cones.empty();  // multipliers of the rows become dual points
  result.multipliers = rows.to_cones(result.x, result.multipliers);
  if (read_again) result.passes += 1.0;
  return result;
}

// Smaller and smaller nu until the problem with cones itself is solved to the tolerances; one nu where it is given.
Result solve_smoothed(const Problem& problem, const Settings& settings, const SolveHooks& hooks, SolveRows solve_rows) {
  double nu = settings.nu.value_or(kFirstNu * (1.0 + problem.constant_scale()));
  Result result;
  for (int stage = 0; stage < kMostStages; ++stage) {
    const ConeRows rows(problem, Nonsmooth::logsumexp, nu);
    Settings now = stage > 0 ? remaining(settings, result) : settings;
    now.tol_gap *= kShareOfRows;
    now.tol_feas *= kShareOfRows;
    Multipliers warm;
    SolveHooks inner = rows_hooks(hooks, rows, warm);
    const Vector x = result.x;
    if (stage > 0) {
      inner.warm_start = &x;
      warm = rows.to_rows(result.multipliers);
      inner.warm_multipliers = &warm;
    }
    Result next = solve_rows(rows.problem(), now, inner);
    next.multipliers = rows.to_cones(next.x, next.multipliers);
    certify(problem, next);
    if (stage > 0) add_costs(result, next);
    result = std::move(next);
    if (result.status != Status::optimal) return result;
    if (result.certificate.satisfies(settings)) return result;
    const double target = settings.tol_gap * (1.0 + std::abs(result.certificate.objective));
    result.status = Status::numerical_error;
    result.message = fmt::format("nu = {:.2g} leaves a gap of {:.2g}, {:.2g} are asked for", nu,
                                 result.certificate.gap_abs(), target);
    if (settings.nu) return result;
    const double fall = kShareOfSmoothing * target / std::max(target, std::abs(result.certificate.gap_abs()));
    nu *= std::clamp(fall, kLargestFall, kSmallestFall);
  }
  return result;
}

}  // namespace

Result solve_cones_as_rows(const Problem& problem, const Settings& settings, const SolveHooks& hooks,
                           Nonsmooth treatment, SolveRows solve_rows) {
  problem.validate();
  Result result = treatment == Nonsmooth::logsumexp ? solve_smoothed(problem, settings, hooks, solve_rows)
                                                    : solve_spectral(problem, settings, hooks, solve_rows);
  result.treatment = treatment;
  return result;
}

}  // namespace pliant
