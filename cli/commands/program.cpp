#include "commands/program.hpp"

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

namespace pliant::cli {
namespace {

// One line on standard error, whatever went wrong.
int fail(const std::string& message, const Program& program) {
  if (program.silent) return 1;
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
  const std::string meant = suggestion(word, command_names(app));
  return fmt::format("unknown command '{}'{}", word, meant.empty() ? "; 'pliant help' lists them" : meant);
}

// The commands, by what stands behind the name of the program.
int run_command(int argc, char** argv, const Program& program) {
  int exit_code = 0;
  CLI::App app("Convex optimisation with very many constraints, and proof of how good the answer is.", "pliant");
  app.set_version_flag("-v,--version", std::string("pliant ") + std::string(version()));
  app.footer("Problem files: " + readable_endings() + ".\n" + exit_codes_page());
  app.require_subcommand(1);
  program.add_solve(app, exit_code);
  add_check(app, exit_code);
  add_info(app, exit_code);
  add_generate(app, exit_code);
  add_convert(app, exit_code);
  add_bounds(app, exit_code);
  add_help(app, exit_code);
  add_completions(app, exit_code);
  if (argc > 1 && argv[1][0] != '-' &&
      app.get_subcommands([&](const CLI::App* command) { return command->check_name(argv[1]); }).empty()) {
    return fail(unknown_command(app, argv[1]), program);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return program.silent ? 0 : app.exit(help);  // --help and --version
  } catch (const CLI::ParseError& error) {
    return fail(explain(app, error), program);
  }
  return exit_code;
}

}  // namespace

int run_program(int argc, char** argv, const Program& program) {
  std::signal(SIGPIPE, SIG_IGN);
  catch_truncated_files();
  try {
    const std::span<char* const> arguments(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
    return asks_for_ampl(arguments) ? run_ampl(arguments) : run_command(argc, argv, program);
  } catch (const InputError& error) {
    return fail(error.what(), program);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", program);
  } catch (const std::exception& error) {
    return fail(fmt::format("internal error: {}", error.what()), program);
  }
}

}  // namespace pliant::cli
