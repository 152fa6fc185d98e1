#include "pliant/report.hpp"

#include "io/atomic_file.hpp"
#include "pliant/version.hpp"
#include "report/page/assets.hpp"
#include "report/page/markup.hpp"
#include "report/page/sections.hpp"
#include "report/page/words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {
namespace report {
namespace {

std::string title_of(const ReportOptions& options) {
  if (!options.title.empty()) return escape(options.title);
  if (options.problem && !options.problem->name.empty()) return escape(options.problem->name);
  return "Convex problem";
}

std::string key_figure(std::string_view name, const std::string& value, std::string_view remark) {
  return fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", name, value, remark);
}

std::string key_figures(const Result& result, const ReportOptions& options) {
  const Certificate& c = result.certificate;
  const bool maximize = options.problem && options.problem->sense == Sense::maximize;
  const double sign = maximize ? -1.0 : 1.0;
  const bool solvable = !result.infeasibility && !result.unboundedness;
  std::string out = "<dl class=\"figures\">\n";
  if (solvable) {
    out += key_figure("Objective", number(sign * c.objective, 9), maximize ? "maximised" : "minimised");
    out += key_figure(maximize ? "Upper bound" : "Lower bound", number(sign * c.lower_bound, 9),
                      bound_in_words(c.lower_bound_kind));
    out += key_figure("Relative gap", number(std::abs(c.gap_rel()), 2),
                      number(options.settings.tol_gap, 2) + " asked for");
  }
  if (const auto& proof = result.infeasibility) {
    const std::string rows = plural(proof->rows, "constraint") + " in the proof";
    out += proof->excess > 0.0 ? key_figure("Missed by", number(proof->excess, 3), rows)
                               : key_figure("Proof", "exact", rows);
  } else {
    out += key_figure("Violation, relative", number(c.violation_rel(options.settings.norm), 2),
                      number(options.settings.tol_feas, 2) + " allowed");
  }
  out += key_figure("Passes", number(result.passes, 3), plural(result.iterations, "iteration"));
  if (!options.settings.timeless) {
    out += key_figure("Time", seconds(result.time.solve),
                      options.settings.threads > 0 ? plural(options.settings.threads, "thread") : "solve");
  }
  return out + "</dl>\n";
}

std::string check_rows(const Result& result, const Settings& settings) {
  std::string out;
  for (const Check& check : checks(result, settings)) {
    const bool met = check.value <= check.allowed;
    const std::string_view verdict = met ? "met" : check.decides ? "missed" : "not needed";
    out += fmt::format(
        "<tr class=\"{}\"><td class=\"name\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td>"
        "<span class=\"badge\">{} {}</span></td></tr>\n",
        met             ? "met"
        : check.decides ? "missed"
                        : "idle",
        check.name, number(check.value, 3), number(check.allowed, 3),
        met             ? "&#10003;"
        : check.decides ? "&#10007;"
                        : "&ndash;",
        verdict);
  }
  return out;
}

std::string certificate_section(const Result& result, const ReportOptions& options) {
  const Sense sense = options.problem ? options.problem->sense : Sense::minimize;
  std::string out = "<section id=\"certificate\"><h2>Certificate</h2><div class=\"columns\"><div class=\"prose\">\n";
  for (const std::string& paragraph : explain(result, options.settings, sense)) out += "<p>" + paragraph + "</p>\n";
  out += "</div>";
  if (const std::vector<ProofFigure> proof = proof_figures(result); !proof.empty()) {
    out += "<table class=\"facts\"><tbody>\n";
    for (const ProofFigure& figure : proof) out += fact(figure.name, number(figure.value, 3));
    return out + "</tbody></table></div></section>\n";
  }
  out +=
      "<div class=\"scroll\"><table class=\"data\"><thead><tr><th>quantity</th><th class=\"num\">value</th><th "
      "class=\"num\">asked for</th><th></th></tr></thead><tbody>\n";
  return out + check_rows(result, options.settings) + "</tbody></table></div></div></section>\n";
}

std::string header(const Result& result, const ReportOptions& options) {
  const Verdict v = verdict(result);
  std::string out = fmt::format(
      "<header class=\"{}\"><div class=\"top\"><span class=\"brand\">pliant</span><span class=\"tools\"><button "
      "type=\"button\" id=\"theme\">Dark</button><button type=\"button\" id=\"print\">Print</button></span></div>\n"
      "<h1>{}</h1>\n<p class=\"verdict\"><span class=\"badge\">{}</span> <strong>{}.</strong> {}</p>\n",
      v.tone, title_of(options), to_string(result.status), v.headline, v.sentence);
  if (!result.message.empty()) out += "<p class=\"message\">" + escape(result.message) + "</p>\n";
  return out + key_figures(result, options) + "</header>\n";
}

std::string footer() {
  return fmt::format("<footer>Written by pliant {}. All figures refer to the original, unscaled problem.</footer>\n",
                     version());
}

// Nothing may be loaded from anywhere: the page says so itself.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

}  // namespace
}  // namespace report

std::string report_html(const Result& result, const ReportOptions& options) {
  using namespace report;
  const bool maximize = options.problem && options.problem->sense == Sense::maximize;
  const Columns columns = make_columns(result.trace, maximize, options.settings.timeless);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{} - pliant</title>\n<link rel=\"icon\" "
      "href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
      kPolicy, title_of(options), kStyleSheet);
  out += header(result, options);
  out += certificate_section(result, options);
  out += variables_section(result, options.problem);
  out += charts_section(result, options, columns);
  out += multipliers_section(result, options.problem);
  out += "<div class=\"grid\">\n" + problem_section(result, options) + settings_section(result, options) + "</div>\n";
  if (!options.settings.timeless) out += phases_section(result.time);
  out += trace_section(columns);
  out += footer();
  out += "</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script type=\"application/json\" id=\"data\">" +
         columns.json + "</script>\n<script>\n";
  out += kScript;
  return out + "</script>\n</body>\n</html>\n";
}

void write_report(const std::filesystem::path& file, const Result& result, const ReportOptions& options) {
  io::TextOutput output(file);
  output.stream() << report_html(result, options);
  output.commit();
}

}  // namespace pliant
