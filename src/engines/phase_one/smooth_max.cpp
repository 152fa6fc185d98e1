#include "engines/phase_one/smooth_max.hpp"

#include "linalg/sums.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace pliant {

SmoothMax::SmoothMax(RowSelection& rows, Vector scales, SmoothMaxParameters parameters)
    : rows_(rows),
      scales_(std::move(scales)),
      parameters_(parameters),
      b_(rows.size()),
      w_(rows.size()),
      trial_(rows.size()),
      slope_(rows.size()) {}

double SmoothMax::soften(const Vector& b) {
  const double top = b.maxCoeff();
  w_ = ((b.array() - top) / delta_).exp();
  const double sum = pairwise_sum(w_);
  w_ = (w_.array() < parameters_.negligible).select(0.0, w_ / sum);
  return top + delta_ * std::log(sum);
}

double SmoothMax::line_slope(double t) {
  rows_.line_values(t, trial_, slope_);
  trial_ = trial_.cwiseProduct(scales_);
  soften(trial_);
  return pairwise_sum(0, w_.size(), [&](Index k) { return w_[k] * scales_[k] * slope_[k]; });
}

// phi is convex along the line: its slope rises from a negative number; where it is small enough is good enough.
double SmoothMax::line_search(double slope) {
  constexpr double kEnough = 0.1;
  constexpr int kDoublings = 40, kHalvings = 60;
  double low = 0.0, high = 1.0;
  double there = line_slope(high);
  for (int k = 0; there < 0.0 && k < kDoublings; ++k) {
    if (-there <= -kEnough * slope) return high;
    low = high;
    high *= 2.0;
    there = line_slope(high);
  }
  for (int k = 0; k < kHalvings; ++k) {
    if (std::abs(there) <= -kEnough * slope) return high;
    const double middle = 0.5 * (low + high);
    const double at = line_slope(middle);
    if (at < 0.0) {
      if (-at <= -kEnough * slope) return middle;
      low = middle;
    } else {
      high = middle;
      there = at;
    }
  }
  return low;
}

bool SmoothMax::newton_step(Vector& x) {
  const Index n = x.size();
  decrement_ = kInfinity;
  soften(b_);
  const Vector lambda = w_.cwiseProduct(scales_);
  gradient_ = Vector::Zero(n);
  H_.setZero(n, n);
  rows_.add_weighted_derivatives(x, lambda, lambda, lambda.cwiseProduct(scales_) / delta_, gradient_, H_);
  double ridge = parameters_.ridge * std::max(H_.trace() / static_cast<double>(n), 1e-300);
  Eigen::LLT<Matrix> factor;
  for (int attempt = 0; attempt < 8; ++attempt, ridge *= 100.0) {
    H_.diagonal().array() += ridge;
    factor.compute(H_);
    if (factor.info() == Eigen::Success) break;
  }
  if (factor.info() != Eigen::Success) return false;
  direction_ = factor.solve(-gradient_);
  const double slope = gradient_.dot(direction_);
  decrement_ = -slope;
  if (!(slope < 0.0) || !direction_.allFinite()) return false;
  rows_.prepare_line(x, direction_);
  const double t = line_search(slope);
  if (!(t > 0.0)) return false;
  x += t * direction_;
  rows_.line_values(t, b_, slope_);
  b_ = b_.cwiseProduct(scales_);
  return b_.allFinite();
}

Vector SmoothMax::balanced_multipliers(const Vector& x) {
  soften(b_);
  Vector lambda = w_.cwiseProduct(scales_);
  const Vector none = Vector::Zero(lambda.size());
  for (int round = 0; round < 3; ++round) {
    gradient_ = Vector::Zero(x.size());
    H_.setZero(x.size(), x.size());
    rows_.add_weighted_derivatives(x, lambda, none, lambda, gradient_, H_);
    H_.diagonal().array() += 1e-15 * H_.trace() / static_cast<double>(x.size());
    const Vector z = H_.selfadjointView<Eigen::Lower>().ldlt().solve(gradient_);
    if (!z.allFinite()) break;
    rows_.slopes(x, z, slope_);
    lambda = lambda.cwiseProduct((1.0 - slope_.array()).max(0.0).matrix());
  }
  return lambda;
}

SmoothMax::End SmoothMax::minimize(Vector& x, FunctionRef<bool(const Vector&, const Vector&)> proves,
                                   FunctionRef<bool()> stop) {
  rows_.values(x, b_);
  b_ = b_.cwiseProduct(scales_);
  if (!b_.allFinite()) return End::exhausted;
  const double first = parameters_.first_share * std::max(b_.lpNorm<Eigen::Infinity>(), 1e-12);
  Index proved = 0;
  for (delta_ = first; delta_ >= parameters_.smallest * first; delta_ *= parameters_.reduction) {
    bool converged = false;
    for (Index step = 0; step < parameters_.stage_steps; ++step) {
      if (b_.maxCoeff() < parameters_.enough) return End::negative;
      const bool moved = newton_step(x);
      converged = decrement_ <= parameters_.stage_error * delta_;
      if (!moved) break;
      if (stop()) return proved > 0 ? End::proved : End::stopped;
      soften(b_);
      const bool positive = pairwise_sum(0, w_.size(), [&](Index k) { return w_[k] * b_[k]; }) > 0.0;
      const double error = positive ? parameters_.sharp_error : parameters_.stage_error;
      if (decrement_ <= error * delta_) break;
    }
    if (proved == 0 && b_.maxCoeff() < parameters_.enough) return End::negative;
    soften(b_);
    const double mean = pairwise_sum(0, w_.size(), [&](Index k) { return w_[k] * b_[k]; });
    if (converged && mean > 0.0 && proves(x, balanced_multipliers(x))) ++proved;
    if (proved > parameters_.extra_stages) break;
  }
  return proved > 0 ? End::proved : End::exhausted;
}

}  // namespace pliant
