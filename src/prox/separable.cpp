#include "prox/separable.hpp"

#include "checks/array_checks.hpp"
#include "linalg/sums.hpp"
#include "prox/bounded_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

double soft_threshold(double v, double t) { return v - std::clamp(v, -t, t); }

double clip(double v, double lo, double hi) { return std::min(std::max(v, lo), hi); }

// One coordinate: the problem min_y g (y-x) + mu/2 (y-x)^2 + w1 |y| + w2/2 y^2 over [lo, hi].
struct Coordinate {
  double x, g, mu, w1, w2, lo, hi;

  // mu + w2 > 0: clip(soft(mu x - g, w1)/(mu + w2)). Otherwise the function is piecewise linear with a kink at 0.
  double minimizer() const {
    const double curvature = mu + w2;
    if (curvature > 0.0) return clip(soft_threshold(mu * x - g, w1) / curvature, lo, hi);
    if (g > w1) return lo;
    if (g < -w1) return hi;
    return clip(0.0, lo, hi);
  }
  double psi(double y) const { return w1 * std::abs(y) + 0.5 * w2 * y * y; }
  double value(double y) const {
    if (!std::isfinite(y)) return -kInfinity;
    const double step = y - x;
    const double total = (g + 0.5 * mu * step) * step + psi(y);
    return std::isfinite(total) ? total : -kInfinity;  // overflow: give up the bound
  }
};

}  // namespace

SeparableProx::SeparableProx(std::string_view kind, Index n, SeparableParameters parameters)
    : kind_(kind), n_(n), parameters_(std::move(parameters)) {
  if (n_ <= 0) throw InputError(fmt::format("{}: expected at least 1 variable, got {}", kind_, n_));
  if (has_bounds() || !parameters_.hi.empty()) {
    expect_entries(fmt::format("{}: lo", kind_), n_, parameters_.lo.size());
    expect_entries(fmt::format("{}: hi", kind_), n_, parameters_.hi.size());
  }
}

StoredForm SeparableProx::stored() const {
  StoredForm out{"separable", {{"l1", parameters_.l1}, {"l2", parameters_.l2}}};
  if (!parameters_.lo.empty()) out.fields.push_back({"lo", parameters_.lo});
  if (!parameters_.hi.empty()) out.fields.push_back({"hi", parameters_.hi});
  return out;
}

double SeparableProx::value(ConstVectorRef x) const {
  const double w1 = parameters_.l1;
  const double w2 = parameters_.l2;
  if (w1 == 0.0 && w2 == 0.0) return 0.0;
  return pairwise_sum(0, n_, [&](Index j) { return w1 * std::abs(x[j]) + 0.5 * w2 * x[j] * x[j]; });
}

double SeparableProx::domain_violation(ConstVectorRef x) const {
  double violation = 0.0;
  for (Index j = 0; has_bounds() && j < n_; ++j) {
    if (std::isnan(x[j])) return x[j];
    violation = std::max({violation, lo(j) - x[j], x[j] - hi(j)});
  }
  return violation;
}

void SeparableProx::project(VectorRef x) const {
  for (Index j = 0; has_bounds() && j < n_; ++j) x[j] = clip(x[j], lo(j), hi(j));
}

// y_j = clip(soft(v_j, step w1) / (1 + step w2), lo_j, hi_j)
void SeparableProx::prox(ConstVectorRef v, double step, VectorRef out) const {
  const double threshold = step * parameters_.l1;
  const double shrink = 1.0 / (1.0 + step * parameters_.l2);
  for (Index j = 0; j < n_; ++j) out[j] = clip(shrink * soft_threshold(v[j], threshold), lo(j), hi(j));
}

// An interval [low, high], open-ended where a bound counts.
double SeparableProx::nearest_to_zero(double x, double g, bool lower_counts, bool upper_counts) const {
  const double w1 = parameters_.l1;
  const double smooth = g + parameters_.l2 * x;
  const double low = lower_counts ? -kInfinity : smooth + (x > 0.0 ? w1 : -w1);
  const double high = upper_counts ? kInfinity : smooth + (x < 0.0 ? -w1 : w1);
  return std::isnan(smooth) ? smooth : clip(0.0, low, high);
}

void SeparableProx::residual(ConstVectorRef x, ConstVectorRef g, VectorRef r) const {
  for (Index j = 0; j < n_; ++j) r[j] = nearest_to_zero(x[j], g[j], x[j] <= lo(j), x[j] >= hi(j));
}

