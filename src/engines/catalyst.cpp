#include "engines/catalyst.hpp"

#include "engines/nesterov.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

/// Adds kappa/2 |x - center|^2 to Phi for a scope.
class ProximalScope {
 public:
  ProximalScope(PenalizedFunction& phi, double kappa, const Vector& center) : phi_(phi) {
    phi_.kappa = kappa;
    phi_.center = center;
  }
  ~ProximalScope() { phi_.kappa = 0.0; }
  ProximalScope(const ProximalScope&) = delete;
  ProximalScope& operator=(const ProximalScope&) = delete;

 private:
  PenalizedFunction& phi_;
};

}  // namespace

InnerOutcome Catalyst::advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations) {
  const ProxTerm& psi = phi.problem().prox();
  psi.project(point.x);
  const double kappa = inner_->proximal_weight(phi, point);
  if (!(kappa > 0.0)) return inner_->advance(phi, point, monitor, max_iterations);

  const double mu = phi.strong_convexity();
  const double q = mu / (mu + kappa);
  double alpha = mu > 0.0 ? std::sqrt(q) : 1.0;
  ProximalScope proximal(phi, kappa, point.x);
  Vector& y = phi.center;
  previous_y_ = y;
  residual_.resize(y.size());
  const double window = parameters_.stall_window + parameters_.stall_factor / std::sqrt(q);
  StallCheck stalled(static_cast<Index>(std::min(window, parameters_.longest_stall)));
  InnerOutcome outcome;
  bool told_to_stop = false;
  // The monitor is to see Phi itself: what the proximal term adds is taken away again.
  const auto report = [&](const InnerPoint& p) {
    reported_ = p;
    reported_.at.gradient -= kappa * (p.x - y);
    reported_.phi -= 0.5 * kappa * (p.x - y).squaredNorm();
    psi.residual(p.x, reported_.at.gradient, residual_);
    reported_.residual = residual_.norm();
    told_to_stop = monitor(reported_);
    if (!told_to_stop && stalled(phi, reported_)) outcome.end = InnerEnd::stalled;
    return told_to_stop || outcome.end == InnerEnd::stalled;
  };

  for (; outcome.iterations < max_iterations; ++outcome.iterations) {
    start_.x = point.x + kappa / (kappa + mu) * (y - previous_y_);
    if (inner_->advance(phi, start_, report, parameters_.inner_iterations).end == InnerEnd::stopped) {
      point = reported_;
      return outcome;
    }
    previous_x_ = point.x;
    point.x = start_.x;
    const double next = next_alpha(alpha, q);
    const double beta = momentum(alpha, next);
    alpha = next;
    previous_y_ = y;
    y = point.x + beta * (point.x - previous_x_);
  }
  outcome.end = InnerEnd::limit;
  return outcome;
}

}  // namespace pliant
