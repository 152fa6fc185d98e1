#include "solve/soft_budget.hpp"

#include "pliant/infeasibility.hpp"
#include "run/budget.hpp"
#include "solve/bordered_budget.hpp"
#include "solve/certify_again.hpp"
#include "solve/soft_form.hpp"
#include "solve/solve_cones.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace pliant {
namespace {

// Each search for theta begins where one on a twelfth of the rows ended, down to so many rows for each variable.
constexpr Index kThinning = 12, kLeastPerVariable = 40;
// A sample tells theta to about one part in the root of its rows: no need to know it better there, nor its solutions.
constexpr double kSampleTolerance = 1e-5;
// From the theta of a sample the next is so many times as far away as the slopes say: then it is on the other side.
constexpr double kOvershoot = 2.0;
// The first theta of all is off by any factor: it grows and shrinks by this one, its square, and so on.
constexpr double kFirstStep = 4.0;
constexpr double kLargestStep = 1e4;
// From so small a share of the usual theta on it is worth a look whether the problem without the budget keeps it.
constexpr double kWorthNothing = 1e-3;
// A theta below this share of it would be 0: nothing is left of prices times it.
constexpr double kVanishing = 1e-12;
constexpr int kMostTrials = 60;

using Clock = std::chrono::steady_clock;

/// The solution at one theta.
struct Trial {
  double theta = 0.0, excess = 0.0;
  Vector x;
  double bound = -kInfinity;  // of the Lagrangian
  Multipliers multipliers;
};

class BudgetSearch {
 public:
  BudgetSearch(const SoftForm& form, const Problem& original, const Attempt& attempt, const Settings& settings,
               const SolveHooks& hooks)
      : form_(form), original_(original), attempt_(attempt), settings_(settings), hooks_(hooks), begin_(Clock::now()) {}

  Result run() {
    double theta = usual_;
    for (Index stride = coarsest(); stride > 1; stride /= kThinning) {
      if (!search(theta, stride)) return finished();
      learn_slope();
      theta = next_start();
    }
    search(theta, 1);
    return finished();
  }

 private:
  Index coarsest() const {
    Index stride = 1;
    while (form_.soft_rows() / (stride * kThinning) >= kLeastPerVariable * form_.dimension()) stride *= kThinning;
    return stride;
  }

  // False: it ends here, for better or worse.
  bool search(double theta, Index stride) {
    low_.reset();
    high_.reset();
    double step = kFirstStep;
    for (int k = 0; k < kMostTrials; ++k) {
      if (!try_theta(theta, stride)) return false;
      if (stride > 1 && known_well_enough(stride)) return true;
      if (stride == 1 && certified()) return false;
      if (low_ && high_) {
        theta = between(k % 2 == 0);
        if (!(theta > low_->theta && theta < high_->theta))
          return give_up("the multiplier of the budget is between two numbers");
        continue;
      }
      theta = k == 0 && slope_ < 0.0 ? beyond(low_ ? *low_ : *high_) : low_ ? theta * step : theta / step;
      if (high_ && theta < kWorthNothing * usual_ && form_.budget_is_all() && !tried_zero_) {
        if (!try_zero()) return false;
        const bool kept = high_->theta == 0.0;  // by the problem without it, on all rows
        if ((kept || stride == 1) && certified()) return false;
        if (kept) return give_up("the budget costs nothing, but not to the tolerances");
      }
      if (theta < kVanishing * usual_) return give_up("the budget costs nothing, but is not kept");
      if (k > 0) step = std::min(step * step, kLargestStep);
    }
    return give_up("the multiplier of the budget was not found");
  }

  bool try_theta(double theta, Index stride) {
    const Problem problem = form_.at(theta, stride);
    SolveHooks inner = hooks_;
    inner.warm_multipliers = nullptr;
    Vector start;
    if (last_x_.size() > 0) {
      start = last_x_;
    } else if (hooks_.warm_start != nullptr) {
      start = form_.restrict(*hooks_.warm_start);
    }
    inner.warm_start = start.size() > 0 ? &start : nullptr;
    if (hooks_.point) {
      inner.point = [&](const Progress& row, ConstVectorRef x) { return hooks_.point(row, form_.lift(x)); };
    }
    if (hooks_.best) {  // a bound of the Lagrangian is one of the problem
      inner.best = [&, theta](const BestSoFar& best) {
        if (stride == 1)
          hooks_.best({form_.lift(best.x), form_.to_original(best.multipliers, theta), best.proved_bound});
      };
    }
    Settings now = left();
    if (stride > 1) {
      now.tol_gap = std::max(now.tol_gap, kSampleTolerance);
      now.tol_feas = std::max(now.tol_feas, kSampleTolerance);
    }
    Result next = solve(problem, one_attempt(), now, inner);
    next.passes /= static_cast<double>(stride);
    if (!result_.attempts.empty()) add_costs(result_, next);
    result_ = std::move(next);
    if (result_.status != Status::optimal) return false;
    last_x_ = result_.x;
    Trial trial{theta, form_.excess(result_.x, stride), result_.x, result_.certificate.lower_bound,
                result_.multipliers};
    (trial.excess > 0.0 ? low_ : high_) = std::move(trial);
    return true;
  }

