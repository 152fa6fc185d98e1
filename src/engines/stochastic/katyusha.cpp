#include "engines/stochastic/katyusha.hpp"

#include "engines/stochastic/lazy_steps.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

/// What happens to one coordinate (lazy_steps.hpp).
struct KatyushaCoordinates {
  Vector &point, &y, &z, &sum;
  const Vector &snapshot, &gradient;
  const KatyushaStep& one;
  const SkippedKatyushaSteps& steps;

  const Vector& x() const { return point; }
  double expose(Index j) const { return point[j] = one.x(z[j], y[j], snapshot[j]); }
  void skip(Index j, Index k) const { steps(z[j], y[j], sum[j], snapshot[j], gradient[j], k); }
  void step(Index j, double correction) const {
    const double before = z[j];
    z[j] = one.z(before, point[j], gradient[j] + correction);
    y[j] = point[j] + one.t1 * (z[j] - before);
    sum[j] = one.d * sum[j] + (y[j] - snapshot[j]);
  }
};

// A whole step where psi is smooth, and x for the next one, in one pass.
void fused_step(const KatyushaStep& c, Index n, const double* __restrict row, double coefficient,
                const double* __restrict gradient, const double* __restrict snapshot, double* __restrict x,
                double* __restrict y, double* __restrict z, double* __restrict sum) {
  for (Index j = 0; j < n; ++j) {
    const double before = z[j];
    z[j] = c.z(before, x[j], gradient[j] + coefficient * row[j]);
    y[j] = x[j] + c.t1 * (z[j] - before);
    sum[j] = c.d * sum[j] + (y[j] - snapshot[j]);
    x[j] = c.x(z[j], y[j], snapshot[j]);
  }
}

}  // namespace

void Katyusha::start(const PenalizedFunction& phi, const InnerPoint& point) {
  mu_ = phi.strong_convexity();
  epochs_ = 0.0;
  x_ = y_ = z_ = sum_ = point.x;
}

// t1
double Katyusha::momentum() const {
  if (!(mu_ > 0.0)) return 2.0 / (std::floor(epochs_) + 4.0);
  const double steps = draws_per_component(parameters_.epoch_length);
  return std::min(std::sqrt(steps * mu_ / (3.0 * step_smoothness())), 0.5);
}

double Katyusha::steps_per_efold() const { return 1.0 / std::log1p(mu_ / (3.0 * momentum() * step_smoothness())); }

void Katyusha::epoch(InnerPoint& point) {
  const double planned = draws_per_component(parameters_.epoch_length);
  const Index steps =
      parameters_.loopless ? geometric(1.0 / draws_per_component(1.0)) : static_cast<Index>(std::ceil(planned));
  const double t1 = momentum(), t2 = 0.5;
  const double alpha = 1.0 / (3.0 * t1 * step_smoothness());
  const double pull = 1.0 / (1.0 + alpha * smooth_strong_convexity());  // towards x, by what the prox does not hold
  const double step = alpha * pull;
  const double rho = prox().smooth() ? prox().shrink(step) : 1.0;
  const KatyushaStep c{t1, t2, 1.0 - t1 - t2, pull, step, rho, 1.0 / (1.0 + alpha * mu_)};
  sum_.setZero();
  const Index done = sparse() && prox().smooth() ? sparse_epoch(c, steps, point) : dense_epoch(c, steps, point);
  epochs_ += static_cast<double>(steps) / planned;
  if (parameters_.loopless) {
    point.x = y_;
  } else if (done > 0) {
    point.x += sum_ / weight_sum(alpha * mu_, done);
  }
}

// 1 + d + ... + d^(count-1) for d = 1/(1 + a)
double Katyusha::weight_sum(double a, Index count) {
  const double k = static_cast<double>(count);
  return a > 0.0 ? -std::expm1(-k * std::log1p(a)) * (1.0 + a) / a : k;
}

Index Katyusha::sparse_epoch(const KatyushaStep& c, Index steps, const InnerPoint& point) {
  skipped_.prepare(c, lazy_block(steps));
  return take_lazy_steps(steps, KatyushaCoordinates{x_, y_, z_, sum_, point.x, gradient(), c, skipped_});
}

Index Katyusha::dense_epoch(const KatyushaStep& c, Index steps, const InnerPoint& point) {
  const double short_step = c.t1 * c.step / c.pull;  // 1/(3L)
  const Vector& snapshot = point.x;
  const Index n = snapshot.size();
  x_ = c.t1 * z_ + c.t2 * snapshot + c.t3 * y_;
  for (Index j = 0; j < steps; ++j) {
    if (j % check_every() == 0 && !inside(x_)) return j;
    const Estimate e = estimate(x_);
    if (prox().smooth()) {
      fused_step(c, n, e.direction, e.coefficient, gradient().data(), snapshot.data(), x_.data(), y_.data(), z_.data(),
                 sum_.data());
      continue;
    }
    const Eigen::Map<const Vector> row(e.direction, n);
    z_ = c.pull * z_ + (1.0 - c.pull) * x_ - c.step * gradient() - (c.step * e.coefficient) * row;
    prox().apply(c.step, z_);
    y_ = x_ - short_step * gradient() - (short_step * e.coefficient) * row;
    prox().apply(short_step, y_);
    sum_ = c.d * sum_ + (y_ - snapshot);
    x_ = c.t1 * z_ + c.t2 * snapshot + c.t3 * y_;
  }
  return steps;
}

}  // namespace pliant
