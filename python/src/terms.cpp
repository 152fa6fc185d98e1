#include "terms.hpp"

#include "arrays.hpp"
#include "pliant/objectives.hpp"

#include <nanobind/stl/string.h>

#include <string>

namespace pliant::python {

void bind_terms(nb::module_& m) {
  nb::class_<Term>(m, "Term")
      .def_prop_ro("kind", [](const Term& t) { return std::string(t.ptr->kind()); })
      .def_prop_ro("dimension", [](const Term& t) { return t.ptr->dimension(); });
  m.def(
      "linear", [](const DoublesIn& c, double constant) { return Term{linear(hold(c), constant)}; },
      nb::arg("c").noconvert(), nb::arg("constant"));
  m.def(
      "quadratic", [](const DataMatrix& P, const DoublesIn& q) { return Term{quadratic(P, hold(q))}; }, nb::arg("P"),
      nb::arg("q").noconvert());
  m.def(
      "least_squares", [](const DataMatrix& A, const DoublesIn& b) { return Term{least_squares(A, hold(b))}; },
      nb::arg("A"), nb::arg("b").noconvert());
  m.def(
      "logistic", [](const DataMatrix& A, const DoublesIn& y) { return Term{logistic(A, hold(y))}; }, nb::arg("A"),
      nb::arg("y").noconvert());
  m.def(
      "multinomial",
      [](const DataMatrix& A, const IndicesIn& labels, Index classes) {
        return Term{multinomial(A, hold(labels), classes)};
      },
      nb::arg("A"), nb::arg("labels").noconvert(), nb::arg("classes"));
  m.def(
      "huber", [](const DataMatrix& A, const DoublesIn& b, double k) { return Term{huber(A, hold(b), k)}; },
      nb::arg("A"), nb::arg("b").noconvert(), nb::arg("k"));
  m.def(
      "log_det", [](Index order) { return Term{log_det(order)}; }, nb::arg("order"));
}

}  // namespace pliant::python
