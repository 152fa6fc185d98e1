#include "engines/interior/steps.hpp"

#include "linalg/dense_blocks.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::interior {

double longest_step(double z, double d, double limit) {
  if (d >= 0.0) return limit;
  const double t = -z / d;
  if (t >= limit) return limit;
  return t > 0.0 ? t : 0.0;  // also where t is not a number
}

double longest_step(ConstVectorRef z, ConstVectorRef d, double limit) {
  for (Index i = 0; i < z.size(); ++i) limit = longest_step(z[i], d[i], limit);
  return limit;
}

double longest_step_between(ConstVectorRef z, ConstVectorRef ceiling, ConstVectorRef d, double limit) {
  for (Index i = 0; i < z.size(); ++i) {
    limit = longest_step(ceiling[i] - z[i], -d[i], longest_step(z[i], d[i], limit));
  }
  return limit;
}

// I + t L^-1 D L^-T stays positive definite until t = -1/(its smallest eigenvalue).
double longest_matrix_step(const Matrix& L, const Matrix& D) {
  const double smallest = smallest_relative_eigenvalue(L, D);
  if (std::isnan(smallest)) return 0.0;
  return smallest < 0.0 ? -1.0 / smallest : kInfinity;
}

double damped(double t, double fraction) { return std::min(1.0, fraction * t); }

Steps damped(Steps t, double fraction) { return {damped(t.primal, fraction), damped(t.dual, fraction)}; }

double damped_where_stopped(double t, double fraction) { return t < 1.0 ? fraction * t : 1.0; }

Steps damped_where_stopped(Steps t, double fraction) {
  return {damped_where_stopped(t.primal, fraction), damped_where_stopped(t.dual, fraction)};
}

double centring(double mu_ratio, const CentringRule& rule) {
  return std::min(rule.most, std::max(rule.least, std::pow(std::max(0.0, mu_ratio), rule.power)));
}

}  // namespace pliant::interior
