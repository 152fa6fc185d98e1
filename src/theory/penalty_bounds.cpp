// The penalty function and the bounds at its minimiser and at any point.
#include "theory/checks.hpp"

#include <algorithm>

namespace pliant::theory {

double softplus_excess(double t, double delta) {
  require_finite("t", t);
  require_nonnegative("delta", delta);
  // t/delta may overflow to infinity, where the excess is 0.
  return delta > 0.0 ? delta * std::log1p(std::exp(-std::abs(t) / delta)) : 0.0;
}

double softplus(double t, double delta) { return std::max(t, 0.0) + softplus_excess(t, delta); }

double softplus_excess_bound(double delta) {
  require_nonnegative("delta", delta);
  return delta * kLn2;
}

double complementarity(double t, double delta) {
  require_finite("t", t);
  require_nonnegative("delta", delta);
  return delta > 0.0 ? std::abs(t) * sigmoid_of_minus(std::abs(t) / delta) : 0.0;
}

double multiplier_bound_from_slater(double gap, double slack) {
  require_nonnegative("slater_gap", gap);
  require_positive("slater_s", slack);
  return gap / slack;
}

bool penalty_is_exact(double xi, double xi_bar, double mu) {
  require_nonnegative("xi", xi);
  require_nonnegative("xi_bar", xi_bar);
  require_nonnegative("mu", mu);
  return mu > 0.0 ? xi >= xi_bar : xi > xi_bar;
}

double master_bound(const Penalty& penalty) {
  check(penalty);
  return kW * as_double(penalty.m) * penalty.xi * penalty.delta;
}

// An active constraint adds at most W delta to T/xi. An inactive one, of slack s = |a_i(x*)|, adds at most
// max_u u e^{-(s+u)/delta} = delta e^{-1-s/delta}, once its own term lambda_i s of the left side is used.
double master_bound_refined(double xi, double delta, Index active, std::span<const double> inactive_slacks) {
  check(Penalty{xi, delta, active});
  if (delta == 0.0) return 0.0;
  double inactive = 0.0;
  for (const double slack : inactive_slacks) {
    require_nonnegative("inactive_slack", slack);
    inactive += std::exp(-1.0 - slack / delta);
  }
  return xi * delta * (kW * as_double(active) + inactive);
}

double master_bound_refined(const Penalty& penalty, Index active, double smallest_slack) {
  check(penalty);
  require_nonnegative("inactive_slack", smallest_slack);
  require_count("active", active);
  if (active > penalty.m) {
    throw InputError(fmt::format("active: expected a count <= m = {}, got {}", penalty.m, active));
  }
  if (penalty.delta == 0.0) return 0.0;
  const double inactive = as_double(penalty.m - active) * std::exp(-1.0 - smallest_slack / penalty.delta);
  return penalty.xi * penalty.delta * (kW * as_double(active) + inactive);
}

double master_term(double xi, double delta, std::span<const double> values) {
  require_nonnegative("xi", xi);
  double sum = 0.0;
  for (const double a : values) sum += complementarity(a, delta);
  return xi * sum;
}

double violation_bound(double master, double xi, double xi_bar) {
  require_bound("master", master);
  check_threshold(xi, xi_bar);
  return xi > xi_bar ? master / (xi - xi_bar) : kInfinity;
}

double distance_bound(double master, double mu) {
  require_bound("master", master);
  require_nonnegative("mu", mu);
  return mu > 0.0 ? std::sqrt(master / mu) : kInfinity;
}

// F(x_delta) - F* <= sum_i lambda_i (a_i(x*) - a_i(x_delta)) with lambda_i = xi sigma(a_i(x_delta)/delta): the terms
// are those of the master bound, without its left side, hence for every xi.
double objective_gap_upper(const Penalty& penalty) { return master_bound(penalty); }

double objective_gap_upper_weak(const Penalty& penalty) {
  check(penalty);
  return as_double(penalty.m) * penalty.xi * penalty.delta * kLn2;
}

double objective_gap_upper_from_values(double xi, double delta, std::span<const double> optimal_values) {
  require_nonnegative("xi", xi);
  double sum = 0.0;
  for (const double a : optimal_values) sum += softplus(a, delta);
  return xi * sum;
}

double objective_gap_upper_refined(double xi, double delta, Index active, std::span<const double> inactive_slacks) {
  return master_bound_refined(xi, delta, active, inactive_slacks);
}

double objective_gap_upper_refined(const Penalty& penalty, Index active, double smallest_slack) {
  return master_bound_refined(penalty, active, smallest_slack);
}

double objective_gap_lower(double xi_bar, double violation) {
  require_nonnegative("xi_bar", xi_bar);
  require_nonnegative("violation", violation);
  return -xi_bar * violation;
}

double objective_gap_lower_weak(double xi, double violation) {
  require_nonnegative("xi", xi);
  require_nonnegative("violation", violation);
  return -xi * violation;
}

double any_point_violation_bound(double gap, double xi, double xi_bar) {
  require_bound("penalized_gap", gap);
  return violation_bound(gap, xi, xi_bar);
}

double any_point_violation_bound_weak(double difference, const Penalty& penalty, double xi_bar) {
  require_finite("difference", difference);
  const double gap = difference + objective_gap_upper_weak(penalty);
  require_bound("difference + m xi delta ln 2", gap);
  return violation_bound(gap, penalty.xi, xi_bar);
}

double doubled_threshold_violation_bound(double delta, Index m) {
  require_count("m", m);
  return 4.0 * as_double(m) * softplus_excess_bound(delta);
}

}  // namespace pliant::theory
