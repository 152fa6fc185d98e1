// The parts of a page, each a piece of HTML.
#pragma once

#include "pliant/report.hpp"
#include "report/page/columns.hpp"

#include <string>

namespace pliant::report {

/// A table row of a name and a value, both HTML.
std::string fact(std::string_view name, std::string_view value);

std::string charts_section(const Result& result, const ReportOptions& options, const Columns& columns);
std::string slack_figure(const SlackHistogram& slacks, double allowed);
std::string multipliers_section(const Result& result, const std::optional<ProblemSummary>& problem);
std::string phases_section(const Timing& time);
std::string problem_section(const Result& result, const ReportOptions& options);
std::string settings_section(const Result& result, const ReportOptions& options);
std::string trace_section(const Columns& columns);

}  // namespace pliant::report
