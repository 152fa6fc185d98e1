#include "certify/verified_model.hpp"

#include "linalg/rounding.hpp"
#include "linalg/sums.hpp"
#include "pliant/regularizers.hpp"
#include "prox/bounded_model.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Roundings of a formula of a few products beside its sums.
constexpr double kFormula = 24.0;
// The squares of smaller numbers may underflow: what a norm may lose for each.
constexpr double kLostSquares = 0x1p-500;

double or_nothing(double bound) { return std::isnan(bound) || bound == kInfinity ? -kInfinity : bound; }

// min over lo <= y <= hi of f(y) = g (y - x) + mu/2 (y - x)^2 + w1 |y| + w2/2 y^2 for one exact g.
struct VerifiedCoordinate {
  double x, g, mu, w1, w2, lo, hi;

  // f(y) rounded down.
  double value(double y) const {
    const double step = y - x;
    const double linear = g * step, square = 0.5 * mu * step * step;
    const double psi = w1 * std::abs(y) + 0.5 * w2 * y * y;
    return or_nothing(linear + square + psi - rounding_error(kFormula, std::abs(linear) + square + psi));
  }

  // f is (mu + w2)-strongly convex: min f >= f(y) - r^2/(2 (mu + w2)), r the distance of 0 from its subgradients at y.
  double curved(double y) const {
    const double size = std::abs(g) + mu * (std::abs(y) + std::abs(x)) + w2 * std::abs(y) + w1;
    const double slope = g + mu * (y - x) + w2 * y;
    double low = y > 0.0 ? slope + w1 : slope - w1, high = y < 0.0 ? slope - w1 : slope + w1;
    if (y <= lo) low = -kInfinity;
    if (y >= hi) high = kInfinity;
    const double missing = std::max({0.0, low, -high}) + rounding_error(kFormula, size);
    return or_nothing(value(y) - kInflation * missing * missing / (2.0 * (mu + w2)));
  }

  double minimizer() const {
    const double v = mu * x - g;
    const double soft = v - std::clamp(v, -w1, w1);
    return std::min(std::max(soft / (mu + w2), lo), hi);
  }

  // Straight pieces with a kink at 0: the smallest value is that of an end, or of the kink.
  double straight() const {
    if ((lo == -kInfinity && g > w1) || (hi == kInfinity && g < -w1)) return -kInfinity;
    double least = value(std::min(std::max(0.0, lo), hi));
    if (lo > -kInfinity) least = std::min(least, value(lo));
    if (hi < kInfinity) least = std::min(least, value(hi));
    return least;
  }

  double lower_bound() const { return mu + w2 > 0.0 ? curved(minimizer()) : straight(); }
};

double separable_model(const SeparableParameters& p, ConstVectorRef x, const EnclosedVector& g, double mu,
                       double psi_max) {
  const Index n = x.size();
  const auto model = [&](double scale) {
    ScaledModel sum;
    double size = 0.0;
    sum.minimum = pairwise_sum(0, n, [&](Index j) {
      const double lo = p.lo.empty() ? -kInfinity : p.lo[j], hi = p.hi.empty() ? kInfinity : p.hi[j];
      // The bound is concave in g: its smallest value is that of an end of the interval.
      double least = kInfinity;
      for (const double end : {rounded_down(g.value[j] - g.error[j]), rounded_up(g.value[j] + g.error[j])}) {
        const double exact = g.error[j] == 0.0 ? g.value[j] : end;
        const VerifiedCoordinate c{x[j], exact, mu, scale * p.l1, scale * p.l2, lo, hi};
        least = std::min(least, c.lower_bound());
        if (mu + c.w2 > 0.0) {
          const double y = c.minimizer();
          sum.psi += 0.5 * (p.l1 * std::abs(y) + 0.5 * p.l2 * y * y);
        }
      }
      size += std::abs(least);
      return least;
    });
    sum.minimum = or_nothing(sum.minimum - rounding_error(kPairwise, size));
    return sum;
  };
  const double plain = model(1.0).minimum;
  if (!(psi_max < kInfinity) || (p.l1 == 0.0 && p.l2 == 0.0)) return plain;
  // min over psi(y) <= psi_max is at least the model with (1 + tau) psi less tau psi_max, for every tau >= 0.
  double tau_min = 0.0;
  if (mu + p.l2 == 0.0) {
    for (Index j = 0; j < n; ++j) {
      const double reach = (std::abs(g.value[j]) + g.error[j]) / p.l1;
      tau_min = std::max(tau_min, rounded_up(reach * (1.0 + 8.0 * kUnitRoundoff)) - 1.0);
    }
  }
  const double with_limit = best_dual_bound(
      [&](double scale) {
        ScaledModel at = model(scale);
        at.minimum -= rounding_error(kFormula, std::abs(at.minimum) + scale * psi_max);
        return at;
      },
      tau_min, psi_max);
  return std::max(plain, or_nothing(with_limit));
}

