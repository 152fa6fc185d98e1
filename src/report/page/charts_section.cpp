#include "report/page/chart.hpp"
#include "report/page/markup.hpp"
#include "report/page/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::report {
namespace {

constexpr Index kTableRows = 30;

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

// Where the objective falls without end there is no optimal value to be near to.
LineChart falling_chart(const Columns& c) {
  return {"objective",
          "Objective",
          "It falls without end along the direction of the proof. Logarithmic: its size.",
          {{0, "objective", "objective", c.objective, 0.0}}};
}

LineChart objective_chart(const Result& result, const Columns& c) {
  // Distances are measured to the other end of the final interval, so that both lines end at the final gap.
  const double sign = -c.direction;
  const double objective = sign * result.certificate.objective, bound = sign * result.certificate.lower_bound;
  const bool both = std::isfinite(objective) && std::isfinite(bound);
  const auto to_bound = both ? if_finite(bound) : if_finite(objective);
  return {
      "objective",
      "Objective and bound",
      "The optimal value lies between the two lines wherever x is feasible and the bound is proven. Logarithmic: how "
      "far the objective is from the final bound, and the bound from the final objective.",
      {{0, "objective", "objective", c.objective, to_bound},
       {1, "bound", c.direction < 0 ? "lower bound" : "upper bound", c.bound, if_finite(objective)}}};
}

// What a proof leaves to show of the way to it.
LineChart violation_chart(const Settings& settings, const Columns& c, bool infeasible) {
  return {
      "accuracy",
      "Violation, residual",
      fmt::format("{}Violation of the inequalities and dual residual on the way to the proof. Dotted line: what was "
                  "asked for.",
                  infeasible ? "No point meets all constraints at once. " : ""),
      {{1, "violation", "violation", c.violation}, {2, "dual_residual", "dual residual", c.dual_residual}},
      {{"violation allowed", settings.tol_feas, 1}}};
}

LineChart accuracy_chart(const Settings& settings, const Columns& c) {
  const double allowed = settings.tol_feas;
  return {
      "accuracy",
      "Gap, violation, residual",
      "Relative gap between objective and bound, violation of the constraints, and dual residual. Dotted lines: what "
      "was asked for.",
      {{0, "gap_rel", "relative gap", c.gap_rel, 0.0},  // below the bound counts like above
       {1, "violation", "violation", c.violation},
       {2, "dual_residual", "dual residual", c.dual_residual},
       {3, "gap_estimate", "gap, not proved", c.gap_estimate}},
      {{"gap allowed", settings.tol_gap, 0}, {"violation allowed", allowed, 1}}};
}

std::string decimation_note(const Columns& c) {
  if (c.rows() == c.recorded) return {};
  return fmt::format("<p class=\"note\">{} of {} recorded rows are shown; <code>--trace</code> writes all of them.</p>",
                     count(c.rows()), count(c.recorded));
}

// Inputs first, so that styles reach what follows; then the heading with what they are called.
struct Switches {
  std::string inputs, labels;
};

Switches horizontal_switch(const Columns& c) {
  const std::string_view work = c.by_iteration ? "x-iteration" : "x-passes";
  Switches out{
      fmt::format("<input type=\"radio\" name=\"x\" id=\"{}\" checked>", work),
      fmt::format("<span class=\"switch\" role=\"group\" aria-label=\"horizontal axis\"><label for=\"{}\">{}</label>",
                  work, c.by_iteration ? "Iterations" : "Passes")};
  if (c.timed) {
    out.inputs += "<input type=\"radio\" name=\"x\" id=\"x-time\">";
    out.labels += "<label for=\"x-time\">Time</label>";
  }
  out.labels += "</span>";
  return out;
}

// Only what there is something for: `lines` have both axes, the histogram of slacks a vertical one.
std::string toolbar(const Columns& c, bool lines, bool histogram) {
  Switches out = lines ? horizontal_switch(c) : Switches{};
  if (lines || histogram) {
    out.inputs +=
        "<input type=\"radio\" name=\"y\" id=\"y-log\" checked><input type=\"radio\" name=\"y\" id=\"y-linear\">";
    out.labels +=
        "<span class=\"switch\" role=\"group\" aria-label=\"vertical axis\"><label for=\"y-log\">Logarithmic"
        "</label><label for=\"y-linear\">Linear</label></span>";
  }
  return out.inputs + "<div class=\"toolbar\"><h2>What happened</h2>" + out.labels + "</div>";
}

bool says_something(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return v != 0.0 && std::isfinite(v); });
}

