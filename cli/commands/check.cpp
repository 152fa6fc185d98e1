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

int run(const CheckOptions& options) {
  const Problem problem = load(options.file, options.settings);
  const Solution solution = load_solution(options.solution, problem);
  const Verdict verdict = check(problem, solution, options.settings);
  if (!options.json.empty()) io::write_text(options.json, to_json(problem, verdict) + "\n");
  if (options.json != "-") {
    print(report::summary(problem, verdict.certificate), false);
    print(fmt::format("verdict      {} the tolerances {:g} (feasibility) and {:g} (gap)\n",
                      verdict.satisfied ? "within" : "NOT within", options.settings.tol_feas, options.settings.tol_gap),
          false);
    if (verdict.infeasible.holds) print(fmt::format("proof        {}\n", describe(verdict.infeasible)), false);
    if (verdict.unbounded) {
      print(fmt::format("ray          {}\n", describe(*verdict.unbounded, options.settings.tol_feas)), false);
    }
  }
  return 0;
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
