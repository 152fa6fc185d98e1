// Safe screening: balls that contain x*, and the test of one constraint.
//
// All radii come from L(x*, lambda) >= L(x, lambda) + r'(x* - x) + mu/2 |x* - x|^2 and an upper bound of L(x*, lambda)
// <= F*: a feasible value, or F_{xi,0}(x) if xi >= xi_bar.
#include "theory/checks.hpp"

namespace pliant::theory {

namespace {
void check(double residual_norm, double mu, std::string_view name, double gap) {
  require_nonnegative("residual", residual_norm);
  require_positive("mu", mu);
  require_bound(name, gap);
}
}  // namespace

double screening_radius_centered(double residual_norm, double mu, double gap) {
  check(residual_norm, mu, "ub_gap", gap);
  return std::sqrt(residual_norm * residual_norm + 2.0 * mu * gap) / mu;
}

double screening_radius(double residual_norm, double mu, double gap) {
  return screening_radius_centered(residual_norm, mu, gap) + residual_norm / mu;
}

double screening_radius_exact_penalty(double residual_norm, double mu, double master) {
  check(residual_norm, mu, "master", master);
  return (residual_norm + std::sqrt(residual_norm * residual_norm + 4.0 * mu * master)) / (2.0 * mu);
}

// mu |x* - x|^2 + r'(x* - x) <= T: the bounds of L(., lambda) at x and of L(., lambda*) at x* added up.
double screening_radius_saddle(double residual_norm, double mu, double saddle_gap) {
  check(residual_norm, mu, "saddle_gap", saddle_gap);
  return std::sqrt(residual_norm * residual_norm + 4.0 * mu * saddle_gap) / (2.0 * mu);
}

double screening_radius_multiplier(double residual_norm, double mu, double complementarity_sum) {
  check(residual_norm, mu, "complementarity", complementarity_sum);
  return screening_radius_centered(residual_norm, mu, complementarity_sum);
}

bool is_screened(double value, double gradient_norm, double La, double radius) {
  require_finite("value", value);
  require_nonnegative("gradient_norm", gradient_norm);
  require_nonnegative("La", La);
  require_bound("radius", radius);
  // An infinite radius proves nothing, whatever the slope (0 * infinity would be NaN).
  return std::isfinite(radius) && value + gradient_norm * radius + 0.5 * La * radius * radius < 0.0;
}

}  // namespace pliant::theory
