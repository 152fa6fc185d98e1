// The bounds of the softplus penalty method as functions: what the paper states ("On the Softplus
// Penalty for Constrained Convex Optimization", Li, Grigas, Atamturk), what is true of it, and what
// holds beyond it. docs/theory.md maps every statement to its function and its test.
//
// Notation: F_{xi,delta}(x) = F(x) + xi sum_i p_delta(a_i(x)), p_delta(t) = delta ln(1 + e^{t/delta});
// x_delta minimises it; x* solves the constrained problem with multipliers lambda*;
// xi_bar = min over optimal lambda* of |lambda*|_inf (any larger number may stand for it);
// V_1(x) = sum_i max(0, a_i(x)) is the violation; F is mu-strongly convex, mu >= 0.
//
// Functions named ..._as_printed repeat a formula of the paper that is false or incomplete. They are
// there to be studied and compared with; nothing in the library rests a guarantee on them.
// Wrong parameters (NaN, negative delta, ...) throw InputError naming the parameter.
#pragma once

#include "pliant/constraint_batch.hpp"
#include "pliant/types.hpp"

#include <span>

namespace pliant::theory {

// ---------------------------------------------------------------------------------- the penalty

/// W = max_t t sigma(-t) = LambertW(1/e), attained at t = 1 + W.
inline constexpr double kW = 0.27846454276107379511;
/// max_t t sigma(t) sigma(-t) = (t0 - 1/t0)/4 at t0 = 1.5434..., the root of t tanh(t/2) = 1.
inline constexpr double kCurvaturePeak = 0.22387160234715142459;
inline constexpr double kLn2 = 0.69314718055994530942;

/// p_delta(t) = max(t, 0) + delta log1p(e^{-|t|/delta}); p_0(t) = max(t, 0).
double softplus(double t, double delta);
/// p_delta(t) - max(t, 0) = delta log1p(e^{-|t|/delta}), between 0 and softplus_excess_bound(delta).
double softplus_excess(double t, double delta);
/// delta ln 2
double softplus_excess_bound(double delta);
/// |t| sigma(-|t|/delta), between 0 and W delta: the contribution of one value a_i = t to the master term.
double complementarity(double t, double delta);

// ------------------------------------------------------------------------------------ exactness

/// |lambda*|_1 <= (F(x_hat) - LB)/s for every optimal lambda*, hence xi_bar <= that, where
/// a_i(x_hat) <= -s < 0 for all i (Slater) and LB <= F*. `gap` = F(x_hat) - LB.
double multiplier_bound_from_slater(double gap, double slack);
/// Lemma 1: whether minimising F_{xi,0} solves the constrained problem for sure: xi > xi_bar, or
/// xi >= xi_bar if mu > 0.
bool penalty_is_exact(double xi, double xi_bar, double mu);

// -------------------------------------------------------------------- bounds at the minimiser x_delta

/// Parameters of the penalty function.
struct Penalty {
  double xi = 0.0;
  double delta = 0.0;
  Index m = 0;  ///< number of constraints
};

/// Master bound. For xi >= xi_bar and any mu >= 0,
///   (xi - xi_bar) V_1(x_delta) + mu |x_delta - x*|^2 <= T := xi sum_i |a_i(x_delta)| sigma(-|a_i(x_delta)|/delta)
///                                                   <= W m xi delta.
/// This is the right-hand side known beforehand, W m xi delta.
double master_bound(const Penalty& penalty);
/// The same, refined: xi delta (W active + e^{-1} sum over inactive i of e^{-|a_i(x*)|/delta}), where `active`
/// counts the constraints with a_i(x*) = 0 and `inactive_slacks` holds |a_i(x*)| > 0 of the others.
double master_bound_refined(double xi, double delta, Index active, std::span<const double> inactive_slacks);
/// The same when only a common lower bound of the inactive slacks is known.
double master_bound_refined(const Penalty& penalty, Index active, double smallest_slack);
/// The middle term T, computable from the values a_i at x_delta.
double master_term(double xi, double delta, std::span<const double> values);
/// V_1(x_delta) <= master/(xi - xi_bar) with `master` from one of the functions above; infinite at xi = xi_bar.
double violation_bound(double master, double xi, double xi_bar);
/// |x_delta - x*| <= sqrt(master/mu); infinite at mu = 0.
double distance_bound(double master, double mu);

/// Proposition 1, upper side, sharper: F(x_delta) - F* <= W m xi delta, for every xi >= 0.
double objective_gap_upper(const Penalty& penalty);
/// Proposition 1, upper side, as in the paper (true, weaker): m xi delta ln 2.
double objective_gap_upper_weak(const Penalty& penalty);
/// F(x_delta) - F* <= xi sum_i p_delta(a_i(x*)), for every xi >= 0; `optimal_values` are the a_i(x*) <= 0.
double objective_gap_upper_from_values(double xi, double delta, std::span<const double> optimal_values);
/// Remark on active constraints, through the master bound: F(x_delta) - F* <= xi delta (W active + e^{-1} sum
/// e^{-|a_i(x*)|/delta}), for every xi >= 0.
double objective_gap_upper_refined(double xi, double delta, Index active, std::span<const double> inactive_slacks);
double objective_gap_upper_refined(const Penalty& penalty, Index active, double smallest_slack);
/// Proposition 1, lower side, sharper and at any x: F(x) - F* >= -xi_bar V_1(x).
double objective_gap_lower(double xi_bar, double violation);
/// Proposition 1, lower side, as in the paper (true, weaker): -xi V_1(x).
double objective_gap_lower_weak(double xi, double violation);

// -------------------------------------------------------------------- violations in other norms

/// Bounds of |max(0, A(x))| in the 1-norm (V_1), the 2-norm and the infinity norm.
struct NormBounds {
  double one = 0.0;
  double two = 0.0;
  double infinity = 0.0;
};
/// Violations of x_delta in all norms, for xi >= xi_bar and any mu >= 0; infinite at xi = xi_bar. With rho = xi_bar/xi,
///   infinity norm <= delta u, u the largest root of u (sigma(u) - rho) = (m - 1) W: attained for every m and rho,
///   1-norm <= min(W m delta/(1 - rho), m delta u),  2-norm <= sqrt(1-norm times infinity norm).
NormBounds violation_norms(const Penalty& penalty, double xi_bar);
/// Linear constraints, mu > 0, xi >= xi_bar: |A x_delta - A x*| <= norm sqrt(master/mu), in the 2-norm with `norm` =
/// |A|_2, in the infinity norm with `norm` = max |a_i|_2.
double change_bound(double master, double mu, double norm);

// ----------------------------------------------------------------------------- bounds at any point

/// Proposition 2, sharper: V_1(x) <= (F_{xi,delta}(x) - F*)/(xi - xi_bar) for xi > xi_bar and any x, mu.
/// `gap` = F_{xi,delta}(x) - F*.
double any_point_violation_bound(double gap, double xi, double xi_bar);
/// Proposition 2 as in the paper (true, weaker): V_1(x) <= (F_{xi,delta}(x) - F_{xi,delta}(x*) + m xi delta ln 2)
/// / (xi - xi_bar). `difference` = F_{xi,delta}(x) - F_{xi,delta}(x*), of either sign.
double any_point_violation_bound_weak(double difference, const Penalty& penalty, double xi_bar);
/// Proposition 2, its middle term: xi sum_{i not in E} max(0, a_i(x)) + (xi - xi_bar) sum_{i in E} max(0, a_i(x)), which
/// lies between (xi - xi_bar) V_1(x) and F_{xi,delta}(x) - F*, for xi >= xi_bar and any x. The paper's E holds the
/// constraints active at every solution; any E that holds the i with lambda*_i > 0 will do. `always_active` lists E.
double weighted_violation(double xi, double xi_bar, std::span<const double> values,
                          std::span<const Index> always_active);
/// The right side of Proposition 2 as in the paper (true, weaker than F_{xi,delta}(x) - F*): `difference` + m xi delta
/// ln 2, `difference` = F_{xi,delta}(x) - F_{xi,delta}(x*).
double weighted_violation_bound_weak(double difference, const Penalty& penalty);
/// What the middle term says of the constraints outside of E: their part of V_1(x) is at most (F_{xi,delta}(x) - F*)/xi,
/// at xi = xi_bar too. `gap` = F_{xi,delta}(x) - F*.
double inactive_violation_bound(double gap, double xi);
/// Remark after Theorem 1: if xi >= 2 xi_bar and F_{xi,delta}(x) - min F_{xi,delta} <= m xi delta ln 2,
/// then V_1(x) <= 4 m delta ln 2.
double doubled_threshold_violation_bound(double delta, Index m);

// --------------------------------------------------------------------------- constants and Theorem 1

/// Constants shared by all constraints: a_i is La-smooth and |grad a_i|^2 <= C0 + C1 |a_i|.
struct ConstraintConstants {
  double La = 0.0;
  double C0 = 0.0;
  double C1 = 0.0;
};

/// |grad a(x)| <= sqrt(C0 + C1 max(0, a(x))). Where a(x) < 0 the slope only grows on the way along the gradient
/// to a = 0, so C0 alone bounds it and |a| need not enter.
double gradient_norm_bound(const ConstraintConstants& constants, double value);
/// Violations of a point at `distance` from some feasible point, e.g. of x_delta with distance_bound: the infinity norm
/// is at most the root v of v = distance sqrt(C0 + C1 v), the others sqrt(m) and m times that.
NormBounds violation_norms_from_distance(const ConstraintConstants& constants, Index m, double distance);

/// U = 2 C1 |A(x*)| + 2 m C0 of Theorem 1, with the norm of A(x*) the caller chooses (the paper: infinity).
double theorem1_constant(const ConstraintConstants& constants, Index m, double optimal_value_norm);

/// A formula of the paper and whether the conditions it is stated under hold.
struct Printed {
  double value = 0.0;
  bool conditions_hold = false;
};
/// Theorem 1: |A(x_delta) - A(x*)|_2 <= sqrt(m) delta ln(U xi/(mu delta)) if xi >= xi_bar, delta <= e^{-2} U xi/mu
/// and 2 m C1 delta ln(U xi/(mu delta)) <= U. FALSE: constraints with unequal gradient norms violate it by any
/// factor. The conditions reported are those on delta; xi >= xi_bar is the caller's.
Printed theorem1_as_printed(const Penalty& penalty, double mu, double U, double C1);

// ------------------------------------------------------------------------------- Theorem 1 repaired

// Linear constraints A x <= b and a constant Hessian Q of F with Q >= mu I, mu > 0; xi >= xi_bar, equality included.
// What the printed theorem lacks is chi, the largest norm of a weighted projection on the range of A Q^{-1/2}:
//   chi = sup over diagonal W >= 0 of |M W (I + M W)^{-1}| = max over independent rows J of |M_{:,J} M_{JJ}^{-1}|,
// M = A Q^{-1} A'. It is finite, >= 1, and depends on the directions of the rows as well as on their lengths.

/// Norm in which A x_delta - A x* is measured, and chi with it.
enum class Norm { two, infinity };

/// |A x_delta - A x*|_2 <= (1 + chi) sqrt(m) delta (1 + ln(c/delta)), c = sqrt(m) |A|_2 max|a_i|_2 xi/mu, while the
/// logarithm is >= 1; beyond, delta (1 + ln(c/delta)) goes on as delta + c/e. `A_norm` = |A|_2, `row_norm` = max|a_i|_2.
double theorem1_repaired(const Penalty& penalty, double mu, double A_norm, double row_norm, double chi);
/// The same, sharper: sqrt(1 + chi^2) for 1 + chi and c = |A|_2^2 xi/mu. With A Q^{-1/2} for A it holds with mu = 1.
double theorem1_repaired_sharp(const Penalty& penalty, double mu, double A_norm, double chi);
/// In the infinity norm, without sqrt(m): |A x_delta - A x*|_inf <= (1 + chi_inf) delta (1 + ln(c/delta)), c as in
/// theorem1_repaired, chi_inf = chi in the infinity norm.
double theorem1_repaired_infinity(const Penalty& penalty, double mu, double A_norm, double row_norm, double chi_inf);

/// chi by going through all sets of independent rows. Throws InputError where there are more than 2^18 of them. Rows
/// closer to dependent than 1e-13, relatively, count as dependent.
double chi_exact(const ConstMatrixRef& A, const ConstMatrixRef& Q, Norm norm = Norm::two);
/// An upper bound of chi (2-norm) at the cost of one decomposition: the condition number of A Q^{-1/2}, as it is or with
/// rows of unit length, if its rows are independent; and, since floating-point rows are integers times a power of two, a
/// bound by Hadamard's inequality, useful for small integers in few variables and hopeless otherwise. Infinite where
/// both fail.
double chi_bound(const ConstMatrixRef& A, const ConstMatrixRef& Q);
/// An upper bound of chi (2-norm) for an integer matrix of this rank, all of whose minors are at most `largest_minor` in
/// size (1: totally unimodular, e.g. bounds, intervals and networks), and a diagonal Q: the root of the largest
/// k + (m - k) k minor^2, k <= rank.
double chi_bound_minors(Index m, Index rank, double largest_minor);
/// Hessians that vary, mu I <= Hess F <= L I: chi over all of them is at most sqrt(L/mu) |A|_2 max_J |A_J^+|_2, J as
/// above, and theorem1_repaired holds with it. Throws like chi_exact.
double chi_varying(const ConstMatrixRef& A, double mu, double L);

/// The constraints active at x* as the next statement sees them.
struct ActiveRows {
  Index active = 0;                ///< how many; their gradients are independent
  double smallest_singular = 0.0;  ///< the smallest singular value of the matrix A_T of their gradients
  double smallest_slack = 0.0;     ///< the smallest |a_i(x*)| of the others
};
/// Many rows, mu I <= Hess F <= L I: where delta is small enough for the active set to be settled, only its rows enter:
///   |A x_delta - A x*|_2 <= (1 + sqrt(1 + L/mu) |A|_2/sigma_min(A_T)) sqrt(active) delta (1 + ln(c/delta)),
/// c = sqrt(m/active) |A|_2^2 xi/mu, if delta <= c/e, delta ln(c/delta) <= slack/2 and max|a_i| sqrt(W m xi delta/mu) <=
/// slack/2. Infinite otherwise. With A Q^{-1/2} for A, mu = L = 1.
double theorem1_repaired_active(const Penalty& penalty, double mu, double L, double A_norm, double row_norm,
                                const ActiveRows& rows);

// ------------------------------------------------------------------------------ choice of parameters

/// What to solve so that the answer is eps-feasible, for every mu >= 0.
struct StaticParameters {
  double xi = 0.0;              ///< >= 2 xi_bar
  double delta = 0.0;           ///< eps/(4 m ln 2)
  double inner_accuracy = 0.0;  ///< F_{xi,delta}(x) - min <= xi eps/4 ...
  double violation = 0.0;       ///< ... implies V_1(x) <= eps
  double objective_gap = 0.0;   ///< ... and F(x) - F* <= xi eps/2
};
/// Throws InputError unless xi >= 2 xi_bar.
StaticParameters static_parameters(double eps, Index m, double xi, double xi_bar);
/// delta = eps/(4 m ln 2)
double delta_for_accuracy(double eps, Index m);
/// Corollary 2: delta = eps/(4 sqrt(m) ln(2 sqrt(m) U xi/(mu eps))) for eps <= e^{-2} sqrt(m) U xi/mu and, missing in
/// the paper, eps <= U/(sqrt(m) C1). It rests on Theorem 1: a heuristic for alike-scaled constraints, no guarantee.
Printed delta_as_printed(double eps, const Penalty& penalty, double mu, double U, double C1);

// ---------------------------------------------------------------------------------------- smoothness

/// Proposition 3, sharper: p_delta(a_i(x)) is (La + 0.2239 C1 + C0/(4 delta))-smooth.
double component_smoothness(const ConstraintConstants& constants, double delta);
/// Proposition 3 as in the paper (true, weaker): La + C1/4 + C0/(4 delta).
double component_smoothness_weak(const ConstraintConstants& constants, double delta);
/// Smoothness of xi sum_i p_delta(a_i): xi times the sum of each constraint's own constant, which for unequal
/// constraints is far below m times the largest. Infinite where a constraint has no growth condition.
double penalty_smoothness(double xi, double delta, const RowConstants& constants);

// --------------------------------------------------------------------------------- iteration counts

/// What iteration counts depend on.
struct ProblemConstants {
  Index m = 0;      ///< constraints
  Index l = 1;      ///< components of the objective
  double Lf = 0.0;  ///< smoothness of the objective's smooth part
  double mu = 0.0;  ///< strong convexity of the objective
  ConstraintConstants constraint;
};

/// Smoothness of F_{xi,delta} at delta = eps/(4 m ln 2): Lf + m xi (La + C1/4) + m^2 xi C0 ln 2/eps.
double static_smoothness(const ProblemConstants& problem, double xi, double eps);

/// Corollary 1, corrected: accelerated gradient steps (FISTA, step 1/L) after which V_1 <= eps and
/// F - F* <= xi eps/2 hold for sure, for any mu:
///   N = |x0 - x*| sqrt(8 Lf/(xi eps) + 8 m (La + C1/4)/eps + 8 m^2 C0 ln 2/eps^2).
double accelerated_gradient_iterations(const ProblemConstants& problem, double xi, double eps, double distance);
/// Corollary 1, inside its O(): (Lf + m (La + C1))/sqrt(eps) + m^2 xi C0/eps^{3/2}.
double corollary1_as_printed(const ProblemConstants& problem, double xi, double eps);

/// Corollary 2.1, corrected (mu > 0, xi >= 2 xi_bar, delta = eps/(4 m ln 2)): steps of the accelerated gradient method
/// with constant momentum after which V_1 <= eps and F - F* <= xi eps/2 hold for sure,
///   N = sqrt(L/mu) ln(8 gap/(xi eps)),  L = static_smoothness,  gap = F_{xi,delta}(x0) - min F_{xi,delta}.
double strongly_convex_iterations(const ProblemConstants& problem, double xi, double eps, double initial_gap);
/// Corollary 2.1, inside its O~(): sqrt((Lf + m xi La + m xi C1)/mu) + m^{3/4} sqrt(xi C0/(mu eps)).
double corollary2_gradient_as_printed(const ProblemConstants& problem, double xi, double eps);

/// How a stochastic method draws components: each with probability proportional to its smoothness, or uniformly.
enum class Sampling { proportional, uniform };
/// Corollary 2.2, corrected, inside its O~(): l + m + sqrt((l + m) L/mu) component steps of Catalyst-SVRG at
/// delta = eps/(4 m ln 2), L the mean component constant (proportional sampling) or the largest (uniform).
double catalyst_order(const ProblemConstants& problem, double xi, double eps, Sampling sampling);
/// Corollary 2.2, inside its O~(): l + sqrt((l + m)(Lf + m xi La + m xi C1)/mu) + m^{3/4} sqrt((l + m) xi C0/(mu eps)).
double corollary2_catalyst_as_printed(const ProblemConstants& problem, double xi, double eps);
/// Remark on linear constraints (La = C1 = 0, C0 = 1): catalyst_order there, and as printed.
double linear_constraints_order(Index l, Index m, double Lf, double mu, double xi, double eps);
double linear_constraints_order_as_printed(Index l, Index m, double Lf, double mu, double xi, double eps);

/// Proof of Corollary 2, corrected: if F_{xi,delta}(x) - min <= Delta, mu > 0, then every |a_i(x) - a_i(x_delta)| <=
/// `change`, for Delta = mu r^2/2, r the root of G r + La r^2/2 = change and G = sqrt(C0 + C1 v), where
/// v >= max_i max(0, a_i(x_delta)) (the master bound gives one).
double inner_accuracy_for_change(double change, const ConstraintConstants& constants, double mu, double violation);
/// The same as printed (change = eps/(2 sqrt(m)), v = Theorem 1's bound): mu change^2/(C0 + C1 v).
double inner_accuracy_as_printed(double change, const ConstraintConstants& constants, double mu, double violation);

// -------------------------------------------------------------------------------- further statements

/// An approximate solution's guarantees.
struct Guarantee {
  double violation = 0.0;      ///< V_1(x)
  double objective_gap = 0.0;  ///< F(x) - F*
};
/// Non-smooth constraints replaced by smooth ones with |a_hat_i - a_i| <= error at x* and at the point x at hand,
/// xi >= 2 xi_bar, F_hat_{xi,delta}(x) - min <= xi eps. Corrected: V_1(x) <= 4 m error + 2 m delta ln 2 + 2 eps, with
/// 2 m error instead if a_hat >= a; F(x) - F* <= m xi error + m xi delta ln 2 + xi eps.
Guarantee nonsmooth_constraints(const Penalty& penalty, double error, double eps, bool approximation_from_above);
/// As printed: 2 xi eps in the violation, which is too small for xi < 1.
Guarantee nonsmooth_constraints_as_printed(const Penalty& penalty, double error, double eps);

/// Local rate of the multiplier method for linear constraints: max(1/(1 + eigenvalue/delta), e^{-slack/delta}),
/// `eigenvalue` the smallest of D^{1/2} A (Hess F)^{-1} A' D^{1/2}, D = diag(lambda*(1 - lambda*/xi)).
double multiplier_method_rate(double delta, double eigenvalue, double smallest_slack);

// ------------------------------------------------------------------------------------ safe screening

/// Radii of balls that contain x*, from a point x and multipliers lambda >= 0 with r in the subdifferential of
/// L(., lambda) = F + sum_i lambda_i a_i at x; mu > 0. Unconditional, about x:
///   (|r| + sqrt(|r|^2 + 2 mu (UB - L(x, lambda))))/mu,  UB = F at a feasible point, `gap` = UB - L(x, lambda).
double screening_radius(double residual_norm, double mu, double gap);
/// The same about the centre x - r/mu: without the leading |r|.
double screening_radius_centered(double residual_norm, double mu, double gap);
/// If xi >= xi_bar is proved and lambda = xi sigma(a(x)/delta), about x: (|r| + sqrt(|r|^2 + 4 mu T))/(2 mu), T =
/// master_term at x.
double screening_radius_exact_penalty(double residual_norm, double mu, double master);
/// For any 0 <= lambda, about the centre x - r/(2 mu): sqrt(|r|^2 + 4 mu T)/(2 mu), T >= sum_i (lambda*_i - lambda_i)
/// a_i(x) for some optimal lambda*; |lambda*|_1 <= B gives T = B max(0, max_i a_i(x)) - sum_i lambda_i a_i(x).
double screening_radius_saddle(double residual_norm, double mu, double saddle_gap);
/// If xi >= xi_bar is proved, for any 0 <= lambda, about the centre x - r/mu: sqrt((2/mu)(S + |r|^2/(2 mu))),
/// S = sum_i (xi max(0, a_i(x)) - lambda_i a_i(x)).
double screening_radius_multiplier(double residual_norm, double mu, double complementarity_sum);
/// Whether a_i < 0 on the whole ball about x: a_i(x) + |grad a_i(x)| rho + La rho^2/2 < 0.
bool is_screened(double value, double gradient_norm, double La, double radius);

// -------------------------------------------------------------------------------- the paper's examples

/// What holds at the minimiser x_delta of an example, all coordinates of which are equal.
struct ExamplePoint {
  double minimizer = 0.0;      ///< x_i
  double violation_1 = 0.0;    ///< V_1
  double violation_2 = 0.0;    ///< |max(0, A)|_2
  double objective_gap = 0.0;  ///< F(x_delta) - F*, F* = 0: negative for xi < 2
};
/// Example 1: F = sum x_i, a_i = -x_i, m = n, xi_bar = 1. x_i = delta ln(xi - 1); needs xi > 1.
double example1_minimizer(double xi, double delta);
ExamplePoint example1(double xi, double delta, Index m);
/// Example 2: F = |x|^2/2 + sum x_i, a_i = -x_i, m = n, xi_bar = mu = 1. x_i is the root t of
/// 1 + t = xi sigma(-t/delta), accurate to a few units in the last place; xi > 0.
double example2_minimizer(double xi, double delta);
ExamplePoint example2(double xi, double delta, Index m);

}  // namespace pliant::theory
