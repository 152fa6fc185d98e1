// The bounds of pliant/theory.hpp: the penalty, exactness, points, choice of parameters. Structs of parameters become
// keyword arguments. Every function says its formula and shows an example, which the tests run.
#include "pliant/theory.hpp"

#include "core.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

namespace pliant::python {
namespace {

using Numbers = std::vector<double>;
using theory::ConstraintConstants;
using theory::Penalty;

void bind_penalty(nb::module_& t) {
  t.attr("W") = theory::kW;
  t.attr("CURVATURE_PEAK") = theory::kCurvaturePeak;
  t.attr("LN2") = theory::kLn2;
  t.def("softplus", &theory::softplus, nb::arg("t"), nb::arg("delta"),
        R"(p_delta(t) = max(t, 0) + delta ln(1 + exp(-|t|/delta)); delta = 0 gives max(t, 0).

>>> round(softplus(0.0, delta=0.5), 6)
0.346574)");
  t.def("softplus_excess", &theory::softplus_excess, nb::arg("t"), nb::arg("delta"),
        R"(p_delta(t) - max(t, 0), between 0 and delta ln 2.

>>> round(softplus_excess(-1.0, delta=0.5), 6)
0.063464)");
  t.def("softplus_excess_bound", &theory::softplus_excess_bound, nb::arg("delta"),
        R"(delta ln 2.

>>> round(softplus_excess_bound(0.5), 6)
0.346574)");
  t.def("complementarity", &theory::complementarity, nb::arg("t"), nb::arg("delta"),
        R"(|t| sigma(-|t|/delta), at most W delta: what one value a_i = t adds to the master term.

>>> round(complementarity(1.0, delta=0.5), 6)
0.119203)");
}

void bind_exactness(nb::module_& t) {
  t.def("multiplier_bound_from_slater", &theory::multiplier_bound_from_slater, nb::arg("gap"), nb::arg("slack"),
        R"(|lambda*|_1 <= (F(x_hat) - LB)/s if all a_i(x_hat) <= -s < 0; gap = F(x_hat) - LB.

>>> multiplier_bound_from_slater(gap=3.0, slack=0.5)
6.0)");
  t.def(
      "penalty_is_exact", &theory::penalty_is_exact, nb::arg("xi"), nb::arg("xi_bar"), nb::arg("mu") = 0.0,
      R"(Whether minimising F + xi sum max(0, a_i) solves the problem for sure: xi > xi_bar, or xi >= xi_bar if mu > 0.

>>> penalty_is_exact(2.0, xi_bar=2.0), penalty_is_exact(2.0, xi_bar=2.0, mu=1.0)
(False, True))");
}

void bind_minimizer(nb::module_& t) {
  t.def(
      "master_bound",
      [](double xi, double delta, Index m) {
        return theory::master_bound(Penalty{xi, delta, m});
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("m"),
      R"((xi - xi_bar) V_1(x_delta) + mu |x_delta - x*|^2 <= W m xi delta.

>>> round(master_bound(xi=2.0, delta=1e-3, m=1000), 6)
0.556929)");
  t.def(
      "master_bound_refined",
      [](double xi, double delta, Index active, const Numbers& slacks) {
        return theory::master_bound_refined(xi, delta, active, slacks);
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("active"), nb::arg("inactive_slacks"),
      R"(xi delta (W active + sum exp(-|a_i(x*)|/delta)/e): constraints far from active hardly count.

>>> round(master_bound_refined(xi=2.0, delta=1e-3, active=3, inactive_slacks=[0.1, 0.2]), 6)
0.001671)");
  t.def(
      "master_term",
      [](double xi, double delta, const Numbers& values) { return theory::master_term(xi, delta, values); },
      nb::arg("xi"), nb::arg("delta"), nb::arg("values"),
      R"(xi sum |a_i| sigma(-|a_i|/delta), computable from the values a_i at x_delta.

>>> round(master_term(xi=2.0, delta=0.1, values=[0.1, -0.1, -5.0]), 6)
0.107577)");
  t.def("violation_bound", &theory::violation_bound, nb::arg("master"), nb::arg("xi"), nb::arg("xi_bar"),
        R"(V_1(x_delta) <= master/(xi - xi_bar), master from one of the functions above.

>>> violation_bound(0.5, xi=2.0, xi_bar=1.0)
0.5)");
  t.def("distance_bound", &theory::distance_bound, nb::arg("master"), nb::arg("mu"),
        R"(|x_delta - x*| <= sqrt(master/mu).

>>> distance_bound(0.5, mu=2.0)
0.5)");
}

void bind_objective_gap(nb::module_& t) {
  t.def(
      "objective_gap_upper",
      [](double xi, double delta, Index m) {
        return theory::objective_gap_upper(Penalty{xi, delta, m});
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("m"),
      R"(F(x_delta) - F* <= W m xi delta, for every xi >= 0.

>>> round(objective_gap_upper(xi=2.0, delta=1e-3, m=1000), 6)
0.556929)");
  t.def(
      "objective_gap_upper_weak",
      [](double xi, double delta, Index m) {
        return theory::objective_gap_upper_weak(Penalty{xi, delta, m});
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("m"),
      R"(The paper's bound m xi delta ln 2: true, weaker.

>>> round(objective_gap_upper_weak(xi=2.0, delta=1e-3, m=1000), 6)
1.386294)");
  t.def(
      "objective_gap_upper_from_values",
      [](double xi, double delta, const Numbers& values) {
        return theory::objective_gap_upper_from_values(xi, delta, values);
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("optimal_values"),
      R"(F(x_delta) - F* <= xi sum p_delta(a_i(x*)).

>>> round(objective_gap_upper_from_values(xi=2.0, delta=0.1, optimal_values=[0.0, -1.0]), 6)
0.138639)");
  t.def(
      "objective_gap_upper_refined",
      [](double xi, double delta, Index active, const Numbers& slacks) {
        return theory::objective_gap_upper_refined(xi, delta, active, slacks);
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("active"), nb::arg("inactive_slacks"),
      R"(F(x_delta) - F* <= xi delta (W active + sum exp(-|a_i(x*)|/delta)/e).

>>> round(objective_gap_upper_refined(xi=2.0, delta=1e-3, active=3, inactive_slacks=[0.1]), 6)
0.001671)");
  t.def("objective_gap_lower", &theory::objective_gap_lower, nb::arg("xi_bar"), nb::arg("violation"),
        R"(F(x) - F* >= -xi_bar V_1(x), at any x.

>>> objective_gap_lower(xi_bar=2.0, violation=0.25)
-0.5)");
  t.def("objective_gap_lower_weak", &theory::objective_gap_lower_weak, nb::arg("xi"), nb::arg("violation"),
        R"(The paper's bound -xi V_1(x): true, weaker.

>>> objective_gap_lower_weak(xi=4.0, violation=0.25)
-1.0)");
}

void bind_any_point(nb::module_& t) {
  t.def("any_point_violation_bound", &theory::any_point_violation_bound, nb::arg("gap"), nb::arg("xi"),
        nb::arg("xi_bar"),
        R"(V_1(x) <= (F_{xi,delta}(x) - F*)/(xi - xi_bar) at any x; gap = F_{xi,delta}(x) - F*.

>>> any_point_violation_bound(gap=0.5, xi=3.0, xi_bar=1.0)
0.25)");
  t.def(
      "any_point_violation_bound_weak",
      [](double difference, double xi, double delta, Index m, double xi_bar) {
        return theory::any_point_violation_bound_weak(difference, Penalty{xi, delta, m}, xi_bar);
      },
      nb::arg("difference"), nb::arg("xi"), nb::arg("delta"), nb::arg("m"), nb::arg("xi_bar"),
      R"(The paper's bound (difference + m xi delta ln 2)/(xi - xi_bar), difference = F_{xi,delta}(x) - F_{xi,delta}(x*).

>>> round(any_point_violation_bound_weak(0.5, xi=3.0, delta=1e-3, m=1000, xi_bar=1.0), 6)
1.289721)");
  t.def("doubled_threshold_violation_bound", &theory::doubled_threshold_violation_bound, nb::arg("delta"), nb::arg("m"),
        R"(V_1(x) <= 4 m delta ln 2 if xi >= 2 xi_bar and F_{xi,delta}(x) - min <= m xi delta ln 2.

>>> round(doubled_threshold_violation_bound(delta=1e-3, m=1000), 6)
2.772589)");
}

void bind_constants(nb::module_& t) {
  t.def(
      "gradient_norm_bound",
      [](double value, double La, double C0, double C1) {
        return theory::gradient_norm_bound(ConstraintConstants{La, C0, C1}, value);
      },
      nb::arg("value"), nb::arg("La") = 0.0, nb::arg("C0") = 0.0, nb::arg("C1") = 0.0,
      R"(|grad a(x)| <= sqrt(C0 + C1 max(0, a(x))).

>>> gradient_norm_bound(3.0, C0=1.0, C1=1.0)
2.0)");
  t.def(
      "theorem1_constant",
      [](Index m, double norm, double La, double C0, double C1) {
        return theory::theorem1_constant(ConstraintConstants{La, C0, C1}, m, norm);
      },
      nb::arg("m"), nb::arg("optimal_value_norm"), nb::arg("La") = 0.0, nb::arg("C0") = 0.0, nb::arg("C1") = 0.0,
      R"(U = 2 C1 |A(x*)| + 2 m C0 of Theorem 1.

>>> theorem1_constant(m=10, optimal_value_norm=1.0, C0=1.0, C1=2.0)
24.0)");
  t.def(
      "theorem1_as_printed",
      [](double xi, double delta, Index m, double mu, double U, double C1) {
        return theory::theorem1_as_printed(Penalty{xi, delta, m}, mu, U, C1);
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("m"), nb::arg("mu"), nb::arg("U"), nb::arg("C1"),
      R"(Theorem 1 of the paper, which is FALSE: sqrt(m) delta ln(U xi/(mu delta)). To compare with, not to rely on.

>>> theorem1_as_printed(xi=2.0, delta=1e-3, m=4, mu=1.0, U=8.0, C1=0.0)
Printed(value=0.0193607, conditions_hold=True))");
}

void bind_choice(nb::module_& t) {
  t.def(
      "static_parameters", &theory::static_parameters, nb::arg("eps"), nb::arg("m"), nb::arg("xi"), nb::arg("xi_bar"),
      R"(What to solve so that the answer is eps-feasible: delta = eps/(4 m ln 2), inner accuracy xi eps/4; xi >= 2 xi_bar.

>>> static_parameters(eps=1e-3, m=1000, xi=2.0, xi_bar=1.0)
StaticParameters(xi=2, delta=3.60674e-07, inner_accuracy=0.0005, violation=0.001, objective_gap=0.001))");
  t.def("delta_for_accuracy", &theory::delta_for_accuracy, nb::arg("eps"), nb::arg("m"),
        R"(delta = eps/(4 m ln 2).

>>> round(delta_for_accuracy(1e-3, m=10) * 1e6, 4)
36.0674)");
  t.def(
      "delta_as_printed",
      [](double eps, double xi, Index m, double mu, double U, double C1) {
        return theory::delta_as_printed(eps, Penalty{xi, 0.0, m}, mu, U, C1);
      },
      nb::arg("eps"), nb::arg("xi"), nb::arg("m"), nb::arg("mu"), nb::arg("U"), nb::arg("C1"),
      R"(Corollary 2's delta, which rests on Theorem 1: a heuristic for alike-scaled constraints, no guarantee.

>>> delta_as_printed(1e-3, xi=2.0, m=4, mu=1.0, U=8.0, C1=0.0)
Printed(value=1.12952e-05, conditions_hold=True))");
}

}  // namespace

void bind_theory(nb::module_& m) {
  nb::module_ t = m.def_submodule("theory", "The bounds of the softplus penalty method.");
  bind_theory_bounds(t);  // first: it declares the types of results
  bind_penalty(t);
  bind_exactness(t);
  bind_minimizer(t);
  bind_objective_gap(t);
  bind_any_point(t);
  bind_constants(t);
  bind_choice(t);
  bind_theory_theorem1(t);
}

}  // namespace pliant::python
