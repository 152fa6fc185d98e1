#include "commands/program.hpp"

#include "commands/ampl.hpp"
#include "commands/commands.hpp"
#include "commands/interrupt.hpp"
#include "commands/suggest.hpp"

#include "io/hdf5_at_exit.hpp"
#include "io/temporary_files.hpp"
#include "linalg/memory_promise.hpp"
#include "machine/memory.hpp"
#include "pliant/io.hpp"
#include "pliant/types.hpp"
#include "pliant/version.hpp"

#include <execinfo.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <system_error>

namespace pliant::cli {
namespace {

// One line on standard error, whatever went wrong.
int fail(const std::string& message, const Program& program) {
  if (program.silent) return 1;
  std::string line = message;
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  // Neither throws where nothing can be written, as fmt::print does, nor asks for memory.
  std::fputs("pliant: ", stderr);
  std::fputs(line.c_str(), stderr);
  std::fputs("\n", stderr);
  return 1;
}

std::string out_of_memory() {
  const auto promised = promised_memory();
  return promised ? fmt::format("out of memory: more than --memory-limit {} is needed", machine::human_bytes(*promised))
                  : "out of memory";
}

[[noreturn]] void end_out_of_memory(const Program& program) {
  fail(out_of_memory(), program);
  io::remove_listed_temporaries();
  std::_Exit(1);  // libraries that clean up after themselves need memory for it
}

// An exception that cannot leave where it was thrown: CLI11 promises more than it can keep where memory is short.
[[noreturn]] void on_terminate() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    end_out_of_memory({});
  } catch (const std::exception& error) {
    fail(fmt::format("internal error: {}", error.what()), {});
  }
  std::abort();
}

// What was printed is part of the work: a full disk behind standard output is an error. A reader that has gone away (head)
// has what it wanted.
int finish(int exit_code, const Program& program) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return exit_code;
  if (errno == 0) {  // the write that failed is long past; another one meets the same obstacle
    std::clearerr(stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
  }
  if (errno == EPIPE) return exit_code;
  return fail(fmt::format("standard output: writing failed ({})", std::strerror(errno != 0 ? errno : EIO)), program);
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
  app.set_version_flag("-v,-V,--version", std::string("pliant ") + std::string(version()));
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

// glibc loads the unwinder when the first thread ends by pthread_exit, as those of OpenMP do, and aborts where there is no
// memory for that. Here there is.
void load_unwinder() {
  void* here = nullptr;
  ::backtrace(&here, 1);
}

}  // namespace

int run_program(int argc, char** argv, const Program& program) {
  std::set_terminate(on_terminate);
  load_unwinder();
  handle_signals();
  catch_truncated_files();
  io::leave_out_hdf5_at_exit();
  try {
    const std::span<char* const> arguments(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
    return finish(asks_for_ampl(arguments) ? run_ampl(arguments) : run_command(argc, argv, program), program);
  } catch (const InputError& error) {
    return fail(error.what(), program);
  } catch (const std::bad_alloc&) {
    end_out_of_memory(program);
  } catch (const std::system_error& error) {
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    return fail(no_thread ? "no thread could be started: memory is short, or there are too many of them"
                          : fmt::format("internal error: {}", error.what()),
                program);
  } catch (const std::exception& error) {
    return fail(fmt::format("internal error: {}", error.what()), program);
  }
}

}  // namespace pliant::cli
