#include "pliant/solve.hpp"

#include "engines/conic/conic_path.hpp"
#include "engines/conic/conic_problem.hpp"
#include "engines/conic/semidefinite_form.hpp"
#include "engines/conic/semidefinite_path.hpp"
#include "engines/first_order/apg.hpp"
#include "engines/interior/sparse_path.hpp"
#include "engines/make_inner_method.hpp"
#include "engines/newton_cg/newton_cg.hpp"
#include "engines/path/working_set.hpp"
#include "engines/stochastic/sdca.hpp"
#include "outer/choose_method.hpp"
#include "outer/run.hpp"
#include "outer/solve_cones.hpp"
#include "outer/solve_without_diagnosis.hpp"
#include "outer/strategy.hpp"
#include "parallel/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

namespace pliant {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Keeps the compiler from dropping reads whose sum nobody needs.
std::atomic<double> stream_checksum{0.0};

// Sum of all numbers, as fast as memory delivers them.
double read_all(const Doubles& array) {
  double sum = 0.0;
  parallel::reduce_chunks(
      parallel::make_chunks(array.size(), array.size() * static_cast<Index>(sizeof(double)), 64), 1,
      [&](Index, Index begin, Index end, double* partial) {
        *partial += Eigen::Map<const Vector>(array.data() + begin, end - begin).sum();
      },
      &sum);
  return sum;
}

void check_warm_start(const Problem& problem, const SolveHooks& hooks) {
  if (hooks.warm_start != nullptr) {
    if (hooks.warm_start->size() != problem.dimension()) {
      throw InputError(
          fmt::format("warm start: expected {} entries in x, got {}", problem.dimension(), hooks.warm_start->size()));
    }
    if (!hooks.warm_start->allFinite()) throw InputError("warm start: x contains NaN or infinite entries");
  }
}

Vector starting_point(const Problem& problem, const SolveHooks& hooks) {
  Vector x = Vector::Zero(problem.dimension());
  if (problem.start) x = *problem.start;
  if (hooks.warm_start != nullptr) x = *hooks.warm_start;
  problem.prox().project(x);
  return x;
}

// Operations of a sparse factorisation beyond which conjugate gradients are tried instead, where they apply.
constexpr double kMostFactorFlops = 1e11;

void dispatch(ChosenMethod& choice, Run& run, InnerPoint& point, RowKnowledge* known) {
  if (!run.problem().conic().empty()) {
    if (is_semidefinite_program(run.problem())) {
      solve_semidefinite_path(run, point);
      // Programs without interior points on either side, or with variables that appear nowhere.
      if (!conic_obstacle(run.problem()).empty() || !run.reopen()) return;
      choice.why += "; that failed, so the homogeneous embedding";
      point.at.cones.multipliers.clear();
    }
    solve_conic_path(run, point);
    return;
  }
  if (choice.linear_algebra == LinearAlgebra::sparse) {
    const bool asked = run.settings().linear_algebra == LinearAlgebra::sparse;
    const bool otherwise = !asked && NewtonCg::obstacle(run.problem()).empty();
    if (solve_sparse_path(run, point, otherwise ? kMostFactorFlops : kInfinity)) return;
    choice.linear_algebra = LinearAlgebra::iterative;
    choice.why += ", but a factorisation is too dear: conjugate gradients";
  }
  if (choice.linear_algebra == LinearAlgebra::iterative) {
    run.use_slater_point();
    NewtonCg inner(run.problem());
    solve_multiplier(run, inner, point, OuterParameters{});
    return;
  }
  if (choice.method == Method::path) {
    solve_with_working_sets(run, point, known, WorkingSetParameters{});
    // Programs without an interior, or badly scaled ones, may be too hard for working sets.
    const bool otherwise = run.settings().linear_algebra == LinearAlgebra::automatic &&
                           run.settings().path_form == PathKind::automatic && sparse_path_fits(run.problem());
    if (!otherwise || !run.reopen()) return;
    choice.linear_algebra = LinearAlgebra::sparse;
    choice.why += "; working sets failed, so sparse factorisations of all rows";
    point.at.multipliers.resize(0);
    solve_sparse_path(run, point, kInfinity);
    return;
  }
  run.use_slater_point();
  if (choice.method == Method::sdca) {
    solve_with_dual_coordinates(run, point, SdcaParameters{});
    return;
  }
  const std::unique_ptr<InnerMethod> inner = make_inner_method(choice.method, run.problem(), run.settings().seed,
                                                               {run.settings().batch_size, run.settings().sampling});
  const OuterParameters parameters;
  switch (choice.outer) {
    case Outer::fixed:
      solve_fixed(run, *inner, point, parameters);
      break;
    case Outer::nested:
      solve_nested(run, *inner, point, parameters);
      break;
    case Outer::automatic:
    case Outer::multiplier:
      solve_multiplier(run, *inner, point, parameters);
      break;
  }
}

// A solve that gave up may have had good reasons: rows the engine worked on last are the first suspects.
void diagnose_failure(Run& run, const InnerPoint& point) {
  if (run.verdict().value_or(Status::numerical_error) != Status::numerical_error) return;
  constexpr Index kMostHints = 50;  // per variable
  std::vector<Index> hints;
  for (Index i = 0; i < point.at.multipliers.size(); ++i) {
    if (point.at.multipliers[i] > 0.0) hints.push_back(run.original_row(i));
  }
  if (static_cast<Index>(hints.size()) > kMostHints * run.problem().dimension()) hints.clear();
  run.seek_proof(hints);
}

Result solve_problem(const Problem& problem, const Settings& settings, const SolveHooks& hooks, bool with_diagnosis) {
  const auto begin = Clock::now();
  validate(settings);
  problem.validate();
  check_warm_start(problem, hooks);
  const parallel::ThreadScope threads(settings.threads);

  ChosenMethod choice = choose_method(problem, settings);
  InnerPoint point;
  point.x = starting_point(problem, hooks);
  const double setup = seconds_since(begin);

  Run run(problem, settings, hooks);
  if (hooks.warm_multipliers != nullptr) {
    point.at.multipliers = run.system().join(*hooks.warm_multipliers);
    point.at.cones.multipliers = hooks.warm_multipliers->cones;
  }
  dispatch(choice, run, point, hooks.known_rows);
  if (with_diagnosis) diagnose_failure(run, point);

  Result result = run.finish(point);
  result.method = choice.method;
  result.outer = choice.outer;
  result.linear_algebra = choice.linear_algebra;
  result.treatment = choice.treatment;
  result.choice = choice.why;
  result.time.setup = setup;
  if (settings.measure_stream) result.stream_time = measure_stream(problem, settings.threads);
  result.time.total = seconds_since(begin);
  return result;
}

}  // namespace

