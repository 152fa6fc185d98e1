// The bounds of pliant/theory.hpp: smoothness, iteration counts, further statements, screening, examples, and the types
// that functions return.
#include "pliant/theory.hpp"

#include "core.hpp"
#include "theory/calculator.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <map>
#include <string>

namespace pliant::python {
namespace {

using theory::ConstraintConstants;
using theory::Penalty;
using theory::ProblemConstants;

void bind_types(nb::module_& t) {
  using theory::ExamplePoint;
  using theory::Guarantee;
  using theory::Printed;
  using theory::StaticParameters;
  nb::class_<Printed>(t, "Printed", "A formula of the paper and whether the conditions it is stated under hold.")
      .def_ro("value", &Printed::value)
      .def_ro("conditions_hold", &Printed::conditions_hold)
      .def("__repr__", [](const Printed& p) {
        return fmt::format("Printed(value={:.6g}, conditions_hold={})", p.value, p.conditions_hold ? "True" : "False");
      });
  nb::class_<StaticParameters>(t, "StaticParameters", "What to solve so that the answer is eps-feasible.")
      .def_ro("xi", &StaticParameters::xi)
      .def_ro("delta", &StaticParameters::delta)
      .def_ro("inner_accuracy", &StaticParameters::inner_accuracy)
      .def_ro("violation", &StaticParameters::violation)
      .def_ro("objective_gap", &StaticParameters::objective_gap)
      .def("__repr__", [](const StaticParameters& p) {
        return fmt::format(
            "StaticParameters(xi={:.6g}, delta={:.6g}, inner_accuracy={:.6g}, violation={:.6g}, objective_gap={:.6g})",
            p.xi, p.delta, p.inner_accuracy, p.violation, p.objective_gap);
      });
  nb::class_<Guarantee>(t, "Guarantee", "What an approximate solution guarantees.")
      .def_ro("violation", &Guarantee::violation)
      .def_ro("objective_gap", &Guarantee::objective_gap)
      .def("__repr__", [](const Guarantee& g) {
        return fmt::format("Guarantee(violation={:.6g}, objective_gap={:.6g})", g.violation, g.objective_gap);
      });
  nb::class_<ExamplePoint>(t, "ExamplePoint", "What holds at the minimiser of one of the paper's examples.")
      .def_ro("minimizer", &ExamplePoint::minimizer)
      .def_ro("violation_1", &ExamplePoint::violation_1)
      .def_ro("violation_2", &ExamplePoint::violation_2)
      .def_ro("objective_gap", &ExamplePoint::objective_gap)
      .def("__repr__", [](const ExamplePoint& e) {
        return fmt::format(
            "ExamplePoint(minimizer={:.6g}, violation_1={:.6g}, violation_2={:.6g}, objective_gap={:.6g})", e.minimizer,
            e.violation_1, e.violation_2, e.objective_gap);
      });
}

void bind_smoothness(nb::module_& t) {
  t.def(
      "component_smoothness",
      [](double delta, double La, double C0, double C1) {
        return theory::component_smoothness(ConstraintConstants{La, C0, C1}, delta);
      },
      nb::arg("delta"), nb::arg("La") = 0.0, nb::arg("C0") = 0.0, nb::arg("C1") = 0.0,
      R"(p_delta(a_i(x)) is (La + 0.2239 C1 + C0/(4 delta))-smooth.

>>> component_smoothness(delta=0.125, La=1.0, C0=1.0)
3.0)");
  t.def(
      "component_smoothness_weak",
      [](double delta, double La, double C0, double C1) {
        return theory::component_smoothness_weak(ConstraintConstants{La, C0, C1}, delta);
      },
      nb::arg("delta"), nb::arg("La") = 0.0, nb::arg("C0") = 0.0, nb::arg("C1") = 0.0,
      R"(The paper's constant La + C1/4 + C0/(4 delta): true, weaker.

>>> component_smoothness_weak(delta=0.125, La=1.0, C0=1.0, C1=4.0)
4.0)");
}

// f(problem constants, xi, eps) with keyword arguments.
template <auto F>
void bind_count(nb::module_& t, const char* name, const char* doc) {
  t.def(
      name,
      [](Index m, double xi, double eps, double mu, Index l, double Lf, double La, double C0, double C1) {
        return F(ProblemConstants{m, l, Lf, mu, {La, C0, C1}}, xi, eps);
      },
      nb::arg("m"), nb::arg("xi"), nb::arg("eps"), nb::arg("mu") = 0.0, nb::arg("l") = 1, nb::arg("Lf") = 0.0,
      nb::arg("La") = 0.0, nb::arg("C0") = 0.0, nb::arg("C1") = 0.0, doc);
}

void bind_counts(nb::module_& t) {
  bind_count<&theory::static_smoothness>(t, "static_smoothness",
                                         R"(Smoothness of F_{xi,delta} at delta = eps/(4 m ln 2).

>>> round(static_smoothness(m=10, xi=2.0, eps=0.1, Lf=1.0, C0=1.0), 4)
1387.2944)");
  t.def(
      "accelerated_gradient_iterations",
      [](Index m, double xi, double eps, double distance, double Lf, double La, double C0, double C1) {
        return theory::accelerated_gradient_iterations(ProblemConstants{m, 1, Lf, 0.0, {La, C0, C1}}, xi, eps,
                                                       distance);
      },
      nb::arg("m"), nb::arg("xi"), nb::arg("eps"), nb::arg("distance"), nb::arg("Lf") = 0.0, nb::arg("La") = 0.0,
      nb::arg("C0") = 0.0, nb::arg("C1") = 0.0,
      R"(Corollary 1, corrected: accelerated gradient steps after which V_1 <= eps and F - F* <= xi eps/2 for sure.

>>> round(accelerated_gradient_iterations(m=10, xi=2.0, eps=0.1, distance=1.0, Lf=1.0, C0=1.0), 2)
235.57)");
  bind_count<&theory::corollary1_as_printed>(t, "corollary1_as_printed",
                                             R"(Corollary 1 of the paper, inside its O(). To compare with.

>>> round(corollary1_as_printed(m=10, xi=2.0, eps=0.25, Lf=1.0, C0=1.0), 6)
1602.0)");
  t.def(
      "strongly_convex_iterations",
      [](Index m, double xi, double eps, double initial_gap, double mu, double Lf, double La, double C0, double C1) {
        return theory::strongly_convex_iterations(ProblemConstants{m, 1, Lf, mu, {La, C0, C1}}, xi, eps, initial_gap);
      },
      nb::arg("m"), nb::arg("xi"), nb::arg("eps"), nb::arg("initial_gap"), nb::arg("mu"), nb::arg("Lf") = 0.0,
      nb::arg("La") = 0.0, nb::arg("C0") = 0.0, nb::arg("C1") = 0.0,
      R"(Corollary 2.1, corrected: sqrt(L/mu) ln(8 gap/(xi eps)) steps with constant momentum, L = static_smoothness.

>>> round(strongly_convex_iterations(m=10, xi=2.0, eps=0.1, initial_gap=1.0, mu=1.0, Lf=1.0, C0=1.0), 2)
137.4)");
  bind_count<&theory::corollary2_gradient_as_printed>(t, "corollary2_gradient_as_printed",
                                                      R"(Corollary 2.1 of the paper, inside its O~(). To compare with.

>>> round(corollary2_gradient_as_printed(m=16, xi=2.0, eps=0.5, mu=1.0, Lf=1.0, C0=1.0), 6)
17.0)");
  bind_count<[](const ProblemConstants& p, double xi, double eps) {
    return theory::catalyst_order(p, xi, eps, theory::Sampling::proportional);
  }>(t, "catalyst_order",
     R"(Corollary 2.2, corrected, inside its O~(): component steps of Catalyst-SVRG, importance sampling.

>>> round(catalyst_order(m=10, l=10, xi=2.0, eps=0.1, mu=1.0, Lf=1.0, C0=1.0), 2)
186.57)");
  bind_count<&theory::corollary2_catalyst_as_printed>(t, "corollary2_catalyst_as_printed",
                                                      R"(Corollary 2.2 of the paper, inside its O~(). To compare with.

>>> round(corollary2_catalyst_as_printed(m=16, l=9, xi=2.0, eps=0.5, mu=1.0, Lf=1.0, C0=1.0), 6)
94.0)");
}

void bind_further(nb::module_& t) {
  t.def(
      "inner_accuracy_for_change",
      [](double change, double mu, double violation, double La, double C0, double C1) {
        return theory::inner_accuracy_for_change(change, ConstraintConstants{La, C0, C1}, mu, violation);
      },
      nb::arg("change"), nb::arg("mu"), nb::arg("violation"), nb::arg("La") = 0.0, nb::arg("C0") = 0.0,
      nb::arg("C1") = 0.0,
      R"(How exactly F_{xi,delta} must be minimised so that no a_i(x) moves by more than `change`.

>>> inner_accuracy_for_change(0.5, mu=2.0, violation=0.0, C0=1.0)
0.25)");
  t.def(
      "nonsmooth_constraints",
      [](double xi, double delta, Index m, double error, double eps, bool from_above) {
        return theory::nonsmooth_constraints(Penalty{xi, delta, m}, error, eps, from_above);
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("m"), nb::arg("error"), nb::arg("eps"), nb::arg("from_above") = false,
      R"(Non-smooth constraints replaced by smooth ones that are off by at most `error`.

>>> nonsmooth_constraints(xi=2.0, delta=0.0, m=10, error=0.01, eps=0.1)
Guarantee(violation=0.6, objective_gap=0.4))");
  t.def("multiplier_method_rate", &theory::multiplier_method_rate, nb::arg("delta"), nb::arg("eigenvalue"),
        nb::arg("smallest_slack"),
        R"(Local rate of the multiplier method: max(1/(1 + eigenvalue/delta), exp(-slack/delta)).

>>> multiplier_method_rate(delta=1.0, eigenvalue=3.0, smallest_slack=10.0)
0.25)");
}

void bind_screening(nb::module_& t) {
  t.def("screening_radius", &theory::screening_radius, nb::arg("residual_norm"), nb::arg("mu"), nb::arg("gap"),
        R"(A ball about x that contains x*: (|r| + sqrt(|r|^2 + 2 mu gap))/mu, gap = F(feasible point) - L(x, lambda).

>>> screening_radius(residual_norm=0.0, mu=2.0, gap=1.0)
1.0)");
  t.def("screening_radius_centered", &theory::screening_radius_centered, nb::arg("residual_norm"), nb::arg("mu"),
        nb::arg("gap"), R"(The same about x - r/mu, without the leading |r|.

>>> screening_radius_centered(residual_norm=0.0, mu=2.0, gap=1.0)
1.0)");
  t.def("screening_radius_exact_penalty", &theory::screening_radius_exact_penalty, nb::arg("residual_norm"),
        nb::arg("mu"), nb::arg("master"),
        R"((|r| + sqrt(|r|^2 + 4 mu T))/(2 mu), T = master_term, where xi >= xi_bar is proved.

>>> screening_radius_exact_penalty(residual_norm=0.0, mu=1.0, master=4.0)
2.0)");
  t.def("screening_radius_saddle", &theory::screening_radius_saddle, nb::arg("residual_norm"), nb::arg("mu"),
        nb::arg("saddle_gap"), R"(About x - r/(2 mu): sqrt(|r|^2 + 4 mu T)/(2 mu), T the gap of the saddle function.

>>> screening_radius_saddle(residual_norm=0.0, mu=1.0, saddle_gap=4.0)
2.0)");
  t.def("screening_radius_multiplier", &theory::screening_radius_multiplier, nb::arg("residual_norm"), nb::arg("mu"),
        nb::arg("complementarity_sum"), R"(About x - r/mu: sqrt((2/mu)(S + |r|^2/(2 mu))).

>>> screening_radius_multiplier(residual_norm=0.0, mu=2.0, complementarity_sum=4.0)
2.0)");
  t.def("is_screened", &theory::is_screened, nb::arg("value"), nb::arg("gradient_norm"), nb::arg("La"),
        nb::arg("radius"), R"(Whether a_i < 0 on the whole ball: value + gradient_norm rho + La rho^2/2 < 0.

>>> is_screened(-1.0, gradient_norm=1.0, La=0.0, radius=0.5), is_screened(-1.0, gradient_norm=1.0, La=0.0, radius=2.0)
(True, False))");
}

void bind_examples(nb::module_& t) {
  t.def("example1", &theory::example1, nb::arg("xi"), nb::arg("delta"), nb::arg("m"),
        R"(Example 1: F = sum x_i, a_i = -x_i; x_i = delta ln(xi - 1).

>>> example1(xi=2.0, delta=0.1, m=3)
ExamplePoint(minimizer=0, violation_1=0, violation_2=0, objective_gap=0))");
  t.def("example2", &theory::example2, nb::arg("xi"), nb::arg("delta"), nb::arg("m"),
        R"(Example 2: F = |x|^2/2 + sum x_i, a_i = -x_i.

>>> example2(xi=2.0, delta=0.1, m=3)
ExamplePoint(minimizer=0, violation_1=0, violation_2=0, objective_gap=0))");
}

nb::list bounds(const std::map<std::string, double>& parameters) {
  nb::list out;
  for (const auto& entry : theory::evaluate_bounds(parameters)) {
    nb::dict row;
    row["name"] = entry.name;
    row["value"] = entry.value;
    row["formula"] = entry.formula;
    row["statement"] = entry.statement;
    row["standing"] = std::string(theory::to_string(entry.standing));
    row["condition"] = entry.condition;
    row["condition_holds"] = entry.condition_holds ? nb::object(nb::bool_(*entry.condition_holds)) : nb::none();
    out.append(row);
  }
  return out;
}

nb::dict parameters() {
  nb::dict out;
  for (const auto& p : theory::bound_parameters()) out[std::string(p.name).c_str()] = std::string(p.meaning);
  return out;
}

}  // namespace

void bind_theory_bounds(nb::module_& t) {
  bind_types(t);
  bind_smoothness(t);
  bind_counts(t);
  bind_further(t);
  bind_screening(t);
  bind_examples(t);
  t.def("evaluate_bounds", &bounds, nb::arg("parameters"), R"(Everything the given parameters determine: use bounds().

>>> evaluate_bounds({"xi": 2.0, "delta": 1e-3, "m": 10.0})[0]["standing"]
'guaranteed')");
  t.def("bound_parameters", &parameters, R"(The parameters that bounds() knows, with their meaning.

>>> bound_parameters()["mu"]
'strong convexity of the objective')");
}

}  // namespace pliant::python
