// The parts of the extension pliant._core. It is the bare library: arrays come in already checked and contiguous, and
// the package in Python around it names the arguments in its messages (python/pliant/_arrays.py).
#pragma once

#include <nanobind/nanobind.h>

namespace pliant::python {

namespace nb = nanobind;

void bind_arrays(nb::module_& m);
void bind_terms(nb::module_& m);
void bind_regularizers(nb::module_& m);
void bind_constraints(nb::module_& m);
void bind_soft_rows(nb::module_& m);
void bind_cvar(nb::module_& m);
void bind_shards(nb::module_& m);
void bind_device(nb::module_& m);
void bind_callback(nb::module_& m);
void bind_conic(nb::module_& m);
void bind_problem(nb::module_& m);
void bind_settings(nb::module_& m);
void bind_solve(nb::module_& m);
void bind_solver(nb::module_& m);
void bind_tangent(nb::module_& m);
void bind_generate(nb::module_& m);
void bind_theory(nb::module_& m);
void bind_theory_bounds(nb::module_& theory);
void bind_theory_theorem1(nb::module_& theory);

}  // namespace pliant::python
