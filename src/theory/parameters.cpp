// Constants of the constraints, Theorem 1 as printed, the choice of delta and smoothness.
#include "theory/checks.hpp"

#include <algorithm>

namespace pliant::theory {

double gradient_norm_bound(const ConstraintConstants& constants, double value) {
  check(constants);
  require_finite("value", value);
  return std::sqrt(constants.C0 + constants.C1 * std::max(0.0, value));
}

double theorem1_constant(const ConstraintConstants& constants, Index m, double optimal_value_norm) {
  check(constants);
  require_count("m", m);
  require_nonnegative("a_norm", optimal_value_norm);
  return 2.0 * constants.C1 * optimal_value_norm + 2.0 * as_double(m) * constants.C0;
}

Printed theorem1_as_printed(const Penalty& penalty, double mu, double U, double C1) {
  check(penalty);
  require_positive("mu", mu);
  require_positive("U", U);
  require_nonnegative("C1", C1);
  if (penalty.delta == 0.0) return {0.0, true};
  const double ratio = U * penalty.xi / mu;
  const double logarithm = std::log(ratio / penalty.delta);
  const bool holds =
      penalty.delta <= ratio * std::exp(-2.0) && 2.0 * as_double(penalty.m) * C1 * penalty.delta * logarithm <= U;
  return {std::sqrt(as_double(penalty.m)) * penalty.delta * logarithm, holds};
}

double delta_for_accuracy(double eps, Index m) {
  require_positive("eps", eps);
  require_count("m", m, 1);
  return eps / (4.0 * as_double(m) * kLn2);
}

// With V_1(x) <= (F_{xi,delta}(x) - F*)/(xi - xi_bar) <= (m xi delta ln 2 + xi eps/4)/(xi/2) = eps.
StaticParameters static_parameters(double eps, Index m, double xi, double xi_bar) {
  require_nonnegative("xi_bar", xi_bar);
  require_positive("xi", xi);
  if (!(xi >= 2.0 * xi_bar)) reject("xi", fmt::format("a number >= 2 xi_bar = {}", 2.0 * xi_bar), xi);
  return {xi, delta_for_accuracy(eps, m), xi * eps / 4.0, eps, xi * eps / 2.0};
}

Printed delta_as_printed(double eps, const Penalty& penalty, double mu, double U, double C1) {
  require_positive("eps", eps);
  require_positive("xi", penalty.xi);
  require_count("m", penalty.m, 1);
  require_positive("mu", mu);
  require_positive("U", U);
  require_nonnegative("C1", C1);
  const double root_m = std::sqrt(as_double(penalty.m));
  const double ratio = root_m * U * penalty.xi / mu;
  const bool holds = eps <= ratio * std::exp(-2.0) && root_m * C1 * eps <= U;
  return {eps / (4.0 * root_m * std::log(2.0 * ratio / eps)), holds};
}

namespace {
/// La + slope_factor C1 + C0/(4 delta)
double smoothness_with(const ConstraintConstants& constants, double delta, double slope_factor) {
  check(constants);
  require_positive("delta", delta);
  return constants.La + slope_factor * constants.C1 + constants.C0 / (4.0 * delta);
}
}  // namespace

double component_smoothness(const ConstraintConstants& constants, double delta) {
  return smoothness_with(constants, delta, kCurvaturePeak);
}

double component_smoothness_weak(const ConstraintConstants& constants, double delta) {
  return smoothness_with(constants, delta, 0.25);
}

double penalty_smoothness(double xi, double delta, const RowConstants& constants) {
  require_nonnegative("xi", xi);
  require_positive("delta", delta);
  double sum = 0.0;
  for (Index i = 0; i < constants.smoothness.size(); ++i) {
    sum += constants.smoothness[i] + kCurvaturePeak * constants.growth_slope[i] +
           constants.growth_constant[i] / (4.0 * delta);
  }
  return xi * sum;
}

}  // namespace pliant::theory
