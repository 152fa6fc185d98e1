#include "commands/arguments.hpp"
#include "commands/commands.hpp"

#include "io/atomic_file.hpp"
#include "pliant/check.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

namespace pliant::cli {
namespace {

struct CheckOptions {
  std::string file, solution, json;
  Settings settings;
};

bool proves_unboundedness(const Verdict& verdict) { return verdict.unbounded && verdict.unbounded->holds; }

// A proof that holds comes first: then the figures of x matter less, and x is not meant to be a solution.
std::string for_people(const Problem& problem, const Verdict& verdict, const Settings& settings) {
  std::string text;
  const std::string ray = verdict.unbounded ? describe(*verdict.unbounded, settings.tol_feas) : std::string();
  if (verdict.infeasible.holds) text += fmt::format("proof        holds: {}\n", describe(verdict.infeasible));
  if (proves_unboundedness(verdict)) text += fmt::format("ray          holds: {}\n", ray);
  const bool proof = !text.empty();
  text += report::summary(problem, verdict.certificate);
  text += fmt::format("verdict      {} the tolerances {:g} (feasibility) and {:g} (gap){}\n",
                      verdict.satisfied ? "within" : "NOT within", settings.tol_feas, settings.tol_gap,
                      proof && !verdict.satisfied ? ", as the proof says" : "");
  if (verdict.unbounded && !proves_unboundedness(verdict)) text += fmt::format("ray          {}\n", ray);
  return text;
}

int run(const CheckOptions& options) {
  const Problem problem = load(options.file, options.settings);
  const Solution solution = load_solution(options.solution, problem);
  const Verdict verdict = check(problem, solution, options.settings);
  if (!options.json.empty()) io::write_text(options.json, to_json(problem, verdict) + "\n");
  if (options.json != "-") print(for_people(problem, verdict, options.settings), false);
  const bool proof = verdict.infeasible.holds || proves_unboundedness(verdict);
  return proof && !verdict.satisfied ? exit_code(Status::primal_infeasible) : 0;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand(
      "check", "recompute violation, objective, residuals, bound and proofs of a solution from the data");
  command->add_option("FILE", options->file, "problem (" + readable_endings() + "; -: standard input)")->required();
  command
      ->add_option("SOLUTION", options->solution,
                   "solution with x and, optionally, duals and a ray (" + solution_endings() + ")")
      ->required();
  command->add_option("--json", options->json, "write the figures as JSON (-: standard output)")->type_name("OUT");
  add_settings(*command, options->settings, {"tol_feas", "tol_gap", "norm", "memory_limit"});
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace pliant::cli
