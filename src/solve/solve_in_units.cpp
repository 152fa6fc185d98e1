#include "solve/solve_in_units.hpp"

#include "certify/infeasibility.hpp"
#include "machine/memory.hpp"
#include "solve/certify_again.hpp"
#include "solve/slack_form.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {
namespace {

// What hooks see is x, what the copy has is y.
struct WarmStart {
  Vector x;
  Multipliers multipliers;
};
SolveHooks hooks_in_units(const SolveHooks& hooks, const Vector& D, const ProblemInUnits& copy, WarmStart& warm) {
  SolveHooks out = hooks;
  if (hooks.warm_multipliers != nullptr) {
    warm.multipliers = copy.to_units(*hooks.warm_multipliers);
    out.warm_multipliers = &warm.multipliers;
  }
  if (hooks.warm_start != nullptr && hooks.warm_start->size() == D.size()) {
    warm.x = hooks.warm_start->cwiseQuotient(D);
    out.warm_start = &warm.x;
  }
  if (hooks.point) {
    out.point = [&hooks, &D](const Progress& row, ConstVectorRef y) { return hooks.point(row, y.cwiseProduct(D)); };
  }
  if (hooks.best) {
    out.best = [&hooks, &D, &copy](const BestSoFar& best) {
      hooks.best({best.x.cwiseProduct(D), copy.to_original(best.multipliers), best.proved_bound});
    };
  }
  return out;
}

// The proof of a status without a solution, from the original data; without one the status is no longer claimed.
void prove_again(const Problem& problem, const Settings& settings, Result& result) {
  if (result.status == Status::primal_infeasible) {
    result.infeasibility = prove_infeasible_balanced(problem, result.x, result.multipliers);
    if (result.infeasibility->holds) {
      result.message = describe(*result.infeasibility);
      return;
    }
    result.infeasibility.reset();
  } else {
    result.unboundedness = prove_unbounded_with_slacks(problem, result.x, result.ray);
    if (result.unboundedness->holds) {
      result.message = describe(*result.unboundedness, settings.tol_feas);
      return;
    }
    result.unboundedness.reset();
    result.ray.resize(0);
  }
  result.status = Status::numerical_error;
  result.message = "a proof that there is no solution does not hold in the original units";
}

bool claims_no_solution(const Result& result) {
  return result.status == Status::primal_infeasible || result.status == Status::dual_infeasible;
}

// What is proved of the copy is proved of the problem: it is the same one to the last bit.
void judge_in_original_units(const Problem& problem, const Settings& settings, Result& result) {
  const LowerBound proved = result.certificate.proof;
  certify_again(problem, settings, result);
  if (proved.value > result.certificate.proof.value) result.certificate.proof = proved;
  result.certificate.choose_bound(settings.tol_gap);
  if (claims_no_solution(result)) {
    prove_again(problem, settings, result);
    if (!claims_no_solution(result)) return;
    // What is proved of F* goes with the proof, not with the point.
    const bool for_all = (result.infeasibility ? result.infeasibility->kind() : result.unboundedness->kind()) ==
                         InfeasibilityKind::proved;
    result.certificate.lower_bound = for_all && result.infeasibility ? kInfinity : -kInfinity;
    result.certificate.lower_bound_kind = for_all ? BoundKind::proved : BoundKind::estimate;
    result.certificate.proof = {result.certificate.lower_bound, result.certificate.lower_bound_kind};
  } else if (result.status == Status::optimal && !result.certificate.satisfies(settings)) {
    result.status = Status::numerical_error;
    result.message =
        fmt::format("solved in other units of the variables, but not to the tolerances in these (gap {:.2g})",
                    result.certificate.gap_rel());
  }
}

}  // namespace

std::optional<ProblemInUnits> copy_in_units(const Problem& problem, const Settings& settings) {
  if (settings.guarantee || settings.delta) return {};  // about the problem as it stands
  const Vector& D = problem.natural_units();
  if (D.size() == 0 || !copy_fits(problem, settings.memory_limit.value_or(machine::machine_memory()))) return {};
  return in_units(problem, D);
}

Result solve_in_units(const Problem& problem, const ProblemInUnits& copy, const Settings& settings,
                      const SolveHooks& hooks, SolveProblem solve) {
  const Vector& D = problem.natural_units();
  WarmStart warm;
  Result result = solve(copy.problem, hooks_in_units(hooks, D, copy, warm));
  result.x = result.x.cwiseProduct(D);
  result.multipliers = copy.to_original(std::move(result.multipliers));
  if (result.ray.size() > 0) {
    result.ray = result.ray.cwiseProduct(D);
    result.ray /= result.ray.lpNorm<Eigen::Infinity>();
  }
  judge_in_original_units(problem, settings, result);
  const std::string units =
      fmt::format("variables in units of 2^{:.0f} to 2^{:.0f}", std::log2(D.minCoeff()), std::log2(D.maxCoeff()));
  result.choice = result.choice.empty() ? units : fmt::format("{}; {}", result.choice, units);
  return result;
}

}  // namespace pliant
