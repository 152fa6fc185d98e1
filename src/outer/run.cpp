#include "outer/run.hpp"

#include "certify/overview.hpp"
#include "linalg/no_allocation.hpp"
#include "prox/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// A solve is given up after this many stages without a merit smaller by a hundredth ...
constexpr Index kStagesWithoutProgress = 2000;
// ... when xi has grown by this factor and constraints still ask for more ...
constexpr double kXiGrowthLimit = 1e12;
// ... or when x has left every reasonable size: the problem is unbounded below, or as good as.
constexpr double kLargestPoint = 1e15;
// Proofs of infeasibility and unboundedness are looked for whenever xi has grown, or x has, by these factors.
constexpr double kSuspiciousXiGrowth = 60.0;
constexpr double kSuspiciousSize = 1e7;
// Rows that are left after screening are copied; these copies may take this share of the memory limit.
constexpr double kShareOfCopies = 0.25;

ScreeningParameters screening_parameters(const Problem& problem, const Settings& settings) {
  ScreeningParameters out;
  const double bytes = static_cast<double>(problem.data_bytes());
  if (!settings.memory_limit || bytes == 0.0) return out;
  const double share = kShareOfCopies * static_cast<double>(*settings.memory_limit) / bytes;
  out.most_rows = static_cast<Index>(std::min(1.0, share) * static_cast<double>(problem.constraints()));
  return out;
}

}  // namespace

Run::Run(const Problem& problem, const Settings& settings, const SolveHooks& hooks)
    : problem_(problem),
      settings_(settings),
      hooks_(hooks),
      start_(std::chrono::steady_clock::now()),
      system_(problem),
      view_(problem, system_),
      screening_(screening_parameters(problem, settings)) {}

void Run::use_slater_point() {
  if (!problem_.slater_point || problem_.has_equalities() || system_.size() == 0) return;
  Vector a(system_.size());
  system_.values(*problem_.slater_point, a);
  consider_strictly_feasible(*problem_.slater_point, a, problem_.objective(*problem_.slater_point));
}

double Run::elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

double Run::gap_target(double objective) const { return settings_.tol_gap * (1.0 + std::abs(objective)); }

double Run::feasibility_target() const { return settings_.tol_feas * (1.0 + problem_.constant_scale()); }

void Run::consider_strictly_feasible(ConstVectorRef x, ConstVectorRef a, double objective) {
  if (problem_.has_equalities() || !problem_.conic().empty() || a.size() == 0) return;
  if (problem_.prox().domain_violation(x) > 0.0) return;
  const double slack = -a.maxCoeff();
  if (!(slack >= 0.0)) return;
  upper_bound_ = std::min(upper_bound_, objective);
  // The point that proves the smallest bound on the multipliers is kept.
  const double reference = std::isfinite(best_lower_bound_) ? best_lower_bound_ : 0.0;
  const bool better =
      slater_slack_ <= 0.0 || (objective - reference) * slater_slack_ < (slater_objective_ - reference) * slack;
  if (slack > 0.0 && better) {
    slater_slack_ = slack;
    slater_objective_ = objective;
  }
}

double Run::multiplier_bound() const {
  if (slater_slack_ <= 0.0 || !std::isfinite(best_lower_bound_)) return kInfinity;
  return std::max(0.0, slater_objective_ - best_lower_bound_) / slater_slack_;
}

// How many times the worst of violation, equality residual and gap exceeds its tolerance.
double Run::merit(const Certificate& c) const {
  const double feasible = feasibility_target();
  double worst = std::max({c.violation(settings_.norm) / feasible, c.equality_residual / feasible,
                           c.domain_violation / feasible, std::abs(c.gap_rel()) / settings_.tol_gap});
  if (!c.lower_bound_rigorous) worst = std::max(worst, c.dual_residual_rel / settings_.tol_gap);
  return std::isfinite(worst) ? worst : kInfinity;
}

