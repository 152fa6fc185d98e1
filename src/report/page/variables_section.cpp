// The answer itself: the largest variables by name, and those that press hardest against their bounds.
#include "report/page/markup.hpp"
#include "report/page/sections.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant::report {
namespace {

using Variable = ProblemSummary::Variable;

std::string interval(const Variable& v) {
  if (!std::isfinite(v.lower) && !std::isfinite(v.upper)) return "free";
  if (v.lower == v.upper) return "= " + number(v.lower, 4);
  if (!std::isfinite(v.upper)) return "&ge; " + number(v.lower, 4);
  if (!std::isfinite(v.lower)) return "&le; " + number(v.upper, 4);
  return fmt::format("{} &hellip; {}", number(v.lower, 4), number(v.upper, 4));
}

// Bounds and whether x is there share a cell, which may break where the window is narrow.
std::string bound_cell(const Variable& v) {
  return fmt::format("<td>{}{}</td>", interval(v),
                     v.place.empty() ? "" : fmt::format(" <small class=\"place\">{}</small>", v.place));
}

std::string bar_cell(double size, double largest) {
  return fmt::format("<td class=\"bars\">{}</td>", size == 0.0 ? "" : horizontal_bar(std::abs(size) / largest, "s0"));
}

enum class SortedBy { value, dual };

// The bars are those of the number before them: of the value, or of the dual.
std::string variable_row(const Variable& v, double largest, SortedBy sorted, bool bounded) {
  const bool by_dual = sorted == SortedBy::dual;
  std::string out =
      fmt::format("<tr><td class=\"name\">{}</td><td class=\"num\">{}</td>", escape(v.name), number(v.value, 6));
  if (!by_dual) out += bar_cell(v.value, largest);
  if (bounded) {
    out += fmt::format("{}<td class=\"num\">{}</td>", bound_cell(v),
                       std::isnan(v.bound_dual) ? "" : number(v.bound_dual, 3));
  }
  if (by_dual) out += bar_cell(v.bound_dual, largest);
  return out + "</tr>\n";
}

std::string variable_table(std::string_view title, const std::vector<Variable>& rows, SortedBy sorted, bool bounded) {
  constexpr std::string_view kBars = "<th class=\"bars\"></th>";
  const bool by_dual = sorted == SortedBy::dual;
  std::string out = fmt::format(
      "<h3>{}</h3><div class=\"scroll\"><table class=\"data{}\"><thead><tr><th>variable</th><th "
      "class=\"num\">value</th>{}{}{}</tr></thead><tbody>\n",
      title, bounded ? " wide" : "", by_dual ? "" : kBars,
      bounded ? "<th>bounds</th><th class=\"num\">bound dual</th>" : "", by_dual ? kBars : "");
  const double largest = std::abs(by_dual ? rows.front().bound_dual : rows.front().value);
  for (const Variable& v : rows) out += variable_row(v, largest, sorted, bounded);
  return out + "</tbody></table></div>\n";
}

std::string counted(const ProblemSummary::Variables& v) {
  if (!v.bounded) return fmt::format("{}, without bounds.", plural(v.total, "variable"));
  return fmt::format("{}: {} at lower bounds, {} at upper ones, {} fixed, {} between.", plural(v.total, "variable"),
                     count(v.at_lower), count(v.at_upper), count(v.fixed),
                     count(v.total - v.at_lower - v.at_upper - v.fixed));
}

}  // namespace

std::string variables_section(const Result& result, const std::optional<ProblemSummary>& problem) {
  // The point of a proof is no answer.
  if (!problem || problem->variables.largest.empty() || result.infeasibility || result.unboundedness) return {};
  const ProblemSummary::Variables& v = problem->variables;
  std::string out = fmt::format("<section id=\"variables\"><h2>Variables</h2><p>{}</p>\n", counted(v));
  out += variable_table(std::ssize(v.largest) < v.total ? "The largest" : "All, the largest first", v.largest,
                        SortedBy::value, v.bounded);
  if (!v.pressed.empty()) out += variable_table("Held hardest by their bounds", v.pressed, SortedBy::dual, true);
  return out + "</section>\n";
}

}  // namespace pliant::report
