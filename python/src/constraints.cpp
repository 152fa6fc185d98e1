#include "pliant/constraints.hpp"

#include "arrays.hpp"
#include "pliant/kinds.hpp"
#include "terms.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

namespace pliant::python {
namespace {

// [(name, [signatures in words]), ...] as registered.
nb::list signatures(const std::vector<KindInfo>& kinds) {
  nb::list out;
  for (const KindInfo& kind : kinds) {
    nb::list made_by;
    for (const KindLayout& layout : kind.layouts) made_by.append(std::string(layout.python));
    out.append(nb::make_tuple(std::string(kind.name), made_by));
  }
  return out;
}

}  // namespace

void bind_constraints(nb::module_& m) {
  nb::class_<Batch>(m, "Batch")
      .def_prop_ro("family", [](const Batch& b) { return std::string(b.ptr->family()); })
      .def_prop_ro("name", [](const Batch& b) { return b.ptr->name; })
      .def_prop_ro("size", [](const Batch& b) { return b.ptr->size(); })
      .def_prop_ro("dual_size", [](const Batch& b) { return b.ptr->dual_size(); })
      .def_prop_ro("dimension", [](const Batch& b) { return b.ptr->dimension(); });
  m.def("objective_kinds", [] { return signatures(objective_kinds()); });
  m.def("prox_kinds", [] { return signatures(prox_kinds()); });
  m.def("constraint_kinds", [] { return signatures(constraint_kinds()); });
  m.def(
      "linear_le", [](const DataMatrix& G, const DoublesIn& h) { return Batch{linear_le(G, hold(h))}; }, nb::arg("G"),
      nb::arg("h").noconvert());
  m.def(
      "linear_range",
      [](const DoublesIn& lo, const DataMatrix& G, const DoublesIn& hi) {
        return Batch{linear_range(hold(lo), G, hold(hi))};
      },
      nb::arg("lo").noconvert(), nb::arg("G"), nb::arg("hi").noconvert());
  m.def(
      "quadratic_le",
      [](Index count, Index n, const DoublesIn& P, const DoublesIn& q, const DoublesIn& r) {
        return Batch{quadratic_le(Tensor({count, n, n}, hold(P)), Tensor({count, n}, hold(q)), hold(r))};
      },
      nb::arg("m"), nb::arg("n"), nb::arg("P").noconvert(), nb::arg("q").noconvert(), nb::arg("r").noconvert());
  m.def(
      "quadratic_lowrank_le",
      [](Index count, Index n, Index rank, const DoublesIn& factors, const DoublesIn& q, const DoublesIn& r) {
        return Batch{
            quadratic_lowrank_le(Tensor({count, rank, n}, hold(factors)), Tensor({count, n}, hold(q)), hold(r))};
      },
      nb::arg("m"), nb::arg("n"), nb::arg("rank"), nb::arg("factors").noconvert(), nb::arg("q").noconvert(),
      nb::arg("r").noconvert());
  m.def(
      "quadratic_diagonal_le",
      [](Index count, Index n, const DoublesIn& diagonals, const DoublesIn& q, const DoublesIn& r) {
        return Batch{quadratic_diagonal_le(Tensor({count, n}, hold(diagonals)), Tensor({count, n}, hold(q)), hold(r))};
      },
      nb::arg("m"), nb::arg("n"), nb::arg("diagonals").noconvert(), nb::arg("q").noconvert(), nb::arg("r").noconvert());
  m.def(
      "log_sum_exp_le",
      [](Index count, Index n, Index terms, const DoublesIn& A, const DoublesIn& b) {
        return Batch{log_sum_exp_le(Tensor({count, terms, n}, hold(A)), Tensor({count, terms}, hold(b)))};
      },
      nb::arg("m"), nb::arg("n"), nb::arg("terms"), nb::arg("A").noconvert(), nb::arg("b").noconvert());
  m.def(
      "rank_one_le",
      [](Index count, Index p, const DoublesIn& points, const DoublesIn& b, bool lifted) {
        return Batch{lifted ? rank_one_lifted_le(Tensor({count, p}, hold(points)), hold(b))
                            : rank_one_le(Tensor({count, p}, hold(points)), hold(b))};
      },
      nb::arg("m"), nb::arg("p"), nb::arg("points").noconvert(), nb::arg("b").noconvert(), nb::arg("lifted"));
}

}  // namespace pliant::python
