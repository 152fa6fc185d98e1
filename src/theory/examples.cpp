// The paper's two examples, solved exactly.
#include "theory/checks.hpp"

#include <algorithm>

namespace pliant::theory {

namespace {

/// Residual of 1 + delta u = xi sigma(-u), an increasing function of u, in a form without cancellation on each side
/// of 0: near 0 through tanh, far below through sigma(u), far above through sigma(-u).
long double residual(long double u, long double xi, long double delta) {
  if (u < -1.0L) return delta * u + (1.0L - xi) + xi * (std::exp(u) / (1.0L + std::exp(u)));
  if (u > 1.0L) return delta * u + 1.0L - xi * (std::exp(-u) / (1.0L + std::exp(-u)));
  return delta * u + (1.0L - 0.5L * xi) + 0.5L * xi * std::tanh(0.5L * u);
}

/// xi sigma(u) sigma(-u) + delta
long double residual_slope(long double u, long double xi, long double delta) {
  const long double e = std::exp(-std::abs(u));
  return delta + xi * e / ((1.0L + e) * (1.0L + e));
}

/// Root u = t/delta by Newton's method inside a bracket that bisection keeps shrinking.
long double scaled_root(long double xi, long double delta) {
  // -1 < t < xi - 1; for xi > 1 the root also lies between 0 and the root ln(xi - 1) of delta = 0.
  long double low = -1.0L / delta;
  long double high = xi / delta;
  if (xi > 1.0L) {
    const long double limit = std::log(xi - 1.0L);
    low = std::max(low, std::min(limit, 0.0L));
    high = std::min(high, std::max(limit, 0.0L));
  } else {
    high = 0.0L;
  }
  long double u = std::clamp(0.0L, low, high);
  for (int step = 0; step < 500 && low < high; ++step) {
    const long double r = residual(u, xi, delta);
    if (r == 0.0L) return u;
    (r < 0.0L ? low : high) = u;
    long double next = u - r / residual_slope(u, xi, delta);
    if (!(next >= low && next <= high)) next = 0.5L * (low + high);
    if (next == u) return u;
    u = next;
  }
  return u;
}

ExamplePoint at_point(double minimizer, double objective_gap, Index m) {
  const double violation = std::max(0.0, -minimizer);
  return {minimizer, as_double(m) * violation, std::sqrt(as_double(m)) * violation, objective_gap};
}

}  // namespace

double example1_minimizer(double xi, double delta) {
  require_nonnegative("delta", delta);
  if (!(std::isfinite(xi) && xi > 1.0)) reject("xi", "a number > 1 (Example 1 has no minimiser otherwise)", xi);
  return delta * std::log(xi - 1.0);
}

ExamplePoint example1(double xi, double delta, Index m) {
  require_count("m", m, 1);
  const double t = example1_minimizer(xi, delta);
  return at_point(t, as_double(m) * t, m);
}

double example2_minimizer(double xi, double delta) {
  require_nonnegative("delta", delta);
  require_positive("xi", xi);
  // The exact penalty: x = 0 for xi >= 1, else the minimiser of x^2/2 + (1 - xi) x.
  if (delta == 0.0) return std::min(0.0, xi - 1.0);
  return static_cast<double>(delta * scaled_root(xi, delta));
}

ExamplePoint example2(double xi, double delta, Index m) {
  require_count("m", m, 1);
  const double t = example2_minimizer(xi, delta);
  return at_point(t, as_double(m) * t * (1.0 + 0.5 * t), m);
}

}  // namespace pliant::theory
