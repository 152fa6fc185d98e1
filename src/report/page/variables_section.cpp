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

std::string variable_row(const Variable& v, double size, double largest, bool bounded) {
  std::string out =
      fmt::format("<tr><td class=\"name\">{}</td><td class=\"num\">{}</td><td class=\"bars\">{}</td>", escape(v.name),
                  number(v.value, 6), horizontal_bar(largest > 0.0 ? std::abs(size) / largest : 0.0, "s0"));
  if (bounded) {
    out += fmt::format("<td class=\"of\">{}</td><td class=\"of\">{}</td><td class=\"num\">{}</td>", interval(v),
                       v.place, std::isnan(v.bound_dual) ? "" : number(v.bound_dual, 3));
  }
  return out + "</tr>\n";
}

std::string variable_table(std::string_view title, const std::vector<Variable>& rows, bool by_dual, bool bounded) {
  std::string out = fmt::format(
      "<h3>{}</h3><div class=\"scroll\"><table class=\"data{}\"><thead><tr><th>variable</th><th "
      "class=\"num\">value</th>"
      "<th class=\"bars\"></th>{}</tr></thead><tbody>\n",
      title, bounded ? " wide" : "", bounded ? "<th>bounds</th><th></th><th class=\"num\">bound dual</th>" : "");
  const auto size = [&](const Variable& v) { return by_dual ? v.bound_dual : v.value; };
  const double largest = std::abs(size(rows.front()));
  for (const Variable& v : rows) out += variable_row(v, size(v), largest, bounded);
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
  out += variable_table(std::ssize(v.largest) < v.total ? "The largest" : "All, the largest first", v.largest, false,
                        v.bounded);
  if (!v.pressed.empty()) out += variable_table("Held hardest by their bounds", v.pressed, true, true);
  return out + "</section>\n";
}

}  // namespace pliant::report
