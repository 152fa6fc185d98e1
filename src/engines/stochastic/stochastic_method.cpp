#include "engines/stochastic/stochastic_method.hpp"

#include "linalg/no_allocation.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr std::uint64_t kSamplingStream = 0x5a3d;  // apart from the streams of generated instances

}  // namespace

StochasticMethod::StochasticMethod(std::string name, Index seed, StochasticParameters parameters, double reach)
    : name_(std::move(name)),
      parameters_(parameters),
      reach_(reach),
      stream_(static_cast<std::uint64_t>(seed), kSamplingStream) {}

void StochasticMethod::bind(PenalizedFunction& phi, ConstVectorRef x) {
  if (bound_ != &phi) {
    components_.emplace(phi, "--method " + name_, reach_);
    bound_ = &phi;
  }
  const double ridge = components_->ridge();
  prox_.emplace(phi.problem().prox(), phi.kappa + ridge);
  smooth_mu_ = std::max(0.0, phi.smooth_strong_convexity() - ridge);
  gradient_.resize(x.size());
  direction_.setZero(x.size());
  in_direction_ = {};
  sparse_work_.drawn.resize(static_cast<std::size_t>(parameters_.batch_size));
  sparse_work_.last.assign(static_cast<std::size_t>(x.size()), 0);
  sparse_work_.added.setZero(x.size());
  residual_.resize(x.size());
}

void StochasticMethod::evaluate(const PenalizedFunction& phi, InnerPoint& point) {
  components_->evaluate(point);
  phi.problem().prox().residual(point.x, point.at.gradient, residual_);
  point.residual = residual_.norm();
}

double StochasticMethod::proximal_weight(PenalizedFunction& phi, InnerPoint& point) {
  bind(phi, point.x);
  evaluate(phi, point);
  localize(phi, point, true);
  return std::max(0.0, proximal_smoothness() / (draws_per_component(1.0) + 1.0) - phi.strong_convexity());
}

// ceil(ln u / ln(1 - p)) is geometric for u uniform in (0, 1).
Index StochasticMethod::geometric(double probability) {
  const double u = stream_.uniform(counter_++);
  if (probability >= 1.0) return 1;
  return std::max<Index>(1, static_cast<Index>(std::ceil(std::log(u) / std::log1p(-probability))));
}

void StochasticMethod::localize(const PenalizedFunction& phi, const InnerPoint& point, bool first) {
  const double mu = phi.strong_convexity();
  const bool ball = parameters_.ball > 0.0 && mu > 0.0;
  const double reach = ball ? parameters_.ball * point.residual / mu : kInfinity;
  radius_ = first ? reach : std::max(reach, parameters_.ball_growth * radius_);
  center_ = point.x;
  left_ = false;
  if (ball) {
    radius_ = components_->refresh_around(point.x, point.at.a, radius_, parameters_.uniform_share);
  } else {
    components_->refresh(point.x, parameters_.uniform_share);
  }
  plan_steps();
}

void StochasticMethod::plan_steps() {
  constexpr double kStepsPerLook = 16.0;  // in units of the work of a look at the ball
  constexpr double kSparse = 8.0;         // a gathered entry costs as much as this many of a dense vector
  const double batch = static_cast<double>(parameters_.batch_size), n = static_cast<double>(center_.size());
  step_smoothness_ = components_->step_smoothness();
  if (parameters_.batch_size > 1) {
    step_smoothness_ += (1.0 - 1.0 / batch) * (components_->sum_smoothness() - step_smoothness_);
  }
  const double touched = std::clamp(batch * components_->touched(), 1.0, n);
  sparse_ = kSparse * touched <= n;
  // No more than n, because lazy steps keep a table of that length.
  check_every_ = static_cast<Index>(std::ceil(std::min(kStepsPerLook * n / touched, std::max(n, kStepsPerLook))));
}

StochasticMethod::Estimate StochasticMethod::estimate(const Vector& x) {
  if (parameters_.batch_size > 1) {
    draw_batch();
    components_->mean_correction(sparse_work_.drawn, x, direction_);
    return {direction_.data(), 1.0};
  }
  const ComponentSum::Correction c = components_->correction(draw(), x);
  if (c.row.columns == nullptr) return {c.row.values, c.coefficient};
  in_direction_.for_each([&](Index j, double) { direction_[j] = 0.0; });
  in_direction_ = c.row;
  in_direction_.for_each([&](Index j, double v) { direction_[j] = v; });
  return {direction_.data(), c.coefficient};
}

Index StochasticMethod::stall_window() const {
  const double epochs = steps_per_efold() / draws_per_component(2.0);
  const double window = static_cast<double>(parameters_.stall_window) + parameters_.stall_factor * epochs;
  return window < static_cast<double>(parameters_.longest_stall) ? static_cast<Index>(window)
                                                                 : parameters_.longest_stall;
}

InnerOutcome StochasticMethod::advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor,
                                       Index max_iterations) {
  phi.problem().prox().project(point.x);
  bind(phi, point.x);
  std::optional<StallCheck> stalled;
  InnerOutcome outcome;
  for (; outcome.iterations < max_iterations; ++outcome.iterations) {
    evaluate(phi, point);
    if (monitor(point)) return outcome;
    gradient_ = point.at.gradient - (phi.kappa + components_->ridge()) * point.x;
    if (outcome.iterations == 0 || left_) localize(phi, point, outcome.iterations == 0);
    if (outcome.iterations == 0) {
      start(phi, point);
      stalled.emplace(stall_window());
    }
    if ((*stalled)(phi, point)) {
      outcome.end = InnerEnd::stalled;
      return outcome;
    }
    const NoAllocationScope no_allocation;
    epoch(point);
  }
  components_->settle();
  outcome.end = InnerEnd::limit;
  return outcome;
}

}  // namespace pliant
