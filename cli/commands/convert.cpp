#include "commands/arguments.hpp"
#include "commands/commands.hpp"

#include "pliant/io.hpp"

#include <fmt/format.h>

namespace pliant::cli {
namespace {

struct ConvertOptions {
  std::string in, out;
  Settings settings;
};

int run(const ConvertOptions& options) {
  const Problem problem = load(options.in, options.settings);
  std::vector<std::string> notes;
  write_problem(problem, options.out, &notes);
  for (const std::string& note : notes) fmt::print(stderr, "pliant: note: {}: {}\n", options.out, note);
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command =
      app.add_subcommand("convert", "read a problem in any readable format, write it in any writable one");
  command->add_option("IN", options->in, "problem (" + readable_endings() + "; -: standard input)")->required();
  command->add_option("OUT", options->out, "problem (" + writable_endings() + ")")->required();
  add_settings(*command, options->settings, {"memory_limit"});
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace pliant::cli