void Run::consider(const InnerPoint& point) {
  latest_ = assess(view_.problem(), view_.system(), point.x, point.at, upper_bound_);
  latest_.constant_scale = problem_.constant_scale();
  if (latest_.lower_bound_rigorous) best_lower_bound_ = std::max(best_lower_bound_, latest_.lower_bound);
  consider_strictly_feasible(point.x, point.at.a, latest_.objective);
  const double m = merit(latest_);
  if (m < best_merit_ || best_x_.size() == 0) {
    best_merit_ = m;
    best_certificate_ = latest_;
    best_x_ = point.x;
    best_multipliers_ = view_.expand(point.at.multipliers);
    best_gradient_ = point.at.gradient;
    best_cone_multipliers_ = point.at.cones.multipliers;
    best_on_all_rows_ = !view_.reduced();
    keep_best_values(point.at);
  }
}

void Run::certify_best_on_all_rows() {
  if (best_on_all_rows_) return;
  LagrangianEvaluation at;
  evaluate_lagrangian(problem_, system_, best_x_, best_multipliers_, at, best_cone_multipliers_);
  view_.phi().count_components(problem_.components());
  best_certificate_ = assess(problem_, system_, best_x_, at, upper_bound_);
  best_merit_ = merit(best_certificate_);
  best_on_all_rows_ = true;
  keep_best_values(at);
}

void Run::screen(InnerPoint& point) {
  if (!settings_.screening || verdict_) return;
  const Phase phase(*this, "screening");
  const ProvedBounds proved{upper_bound_, slater_objective_, slater_slack_, multiplier_bound()};
  const auto stay = screening_.remaining(view_.problem(), view_.system(), point, proved);
  if (!stay) return;
  view_.keep(*stay);
  screened_ = view_.dropped();
  point.at = LagrangianEvaluation{};
}

bool Run::judge(const InnerPoint& point) {
  const AllocationAllowedScope allowed;
  consider(point);
  record(latest_, count_near_active(point.at));
  if (hooks_.point && hooks_.point(trace_.back(), point.x)) conclude(Status::user_stopped, "stopped by the callback");
  check_size(point.x);
  if (latest_.satisfies(settings_)) {
    certify_best_on_all_rows();  // the point just judged, or one at least as good
    if (best_certificate_.satisfies(settings_)) conclude(Status::optimal, {});
  }
  return verdict_.has_value();
}

bool Run::next_stage() {
  ++stage_;
  if (best_merit_ < 0.99 * merit_at_last_progress_) {
    merit_at_last_progress_ = best_merit_;
    stage_of_last_progress_ = stage_;
    ask_at_stall_ = kSuspiciousStages;
  } else if (best_x_.size() > 0 && stage_ - stage_of_last_progress_ >= ask_at_stall_) {
    ask_at_stall_ *= kSuspiciousFailures;
    seek_proof();
  }
  if (stage_ - stage_of_last_progress_ >= kStagesWithoutProgress) {
    conclude(Status::numerical_error, fmt::format("no progress in {} stages", kStagesWithoutProgress));
  }
  return verdict_.has_value();
}

bool Run::raise_xi(double factor) {
  double& xi = view_.phi().xi;
  if (first_xi_ == 0.0) first_xi_ = xi;
  xi *= factor;
  const double growth = xi / first_xi_;
  if (growth > kSuspiciousXiGrowth * asked_at_xi_) {
    asked_at_xi_ = growth;
    seek_proof();
  }
  if (xi > kXiGrowthLimit * first_xi_) {
    conclude_infeasible_perhaps();
  }
  return verdict_.has_value();
}

void Run::conclude_infeasible_perhaps() {
  conclude(Status::numerical_error,
           "constraints stay violated however large xi grows: the problem may be infeasible (not proved)");
}

bool Run::check_size(ConstVectorRef x) {
  const double size = x.lpNorm<Eigen::Infinity>();
  if (!verdict_ && size > kSuspiciousSize * std::max(1.0, asked_at_size_)) {
    asked_at_size_ = size;
    seek_proof();
  }
  if (!(size < kLargestPoint)) {
    conclude(Status::numerical_error, "x grows without bound: the objective may be unbounded below (not proved)");
  }
  return verdict_.has_value();
}

void Run::keep_best_values(const LagrangianEvaluation& at) {
  if (!best_on_all_rows_) return;
  best_values_ = at.a;
  best_cone_values_ = at.cones.a;
  best_bounded_ = at.bounded;
}