// What methods with a penalty do with it, and with the constraints.
std::string penalty_figures(const Columns& c) {
  std::string out =
      figure({"delta",
              "Smoothing &delta;",
              "The penalty is exact at &delta; = 0. Methods that follow the path let &delta; fall; multiplier methods "
              "may keep it moderate.",
              {{0, "delta", "&delta;", c.delta}}},
             c);
  out +=
      figure({"xi",
              "Penalty &xi;",
              "Price of a unit of violation. It has to exceed the largest multiplier, and is raised when constraints "
              "ask for it.",
              {{1, "xi", "&xi;", c.xi}}},
             c);
  LineChart counts{"counts", "Constraints in play", "", {}};
  for (const Series& series :
       {Series{0, "working", "worked on", c.working}, Series{1, "near_active", "near-active", c.near_active},
        Series{2, "active", "active", c.active}, Series{3, "screened", "proven inactive", c.screened}}) {
    if (says_something(series.values)) counts.series.push_back(series);
  }
  counts.caption = "How many constraints the method works on.";
  if (says_something(c.near_active)) {
    counts.caption +=
        fmt::format(" Near-active: value above &minus;{} &delta;, so that the penalty bends them.", Progress::kNear);
  }
  if (says_something(c.screened)) counts.caption += " Proven inactive: no solution has them at their boundary.";
  return out + figure(counts, c);
}

// Methods that follow a path of complementarity work on all rows, without a penalty that would say much.
std::string path_figures(const Columns& c) {
  const bool one_length = std::equal(c.step_primal.begin(), c.step_primal.end(), c.step_dual.begin(),
                                     [](double p, double d) { return p == d || (std::isnan(p) && std::isnan(d)); });
  std::vector<Series> steps{{0, "step_primal", one_length ? "primal and dual" : "primal", c.step_primal}};
  if (!one_length) steps.push_back({1, "step_dual", "dual", c.step_dual});
  return figure({"mu",
                 "Complementarity &mu;",
                 "Average product of slacks and multipliers, in the units the method works in. It vanishes at a "
                 "solution, and falls by a factor with every good step.",
                 {{0, "mu", "&mu;", c.mu}}},
                c) +
         figure({"steps",
                 "Step lengths",
                 "Share of the way to the solution of the linearised conditions that each step went. Near 1 the "
                 "method converges; short steps tell of iterates at the boundary.",
                 steps,
                 {},
                 true},
                c);
}

}  // namespace

std::string charts_section(const Result& result, const ReportOptions& options, const Columns& c) {
  const bool proof = result.infeasibility || result.unboundedness;
  std::string lines;
  if (result.unboundedness) lines += figure(falling_chart(c), c);
  if (!proof) lines += figure(objective_chart(result, c), c);
  lines += figure(
      proof ? violation_chart(options.settings, c, !!result.infeasibility) : accuracy_chart(options.settings, c), c);
  lines += c.on_path() ? path_figures(c) : penalty_figures(c);
  const ConstraintOverview& overview = result.overview;
  std::string out = "<section id=\"charts\">" + toolbar(c, !lines.empty(), overview.slacks.total() > 0) +
                    decimation_note(c) + "<div class=\"grid\">\n" + lines;
  const std::string_view where = proof ? "point of the proof" : "solution";
  out += soft_figure(overview.soft, where);
  if (overview.soft.total() == 0 || overview.slacks.total() > 0) {
    out += slack_figure(overview.slacks, options.settings.tol_feas, where);
  }
  return out + "</div></section>\n";
}

std::string trace_section(const Columns& c) {
  if (c.rows() == 0)
    return "<section id=\"trace\"><h2>Progress</h2><p class=\"nothing\">Nothing was recorded.</p></section>\n";
  struct Entry {
    std::string_view title;
    const std::vector<double>& values;
    int digits;
  };
  std::vector<Entry> entries{{"iteration", c.iteration, 15}, {"stage", c.stage, 15}, {"passes", c.passes, 4}};
  if (c.timed) entries.push_back({"time s", c.time, 3});
  for (const Entry& e :
       {Entry{"objective", c.objective, 9}, Entry{"bound", c.bound, 9}, Entry{"violation", c.violation, 3},
        Entry{"dual res.", c.dual_residual, 3}, Entry{"gap, not proved", c.gap_estimate, 3}, Entry{"&mu;", c.mu, 3},
        Entry{"step, primal", c.step_primal, 3}, Entry{"dual", c.step_dual, 3}, Entry{"&delta;", c.delta, 3},
        Entry{"&xi;", c.xi, 3}, Entry{"worked on", c.working, 15}, Entry{"near-active", c.near_active, 15},
        Entry{"active", c.active, 15}, Entry{"inactive", c.screened, 15}}) {
    if (says_something(e.values)) entries.push_back(e);
  }
  std::string head, body;
  for (const Entry& e : entries) head += fmt::format("<th class=\"num\">{}</th>", e.title);
  const Index shown = std::min(kTableRows, c.rows());
  for (Index k = 0; k < shown; ++k) {  // evenly spread, the first and the last among them
    const Index row = shown == 1 ? 0 : k * (c.rows() - 1) / (shown - 1);
    body += "<tr>";
    for (const Entry& e : entries) {
      const double value = e.values[static_cast<std::size_t>(row)];
      body += fmt::format("<td class=\"num\">{}</td>", std::isnan(value) ? "&ndash;" : number(value, e.digits));
    }
    body += "</tr>\n";
  }
  return fmt::format(
      "<section id=\"trace\"><h2>Progress</h2><details><summary>{} of {} recorded rows</summary><div "
      "class=\"scroll\"><table class=\"data small\"><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table>"
      "</div></details></section>\n",
      count(shown), count(c.recorded), head, body);
}

}  // namespace pliant::report
