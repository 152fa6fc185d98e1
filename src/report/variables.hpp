// Values of the variables for people: the largest ones, by name, and which of them stand at a bound.
#pragma once

#include "pliant/report.hpp"

#include <string>

namespace pliant::report {

/// The name of a variable, or x0, x1, ... where it has none.
std::string variable_name(const Problem& problem, Index j);

/// At most `most` variables of each kind; one counts as at a bound within `tolerance` (1 + |bound|).
ProblemSummary::Variables pick_variables(const Problem& problem, const Result& result, Index most, double tolerance);

/// The largest ones as lines, with bounds and multipliers of the bounds, under a line that counts those at bounds.
std::string variables(const Problem& problem, const Result& result, Index most, double tolerance);

}  // namespace pliant::report
