// Iteration counts of the method with static parameters delta = eps/(4 m ln 2), and the statements around them.
#include "theory/checks.hpp"

#include <algorithm>

namespace pliant::theory {

namespace {
void check(const ProblemConstants& problem, double xi, double eps) {
  require_count("m", problem.m, 1);
  require_count("l", problem.l, 1);
  require_nonnegative("Lf", problem.Lf);
  check(problem.constraint);
  require_positive("xi", xi);
  require_positive("eps", eps);
}

/// Sum of the m constraints' smoothness constants without xi: m (La + C1/4) + m^2 C0 ln 2/eps.
double constraint_smoothness(const ProblemConstants& problem, double eps) {
  return as_double(problem.m) * component_smoothness_weak(problem.constraint, delta_for_accuracy(eps, problem.m));
}
}  // namespace

double static_smoothness(const ProblemConstants& problem, double xi, double eps) {
  check(problem, xi, eps);
  return problem.Lf + xi * constraint_smoothness(problem, eps);
}

// FISTA: F_{xi,delta}(x_N) - F_{xi,delta}(x*) <= 2 L |x0 - x*|^2/(N+1)^2, wanted <= xi eps/4; its bound holds with any
// point of comparison, so x* may be the constrained solution.
double accelerated_gradient_iterations(const ProblemConstants& problem, double xi, double eps, double distance) {
  check(problem, xi, eps);
  require_nonnegative("distance", distance);
  // Two roots, so that eps^2 does not vanish where N is still a number.
  return distance * std::sqrt(8.0 * (problem.Lf / xi + constraint_smoothness(problem, eps))) / std::sqrt(eps);
}

double corollary1_as_printed(const ProblemConstants& problem, double xi, double eps) {
  check(problem, xi, eps);
  const double m = as_double(problem.m);
  const ConstraintConstants& c = problem.constraint;
  return (problem.Lf + m * (c.La + c.C1)) / std::sqrt(eps) + m * m * xi * c.C0 / (eps * std::sqrt(eps));
}

// With constant momentum the error after N steps is at most (1 - sqrt(mu/L))^N times gap + mu/2 |x0 - x_delta|^2
// <= 2 gap; it has to fall to xi eps/4.
double strongly_convex_iterations(const ProblemConstants& problem, double xi, double eps, double initial_gap) {
  check(problem, xi, eps);
  require_positive("mu", problem.mu);
  require_nonnegative("initial_gap", initial_gap);
  const double reduction = 8.0 * initial_gap / (xi * eps);
  if (reduction <= 1.0) return 0.0;
  const double condition = std::max(1.0, static_smoothness(problem, xi, eps) / problem.mu);
  return std::sqrt(condition) * std::log(reduction);
}

double corollary2_gradient_as_printed(const ProblemConstants& problem, double xi, double eps) {
  check(problem, xi, eps);
  require_positive("mu", problem.mu);
  const double m = as_double(problem.m);
  const ConstraintConstants& c = problem.constraint;
  return std::sqrt((problem.Lf + m * xi * (c.La + c.C1)) / problem.mu) +
         std::pow(m, 0.75) * std::sqrt(xi * c.C0 / (problem.mu * eps));
}

// The l + m components are (l+m)/l f_i and (l+m) xi p_delta(a_j).
double catalyst_order(const ProblemConstants& problem, double xi, double eps, Sampling sampling) {
  check(problem, xi, eps);
  require_positive("mu", problem.mu);
  const double l = as_double(problem.l);
  const double components = l + as_double(problem.m);
  const double constraint = constraint_smoothness(problem, eps) / as_double(problem.m);
  const double smoothness = sampling == Sampling::proportional ? static_smoothness(problem, xi, eps)
                                                               : components * std::max(problem.Lf / l, xi * constraint);
  return components + std::sqrt(components * smoothness / problem.mu);
}

double corollary2_catalyst_as_printed(const ProblemConstants& problem, double xi, double eps) {
  check(problem, xi, eps);
  require_positive("mu", problem.mu);
  const double m = as_double(problem.m);
  const double components = as_double(problem.l) + m;
  const ConstraintConstants& c = problem.constraint;
  return as_double(problem.l) + std::sqrt(components * (problem.Lf + m * xi * (c.La + c.C1)) / problem.mu) +
         std::pow(m, 0.75) * std::sqrt(components * xi * c.C0 / (problem.mu * eps));
}

namespace {
ProblemConstants with_unit_linear_constraints(Index l, Index m, double Lf, double mu) {
  return {.m = m, .l = l, .Lf = Lf, .mu = mu, .constraint = {.La = 0.0, .C0 = 1.0, .C1 = 0.0}};
}
}  // namespace

double linear_constraints_order(Index l, Index m, double Lf, double mu, double xi, double eps) {
  return catalyst_order(with_unit_linear_constraints(l, m, Lf, mu), xi, eps, Sampling::proportional);
}

double linear_constraints_order_as_printed(Index l, Index m, double Lf, double mu, double xi, double eps) {
  return corollary2_catalyst_as_printed(with_unit_linear_constraints(l, m, Lf, mu), xi, eps);
}

// |x - x_delta| <= sqrt(2 Delta/mu) = r and |a_i(x) - a_i(x_delta)| <= |grad a_i(x_delta)| r + La r^2/2. The root is
// written without cancellation: r = 2 change/(G + sqrt(G^2 + 2 La change)).
double inner_accuracy_for_change(double change, const ConstraintConstants& constants, double mu, double violation) {
  require_positive("change", change);
  require_positive("mu", mu);
  require_nonnegative("violation", violation);
  const double slope = gradient_norm_bound(constants, violation);
  const double radius = 2.0 * change / (slope + std::sqrt(slope * slope + 2.0 * constants.La * change));
  return 0.5 * mu * radius * radius;
}

double inner_accuracy_as_printed(double change, const ConstraintConstants& constants, double mu, double violation) {
  require_positive("change", change);
  require_positive("mu", mu);
  require_nonnegative("violation", violation);
  check(constants);
  return mu * change * change / (constants.C0 + constants.C1 * violation);
}

namespace {
/// error_factor m error + 2 m delta ln 2 + inner_factor eps
Guarantee nonsmooth_with(const Penalty& penalty, double error, double eps, double error_factor, double inner_factor) {
  check(penalty);
  require_nonnegative("error", error);
  require_nonnegative("inner_gap", eps);
  const double m = as_double(penalty.m);
  const double excess = m * softplus_excess_bound(penalty.delta);
  return {error_factor * m * error + 2.0 * excess + inner_factor * eps, penalty.xi * (m * error + excess + eps)};
}
}  // namespace

Guarantee nonsmooth_constraints(const Penalty& penalty, double error, double eps, bool approximation_from_above) {
  return nonsmooth_with(penalty, error, eps, approximation_from_above ? 2.0 : 4.0, 2.0);
}

Guarantee nonsmooth_constraints_as_printed(const Penalty& penalty, double error, double eps) {
  return nonsmooth_with(penalty, error, eps, 4.0, 2.0 * penalty.xi);
}

double multiplier_method_rate(double delta, double eigenvalue, double smallest_slack) {
  require_positive("delta", delta);
  require_nonnegative("eigenvalue", eigenvalue);
  require_bound("inactive_slack", smallest_slack);
  return std::max(1.0 / (1.0 + eigenvalue / delta), std::exp(-smallest_slack / delta));
}

}  // namespace pliant::theory
