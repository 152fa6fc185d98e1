// Results as Python sees them.
#pragma once

#include "core.hpp"

#include "pliant/problem.hpp"
#include "pliant/result.hpp"

#include "report/figures.hpp"

namespace pliant::python {

/// Figures as a dict. `infinite`: infinite numbers stay, else they are None as in JSON.
nb::dict to_python(const report::Figures& figures, bool infinite);

/// All that a Result of the package is made of: "info" (the fields of --json, with infinite numbers where JSON has
/// null), x, duals by batch, cone duals, the other duals, the ray, the trace as columns.
nb::dict to_python(const Problem& problem, const Settings& settings, Result result);
void bind_result(nb::module_& m);

/// The numbers of one row of progress, objective and bound as the author of the problem counts them.
nb::tuple to_python(const Problem& problem, const Progress& row);
/// Their names.
nb::tuple progress_fields();

}  // namespace pliant::python