// g'(y - x) moves by |error|'|y - x|, at most |error| (R + |x|) in the ball and R max error_j + error'|x| in the simplex.
double ball_model(const ProxTerm& prox, ConstVectorRef x, const EnclosedVector& g, double mu) {
  const double R = radius_parameter(prox), size = x.norm(), steepness = g.value.norm();
  const double operations = static_cast<double>(x.size()) + kFormula;
  double formula = R * steepness + g.value.cwiseAbs().dot(x.cwiseAbs());
  if (mu > 0.0) {
    const double t = std::max(0.0, (mu * x - g.value).norm() / R - mu);
    const double sum = steepness + t * size;
    formula = 0.5 * t * (size * size + R * R) + 0.5 * sum * sum / (mu + t);
  }
  const double lost = g.error.norm() + 2.0 * std::sqrt(static_cast<double>(x.size())) * kLostSquares;
  return prox.lower_model(x, g.value, mu) - rounding_error(operations, formula) - kInflation * lost * (R + size);
}

double simplex_model(const ProxTerm& prox, ConstVectorRef x, const EnclosedVector& g, double mu) {
  const double R = radius_parameter(prox), steepness = g.value.lpNorm<Eigen::Infinity>();
  const double operations = 2.0 * static_cast<double>(x.size()) + kFormula;
  // The multiplier of the sum lies between the gradients, mu x and mu R of them (simplex.cpp).
  const double shift = steepness + mu * (x.lpNorm<Eigen::Infinity>() + R);
  double formula = R * steepness + g.value.cwiseAbs().dot(x.cwiseAbs());
  if (mu > 0.0) {
    for (Index j = 0; j < x.size(); ++j) {
      formula += (std::abs(g.value[j]) + shift) * (R + std::abs(x[j])) + 0.5 * mu * x[j] * x[j];
    }
    formula += shift * (x.lpNorm<1>() + R);
  }
  const double lost = g.error.maxCoeff() * R + g.error.dot(x.cwiseAbs());
  return prox.lower_model(x, g.value, mu) - rounding_error(operations, formula) - kInflation * lost;
}

// mu > 0: strong convexity at the computed minimiser, as for a coordinate. mu = 0: y = 0 is the minimiser as long as no
// group's gradient exceeds (1 + tau) w, and the smallest such tau is the best.
double group_model(const ProxTerm& prox, const GroupParameters& p, ConstVectorRef x, const EnclosedVector& g, double mu,
                   double psi_max) {
  const Index n = x.size();
  const double operations = static_cast<double>(n) + kFormula;
  if (mu > 0.0) {
    Vector y(n), missing(n);
    prox.prox(x - g.value / mu, 1.0 / mu, y);
    const Vector step = y - x;
    prox.residual(y, g.value + mu * step, missing);
    double heaviest = 0.0;
    for (const double w : p.weights) heaviest = std::max(heaviest, w);
    const double size = g.value.norm() + mu * (y.norm() + x.norm()) + heaviest * std::sqrt(static_cast<double>(n));
    const double r = kInflation * (missing.norm() + g.error.norm()) + rounding_error(operations, size);
    const double psi = prox.value(y), linear = g.value.dot(step), square = 0.5 * mu * step.squaredNorm();
    const double formula = g.value.cwiseAbs().dot(step.cwiseAbs()) + square + psi;
    return linear + square + psi - rounding_error(operations, formula) - kInflation * g.error.dot(step.cwiseAbs()) -
           kInflation * r * r / (2.0 * mu);
  }
  Vector squares = Vector::Zero(p.weights.size());
  for (Index j = 0; j < n; ++j) {
    const double slope = std::abs(g.value[j]) + g.error[j];
    if (slope > 0.0) squares[p.groups[j]] += std::pow(std::max(slope, kLostSquares), 2);
  }
  double tau = 0.0;
  for (Index k = 0; k < squares.size(); ++k) {
    const double reach = std::sqrt(squares[k]) * (1.0 + gamma_of(operations));
    if (reach <= p.weights[k]) continue;
    if (p.weights[k] == 0.0) return -kInfinity;
    tau = std::max(tau, rounded_up(reach / p.weights[k] * (1.0 + 8.0 * kUnitRoundoff)) - 1.0);
  }
  if (tau > 0.0 && !(psi_max < kInfinity)) return -kInfinity;
  const double price = tau > 0.0 ? tau * psi_max : 0.0;
  const double formula = g.value.cwiseAbs().dot(x.cwiseAbs()) + price;
  return -g.value.dot(x) - price - rounding_error(operations, formula) - kInflation * g.error.dot(x.cwiseAbs());
}

}  // namespace

double verified_lower_model(const ProxTerm& prox, ConstVectorRef x, const EnclosedVector& g, double mu,
                            double psi_max) {
  if (!x.allFinite() || !g.value.allFinite() || !g.error.allFinite() || !(mu >= 0.0)) return -kInfinity;
  if (const SeparableParameters* p = separable_parameters(prox)) return separable_model(*p, x, g, mu, psi_max);
  if (const GroupParameters* p = group_parameters(prox)) {
    return or_nothing(group_model(prox, *p, x, g, mu, psi_max));
  }
  if (prox.kind() == "ball") return or_nothing(ball_model(prox, x, g, mu));
  if (prox.kind() == "simplex") return or_nothing(simplex_model(prox, x, g, mu));
  return -kInfinity;  // a term of the user's: nothing is known of its rounding
}

}  // namespace pliant
