// The bounds of pliant/theory.hpp: Theorem 1 repaired, violations in other norms, the middle term of Proposition 2.
#include "pliant/theory.hpp"

#include "arrays.hpp"
#include "core.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace pliant::python {
namespace {

using theory::ConstraintConstants;
using theory::NormBounds;
using theory::Penalty;
using DenseRows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Matrix to_matrix(const DenseRows& rows) {
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const ByRows>(rows.data(), static_cast<Index>(rows.shape(0)), static_cast<Index>(rows.shape(1)));
}

void bind_repaired(nb::module_& t) {
  t.def(
      "theorem1_repaired",
      [](double xi, double delta, Index m, double mu, double A_norm, double row_norm, double chi) {
        return theory::theorem1_repaired(Penalty{xi, delta, m}, mu, A_norm, row_norm, chi);
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("m"), nb::arg("mu"), nb::arg("A_norm"), nb::arg("row_norm"),
      nb::arg("chi"),
      R"(Theorem 1 repaired, linear constraints and a constant Hessian: |A x_delta - A x*|_2 <=
(1 + chi) sqrt(m) delta (1 + ln(sqrt(m) A_norm row_norm xi/(mu delta))), for xi >= xi_bar.

>>> round(theorem1_repaired(xi=1.0, delta=1e-6, m=2, mu=1.0, A_norm=1000.0, row_norm=1000.0, chi=1000.0), 4)
0.041)");
  t.def(
      "theorem1_repaired_sharp",
      [](double xi, double delta, Index m, double mu, double A_norm, double chi) {
        return theory::theorem1_repaired_sharp(Penalty{xi, delta, m}, mu, A_norm, chi);
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("m"), nb::arg("mu"), nb::arg("A_norm"), nb::arg("chi"),
      R"(The same, sharper: sqrt(1 + chi^2) sqrt(m) delta (1 + ln(A_norm^2 xi/(mu delta))).

>>> round(theorem1_repaired_sharp(xi=1.0, delta=1e-6, m=2, mu=1.0, A_norm=1000.0, chi=1000.0), 4)
0.0405)");
  t.def(
      "theorem1_repaired_infinity",
      [](double xi, double delta, Index m, double mu, double A_norm, double row_norm, double chi_inf) {
        return theory::theorem1_repaired_infinity(Penalty{xi, delta, m}, mu, A_norm, row_norm, chi_inf);
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("m"), nb::arg("mu"), nb::arg("A_norm"), nb::arg("row_norm"),
      nb::arg("chi_inf"),
      R"(In the infinity norm: (1 + chi_inf) delta (1 + ln(sqrt(m) A_norm row_norm xi/(mu delta))).

>>> round(theorem1_repaired_infinity(1.0, delta=1e-6, m=2, mu=1.0, A_norm=1e3, row_norm=1e3, chi_inf=1e3), 4)
0.029)");
  t.def(
      "theorem1_repaired_active",
      [](double xi, double delta, Index m, double mu, double L, double A_norm, double row_norm, Index active,
         double smallest_singular, double smallest_slack) {
        return theory::theorem1_repaired_active(Penalty{xi, delta, m}, mu, L, A_norm, row_norm,
                                                {active, smallest_singular, smallest_slack});
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("m"), nb::arg("mu"), nb::arg("L"), nb::arg("A_norm"),
      nb::arg("row_norm"), nb::arg("active"), nb::arg("smallest_singular"), nb::arg("smallest_slack") = 0.0,
      R"(Many rows, mu <= Hessian <= L: only the active rows enter, once delta is small enough; infinite before.

>>> round(theorem1_repaired_active(2.0, delta=1e-6, m=100, mu=0.5, L=1.5, A_norm=3.0, row_norm=1.0,
...                                active=4, smallest_singular=0.5, smallest_slack=0.1), 7)
0.0005202)");
}

void bind_chi(nb::module_& t) {
  // Arrays are checked by the functions of the package that carry these names without the underscore.
  t.def("_chi_exact", [](const DenseRows& A, const DenseRows& Q, bool infinity) {
    return theory::chi_exact(to_matrix(A), to_matrix(Q), infinity ? theory::Norm::infinity : theory::Norm::two);
  });
  t.def("_chi_bound",
        [](const DenseRows& A, const DenseRows& Q) { return theory::chi_bound(to_matrix(A), to_matrix(Q)); });
  t.def("_chi_varying",
        [](const DenseRows& A, double mu, double L) { return theory::chi_varying(to_matrix(A), mu, L); });
  t.def("chi_bound_minors", &theory::chi_bound_minors, nb::arg("m"), nb::arg("rank"), nb::arg("largest_minor"),
        R"(An upper bound of chi for integer rows with minors at most `largest_minor` in size and a diagonal Hessian.

>>> round(chi_bound_minors(m=100, rank=2, largest_minor=1.0), 6)
14.071247)");
}

void bind_norms(nb::module_& t) {
  nb::class_<NormBounds>(t, "NormBounds", "Bounds of |max(0, A(x))| in the 1-norm, the 2-norm and the infinity norm.")
      .def_ro("one", &NormBounds::one)
      .def_ro("two", &NormBounds::two)
      .def_ro("infinity", &NormBounds::infinity)
      .def("__repr__", [](const NormBounds& b) {
        return fmt::format("NormBounds(one={:.6g}, two={:.6g}, infinity={:.6g})", b.one, b.two, b.infinity);
      });
  t.def(
      "violation_norms",
      [](double xi, double delta, Index m, double xi_bar) {
        return theory::violation_norms(Penalty{xi, delta, m}, xi_bar);
      },
      nb::arg("xi"), nb::arg("delta"), nb::arg("m"), nb::arg("xi_bar"),
      R"(Violations of x_delta in three norms. Infinity norm: delta u, u (sigma(u) - xi_bar/xi) = (m - 1) W.

>>> violation_norms(xi=1.5, delta=0.1, m=1, xi_bar=1.0)
NormBounds(one=0.0693147, two=0.0693147, infinity=0.0693147))");
  t.def(
      "violation_norms_from_distance",
      [](Index m, double distance, double C0, double C1) {
        return theory::violation_norms_from_distance(ConstraintConstants{0.0, C0, C1}, m, distance);
      },
      nb::arg("m"), nb::arg("distance"), nb::arg("C0"), nb::arg("C1") = 0.0,
      R"(Violations of a point at this distance from a feasible one, |grad a_i|^2 <= C0 + C1 |a_i|.

>>> violation_norms_from_distance(m=9, distance=0.5, C0=4.0)
NormBounds(one=9, two=3, infinity=1))");
  t.def("change_bound", &theory::change_bound, nb::arg("master"), nb::arg("mu"), nb::arg("norm"),
        R"(Linear constraints: |A x_delta - A x*| <= norm sqrt(master/mu), norm = |A|_2 or, infinity norm, max|a_i|_2.

>>> change_bound(8.0, mu=2.0, norm=3.0)
6.0)");
}

void bind_middle_term(nb::module_& t) {
  t.def(
      "weighted_violation",
      [](double xi, double xi_bar, const std::vector<double>& values, const std::vector<Index>& always_active) {
        return theory::weighted_violation(xi, xi_bar, values, always_active);
      },
      nb::arg("xi"), nb::arg("xi_bar"), nb::arg("values"), nb::arg("always_active"),
      R"(The middle term of Proposition 2, xi sum over I + (xi - xi_bar) sum over E of max(0, a_i), at most
F_{xi,delta}(x) - F*; `always_active` lists E.

>>> weighted_violation(5.0, xi_bar=3.0, values=[0.5, -3.0, 2.0], always_active=[0, 1])
11.0)");
  t.def(
      "weighted_violation_bound_weak",
      [](double difference, double xi, double delta, Index m) {
        return theory::weighted_violation_bound_weak(difference, Penalty{xi, delta, m});
      },
      nb::arg("difference"), nb::arg("xi"), nb::arg("delta"), nb::arg("m"),
      R"(The paper's bound of it: difference + m xi delta ln 2, difference = F_{xi,delta}(x) - F_{xi,delta}(x*).

>>> round(weighted_violation_bound_weak(0.5, xi=3.0, delta=1e-3, m=1000), 6)
2.579442)");
  t.def("inactive_violation_bound", &theory::inactive_violation_bound, nb::arg("gap"), nb::arg("xi"),
        R"(The part of V_1(x) outside of E is at most gap/xi, gap = F_{xi,delta}(x) - F*.

>>> inactive_violation_bound(gap=0.5, xi=2.0)
0.25)");
}

}  // namespace

void bind_theory_theorem1(nb::module_& t) {
  bind_norms(t);
  bind_repaired(t);
  bind_chi(t);
  bind_middle_term(t);
}

}  // namespace pliant::python
