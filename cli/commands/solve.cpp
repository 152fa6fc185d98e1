#include "commands/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/interrupt.hpp"
#include "commands/solve_outputs.hpp"
#include "commands/waiting.hpp"

#include "io/atomic_file.hpp"
#include "machine/activity.hpp"
#include "machine/memory.hpp"
#include "parallel/stop.hpp"
#include "pliant/check.hpp"
#include "pliant/checkpoint.hpp"
#include "pliant/io.hpp"
#include "pliant/report.hpp"
#include "pliant/solve.hpp"
#include "report/report.hpp"
#include "report/variables.hpp"
#include "run/budget.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>

namespace pliant::cli {
namespace {

constexpr Index kShownVariables = 20;
constexpr double kLongestLimit = 1e9;  // seconds; the clock does not count much further

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// The limit of time holds for reading as for solving; Ctrl-C ends it at once, because there is nothing to keep.
Problem load_in_time(const SolveOptions& options, Clock::time_point begin) {
  parallel::StopSign sign;
  if (options.settings.time_limit) {
    sign.deadline = begin + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(std::min(kLongestLimit, *options.settings.time_limit)));
  }
  const parallel::StopScope scope(&sign);
  return load(options.file, options.settings, options.quiet);
}

int run(const SolveOptions& options) {
  const auto begin = Clock::now();
  const machine::MemoryWatch watch;
  const bool to_stderr = options.json == "-" || options.trace == "-" || options.report == "-";
  Outputs outputs(options);
  const Waiting waiting(options.progress ? Waiting::When::always
                        : options.quiet  ? Waiting::When::never
                                         : Waiting::When::on_terminals);
  const Problem problem = load_in_time(options, begin);
  const double read = seconds_since(begin);
  // Refuses what no method takes, before anything is printed.
  const Plan plan = [&] {
    const machine::Activity choosing("choosing a method");
    return choose(problem, options.settings);
  }();
  SolveHooks hooks;
  Solution warm;
  Multipliers warm_multipliers;
  if (!options.warm_start.empty()) {
    warm = load_solution(options.warm_start, problem);
    warm_multipliers = to_multipliers(problem, warm);
    hooks.warm_start = &warm.x;
    if (!warm.duals.empty() || warm.equality_duals.size() > 0) hooks.warm_multipliers = &warm_multipliers;
  }
  CheckpointedSolve checkpoints(problem, options.checkpoints, options.settings, hooks);
  if (!options.quiet) print(report::heading(problem, shown_name(options.file)) + "\n", to_stderr);

  hooks.interrupt = &catch_signals();  // the solver stops and its best iterate is written
  ProgressPrinter printer(options, problem, to_stderr);
  hooks.progress = [&](const Progress& row) { return printer(row); };

  Result result = [&] {
    const machine::Activity solving("solving");
    return solve(problem, plan, lower_limits(options.settings, {seconds_since(begin), 0.0, 0}), hooks);
  }();
  checkpoints.finish(result);
  if (!checkpoints.failure().empty()) fmt::print(stderr, "pliant: warning: checkpoint: {}\n", checkpoints.failure());
  result.time.read = read;
  result.time.total += read;
  printer.finish();
  outputs.write(options, problem, result,
                options.json.empty() ? "" : to_json(problem, options.settings, result, options.json_x));
  if (!options.quiet) {
    print(report::method_line(result) + report::summary(problem, options.settings, result), to_stderr);
  }
  if (options.print_x) {
    print(report::variables(problem, result, *options.print_x, options.settings.tol_feas), to_stderr);
  }
  return exit_code(result.status);
}

int run_in_time(const SolveOptions& options) {
  try {
    return run(options);
  } catch (const parallel::Stopped&) {
    fmt::print(stderr, "pliant: {}: time limit reached before everything was read\n", shown_name(options.file));
    return exit_code(Status::time_limit);
  }
}

// How many variables --print-x shows: all of them, N, or a screen of them.
Index parse_shown(const std::string& text) {
  if (text.empty()) return kShownVariables;
  if (text == "all") return std::numeric_limits<Index>::max();
  Index count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0) {
    throw InputError(
        fmt::format("--print-x: expected a number of variables or all, got '{}'; without either it stands last", text));
  }
  return count;
}

double parse_interval(const std::string& text) {
  double seconds = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0.0)) {
    throw InputError(fmt::format("--checkpoint-every: expected a number >= 0, got '{}'", text));
  }
  return seconds;
}

}  // namespace

void add_solve(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SolveOptions>();
  CLI::App* command = app.add_subcommand("solve", "solve a problem and certify the answer");
  command->add_option("FILE", options->file, "problem (" + readable_endings() + "; -: standard input)")->required();
  add_settings(*command, options->settings);
  command->add_option("--warm-start", options->warm_start, "start from a SOLUTION file")->type_name("SOLUTION");
  command
      ->add_option("--checkpoint", options->checkpoints.file,
                   "keep the best point in FILE while solving; --resume goes on from it")
      ->type_name("FILE");
  command
      ->add_option_function<std::string>(
          "--checkpoint-every",
          [options](const std::string& text) { options->checkpoints.every = parse_interval(text); },
          fmt::format("seconds between checkpoints [{:g}]", options->checkpoints.every))
      ->type_name("S");
  command->add_option("--resume", options->checkpoints.resume, "go on from a checkpoint of this problem")
      ->type_name("FILE")
      ->excludes("--warm-start");
  command->add_option("--json", options->json, "write the result as JSON (-: standard output)")->type_name("OUT");
  command->add_flag("--json-x", options->json_x, "put x and the names of its entries into the JSON, too");
  command->add_option("--solution", options->solution, "write x and the duals, with names (" + solution_endings() + ")")
      ->type_name("OUT");
  command
      ->add_option_function<std::string>(
          "--print-x", [options](const std::string& text) { options->print_x = parse_shown(text); },
          fmt::format("show the N largest variables by name, or all (alone: {})", kShownVariables))
      ->type_name("[N]")
      ->expected(0, 1);
  command->add_option("--trace", options->trace, "write the progress as CSV (-: standard output)")->type_name("OUT");
  command->add_option("--report", options->report, "write a page for people to look at (HTML; -: standard output)")
      ->type_name("OUT");
  command->add_flag(
      "--progress", options->progress,
      "say what takes long (reading, analyses, factorisations), also where standard error is no terminal");
  command->add_flag("--quiet", options->quiet, "print nothing but what --print-x asks for");
  command->callback([options, &exit_code] { exit_code = run_in_time(*options); });
}

}  // namespace pliant::cli
