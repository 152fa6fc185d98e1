#include "run/incumbent.hpp"

#include "certify/overview.hpp"
#include "parallel/long_vectors.hpp"
#include "prox/domain.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

void Incumbent::use_slater_point() {
  if (!problem_.slater_point || problem_.has_equalities() || system_.size() == 0) return;
  Vector a(system_.size());
  system_.values(*problem_.slater_point, a);
  consider_strictly_feasible(*problem_.slater_point, a, problem_.objective(*problem_.slater_point));
}

double Incumbent::gap_target(double objective) const { return settings_.tol_gap * (1.0 + std::abs(objective)); }

double Incumbent::feasibility_target() const { return settings_.tol_feas * system_.smallest_scale(); }

void Incumbent::consider_strictly_feasible(ConstVectorRef x, ConstVectorRef a, double objective, double most_slack) {
  if (problem_.has_equalities() || !problem_.conic().empty() || a.size() == 0) return;
  if (problem_.prox().domain_violation(x) > 0.0) return;
  double slack = most_slack;
  for (const double part : parallel::parts<double>(
           a.size(), [&](Index begin, Index end) { return -a.segment(begin, end - begin).maxCoeff(); })) {
    slack = std::min(slack, part);
  }
  if (!(slack >= 0.0)) return;
  if (objective < upper_bound_) {
    upper_bound_ = objective;
    feasible_x_ = x;
  }
  // The point that proves the smallest bound on the multipliers is kept.
  const double reference = std::isfinite(lower_bound_) ? lower_bound_ : 0.0;
  const bool better =
      slater_slack_ <= 0.0 || (objective - reference) * slater_slack_ < (slater_objective_ - reference) * slack;
  if (slack > 0.0 && better) {
    slater_slack_ = slack;
    slater_objective_ = objective;
  }
}

double Incumbent::multiplier_bound() const {
  if (slater_slack_ <= 0.0 || !std::isfinite(lower_bound_)) return kInfinity;
  return std::max(0.0, slater_objective_ - lower_bound_) / slater_slack_;
}

double Incumbent::merit(const Certificate& c) const {
  double worst =
      std::max(c.infeasibility(settings_.norm) / settings_.tol_feas, std::abs(c.gap_rel()) / settings_.tol_gap);
  worst = std::max(worst, c.violation_worth / (Certificate::kMostWorth * gap_target(c.objective)));
  if (c.lower_bound_kind == BoundKind::estimate) worst = std::max(worst, c.dual_residual_rel / settings_.tol_gap);
  return std::isfinite(worst) ? worst : kInfinity;
}

const Certificate& Incumbent::consider(const InnerPoint& point, ProblemView& view) {
  if (assess_latest(point, view)) keep(point, view);
  return latest_;
}

const Certificate& Incumbent::consider(InnerPoint&& point, ProblemView& view) {
  if (!assess_latest(point, view)) return latest_;
  if (view.reduced()) {
    keep(point, view);
    return latest_;
  }
  keep_short(point, view);
  best_.multipliers = std::move(point.at.multipliers);
  best_.values = std::move(point.at.a);
  return latest_;
}

bool Incumbent::assess_latest(const InnerPoint& point, ProblemView& view) {
  latest_ = assess(view.problem(), view.system(), point.x, point.at, {upper_bound_, nullptr});
  const std::shared_ptr<ProblemView::Part> part = view.standing_for_all();
  latest_.constant_scale = (part ? part->problem : problem_).constant_scale();
  latest_x_ = point.x;
  latest_gradient_ = point.at.gradient;
  latest_.choose_bound(settings_.tol_gap);
  lower_bound_ = std::max(lower_bound_, latest_.proof.value);
  consider_strictly_feasible(point.x, point.at.a, latest_.objective, part ? part->others_below : kInfinity);
  return !best_.insisted && (merit(latest_) < best_.merit || !any());
}

bool Incumbent::considered(const InnerPoint& point) const {
  return latest_x_.size() == point.x.size() && latest_gradient_.size() == point.at.gradient.size() &&
         latest_x_ == point.x && latest_gradient_ == point.at.gradient;
}

void Incumbent::insist_on(const InnerPoint& point, ProblemView& view) {
  consider(point, view);
  keep(point, view);
  best_.insisted = true;
}

void Incumbent::keep(const InnerPoint& point, const ProblemView& view) {
  keep_short(point, view);
  best_.multipliers = view.expand(point.at.multipliers);
  keep_values(point.at);
}

void Incumbent::keep_short(const InnerPoint& point, const ProblemView& view) {
  best_.merit = merit(latest_);
  best_.part = view.standing_for_all();
  best_.certificate = latest_;
  best_.x = point.x;
  best_.gradient = point.at.gradient;
  best_.cone_multipliers = point.at.cones.multipliers;
  best_.on_all_rows = !view.reduced();
  best_.proved = false;
  best_.cone_values = point.at.cones.a;
  best_.bounded = point.at.bounded;
}

bool Incumbent::certify_on_all_rows() {
  if (best_.on_all_rows) return false;
  LagrangianEvaluation at;
  evaluate_lagrangian(problem_, system_, best_.x, best_.multipliers, at, best_.cone_multipliers);
  best_.certificate = assess(problem_, system_, best_.x, at, {upper_bound_, nullptr});
  best_.certificate.choose_bound(settings_.tol_gap);
  best_.merit = merit(best_.certificate);
  best_.on_all_rows = true;
  keep_values(at);
  return true;
}

void Incumbent::take_rounding_off_best() {
  if (best_.proved || !any()) return;
  const UpperBound upper{upper_bound_, feasible_x_.size() > 0 ? &feasible_x_ : nullptr};
  const double estimate = best_.certificate.estimate;
  take_rounding_off(judging_problem(), judging_system(), best_.x, best_.multipliers, best_.cone_multipliers, upper,
                    settings_.tol_gap, best_.certificate);
  best_.proved = true;  // its merit stays that of its kind, so that it is not replaced by itself
  if (best_.certificate.estimate < estimate) best_.merit = merit(best_.certificate);  // which it never had
}

void Incumbent::keep_values(const LagrangianEvaluation& at) {
  if (!best_.on_all_rows) return;
  best_.values = parallel::copy(at.a);
  best_.cone_values = at.cones.a;
  best_.bounded = at.bounded;
}

BestSoFar Incumbent::so_far() const {
  BestSoFar out{best_.x, system_.split(best_.multipliers), lower_bound_};
  out.multipliers.cones = best_.cone_multipliers;
  return out;
}

void Incumbent::hand_over(Result& result) {
  result.bound_duals = dual_infeasibility(problem_.prox(), best_.x, best_.gradient) - best_.gradient;
  result.x = std::move(best_.x);
  result.certificate = best_.certificate;
  result.overview = survey(judging_problem(), judging_system(), best_.values, best_.multipliers, best_.cone_values,
                           best_.cone_multipliers, best_.bounded);
  result.multipliers = judging_system().split(std::move(best_.multipliers));
  result.multipliers.cones = std::move(best_.cone_multipliers);
}

}  // namespace pliant
