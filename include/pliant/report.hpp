// The report of a solve: one HTML page that needs nothing but itself.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pliant {

/// What a report says about the problem, so that it can be written when the problem is gone. Plain texts.
struct ProblemSummary {
  struct Text {
    std::string name, value;
  };
  std::string name;
  Sense sense = Sense::minimize;
  std::vector<Text> facts;    ///< sizes and families
  std::vector<Text> leading;  ///< name and group of each of Result::overview.leading

  struct Variable {
    std::string name;
    double value = 0.0;
    double lower = 0.0, upper = 0.0;  ///< its bounds, infinite where there are none
    double bound_dual = 0.0;
    std::string place;  ///< "at lower", "at upper", "fixed", or empty
  };
  struct Variables {
    Index total = 0, at_lower = 0, at_upper = 0, fixed = 0;
    bool bounded = false;           ///< whether any has a bound
    std::vector<Variable> largest;  ///< a few, the largest |value| first
    std::vector<Variable> pressed;  ///< a few of those at bounds, the largest |multiplier of the bound| first
  };
  Variables variables;
};
/// A variable counts as at a bound within `tolerance` (1 + |bound|).
ProblemSummary summarize(const Problem& problem, const Result& result, double tolerance = Settings{}.tol_feas);

struct ReportOptions {
  Settings settings;                      ///< of the solve: tolerances, and what was chosen
  std::optional<ProblemSummary> problem;  ///< without it the page has what the result knows
  std::string title;                      ///< empty: the problem's name
};

/// The page as text. Of the result it uses neither x nor the multipliers, but their overview.
std::string report_html(const Result& result, const ReportOptions& options = {});
/// Writes the page; it appears complete or not at all. "-" is standard output.
void write_report(const std::filesystem::path& file, const Result& result, const ReportOptions& options = {});

}  // namespace pliant