Result solve(const Problem& problem, const Settings& settings, const SolveHooks& hooks) {
  if (problem.conic().empty()) return solve_problem(problem, settings, hooks, true);
  validate(settings);
  const ChosenMethod choice = choose_method(problem, settings);
  if (choice.treatment == Nonsmooth::interior) return solve_problem(problem, settings, hooks, true);
  return solve_cones_as_rows(
      problem, settings, hooks, choice,
      [](const Problem& p, const Settings& s, const SolveHooks& h) { return solve_problem(p, s, h, true); });
}

Result solve_without_diagnosis(const Problem& problem, const Settings& settings, const SolveHooks& hooks) {
  return solve_problem(problem, settings, hooks, false);
}

PenalizedMinimum minimize_penalized(const Problem& problem, double xi, double delta, double residual_tolerance,
                                    Index max_iterations, const Vector* start) {
  if (!(xi >= 0.0) || !std::isfinite(xi)) throw InputError(fmt::format("xi: expected a number >= 0, got {}", xi));
  if (!(delta > 0.0) || !std::isfinite(delta)) {
    throw InputError(fmt::format("delta: expected a number > 0, got {}", delta));
  }
  problem.validate();
  expect_smooth(problem, "minimize_penalized: needs");
  if (!problem.conic().empty()) throw InputError("minimize_penalized: does not take conic constraints");
  ConstraintSystem system(problem);
  PenalizedFunction phi(problem, system);
  phi.xi = xi;
  phi.delta = delta;
  InnerPoint point;
  point.x = start != nullptr ? *start : Vector(Vector::Zero(problem.dimension()));
  Apg inner(problem.dimension(), problem.strong_convexity());
  Index count = 0;
  const InnerOutcome outcome = inner.minimize(
      phi, point, [&](const InnerPoint& p) { return p.residual <= residual_tolerance || count++ >= max_iterations; });
  return {point.x, point.phi + problem.prox().value(point.x), point.residual, outcome.iterations};
}

double measure_stream(const Problem& problem, int threads) {
  const parallel::ThreadScope scope(threads);
  std::vector<Doubles> arrays;
  for (const BatchPtr& batch : problem.batches()) {
    for (Doubles& array : batch->arrays()) arrays.push_back(std::move(array));
  }
  for (const ConicConstraint& conic : problem.conic()) arrays.push_back(conic.G.values());
  double best = kInfinity;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto begin = Clock::now();
    for (const Doubles& array : arrays) stream_checksum += read_all(array);
    best = std::min(best, seconds_since(begin));
  }
  return best;
}

}  // namespace pliant
