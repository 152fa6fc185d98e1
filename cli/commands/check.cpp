#include "commands/arguments.hpp"
#include "commands/commands.hpp"

#include "io/atomic_file.hpp"
#include "pliant/certificate.hpp"
#include "pliant/infeasibility.hpp"
#include "pliant/io.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pliant::cli {
namespace {

struct CheckOptions {
  std::string file, solution, json;
  Settings settings;
};

int run(const CheckOptions& options) {
  const Problem problem = load(options.file, options.settings);
  const Solution solution = load_solution(options.solution, problem);
  const Multipliers multipliers = to_multipliers(problem, solution);
  const Certificate certificate = certify(problem, solution.x, multipliers);
  const bool satisfied = certificate.satisfies(options.settings);
  // Duals may be meant as a proof that nothing is feasible; a ray always is one that F falls for ever.
  const InfeasibilityProof infeasible = prove_infeasible(problem, solution.x, multipliers);
  std::optional<UnboundednessProof> unbounded;
  if (solution.ray.size() > 0) unbounded = prove_unbounded(problem, solution.x, solution.ray);
  if (!options.json.empty()) {
    auto json = report::to_json(problem, certificate);
    json["n"] = problem.dimension();
    json["m"] = problem.constraints();
    json["satisfied"] = satisfied;
    json["infeasibility_proof"] = report::to_json(infeasible);
    if (unbounded) json["unboundedness_proof"] = report::to_json(*unbounded);
    io::write_text(options.json, json.dump(2) + "\n");
  }
  if (options.json != "-") {
    print(report::summary(problem, certificate), false);
    print(fmt::format("verdict      {} the tolerances {:g} (feasibility) and {:g} (gap)\n",
                      satisfied ? "within" : "NOT within", options.settings.tol_feas, options.settings.tol_gap),
          false);
    if (infeasible.holds) print(fmt::format("proof        {}\n", describe(infeasible)), false);
    if (unbounded) print(fmt::format("ray          {}\n", describe(*unbounded, options.settings.tol_feas)), false);
  }
  return 0;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand(
      "check", "recompute violation, objective, residuals, bound and proofs of a solution from the data");
  command->add_option("FILE", options->file, "problem (.h5, or .mps, .qps, .sif, .dat-s, these also .gz)")->required();
  command->add_option("SOLUTION", options->solution, "solution (HDF5 with x and, optionally, duals and a ray)")
      ->required();
  command->add_option("--json", options->json, "write the figures as JSON (-: standard output)")->type_name("OUT");
  add_settings(*command, options->settings, {"tol_feas", "tol_gap", "norm", "memory_limit"});
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace pliant::cli
