#include "report/page/sections.hpp"

#include "report/page/chart.hpp"
#include "report/page/markup.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::report {
namespace {

std::string place_of(const LeadingMultiplier& leader) {
  switch (leader.kind) {
    case LeadingMultiplier::Kind::constraint:
      return fmt::format("batch {}, row {}", leader.part, leader.row);
    case LeadingMultiplier::Kind::cone:
      return fmt::format("cones {}, cone {}", leader.part, leader.row);
    case LeadingMultiplier::Kind::equality:
      return fmt::format("equality {}", leader.row);
  }
  return {};
}

// Soft rows and equalities have values of either sign, and constraints that contradict each other cannot all hold.
bool all_at_most_zero(const Result& result) {
  const ConstraintOverview& overview = result.overview;
  return !result.infeasibility && overview.soft.total() == 0 &&
         std::none_of(overview.leading.begin(), overview.leading.end(),
                      [](const LeadingMultiplier& l) { return l.kind == LeadingMultiplier::Kind::equality; });
}

std::string what_multipliers_say(const Result& result) {
  if (result.infeasibility) {
    return result.infeasibility->rows == 1 ? "The constraint with a multiplier cannot hold."
                                           : "Constraints with a multiplier contradict each other.";
  }
  std::string out =
      "What it would be worth to relax a constraint by one unit. These shape the solution; constraints "
      "with a slack cost nothing.";
  if (result.overview.soft.total() > 0) out += " The multiplier of a soft row is at most its price.";
  return out;
}

}  // namespace

std::string horizontal_bar(double share, std::string_view style) {
  return fmt::format("<span class=\"bar {}\"><span style=\"width:{:.2f}%\"></span></span>", style,
                     100.0 * std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0));
}

std::string fact(std::string_view name, std::string_view value) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, value);
}

std::string multipliers_section(const Result& result, const std::optional<ProblemSummary>& problem) {
  const std::vector<LeadingMultiplier>& leading = result.overview.leading;
  if (leading.empty() && result.unboundedness) return {};  // a direction has none
  std::string out = fmt::format("<section id=\"multipliers\"><h2>{}</h2>",
                                result.infeasibility ? "Multipliers of the proof" : "Largest multipliers");
  if (leading.empty()) return out + "<p class=\"nothing\">No constraint has a multiplier.</p></section>\n";
  out += "<p>" + what_multipliers_say(result) + "</p>";
  out +=
      "<div class=\"scroll\"><table class=\"data wide\"><thead><tr><th>constraint</th><th>of</th><th "
      "class=\"num\">multiplier</th><th class=\"bars\"></th><th class=\"num\">value";
  if (all_at_most_zero(result)) out += " (&le; 0)";
  out += "</th></tr></thead><tbody>\n";
  const double largest = std::abs(leading.front().multiplier);
  for (std::size_t k = 0; k < leading.size(); ++k) {
    const LeadingMultiplier& leader = leading[k];
    const ProblemSummary::Text text =
        problem && k < problem->leading.size() ? problem->leading[k] : ProblemSummary::Text{place_of(leader), ""};
    out += fmt::format(
        "<tr><td class=\"name\">{}</td><td class=\"of\">{}</td><td class=\"num\">{}</td><td class=\"bars\">{}</td>"
        "<td class=\"num\">{}</td></tr>\n",
        escape(text.name), escape(text.value), number(leader.multiplier, 5),
        horizontal_bar(std::abs(leader.multiplier) / largest, "s0"), number(leader.value, 2));
  }
  return out + "</tbody></table></div></section>\n";
}

std::string phases_section(const Timing& time) {
  struct Part {
    std::string name;
    double seconds;
    bool inner;
  };
  std::vector<Part> parts{{"reading the problem", time.read, false},
                          {"checks and set-up", time.setup, false},
                          {"solve", time.solve, false}};
  double named = 0.0;
  for (const auto& [name, seconds] : time.phases) {
    parts.push_back({escape(name), seconds, true});
    named += seconds;
  }
  if (!time.phases.empty()) parts.push_back({"everything else", std::max(0.0, time.solve - named), true});
  const double total = std::max(time.total, time.read + time.setup + time.solve);
  std::string out = "<section id=\"time\"><h2>Time</h2><div class=\"scroll\"><table class=\"data\"><tbody>\n";
  for (const Part& part : parts) {
    out += fmt::format("<tr{}><td class=\"name\">{}</td><td class=\"num\">{}</td><td class=\"bars\">{}</td></tr>\n",
                       part.inner ? " class=\"inner\"" : "", part.name, report::seconds(part.seconds),
                       horizontal_bar(part.seconds / total, part.inner ? "s2" : "s0"));
  }
  return out + fmt::format(
                   "<tr class=\"total\"><td class=\"name\">total</td><td class=\"num\">{}</td><td></td></tr>"
                   "</tbody></table></div></section>\n",
                   report::seconds(total));
}

std::string problem_section(const Result& result, const ReportOptions& options) {
  std::string out = "<section id=\"problem\"><h2>Problem</h2><table class=\"facts\"><tbody>\n";
  if (options.problem) {
    for (const ProblemSummary::Text& text : options.problem->facts) out += fact(escape(text.name), escape(text.value));
  } else {
    out += fact("Inequalities", count(result.overview.slacks.total()));
  }
  if (const SoftOverview& soft = result.overview.soft; soft.total() > 0) {
    out += fact("Soft rows",
                fmt::format("{} at zero, {} at the kink, {} at their price; they cost {}", count(soft.at_zero),
                            count(soft.at_kink), count(soft.at_price), number(soft.cost, 6)));
  }
  return out + "</tbody></table></section>\n";
}

std::string settings_section(const Result& result, const ReportOptions& options) {
  std::string out = "<section id=\"method\"><h2>Method</h2><table class=\"facts\"><tbody>\n";
  out += fact("Method", fmt::format("{}{}", escape(result.engine),
                                    result.choice.empty() ? "" : " <small>(" + escape(result.choice) + ")</small>"));
  out += fact("Iterations", count(result.iterations));
  out += fact("Passes over the data", number(result.passes, 4));
  out += fact("Component evaluations", count(result.component_evaluations));
  if (result.screened > 0) out += fact("Proven inactive", plural(result.screened, "constraint"));
  if (has_penalty(result)) {
    out += fact("Penalty &xi;", number(result.xi, 4) + (result.xi_proved ? " (proved large enough)" : ""));
    out += fact("Smoothing &delta;", number(result.delta, 4));
  }
  if (result.guarantee) {
    const GuaranteeForecast& promised = result.guarantee->predicted;
    out += fact("Guarantee",
                fmt::format("{} of N = {} steps (Corollary {}): violations add up to at most {}, objective "
                            "within {}",
                            count(result.guarantee->iterations), number(promised.iterations, 6), promised.corollary,
                            number(promised.violation, 3), number(promised.objective_gap, 3)));
  }
  const Settings defaults;
  for (const SettingSpec& spec : settings_table()) {
    const std::string value = spec.print(options.settings);
    const bool always = spec.name == "tol_feas" || spec.name == "tol_gap";
    const bool silent = spec.name == "verbose" || spec.name == "timeless";  // change nothing of the solve
    if (always || (!silent && value != spec.print(defaults)))
      out += fact("<code>" + spec.option() + "</code>", escape(value));
  }
  return out + "</tbody></table></section>\n";
}

}  // namespace pliant::report
