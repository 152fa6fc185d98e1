#include "engines/first_order/lbfgs.hpp"

#include "linalg/no_allocation.hpp"
#include "pliant/regularizers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

// Differences of Phi below this fraction of what it adds up are mostly rounding.
constexpr double kFlat = 1e4 * std::numeric_limits<double>::epsilon();

}  // namespace

std::string Lbfgs::obstacle(const Problem& problem) {
  const SeparableParameters* psi = separable_parameters(problem.prox());
  if (psi != nullptr && psi->l1 == 0.0 && psi->lo.empty()) return {};
  return fmt::format("the term {} is not smooth; apg takes it", problem.prox().kind());
}

Lbfgs::Lbfgs(const Problem& problem, LbfgsParameters parameters)
    : parameters_(parameters), ridge_(problem.prox().strong_convexity()) {
  const Index n = problem.dimension();
  s_.resize(n, parameters.memory);
  y_.resize(n, parameters.memory);
  weight_.resize(parameters.memory);
  alpha_.resize(parameters.memory);
  direction_.resize(n);
}

void Lbfgs::evaluate(PenalizedFunction& phi, InnerPoint& point, Vector& gradient) const {
  point.phi = phi.evaluate(point.x, point.at);
  gradient = point.at.gradient + ridge_ * point.x;
  point.residual = gradient.norm();
}

// d = -H g, H the inverse BFGS matrix of the pairs with H0 = s'y / y'y.
void Lbfgs::find_direction() {
  const Index memory = parameters_.memory;
  direction_ = -gradient_;
  for (Index k = 0; k < count_; ++k) {
    const Index j = (newest_ - k + memory) % memory;
    alpha_[j] = weight_[j] * s_.col(j).dot(direction_);
    direction_ -= alpha_[j] * y_.col(j);
  }
  if (count_ > 0) direction_ /= weight_[newest_] * y_.col(newest_).squaredNorm();
  for (Index k = count_ - 1; k >= 0; --k) {
    const Index j = (newest_ - k + memory) % memory;
    direction_ += (alpha_[j] - weight_[j] * y_.col(j).dot(direction_)) * s_.col(j);
  }
}

bool Lbfgs::search(PenalizedFunction& phi, const InnerPoint& point) {
  const double slope0 = gradient_.dot(direction_);
  if (!(slope0 < 0.0)) return false;
  const double value0 = value(point);
  // f and the penalty may nearly cancel in Phi: rounding is relative to their sizes.
  const double noise = kFlat * (std::abs(point.at.smooth_value) + std::abs(value0 - point.at.smooth_value));
  double low = 0.0, low_slope = slope0, high = kInfinity, high_slope = 0.0;
  // The first direction has no scale: a step about as long as x, until pairs give one.
  double t = count_ > 0 ? 1.0 : std::min(1.0, (1.0 + point.x.norm()) / direction_.norm());
  for (Index k = 0; k < parameters_.max_evaluations; ++k) {
    next_.x = point.x + t * direction_;
    evaluate(phi, next_, next_gradient_);
    const double slope = next_gradient_.dot(direction_);
    const double change = value(next_) - value0;
    const bool finite = std::isfinite(slope) && std::isfinite(change);
    // Where values are rounding, slopes decide: phi' <= (1 - 2c)|phi'(0)| is the same for quadratics.
    const bool lower = change <= parameters_.sufficient * t * slope0 ||
                       (std::abs(change) <= noise && slope <= (2.0 * parameters_.sufficient - 1.0) * slope0);
    if (finite && lower && std::abs(slope) <= -parameters_.curvature * slope0) return true;
    if (!finite || slope > 0.0 || !lower) {
      high = t;
      high_slope = finite ? slope : kInfinity;
    } else {
      low = t;
      low_slope = slope;
    }
    if (high == kInfinity) {
      // The secant through 0 and t, at least doubling, at most ten times as far.
      const double secant = slope > slope0 ? t * slope0 / (slope0 - slope) : parameters_.farthest * t;
      t = std::clamp(secant, 2.0 * t, parameters_.farthest * t);
    } else {
      const double secant = low + (high - low) * low_slope / (low_slope - high_slope);
      const double margin = parameters_.line_margin * (high - low);
      t = high_slope > 0.0 && std::isfinite(high_slope) ? std::clamp(secant, low + margin, high - margin)
                                                        : 0.5 * (low + high);
      if (!(high - low > std::numeric_limits<double>::epsilon() * high)) return false;
    }
  }
  return false;
}

void Lbfgs::remember(const Vector& x, const Vector& next_x) {
  const double curvature = (next_x - x).dot(next_gradient_ - gradient_);
  if (!(curvature > 0.0) || !std::isfinite(1.0 / curvature)) return;
  newest_ = (newest_ + 1) % parameters_.memory;
  s_.col(newest_) = next_x - x;
  y_.col(newest_) = next_gradient_ - gradient_;
  weight_[newest_] = 1.0 / curvature;
  count_ = std::min(count_ + 1, parameters_.memory);
}

InnerOutcome Lbfgs::advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations) {
  if (xi_ != phi.xi || delta_ != phi.delta) count_ = 0;
  xi_ = phi.xi;
  delta_ = phi.delta;
  evaluate(phi, point, gradient_);
  if (monitor(point)) return {};
  next_ = point;
  next_gradient_ = gradient_;
  const NoAllocationScope no_allocation;
  return take_steps(phi, point, monitor, max_iterations, parameters_.stall_window, [&] {
    find_direction();
    bool found = search(phi, point);
    if (!found && count_ > 0) {  // once more along the gradient itself
      count_ = 0;
      find_direction();
      found = search(phi, point);
    }
    if (!found) return false;
    remember(point.x, next_.x);
    std::swap(point, next_);
    std::swap(gradient_, next_gradient_);
    return true;
  });
}

}  // namespace pliant
