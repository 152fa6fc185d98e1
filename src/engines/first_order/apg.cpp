#include "engines/first_order/apg.hpp"

#include "engines/nesterov.hpp"
#include "linalg/no_allocation.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace pliant {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Differences of Phi below this fraction of what it adds up are mostly rounding.
constexpr double kNoise = 1e4 * kEpsilon;

}  // namespace

Apg::Apg(Index dimension, double mu, ApgParameters parameters)
    : mu_(mu), parameters_(parameters), direction_(dimension), residual_(dimension) {
  y_.x.resize(dimension);
  next_.x.resize(dimension);
}

void Apg::evaluate(PenalizedFunction& phi, InnerPoint& point) { point.phi = phi.evaluate(point.x, point.at); }

// |grad Phi(x + h d) - grad Phi(x)| / |h d| along the gradient: a lower estimate, backtracking does the rest.
void Apg::first_estimate_of_smoothness(PenalizedFunction& phi, const InnerPoint& point) {
  const double norm = point.at.gradient.norm();
  smoothness_ = std::max(phi.problem().smoothness(), mu_);
  if (norm > 0.0) {
    const double h = 1e-4 * (1.0 + point.x.norm()) / norm;
    y_.x = point.x - h * point.at.gradient;
    evaluate(phi, y_);
    smoothness_ = std::max(mu_, (y_.at.gradient - point.at.gradient).norm() / (h * norm));
  }
  if (!(smoothness_ > 0.0)) smoothness_ = 1.0;
}

// Phi(next) <= Phi(y) + grad Phi(y)'d + L/2 |d|^2, d = next - y; where the values differ by rounding
// only, the same question is put to the gradients: (grad Phi(next) - grad Phi(y))'d <= L |d|^2.
bool Apg::quadratic_bound_holds() const {
  const double slope = y_.at.gradient.dot(direction_);
  const double squared = direction_.squaredNorm();
  const double change = next_.phi - y_.phi;
  if (!std::isfinite(next_.phi)) return false;
  // f and the penalty may nearly cancel in Phi: rounding is relative to their sizes.
  const double size = std::abs(y_.at.smooth_value) + std::abs(y_.phi - y_.at.smooth_value);
  if (std::abs(change) > kNoise * size) return change <= slope + 0.5 * smoothness_ * squared;
  return (next_.at.gradient.dot(direction_) - slope) <= smoothness_ * squared;
}

bool Apg::step_from_extrapolation(PenalizedFunction& phi) {
  for (Index attempt = 0; attempt <= parameters_.max_backtracks; ++attempt) {
    direction_ = y_.x - y_.at.gradient / smoothness_;
    phi.problem().prox().prox(direction_, 1.0 / smoothness_, next_.x);
    direction_ = next_.x - y_.x;
    evaluate(phi, next_);
    if (quadratic_bound_holds()) return true;
    smoothness_ *= parameters_.backtrack_factor;
  }
  return false;
}

InnerOutcome Apg::advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations) {
  const ProxTerm& psi = phi.problem().prox();
  InnerOutcome outcome;
  auto finish_point = [&](InnerPoint& p) {
    psi.residual(p.x, p.at.gradient, residual_);
    p.residual = residual_.norm();
  };

  psi.project(point.x);
  evaluate(phi, point);
  finish_point(point);
  if (monitor(point)) return outcome;
  if (smoothness_ == 0.0) first_estimate_of_smoothness(phi, point);

  y_ = point;
  next_ = point;
  double alpha = 1.0;
  StallCheck stalled(parameters_.stall_window);
  stalled(phi, point);
  const NoAllocationScope no_allocation;
  while (outcome.iterations < max_iterations) {
    if (!step_from_extrapolation(phi)) {
      outcome.end = InnerEnd::stalled;
      return outcome;
    }
    ++outcome.iterations;
    finish_point(next_);

    // Momentum that points uphill is dropped (gradient restart).
    const bool restart = direction_.dot(next_.x - point.x) < 0.0;
    const double q = std::min(1.0, (mu_ + phi.kappa) / (smoothness_ + psi.strong_convexity()));
    const double alpha_next = restart ? 1.0 : next_alpha(alpha, q);
    const double beta = restart ? 0.0 : momentum(alpha, alpha_next);
    alpha = alpha_next;
    y_.x = next_.x + beta * (next_.x - point.x);
    std::swap(point, next_);

    if (monitor(point)) return outcome;
    if (stalled(phi, point)) {
      outcome.end = InnerEnd::stalled;
      return outcome;
    }

    if (beta == 0.0) {
      y_.at = point.at;
      y_.phi = point.phi;
    } else {
      evaluate(phi, y_);
    }
    smoothness_ *= parameters_.step_growth;
  }
  outcome.end = InnerEnd::limit;
  return outcome;
}

}  // namespace pliant
