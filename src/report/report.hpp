// A result for people (tables) and as CSV; for machines there is figures.hpp. Shared by the command and Python.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"

#include <string>

namespace pliant::report {

/// One row per progress record, header first. `timeless` leaves the times out.
std::string trace_csv(const Problem& problem, const std::vector<Progress>& trace, bool timeless);

/// "5 linear constraints"
std::string describe_constraints(const Problem& problem);

/// Whether a solve had a penalty: methods that follow a path of complementarity for cones have none.
bool has_penalty(const Result& result);

/// The progress table: one line per record, columns aligned, and the header of the columns that a record asks for.
/// Methods that follow a path of complementarity have columns of their own; where two headers differ, the line under
/// the new one needs it.
std::string progress_header(const Progress& row, bool timeless);
std::string progress_line(const Problem& problem, const Progress& row, bool timeless);

/// The opening lines: version, and what the problem called `label` is made of.
std::string heading(const Problem& problem, const std::string& label);
/// "method       path / working sets  (why)"
std::string method_line(const Result& result);

/// What a problem's constants promise, as lines of `info` and of the closing block.
std::string describe(const SlaterConstants& slater);
std::string describe(const GuaranteeForecast& forecast);

/// The closing block: status, objective, bound, violation, effort.
std::string summary(const Problem& problem, const Settings& settings, const Result& result);
std::string summary(const Problem& problem, const Certificate& certificate);

}  // namespace pliant::report
