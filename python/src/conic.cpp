#include "pliant/cones.hpp"

#include "arrays.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

namespace pliant::python {

void bind_conic(nb::module_& m) {
  nb::enum_<ConeKind>(m, "ConeKind")
      .value("zero", ConeKind::zero)
      .value("nonnegative", ConeKind::nonnegative)
      .value("second_order", ConeKind::second_order)
      .value("semidefinite", ConeKind::semidefinite)
      .value("exponential", ConeKind::exponential)
      .value("power", ConeKind::power);
  nb::class_<ConicConstraint>(m, "Conic")
      .def_prop_ro("rows", [](const ConicConstraint& c) { return c.G.rows(); })
      .def_prop_ro("dimension", [](const ConicConstraint& c) { return c.G.cols(); })
      .def_prop_ro("cones", [](const ConicConstraint& c) {
        std::vector<std::tuple<ConeKind, Index, double>> out;
        for (const Cone& cone : c.cones) out.emplace_back(cone.kind, cone.rows, cone.alpha);
        return out;
      });
  m.def(
      "conic",
      [](const DataMatrix& G, const DoublesIn& h, const std::vector<std::tuple<ConeKind, Index, double>>& cones) {
        ConicConstraint conic{G, hold(h), {}};
        for (const auto& [kind, rows, alpha] : cones) conic.cones.push_back({kind, rows, alpha});
        return conic;
      },
      nb::arg("G"), nb::arg("h").noconvert(), nb::arg("cones"));
  m.def(
      "soc_le",
      [](Index count, Index n, Index k, const DoublesIn& A, const DoublesIn& b, const DoublesIn& c,
         const DoublesIn& d) {
        return soc_le(Tensor({count, k, n}, hold(A)), Tensor({count, k}, hold(b)), Tensor({count, n}, hold(c)),
                      hold(d));
      },
      nb::arg("m"), nb::arg("n"), nb::arg("k"), nb::arg("A").noconvert(), nb::arg("b").noconvert(),
      nb::arg("c").noconvert(), nb::arg("d").noconvert());
  m.def(
      "lmi_le",
      [](Index count, Index n, Index k, const DoublesIn& F0, const DoublesIn& F) {
        return lmi_le(Tensor({count, k, k}, hold(F0)), Tensor({count, n, k, k}, hold(F)));
      },
      nb::arg("m"), nb::arg("n"), nb::arg("k"), nb::arg("F0").noconvert(), nb::arg("F").noconvert());
}

}  // namespace pliant::python
