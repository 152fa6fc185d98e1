// The parts of a page, each a piece of HTML.
#pragma once

#include "pliant/report.hpp"
#include "report/page/columns.hpp"

#include <string>

namespace pliant::report {

/// A table row of a name and a value, both HTML.
std::string fact(std::string_view name, std::string_view value);

/// A bar of this share of its place, in the colour of a style.
std::string horizontal_bar(double share, std::string_view style);

std::string variables_section(const Result& result, const std::optional<ProblemSummary>& problem);
std::string charts_section(const Result& result, const ReportOptions& options, const Columns& columns);
/// `where`: "solution", or whatever the point is.
std::string slack_figure(const SlackHistogram& slacks, double allowed, std::string_view where);
/// Nothing where no row is soft.
std::string soft_figure(const SoftOverview& soft, std::string_view where);
std::string multipliers_section(const Result& result, const std::optional<ProblemSummary>& problem);
std::string phases_section(const Timing& time);
std::string problem_section(const Result& result, const ReportOptions& options);
std::string settings_section(const Result& result, const ReportOptions& options);
std::string trace_section(const Columns& columns);

}  // namespace pliant::report
