#include "commands/ampl.hpp"

#include "commands/interrupt.hpp"
#include "commands/suggest.hpp"

#include "io/nl/nl_problem.hpp"
#include "pliant/settings.hpp"
#include "pliant/solve.hpp"
#include "pliant/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace pliant::cli {
namespace {

constexpr std::string_view kAmpl = "-AMPL";

// "tol_gap=1e-8" or, of a flag, "timeless". AMPL's own words say how much to print and are of no interest here.
void set_option(Settings& settings, const std::string& text) {
  const std::size_t equals = text.find('=');
  std::string name = text.substr(0, equals);
  std::replace(name.begin(), name.end(), '-', '_');
  if (name == "wantsol" || name == "outlev" || name == "objno") return;
  std::vector<std::string> known;
  for (const SettingSpec& spec : settings_table()) {
    known.push_back(spec.name);
    if (spec.name != name) continue;
    if (equals == std::string::npos && !spec.is_flag) {
      throw InputError(fmt::format("{}: expected {}=value", name, name));
    }
    spec.parse(spec, settings, equals == std::string::npos ? "true" : text.substr(equals + 1));
    return;
  }
  throw InputError(fmt::format("unknown setting {}{}", name, suggestion(name, known)));
}

Settings settings_of(std::span<char* const> arguments) {
  Settings settings;
  if (const char* given = std::getenv("pliant_options"); given != nullptr) {
    std::istringstream words{std::string(given)};
    for (std::string word; words >> word;) set_option(settings, word);
  }
  for (std::size_t k = 1; k < arguments.size(); ++k) {
    if (arguments[k] != kAmpl) set_option(settings, arguments[k]);
  }
  return settings;
}

// The file with an ending, whatever the stub has.
std::filesystem::path with_ending(std::string stub, const char* ending) {
  if (stub.ends_with(".nl")) stub.resize(stub.size() - 3);
  return stub + ending;
}

}  // namespace

bool asks_for_ampl(std::span<char* const> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const char* word) { return word == kAmpl; });
}

int run_ampl(std::span<char* const> arguments) {
  if (arguments.front() == kAmpl) throw InputError("expected pliant STUB -AMPL");
  const Settings settings = settings_of(arguments);
  const std::filesystem::path file = with_ending(arguments.front(), ".nl");
  const io::NlFile contents = io::parse_nl(file);
  const io::NlProblem read = io::to_problem(contents, file.string());
  SolveHooks hooks;
  hooks.interrupt = &catch_signals();
  Result result;
  try {
    read.problem.validate();
    result = solve(read.problem, settings, hooks);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
  const std::string message = fmt::format("pliant {}: {}{}{}; objective {:.12g}", version(), to_string(result.status),
                                          result.message.empty() ? "" : ": ", result.message,
                                          read.problem.reported(result.certificate.objective));
  io::write_ampl_solution(contents, read, result, message, with_ending(arguments.front(), ".sol"));
  fmt::print("{}\n", message);
  return 0;
}

}  // namespace pliant::cli
