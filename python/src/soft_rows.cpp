#include "pliant/soft_rows.hpp"

#include "arrays.hpp"
#include "terms.hpp"

namespace pliant::python {

// No weights: 1 each.
void bind_soft_rows(nb::module_& m) {
  nb::class_<Soft>(m, "SoftRows")
      .def_prop_ro("size", [](const Soft& s) { return s.rows.rows->size(); })
      .def_prop_ro("dimension", [](const Soft& s) { return s.rows.rows->dimension(); });
  m.def(
      "positive_part",
      [](const Batch& rows, const DoublesIn& weights) { return Soft{positive_part(rows.ptr, hold(weights))}; },
      nb::arg("rows"), nb::arg("weights").noconvert());
  m.def(
      "positive_part_cones",
      [](const ConicConstraint& cones, const DoublesIn& weights) { return Soft{positive_part(cones, hold(weights))}; },
      nb::arg("cones"), nb::arg("weights").noconvert());
  m.def(
      "positive_part_linear",
      [](const DataMatrix& G, const DoublesIn& h, const DoublesIn& weights) {
        return Soft{positive_part(G, hold(h), hold(weights))};
      },
      nb::arg("G"), nb::arg("h").noconvert(), nb::arg("weights").noconvert());
  m.def(
      "quantile",
      [](const DataMatrix& A, const DoublesIn& b, double tau, const DoublesIn& weights) {
        return Soft{quantile(A, hold(b), tau, hold(weights))};
      },
      nb::arg("A"), nb::arg("b").noconvert(), nb::arg("tau"), nb::arg("weights").noconvert());
  m.def(
      "absolute",
      [](const DataMatrix& A, const DoublesIn& b, const DoublesIn& weights) {
        return Soft{absolute(A, hold(b), hold(weights))};
      },
      nb::arg("A"), nb::arg("b").noconvert(), nb::arg("weights").noconvert());
  m.def(
      "epsilon_insensitive",
      [](const DataMatrix& A, const DoublesIn& b, double eps, const DoublesIn& weights) {
        return Soft{epsilon_insensitive(A, hold(b), eps, hold(weights))};
      },
      nb::arg("A"), nb::arg("b").noconvert(), nb::arg("eps"), nb::arg("weights").noconvert());
  m.def(
      "hinge",
      [](const DataMatrix& A, const DoublesIn& y, const DoublesIn& weights) {
        return Soft{hinge(A, hold(y), hold(weights))};
      },
      nb::arg("A"), nb::arg("y").noconvert(), nb::arg("weights").noconvert());
}

}  // namespace pliant::python
