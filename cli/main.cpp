// The pliant command.
#include "commands/ampl.hpp"
#include "commands/commands.hpp"
#include "commands/interrupt.hpp"
#include "commands/suggest.hpp"

#include "pliant/io.hpp"
#include "pliant/types.hpp"
#include "pliant/version.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <span>

namespace {

// One line on standard error, whatever went wrong.
int fail(const std::string& message) {
  std::string line = message;
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  fmt::print(stderr, "pliant: {}\n", line);
  return 1;
}

// Who names a file first wants it solved.
std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) {
    return fmt::format("unknown command '{}'; did you mean 'pliant solve {}'?", word, word);
  }
  const std::string meant = pliant::cli::suggestion(word, pliant::cli::command_names(app));
  return fmt::format("unknown command '{}'{}", word, meant.empty() ? "; 'pliant help' lists them" : meant);
}

// The commands, by what stands behind the name of the program.
int run_command(int argc, char** argv) {
  int exit_code = 0;
  CLI::App app("Convex optimisation with very many constraints, and proof of how good the answer is.", "pliant");
  app.set_version_flag("-v,--version", std::string("pliant ") + std::string(pliant::version()));
  app.footer("Problem files: " + pliant::readable_endings() + ".\n" + pliant::cli::exit_codes_page());
  app.require_subcommand(1);
  pliant::cli::add_solve(app, exit_code);
  pliant::cli::add_check(app, exit_code);
  pliant::cli::add_info(app, exit_code);
  pliant::cli::add_generate(app, exit_code);
  pliant::cli::add_convert(app, exit_code);
  pliant::cli::add_bounds(app, exit_code);
  pliant::cli::add_help(app, exit_code);
  pliant::cli::add_completions(app, exit_code);
  if (argc > 1 && argv[1][0] != '-' &&
      app.get_subcommands([&](const CLI::App* command) { return command->check_name(argv[1]); }).empty()) {
    return fail(unknown_command(app, argv[1]));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);  // --help and --version
  } catch (const CLI::ParseError& error) {
    return fail(pliant::cli::explain(app, error));
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  pliant::cli::catch_truncated_files();
  try {
    const std::span<char* const> arguments(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
    return pliant::cli::asks_for_ampl(arguments) ? pliant::cli::run_ampl(arguments) : run_command(argc, argv);
  } catch (const pliant::InputError& error) {
    return fail(error.what());
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  } catch (const std::exception& error) {
    return fail(fmt::format("internal error: {}", error.what()));
  }
}
