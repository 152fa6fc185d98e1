#include "certify/estimate.hpp"

#include "linalg/sums.hpp"
#include "pliant/regularizers.hpp"
#include "prox/domain.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Of what a residual would cost if the solution were as far away as the variable is large. It rarely is: at the whole
// price hinf1, qap8 and control4 of SDPLIB, whose multipliers are large and solved to all digits their Newton matrix has,
// would not count as solved; at this one far vertices along a slit still do not pass for solved before they are reached.
constexpr double kCharged = 0.01;

bool is_sized_set(const ProxTerm& prox) { return prox.kind() == "ball" || prox.kind() == "simplex"; }

struct Coordinate {
  double x, g, mu, w1, w2, lo, hi, unit;

  double psi(double y) const { return w1 * std::abs(y) + 0.5 * w2 * y * y; }
  double minimum() const {
    double y = 0.0;
    if (mu + w2 > 0.0) {
      const double v = mu * x - g;
      y = (v - std::clamp(v, -w1, w1)) / (mu + w2);
    } else if (g > w1) {
      y = lo;
    } else if (g < -w1) {
      y = hi;
    }
    y = std::min(std::max(y, lo), hi);
    const double value = std::isfinite(y) ? (g + 0.5 * mu * (y - x)) * (y - x) + psi(y) : -kInfinity;
    return std::isfinite(value) ? value : psi(x) - kCharged * residual() * std::max(std::abs(x), unit);
  }
  // The number nearest to 0 in g + the subgradients of psi at x, a bound that counts balancing whatever pushes to it.
  double residual() const {
    const double smooth = g + w2 * x;
    const double low = lo > -kInfinity ? -kInfinity : smooth + (x > 0.0 ? w1 : -w1);
    const double high = hi < kInfinity ? kInfinity : smooth + (x < 0.0 ? -w1 : w1);
    return std::isnan(smooth) ? kInfinity : std::max({0.0, low, -high});
  }
};

// Norms of groups: min_y g_g'(y - x_g) + w_g |y| is -g_g'x_g where |g_g| <= w_g, whatever direction g_g has; how far that
// is from x_g/|x_g| counts in the gap. What |g_g| exceeds w_g by is taken off it, and charged.
ModelEstimate estimate_groups(const GroupParameters& p, ConstVectorRef x, ConstVectorRef g, const Vector& units) {
  const Index count = p.weights.size();
  Vector sizes = Vector::Zero(count), slopes = Vector::Zero(count), product = Vector::Zero(count),
         unit = Vector::Zero(count);
  for (Index j = 0; j < x.size(); ++j) {
    const Index k = p.groups[j];
    sizes[k] += x[j] * x[j];
    slopes[k] += g[j] * g[j];
    product[k] += g[j] * x[j];
    unit[k] = std::max(unit[k], units.size() > 0 ? units[j] : 1.0);
  }
  ModelEstimate out;
  out.minimum = pairwise_sum(0, count, [&](Index k) {
    const double slope = std::sqrt(slopes[k]);
    const double excess = std::isnan(slope) ? kInfinity : std::max(0.0, slope - p.weights[k]);
    out.residual = std::max(out.residual, unit[k] * excess);
    const double kept = excess > 0.0 ? p.weights[k] / slope : 1.0;
    return -kept * product[k] - kCharged * excess * std::max(std::sqrt(sizes[k]), unit[k]);
  });
  return out;
}

// Of a set of one size: its multiplier balances whatever pushes against it, and what x is away from where it pushes is
// gap, as with a bound of a variable. A ball that is far wider than x counts as none.
ModelEstimate estimate_sized_set(const ProxTerm& prox, ConstVectorRef x, ConstVectorRef g, double mu) {
  const double exact = prox.lower_model(x, g, mu), size = x.norm();
  if (prox.kind() != "ball" || radius_parameter(prox) - size <= 1.0 + size) return {exact, 0.0};
  return {std::max(exact, -kCharged * g.norm() * std::max(size, 1.0)), g.lpNorm<Eigen::Infinity>()};
}

}  // namespace

ModelEstimate estimate_model(const ProxTerm& prox, ConstVectorRef x, ConstVectorRef g, double mu, const Vector& units) {
  const SeparableParameters* p = separable_parameters(prox);
  const GroupParameters* groups = group_parameters(prox);
  if (groups != nullptr) {
    ModelEstimate out = estimate_groups(*groups, x, g, units);
    if (mu > 0.0) out.minimum = std::max(out.minimum, prox.lower_model(x, g, mu));
    return out;
  }
  if (p == nullptr && is_sized_set(prox)) return estimate_sized_set(prox, x, g, mu);
  if (p == nullptr) {
    const double exact = prox.lower_model(x, g, mu);
    return {std::isfinite(exact) ? exact : lower_model_estimate(prox, x, g, mu),
            dual_infeasibility(prox, x, g).lpNorm<Eigen::Infinity>()};
  }
  ModelEstimate out;
  out.minimum = pairwise_sum(0, x.size(), [&](Index j) {
    const double unit = units.size() > 0 ? units[j] : 1.0;
    const double reach = unit + std::abs(x[j]);
    double lo = p->lo.empty() ? -kInfinity : p->lo[j], hi = p->hi.empty() ? kInfinity : p->hi[j];
    if (x[j] - lo > reach) lo = -kInfinity;
    if (hi - x[j] > reach) hi = kInfinity;
    const Coordinate c{x[j], g[j], mu, p->l1, p->l2, lo, hi, unit};
    out.residual = std::max(out.residual, unit * c.residual());
    return c.minimum();
  });
  return out;
}

double relative_domain_violation(const ProxTerm& prox, ConstVectorRef x) {
  const SeparableParameters* p = separable_parameters(prox);
  if (p == nullptr) {
    return prox.domain_violation(x) / (1.0 + (is_sized_set(prox) ? radius_parameter(prox) : 0.0));
  }
  double worst = 0.0;
  for (Index j = 0; !p->lo.empty() && j < x.size(); ++j) {
    if (std::isnan(x[j])) return kInfinity;
    if (p->lo[j] > x[j]) worst = std::max(worst, (p->lo[j] - x[j]) / (1.0 + std::abs(p->lo[j])));
    if (p->hi[j] < x[j]) worst = std::max(worst, (x[j] - p->hi[j]) / (1.0 + std::abs(p->hi[j])));
  }
  return worst;
}

}  // namespace pliant
