#include "engines/stochastic/katyusha.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

void Katyusha::start(const PenalizedFunction& phi, const InnerPoint& point) {
  mu_ = phi.strong_convexity();
  epochs_ = 0.0;
  x_ = y_ = z_ = previous_z_ = mean_ = point.x;
}

// t1
double Katyusha::momentum() const {
  const ComponentSum& sum = components();
  if (!(mu_ > 0.0)) return 2.0 / (std::floor(epochs_) + 4.0);
  const double steps = parameters_.epoch_length * static_cast<double>(sum.sampled());
  return std::min(std::sqrt(steps * mu_ / (3.0 * sum.step_smoothness())), 0.5);
}

double Katyusha::steps_per_efold() const {
  return 1.0 / std::log1p(mu_ / (3.0 * momentum() * components().step_smoothness()));
}

void Katyusha::epoch(InnerPoint& point) {
  ComponentSum& sum = components();
  const double k = static_cast<double>(sum.sampled());
  const Index steps =
      parameters_.loopless ? geometric(1.0 / k) : static_cast<Index>(std::ceil(parameters_.epoch_length * k));
  const double t1 = momentum(), t2 = 0.5;
  const double alpha = 1.0 / (3.0 * t1 * sum.step_smoothness());
  const double short_step = t1 * alpha;  // 1/(3L)
  const double mu_f = smooth_strong_convexity();
  const double pull = 1.0 / (1.0 + alpha * mu_f);  // towards x, by the strong convexity outside the prox
  const double step = alpha * pull;
  const double growth = 1.0 + alpha * mu_;
  const Vector& snapshot = point.x;
  double share = 1.0;  // of the newest y in the weighted mean

  mean_ = snapshot;
  for (Index j = 0; j < steps; ++j) {
    x_ = t1 * z_ + t2 * snapshot + (1.0 - t1 - t2) * y_;
    if (!inside(x_)) break;
    const ComponentSum::Correction c = sum.correction(draw(), x_);
    previous_z_ = z_;
    z_ = pull * z_ + (1.0 - pull) * x_ - step * gradient();
    c.row.add(-step * c.coefficient, z_.data());
    prox().apply(step, z_);
    if (prox().smooth()) {
      y_ = x_ + t1 * (z_ - previous_z_);
    } else {
      y_ = x_ - short_step * gradient();
      c.row.add(-short_step * c.coefficient, y_.data());
      prox().apply(short_step, y_);
    }
    if (!parameters_.loopless) {
      mean_ += share * (y_ - mean_);
      share = growth * share / (1.0 + growth * share);  // w_{j+1}/W_{j+1} with w_{j+1} = growth w_j
    }
  }
  epochs_ += static_cast<double>(steps) / (parameters_.epoch_length * k);
  point.x = parameters_.loopless ? y_ : mean_;
}

}  // namespace pliant
