#include "pliant/cvar.hpp"

#include "arrays.hpp"
#include "problem.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

namespace pliant::python {

void bind_cvar(nb::module_& m) {
  nb::class_<Cvar>(m, "Cvar")
      .def(
          "__init__",
          [](Cvar* self, const DataMatrix& losses, double beta, double weight, std::optional<double> limit,
             const std::string& name) {
            new (self) Cvar{losses, beta, weight, limit, name};
          },
          nb::arg("losses"), nb::arg("beta"), nb::arg("weight"), nb::arg("limit").none(), nb::arg("name"))
      .def("value", [](const Cvar& cvar, const DoublesIn& x) { return value(cvar, to_vector(x)); });
  m.def(
      "with_cvar",
      [](const HeldProblem& problem, const std::vector<Cvar>& terms) {
        return new HeldProblem(with_cvar(problem.problem, terms));
      },
      nb::arg("problem"), nb::arg("terms"));
  m.def(
      "complete_cvar",
      [](const std::vector<Cvar>& terms, const DoublesIn& x) { return to_numpy(complete(terms, to_vector(x))); },
      nb::arg("terms"), nb::arg("x"));
}

}  // namespace pliant::python
