#include "commands/solve_outputs.hpp"

#include "commands/waiting.hpp"

#include "io/solution/solution_forms.hpp"
#include "pliant/check.hpp"
#include "pliant/io.hpp"
#include "pliant/report.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace pliant::cli {

ProgressPrinter::ProgressPrinter(const SolveOptions& options, const Problem& problem, bool to_stderr)
    : problem_(problem),
      out_(to_stderr ? stderr : stdout),
      terminal_(isatty(fileno(out_)) != 0 && !options.settings.verbose),
      enabled_(!options.quiet && (terminal_ || options.settings.verbose)),
      timeless_(options.settings.timeless) {}

bool ProgressPrinter::operator()(const Progress& row) {
  if (!enabled_) return false;
  Waiting::interrupt();
  constexpr Index kHeaderEvery = 30;
  if (terminal_ && row.time - shown_ < 0.1) return false;
  shown_ = row.time;
  const std::string header = report::progress_header(row, timeless_);
  const bool other = header != header_;
  if (other || (!terminal_ && rows_ % kHeaderEvery == 0)) {
    std::fputs(((terminal_ && rows_ > 0 ? "\n" : "") + header + "\n").c_str(), out_);  // a reader may have gone away
    header_ = header;
  }
  ++rows_;
  line_ = report::progress_line(problem_, row, timeless_);
  std::fputs((terminal_ ? "\r" + line_ : line_ + "\n").c_str(), out_);
  std::fflush(out_);
  return false;
}

void ProgressPrinter::finish() {
  Waiting::interrupt();
  if (enabled_ && rows_ > 0) std::fputs(terminal_ ? ("\r" + line_ + "\n\n").c_str() : "\n", out_);
}

namespace {

std::string page_title(const SolveOptions& options, const Problem& problem) {
  return problem.name.empty() ? std::filesystem::path(shown_name(options.file)).filename().string() : problem.name;
}

}  // namespace

Outputs::Outputs(const SolveOptions& options) {
  if (!options.json.empty()) json = std::make_unique<io::TextOutput>(options.json);
  if (!options.trace.empty()) trace = std::make_unique<io::TextOutput>(options.trace);
  if (!options.report.empty()) report = std::make_unique<io::TextOutput>(options.report);
  if (options.solution == "-") {  // before the solve, not after it
    throw InputError("--solution: expected a file (" + solution_endings() +
                     "), got '-'; --json - --json-x writes x to standard output");
  }
  if (!options.solution.empty()) {
    io::expect_solution_ending(options.solution);
    io::AtomicFile probe(options.solution);
  }
}

void Outputs::write(const SolveOptions& options, const Problem& problem, const Result& result,
                    const std::string& json_text) {
  if (!options.solution.empty()) write_solution(to_solution(problem, result), options.solution);
  if (trace) {
    trace->stream() << pliant::report::trace_csv(problem, result.trace, options.settings.timeless);
    trace->commit();
  }
  if (json) {
    json->stream() << json_text << "\n";
    json->commit();
  }
  if (report) {
    report->stream() << report_html(result, {options.settings, summarize(problem, result, options.settings.tol_feas),
                                             page_title(options, problem)});
    report->commit();
  }
}

}  // namespace pliant::cli