Index Run::count_near_active(const LagrangianEvaluation& at) {
  const double delta = view_.phi().delta;
  if (!(delta > 0.0)) return -1;
  const double least = -Progress::kNear * delta;
  const Index rows = std::min(at.a.size(), view_.system().inequalities());
  Index near = (at.cones.a.array() >= least).count();
  for (Index i = 0; i < rows; ++i) near += at.a[i] >= least && view_.system().leads(i);
  return near;
}

void Run::record(const Certificate& c, Index near_active) {
  Progress row;
  row.iteration = iterations_;
  row.stage = stage_;
  row.time = elapsed();
  row.passes = system_.passes();
  row.component_evaluations = component_evaluations();
  row.delta = view_.phi().delta;
  row.xi = view_.phi().xi;
  row.objective = c.objective;
  row.lower_bound = c.lower_bound;
  row.violation = c.violation(settings_.norm);
  row.dual_residual = c.dual_residual;
  row.active = c.active;
  row.near_active = near_active;
  row.working = working_ > 0 ? working_ : problem_.constraints() - view_.dropped();
  row.screened = screened_;
  trace_.push_back(row);
  if (hooks_.progress && hooks_.progress(row)) conclude(Status::user_stopped, "stopped by the callback");
}

void Run::book(std::string_view phase, double seconds) {
  for (auto& [name, total] : phases_) {
    if (name != phase) continue;
    total += seconds;
    return;
  }
  phases_.emplace_back(phase, seconds);
}

void Run::note(double objective, double violation, Index active) {
  Certificate partial;
  partial.objective = objective;
  partial.lower_bound = best_lower_bound_;
  partial.violation_l1 = partial.violation_l2 = partial.violation_linf = violation;
  partial.active = active;
  partial.dual_residual = kInfinity;
  working_ = active;
  record(partial, -1);
}

void Run::conclude(Status status, std::string message) {
  if (verdict_) return;
  verdict_ = status;
  message_ = std::move(message);
}

bool Run::reopen() {
  if (verdict_ != Status::numerical_error) return false;
  verdict_.reset();
  message_.clear();
  return true;
}

bool Run::tick() {
  ++iterations_;
  return check_limits();
}

bool Run::check_limits() {
  if (hooks_.interrupt != nullptr && hooks_.interrupt->load(std::memory_order_relaxed)) {
    conclude(Status::interrupted, "interrupted");
  } else if (settings_.time_limit && elapsed() >= *settings_.time_limit) {
    conclude(Status::time_limit, "time limit reached");
  } else if (settings_.max_passes && system_.passes() >= *settings_.max_passes) {
    conclude(Status::pass_limit, "pass limit reached");
  } else if (settings_.max_iterations && iterations_ >= *settings_.max_iterations) {
    conclude(Status::iteration_limit, "iteration limit reached");
  }
  return verdict_.has_value();
}

Result Run::finish(const InnerPoint& last) {
  if (last.at.a.size() == view_.system().size()) consider(last);  // else judged before rows were dropped
  if (proof_) return finish_with_proof();
  certify_best_on_all_rows();
  if (best_certificate_.satisfies(settings_)) {
    verdict_ = Status::optimal;
    message_.clear();
  }
  Result result;
  result.bound_duals = dual_infeasibility(problem_.prox(), best_x_, best_gradient_) - best_gradient_;
  result.x = std::move(best_x_);
  result.multipliers = system_.split(best_multipliers_);
  result.multipliers.cones = std::move(best_cone_multipliers_);
  result.certificate = best_certificate_;
  result.overview = survey(problem_, system_, best_values_, best_multipliers_, best_cone_values_,
                           result.multipliers.cones, best_bounded_);
  add_counters(result);
  return result;
}

void Run::add_counters(Result& result) {
  result.status = verdict_.value_or(Status::numerical_error);
  result.message = message_;
  result.xi = view_.phi().xi;
  result.delta = view_.phi().delta;
  result.xi_proved = view_.phi().xi >= multiplier_bound();
  result.screened = screened_;
  result.iterations = iterations_;
  result.passes = system_.passes();
  result.component_evaluations = component_evaluations();
  result.time.solve = elapsed();
  result.time.phases = std::move(phases_);
  result.trace = std::move(trace_);
}

}  // namespace pliant
