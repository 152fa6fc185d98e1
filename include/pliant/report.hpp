// The report of a solve: one HTML page that needs nothing but itself.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"

#include <filesystem>
#include <string>

namespace pliant {

struct ReportOptions {
  Settings settings;                 ///< of the solve: tolerances, and what was chosen
  const Problem* problem = nullptr;  ///< for sizes, names and the sense; without it the page has what the result knows
  std::string title;                 ///< empty: the problem's name
};

/// The page as text. Reads no constraint data.
std::string report_html(const Result& result, const ReportOptions& options = {});
/// Writes the page; it appears complete or not at all. "-" is standard output.
void write_report(const std::filesystem::path& file, const Result& result, const ReportOptions& options = {});

}  // namespace pliant
