// Violations in the 1-, 2- and infinity norm, and the middle term of Proposition 2.
#include "theory/checks.hpp"

#include <algorithm>
#include <vector>

namespace pliant::theory {

namespace {

/// The largest u with u (sigma(u) - rho) <= budget, `margin` = 1 - rho > 0 and budget >= 0. The function falls from 0
/// and then rises for good, and u margin - W bounds it from below: bisection, rounded upwards.
double largest_scaled_violation(double margin, double budget) {
  double low = 0.0;
  double high = (budget + kW) / margin;
  while (true) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) return high;
    (middle * (margin - sigmoid_of_minus(middle)) <= budget ? low : high) = middle;
  }
}

}  // namespace

// The master bound before its terms are estimated: sum_i phi(a_i/delta) <= 0 with phi(u) = u (sigma(u) - rho) for u > 0
// and u sigma(u) >= -W otherwise. One value can be no larger than all others together allow: phi(u) <= (m - 1) W.
NormBounds violation_norms(const Penalty& penalty, double xi_bar) {
  check(penalty);
  check_threshold(penalty.xi, xi_bar);
  if (penalty.m == 0 || penalty.delta == 0.0) return {};
  if (!(penalty.xi > xi_bar)) return {kInfinity, kInfinity, kInfinity};
  const double m = as_double(penalty.m);
  const double margin = (penalty.xi - xi_bar) / penalty.xi;
  const double largest = penalty.delta * largest_scaled_violation(margin, (m - 1.0) * kW);
  const double sum = std::min(violation_bound(master_bound(penalty), penalty.xi, xi_bar), m * largest);
  return {sum, std::sqrt(sum * largest), largest};
}

// Where a(x) = v > 0 and a(y) <= 0, convexity gives v <= |grad a(x)| |x - y| <= sqrt(C0 + C1 v) |x - y|.
NormBounds violation_norms_from_distance(const ConstraintConstants& constants, Index m, double distance) {
  check(constants);
  require_count("m", m);
  require_bound("distance", distance);
  const bool flat = constants.C0 == 0.0 && constants.C1 == 0.0;
  if (m == 0 || distance == 0.0 || flat) return {};
  if (std::isinf(distance)) return {kInfinity, kInfinity, kInfinity};
  const double half = 0.5 * constants.C1 * distance;
  const double largest = distance * (half + std::sqrt(half * half + constants.C0));
  return {as_double(m) * largest, std::sqrt(as_double(m)) * largest, largest};
}

double change_bound(double master, double mu, double norm) {
  require_nonnegative("norm", norm);
  return norm > 0.0 ? norm * distance_bound(master, mu) : 0.0;
}

double weighted_violation(double xi, double xi_bar, std::span<const double> values,
                          std::span<const Index> always_active) {
  check_threshold(xi, xi_bar);
  const Index m = static_cast<Index>(values.size());
  std::vector<double> weights(values.size(), xi);
  for (const Index i : always_active) {
    if (i < 0 || i >= m) throw InputError(fmt::format("always_active: expected indices below {}, got {}", m, i));
    weights[static_cast<std::size_t>(i)] = xi - xi_bar;
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    require_finite("values", values[i]);
    sum += weights[i] * std::max(0.0, values[i]);
  }
  return sum;
}

double weighted_violation_bound_weak(double difference, const Penalty& penalty) {
  require_finite("difference", difference);
  const double gap = difference + objective_gap_upper_weak(penalty);
  require_bound("difference + m xi delta ln 2", gap);
  return gap;
}

double inactive_violation_bound(double gap, double xi) {
  require_bound("penalized_gap", gap);
  require_positive("xi", xi);
  return gap / xi;
}

}  // namespace pliant::theory
