#include "commands/arguments.hpp"
#include "commands/commands.hpp"

#include "io/atomic_file.hpp"
#include "pliant/generate.hpp"
#include "pliant/result.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace pliant::cli {
namespace {

struct GenerateOptions {
  std::string family, out;
  std::vector<std::string> assignments;
  bool list = false;
};

std::string family_list() {
  std::string text;
  for (const FamilyInfo& family : generated_families()) {
    text += fmt::format("{:<18} {}\n{:<18}  ", family.name, family.description, "");
    for (const auto& [name, value] : family.defaults) {
      const auto words = family.words.find(name);
      text += words == family.words.end() ? fmt::format(" {}={:g}", name, value)
                                          : fmt::format(" {}={}", name, fmt::join(words->second, "|"));
    }
    text += "\n";
  }
  return text;
}

volatile std::sig_atomic_t interrupted = 0;

// The first signal gives the unfinished file up; the second kills as usual.
void on_signal(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

struct Interrupted {};

// One line on a terminal, rewritten in place, for instances that take a while.
void show_progress(Index written, Index total) {
  constexpr Index kWorthShowing = Index{256} << 20;
  if (interrupted != 0) throw Interrupted{};
  if (total < kWorthShowing || isatty(fileno(stderr)) == 0) return;
  fmt::print(stderr, "\r{:>8} of {} written{}", report::human_bytes(written), report::human_bytes(total),
             written == total ? "\n" : "");
  std::fflush(stderr);
}

Words words_of(const std::string& family) {
  for (const FamilyInfo& info : generated_families()) {
    if (info.name == family) return info.words;
  }
  return {};
}

int run(const GenerateOptions& options) {
  if (options.list) {
    print(family_list(), false);
    return 0;
  }
  if (options.family.empty() || options.out.empty()) {
    throw InputError("generate: expected FAMILY OUT [name=value ...], or --list");
  }
  { const io::AtomicFile probe(options.out); }  // an unwritable place is reported before the work
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  GenerateFileOptions writing;
  writing.progress = show_progress;
  try {
    generate_file(options.family, parse_assignments(options.assignments, words_of(options.family)), options.out,
                  writing);
  } catch (const Interrupted&) {
    print("pliant: generate: interrupted, nothing written\n", true);
    return pliant::exit_code(Status::interrupted);
  }
  return 0;
}

}  // namespace

void add_generate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App* command = app.add_subcommand("generate", "write a seeded instance of a problem family");
  command->add_option("FAMILY", options->family, "see --list");
  command->add_option("OUT", options->out, "problem (.h5)");
  command->add_option("NAME=VALUE", options->assignments, "parameters, e.g. n=50 m=2000 seed=1");
  command->add_flag("--list", options->list, "the families with their parameters and defaults");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace pliant::cli