  // The problem without the budget, and how well it can be kept there.
  bool try_zero() {
    tried_zero_ = true;
    SolveHooks inner;
    inner.interrupt = hooks_.interrupt;
    Result base = solve(form_.without_budget(), left(), inner);
    if (!result_.attempts.empty()) add_costs(result_, base);
    result_ = std::move(base);
    if (result_.status != Status::optimal) return false;
    Trial trial{0.0, 0.0, result_.x, result_.certificate.lower_bound, result_.multipliers};
    trial.multipliers.lambda.insert(trial.multipliers.lambda.begin(), Vector::Zero(form_.soft_rows()));
    Result least = solve(form_.least_excess(trial.x), left(), inner);
    add_costs(result_, least);
    result_ = std::move(least);
    if (result_.status != Status::optimal) return false;
    trial.x = result_.x;
    trial.excess = form_.excess(trial.x);
    (trial.excess > 0.0 ? low_ : high_) = std::move(trial);
    return true;
  }

  Settings left() const { return lower_limits(settings_, {seconds(), result_.passes, result_.iterations}); }

  Plan one_attempt() const {
    Plan plan;
    plan.attempts.push_back(attempt_);
    plan.attempts.back().slacks_as_soft = false;
    return plan;
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  double between(bool by_slopes) const {
    const Trial &a = *low_, &b = *high_;
    if (by_slopes) return a.theta + a.excess / (a.excess - b.excess) * (b.theta - a.theta);
    const double meet = (b.bound - a.bound + a.excess * a.theta - b.excess * b.theta) / (a.excess - b.excess);
    const double middle = std::sqrt(std::max(a.theta, kVanishing * b.theta) * b.theta);
    return meet > a.theta && meet < b.theta ? meet : middle;
  }

  bool known_well_enough(Index stride) const {
    if (high_ && nearly_kept(*high_)) return true;
    const double error = std::sqrt(static_cast<double>(stride) / static_cast<double>(form_.soft_rows()));
    if (!low_ || !high_) return false;
    const double apart = high_->theta - low_->theta, slopes = low_->excess - high_->excess;
    const double nearest = std::min(low_->excess, -high_->excess) / slopes * apart;
    return std::min(apart, nearest) <= error * high_->theta;
  }
  void learn_slope() {
    if (low_ && high_) slope_ = (high_->excess - low_->excess) / (high_->theta - low_->theta);
  }
  double beyond(const Trial& trial) const {
    const double there = trial.theta - kOvershoot * trial.excess / slope_;
    return there > 0.0 ? there : trial.theta / kFirstStep;
  }
  double next_start() const {
    if (!low_) return high_->theta;
    return between(true);
  }

  // A point on the budget, or within it, with the best bound there is.
  bool certified() {
    const Trial* best = &*(low_ ? low_ : high_);
    if (low_ && high_ && high_->bound > low_->bound) best = &*high_;
    Vector x = best->x;
    if (low_ && high_) {
      const double share = -high_->excess / (low_->excess - high_->excess);
      x = share * low_->x + (1.0 - share) * high_->x;
    } else if (!nearly_kept(*best)) {
      return false;
    }
    Result candidate = result_;
    candidate.x = form_.lift(x);
    original_.prox().project(candidate.x);
    candidate.multipliers = form_.to_original(best->multipliers, best->theta);
    certify_again(original_, settings_, candidate);
    if (!candidate.certificate.satisfies(settings_)) return false;
    answer_ = std::move(candidate);
    return true;
  }

  // Whether one trial alone may do: the budget is met, or it is kept and what is left of it is worth nothing.
  bool nearly_kept(const Trial& trial) const {
    const double scale = 1.0 + std::abs(form_.excess(Vector::Zero(form_.dimension())));
    if (std::abs(trial.excess) <= settings_.tol_feas * scale) return true;
    return trial.excess < 0.0 && trial.theta * -trial.excess <= settings_.tol_gap * (1.0 + std::abs(trial.bound));
  }

  bool give_up(const char* why) {
    result_.status = Status::numerical_error;
    result_.message = why;
    return false;
  }

  // The answer, or the best of what there is, judged as a point of the original.
  Result finished() {
    if (answer_) return with_costs(std::move(*answer_));
    const Trial* last = high_ ? &*high_ : low_ ? &*low_ : nullptr;
    // Multipliers of a sample are none of the problem.
    const bool of_all = last != nullptr && last->multipliers.lambda.front().size() == form_.soft_rows();
    result_.x = form_.lift(last != nullptr ? last->x : result_.x);
    original_.prox().project(result_.x);
    result_.multipliers = of_all ? form_.to_original(last->multipliers, last->theta) : zero_multipliers(original_);
    result_.ray.resize(0);
    result_.infeasibility.reset();
    result_.unboundedness.reset();
    certify_again(original_, settings_, result_);
    const bool proof = result_.status == Status::primal_infeasible || result_.status == Status::dual_infeasible;
    if (result_.status == Status::optimal || proof) {
      give_up("a problem of the search for the multiplier of the budget has no solution");
    }
    return std::move(result_);
  }

  Result with_costs(Result answer) const {
    answer.attempts = {{attempt_.engine, attempt_.reason, std::string(to_string(answer.status))}};
    return answer;
  }

  const SoftForm& form_;
  const Problem& original_;
  const Attempt& attempt_;
  const Settings& settings_;
  const SolveHooks& hooks_;
  const Clock::time_point begin_;
  const double usual_ = form_.usual_theta();
  bool tried_zero_ = false;
  std::optional<Trial> low_, high_;  // the budget is exceeded there, and kept
  double slope_ = 0.0;               // of the excess in theta near the solution of a sample; 0: not known
  Vector last_x_;
  Result result_;  // the latest, with the costs of all
  std::optional<Result> answer_;
};

Result solve_without_budget(const SoftForm& form, const Problem& problem, const Attempt& attempt,
                            const Settings& settings, const SolveHooks& hooks) {
  SolveHooks inner = hooks;
  Vector start;
  if (hooks.warm_start != nullptr) {
    start = form.restrict(*hooks.warm_start);
    inner.warm_start = &start;
  }
  inner.warm_multipliers = nullptr;  // bands find theirs in the first rounds
  if (hooks.point) inner.point = [&](const Progress& row, ConstVectorRef x) { return hooks.point(row, form.lift(x)); };
  if (hooks.best) {
    inner.best = [&](const BestSoFar& best) {
      hooks.best({form.lift(best.x), form.to_original(best.multipliers, 0.0), best.proved_bound});
    };
  }
  Plan plan;
  plan.attempts.push_back(attempt);
  plan.attempts.back().slacks_as_soft = false;
  Result result = solve(form.at(0.0), plan, settings, inner);
  result.x = form.lift(result.x);
  problem.prox().project(result.x);
  result.multipliers = form.to_original(result.multipliers, 0.0);
  if (result.status == Status::dual_infeasible) {
    result.ray = form.lift_ray(result.ray);
    prove_unbounded_again(problem, prove_unbounded(problem, result.x, result.ray),
                          "as soft rows the objective falls without end, but that does not prove it of the columns",
                          settings, result);
    return result;
  }
  certify_again(problem, settings, result);
  if (result.status == Status::optimal && !result.certificate.satisfies(settings)) {
    result.status = Status::numerical_error;
    result.message = fmt::format("solved as soft rows, but not to the tolerances with its columns (gap {:.2g})",
                                 result.certificate.gap_rel());
  }
  return result;
}

// Where even the least excess is positive, its multipliers are a proof that nothing is within the budget.
bool prove_beyond_budget(const SoftForm& form, const Problem& problem, const Settings& settings,
                         const SolveHooks& hooks, Result& result) {
  SolveHooks inner;
  inner.interrupt = hooks.interrupt;
  Result least = solve(form.budget_alone(), settings, inner);
  add_costs(result, least);
  least.attempts = result.attempts;
  result = std::move(least);
  const bool answered = result.status == Status::optimal || result.status == Status::numerical_error;
  const bool beyond = result.status == Status::optimal && result.certificate.lower_bound > 0.0;
  if (answered) result.status = Status::numerical_error;
  if (answered && !beyond) return false;
  result.x = form.lift(result.x);
  problem.prox().project(result.x);
  result.multipliers = beyond ? form.to_original(result.multipliers, 1.0) : zero_multipliers(problem);
  result.ray.resize(0);
  result.infeasibility.reset();
  result.unboundedness.reset();
  certify_again(problem, settings, result);
  if (!beyond) return true;  // a limit, or an interrupt
  result.status = Status::primal_infeasible;
  prove_infeasible_again(problem, "the least excess of the budget is positive, but that is no proof", result);
  result.attempts.back().status = to_string(result.status);
  return result.status == Status::primal_infeasible;
}

// With x, or where that fails, and the budget can be kept, by a search.
Result solve_with_budget(const SoftForm& form, const Problem& problem, const Attempt& attempt, const Settings& settings,
                         const SolveHooks& hooks) {
  if (!form.budget_is_all()) return BudgetSearch(form, problem, attempt, settings, hooks).run();
  Result first = solve_bordered(form, problem, attempt, settings, hooks);
  if (first.status != Status::numerical_error) return first;
  const auto left = [&] { return lower_limits(settings, {first.time.solve, first.passes, first.iterations}); };
  if (prove_beyond_budget(form, problem, left(), hooks, first)) return first;
  Result second = BudgetSearch(form, problem, attempt, left(), hooks).run();
  add_costs(first, second);
  return second;
}

}  // namespace

Result solve_with_soft_rows(const Problem& problem, const Attempt& attempt, const Settings& settings,
                            const SolveHooks& hooks) {
  const std::unique_ptr<SoftForm> form = SoftForm::find(problem);
  if (form == nullptr) throw std::logic_error("a plan with soft rows for a problem without slack columns");
  if (form->has_budget()) return solve_with_budget(*form, problem, attempt, settings, hooks);
  return solve_without_budget(*form, problem, attempt, settings, hooks);
}

}  // namespace pliant
