#include "solve/solve_cones.hpp"
#include "solve/certify_again.hpp"

#include "certify/assess.hpp"
#include "certify/overview.hpp"
#include "cones/cone_checks.hpp"
#include "pliant/infeasibility.hpp"
#include "rows/gather_rows.hpp"
#include "run/budget.hpp"
#include "solve/certify_again.hpp"
#include "solve/cone_rows.hpp"
#include "solve/diagnosis.hpp"
#include "solve/plan.hpp"
#include "solve/walk.hpp"

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
// Cones whose multipliers are above this share of the largest are suspected of a contradiction.
constexpr double kSuspicious = 1e-6;
SolveHooks rows_hooks(const SolveHooks& hooks, const ConeRows& rows, Multipliers& warm) {
  SolveHooks out = hooks;
  if (hooks.warm_multipliers != nullptr && !hooks.warm_multipliers->cones.empty()) {
    warm = rows.to_rows(*hooks.warm_multipliers);
    out.warm_multipliers = &warm;
  } else {
    out.warm_multipliers = nullptr;
  }
  if (hooks.best) {
    // Smoothed rows lie inside the cones, and what bounds F* there may lie above it: no bound is passed on.
    out.best = [&](const BestSoFar& best) {
      hooks.best({best.x, rows.to_cones(best.x, best.multipliers), -kInfinity});
    };
  }
  return out;
}

Settings remaining(const Settings& settings, const Result& spent) {
  return lower_limits(settings, {spent.time.total, spent.passes, spent.iterations});
}

Result solve_rows(const Problem& rows, std::span<const Attempt> attempts, const Settings& settings,
                  const SolveHooks& hooks) {
  rows.validate();
  return walk(rows, attempts, settings, hooks, diagnose);
}

using Attempts = std::span<const Attempt>;

Result solve_spectral(const Problem& problem, Attempts attempts, const Settings& settings, const SolveHooks& hooks) {
  const ConeRows rows(problem, Nonsmooth::spectral, 0.0);
  Multipliers warm;
  Result result = solve_rows(rows.problem(), attempts, settings, rows_hooks(hooks, rows, warm));
  const bool read_again = result.multipliers.cones.empty();  // multipliers of the rows become dual points
  result.multipliers = rows.to_cones(result.x, result.multipliers);
  rows.name_cones(result.overview);
  if (read_again) result.passes += 1.0;
  return result;
}

// Smaller and smaller nu until the problem with cones itself is solved to the tolerances; one nu where it is given.
Result solve_smoothed(const Problem& problem, Attempts attempts, const Settings& settings, const SolveHooks& hooks) {
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
    Result next = solve_rows(rows.problem(), attempts, now, inner);
    next.multipliers = rows.to_cones(next.x, next.multipliers);
    rows.name_cones(next.overview);
    certify_again(problem, settings, next);
    if (stage > 0) add_costs(result, next);
    result = std::move(next);
    if (result.status == Status::primal_infeasible) {
      // The smoothed set lies inside that of the cones: that it is empty proves nothing unless the cones agree.
      result.infeasibility = prove_infeasible(problem, result.x, result.multipliers);
      if (result.infeasibility->holds) {
        result.message = describe(*result.infeasibility);
        return result;
      }
      result.infeasibility.reset();
      result.status = Status::numerical_error;
      result.message = fmt::format("nu = {:.2g} leaves no point inside the smoothed cones", nu);
      if (settings.nu) return result;
      nu *= kLargestFall;
      continue;
    }
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

// The cones that have multipliers, and the rest of the problem: as hard to satisfy as all of them, if anything is.
struct Suspects {
  Problem problem;
  std::vector<std::vector<Index>> rows;  // of every conic constraint

  Suspects(const Problem& all, const Multipliers& multipliers) : problem(without_cones(all)) {
    double largest = 0.0;
    for (const Vector& z : multipliers.cones) largest = std::max(largest, z.lpNorm<Eigen::Infinity>());
    for (std::size_t k = 0; k < all.conic().size(); ++k) {
      const ConicConstraint& conic = all.conic()[k];
      std::vector<Cone> cones;
      std::vector<Index>& chosen = rows.emplace_back();
      for_each_cone(conic, [&](const Cone& cone, Index begin) {
        const auto z = multipliers.cones[k].segment(begin, cone.rows);
        if (cone.rows == 0 || !(z.lpNorm<Eigen::Infinity>() > kSuspicious * largest)) return;
        cones.push_back(cone);
        for (Index i = 0; i < cone.rows; ++i) chosen.push_back(begin + i);
      });
      std::vector<double> h;
      for (const Index i : chosen) h.push_back(conic.h[i]);
      if (!cones.empty()) problem.subject_to({copy_rows(conic.G, chosen), Doubles(std::move(h)), std::move(cones)});
    }
  }

  std::vector<Vector> spread(const Problem& all, const std::vector<Vector>& multipliers) const {
    std::vector<Vector> out;
    std::size_t next = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      out.emplace_back(Vector::Zero(all.conic()[k].G.rows()));
      if (rows[k].empty()) continue;
      for (std::size_t i = 0; i < rows[k].size(); ++i) {
        out.back()[rows[k][i]] = multipliers[next][static_cast<Index>(i)];
      }
      ++next;
    }
    return out;
  }
};

// A proof of infeasibility by the cones a solve in vain ended with, verified against all data; false if there is none.
bool prove_by_suspects(const Problem& problem, const Settings& settings, const SolveHooks& hooks, Result& result) {
  const Suspects suspects(problem, result.multipliers);
  if (suspects.problem.conic().empty() || !interior_obstacle(suspects.problem).empty()) return false;
  const Settings now = interior_settings(remaining(settings, result));
  SolveHooks quiet;
  quiet.interrupt = hooks.interrupt;
  suspects.problem.validate();
  const Result found = walk(suspects.problem, choose(suspects.problem, now).attempts, now, quiet, diagnose);
  if (found.status != Status::primal_infeasible) return false;
  Multipliers multipliers = found.multipliers;
  multipliers.cones = suspects.spread(problem, found.multipliers.cones);
  const InfeasibilityProof proof = prove_infeasible(problem, found.x, multipliers);
  if (!proof.holds) return false;
  result.status = Status::primal_infeasible;
  result.message = describe(proof);
  result.infeasibility = proof;
  result.x = found.x;
  result.multipliers = std::move(multipliers);
  certify_again(problem, settings, result);
  if (proof.kind() == InfeasibilityKind::proved) {
    result.certificate.lower_bound = kInfinity;
    result.certificate.lower_bound_kind = BoundKind::proved;
  }
  return true;
}

}  // namespace

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

Result solve_cones_as_rows(const Problem& problem, std::span<const Attempt> attempts, const Settings& settings,
                           const SolveHooks& hooks) {
  const Nonsmooth treatment = attempts.front().treatment;
  Result result = treatment == Nonsmooth::logsumexp ? solve_smoothed(problem, attempts, settings, hooks)
                                                    : solve_spectral(problem, attempts, settings, hooks);
  result.treatment = treatment;
  if (result.status == Status::numerical_error && treatment == Nonsmooth::spectral) {
    prove_by_suspects(problem, settings, hooks, result);
  }
  return result;
}

}  // namespace pliant
