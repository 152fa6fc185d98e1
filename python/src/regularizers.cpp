#include "pliant/regularizers.hpp"

#include "arrays.hpp"
#include "terms.hpp"

#include <nanobind/stl/string.h>

#include <string>

namespace pliant::python {

void bind_regularizers(nb::module_& m) {
  nb::class_<Prox>(m, "Prox").def_prop_ro("kind", [](const Prox& p) { return std::string(p.ptr->kind()); });
  m.def(
      "l1", [](Index n, double w) { return Prox{l1(n, w)}; }, nb::arg("n"), nb::arg("w"));
  m.def(
      "l2_squared", [](Index n, double w) { return Prox{l2_squared(n, w)}; }, nb::arg("n"), nb::arg("w"));
  m.def(
      "elastic_net", [](Index n, double w1, double w2) { return Prox{elastic_net(n, w1, w2)}; }, nb::arg("n"),
      nb::arg("w1"), nb::arg("w2"));
  m.def(
      "box", [](const DoublesIn& lo, const DoublesIn& hi) { return Prox{box(hold(lo), hold(hi))}; },
      nb::arg("lo").noconvert(), nb::arg("hi").noconvert());
  m.def(
      "nonnegative", [](Index n) { return Prox{nonnegative(n)}; }, nb::arg("n"));
  m.def(
      "simplex", [](Index n, double radius) { return Prox{simplex(n, radius)}; }, nb::arg("n"), nb::arg("radius"));
  m.def(
      "ball", [](Index n, double radius) { return Prox{ball(n, radius)}; }, nb::arg("n"), nb::arg("radius"));
  m.def(
      "group_l2",
      [](const IndicesIn& groups, const DoublesIn& weights) { return Prox{group_l2(hold(groups), hold(weights))}; },
      nb::arg("groups").noconvert(), nb::arg("weights").noconvert());
}

}  // namespace pliant::python