void SeparableProx::dual_infeasibility(ConstVectorRef x, ConstVectorRef g, VectorRef r) const {
  for (Index j = 0; j < n_; ++j) r[j] = nearest_to_zero(x[j], g[j], lo(j) > -kInfinity, hi(j) < kInfinity);
}

double SeparableProx::lower_model_estimate(ConstVectorRef x, ConstVectorRef g, double mu) const {
  return pairwise_sum(0, n_, [&](Index j) {
    const Coordinate c{x[j], g[j], mu, parameters_.l1, parameters_.l2, lo(j), hi(j)};
    const double value = c.value(c.minimizer());
    return value > -kInfinity ? value : c.psi(x[j]);
  });
}

double SeparableProx::lower_model(ConstVectorRef x, ConstVectorRef g, double mu) const {
  return pairwise_sum(0, n_, [&](Index j) {
    const Coordinate c{x[j], g[j], mu, parameters_.l1, parameters_.l2, lo(j), hi(j)};
    return c.value(c.minimizer());
  });
}

double SeparableProx::lower_model_bounded(ConstVectorRef x, ConstVectorRef g, double mu, double psi_max) const {
  const double w1 = parameters_.l1;
  const double w2 = parameters_.l2;
  if (w1 == 0.0 && w2 == 0.0) return lower_model(x, g, mu);
  const auto model = [&](double scale) {
    ScaledModel sum;
    sum.minimum = pairwise_sum(0, n_, [&](Index j) {
      const Coordinate c{x[j], g[j], mu, scale * w1, scale * w2, lo(j), hi(j)};
      const double y = c.minimizer();
      sum.psi += w1 * std::abs(y) + 0.5 * w2 * y * y;
      return c.value(y);
    });
    return sum;
  };
  // Without curvature the model is bounded once (1 + tau) w1 reaches |g_j| in every unbounded direction.
  double tau_min = 0.0;
  if (mu + w2 == 0.0) {
    for (Index j = 0; j < n_; ++j) {
      const bool unbounded = (g[j] > 0.0 && lo(j) == -kInfinity) || (g[j] < 0.0 && hi(j) == kInfinity);
      if (unbounded) tau_min = std::max(tau_min, std::abs(g[j]) / w1 * (1.0 + 1e-15) - 1.0);
    }
  }
  return std::max(lower_model(x, g, mu), best_dual_bound(model, tau_min, std::max(psi_max, 0.0)));
}

double SeparableProx::linear_minimum(ConstVectorRef x, ConstVectorRef g, double radius) const {
  return pairwise_sum(0, n_, [&](Index j) {
    if (g[j] == 0.0) return 0.0;
    const double y = g[j] > 0.0 ? std::max(lo(j), -radius) : std::min(hi(j), radius);
    const double value = g[j] * (y - x[j]);
    return std::isnan(value) ? -kInfinity : value;
  });
}

// Slope w1 sum |d_j| + w2 x'd, curvature w2 |d|^2, infinite if some d_j leads out of its bounds.
Growth SeparableProx::growth(ConstVectorRef x, ConstVectorRef d) const {
  for (Index j = 0; has_bounds() && j < n_; ++j) {
    if ((d[j] < 0.0 && lo(j) > -kInfinity) || (d[j] > 0.0 && hi(j) < kInfinity)) return {};
  }
  return {parameters_.l1 * d.lpNorm<1>() + parameters_.l2 * x.dot(d), parameters_.l2 * d.squaredNorm()};
}

double SeparableProx::domain_radius(ConstVectorRef x) const {
  if (!has_bounds()) return kInfinity;
  return std::sqrt(pairwise_sum(0, n_, [&](Index j) {
    const double farthest = std::max(std::abs(x[j] - lo(j)), std::abs(hi(j) - x[j]));
    return farthest * farthest;
  }));
}

void SeparableProx::validate() const {
  expect_nonnegative(fmt::format("{}: l1 weight", kind_), parameters_.l1);
  expect_nonnegative(fmt::format("{}: l2 weight", kind_), parameters_.l2);
  for (Index j = 0; has_bounds() && j < n_; ++j) {
    if (std::isnan(lo(j)) || lo(j) == kInfinity) {
      throw InputError(fmt::format("{}: lo: entry {} is {}, expected a number or -infinity", kind_, j, lo(j)));
    }
    if (std::isnan(hi(j)) || hi(j) == -kInfinity) {
      throw InputError(fmt::format("{}: hi: entry {} is {}, expected a number or infinity", kind_, j, hi(j)));
    }
    if (lo(j) > hi(j)) {
      throw InputError(fmt::format("{}: variable {} has lo > hi ({} > {})", kind_, j, lo(j), hi(j)));
    }
  }
}

}  // namespace pliant
