#include "commands/arguments.hpp"
#include "commands/commands.hpp"

#include "io/atomic_file.hpp"
#include "theory/calculator.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace pliant::cli {
namespace {

struct BoundsOptions {
  std::vector<std::string> assignments;
  std::string json;
};

std::string parameter_help() {
  std::string text = "parameters:\n";
  for (const auto& p : theory::bound_parameters()) text += fmt::format("  {:<14} {}\n", p.name, p.meaning);
  return text;
}

std::string_view judgement(std::optional<bool> holds) {
  if (!holds) return " (not known to hold)";
  return *holds ? "" : " (NOT satisfied)";
}

int run(const BoundsOptions& options) {
  const auto entries = theory::evaluate_bounds(parse_assignments(options.assignments));
  if (!options.json.empty()) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& e : entries) {
      list.push_back({{"name", e.name},
                      {"formula", e.formula},
                      {"value", std::isfinite(e.value) ? nlohmann::ordered_json(e.value) : nullptr},
                      {"statement", e.statement},
                      {"standing", theory::to_string(e.standing)},
                      {"condition", e.condition},
                      {"condition_holds", e.condition_holds ? nlohmann::ordered_json(*e.condition_holds) : nullptr}});
    }
    io::write_text(options.json, list.dump(2) + "\n");
  }
  if (options.json == "-") return 0;
  if (entries.empty()) {
    print("nothing follows from these parameters; 'pliant bounds --help' lists them\n", false);
  }
  for (const auto& e : entries) {
    print(fmt::format("{:<46} {:>13.6g}  [{}] {}: {}{}{}\n", e.name, e.value, theory::to_string(e.standing),
                      e.statement, e.formula, e.condition.empty() ? "" : fmt::format("; needs {}", e.condition),
                      judgement(e.condition_holds)),
          false);
  }
  return 0;
}

}  // namespace

void add_bounds(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BoundsOptions>();
  CLI::App* command =
      app.add_subcommand("bounds", "the theory's bounds as a calculator, e.g. bounds xi=2 delta=1e-6 m=1000");
  command->add_option("NAME=VALUE", options->assignments, "what is known")->required();
  command->add_option("--json", options->json, "write the bounds as JSON (-: standard output)")->type_name("OUT");
  command->footer(parameter_help());
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace pliant::cli
