#include "commands/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/interrupt.hpp"
#include "commands/suggest.hpp"

#include "io/atomic_file.hpp"
#include "io/text/ending.hpp"
#include "machine/memory.hpp"
#include "pliant/generate.hpp"
#include "pliant/result.hpp"
#include "report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
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
  for (const FamilyInfo& family : generated_families()) text += family_page(family);
  return text;
}

struct Interrupted {};

// One line on a terminal, rewritten in place, for instances that take a while.
void show_progress(Index written, Index total) {
  constexpr Index kWorthShowing = Index{256} << 20;
  if (total < kWorthShowing || isatty(fileno(stderr)) == 0) return;
  fmt::print(stderr, "\r{:>8} of {} written{}", machine::human_bytes(written), machine::human_bytes(total),
             written == total ? "\n" : "");
  std::fflush(stderr);
}

FamilyInfo find_family(const std::string& name) {
  std::vector<std::string> known;
  for (const FamilyInfo& info : generated_families()) {
    if (info.name == name) return info;
    known.push_back(info.name);
  }
  const std::string meant = suggestion(name, known);
  throw InputError(fmt::format("unknown family '{}'{}", name,
                               meant.empty() ? fmt::format("; known: {}", fmt::join(known, ", ")) : meant));
}

// Takes the assignments of files out of the list.
std::map<std::string, std::string> take_files(std::vector<std::string>& assignments, const FamilyInfo& family) {
  std::map<std::string, std::string> files;
  for (const std::string& name : family.files) {
    const auto is_file = [&](const std::string& text) { return text.starts_with(name + "="); };
    for (auto found = assignments.begin();
         (found = std::find_if(assignments.begin(), assignments.end(), is_file)) != assignments.end();
         assignments.erase(found)) {
      const std::string file = found->substr(name.size() + 1);
      if (file.empty()) throw InputError(fmt::format("'{}': expected a file after '='", *found));
      if (!files.emplace(name, file).second) throw InputError(fmt::format("'{}': {} is given twice", *found, name));
    }
  }
  return files;
}

int run(const GenerateOptions& options) {
  if (options.list) {
    print(family_list(), false);
    return 0;
  }
  if (options.family.empty() || options.out.empty()) {
    throw InputError("generate: expected FAMILY OUT [name=value ...], or --list");
  }
  if (options.out.find('=') != std::string::npos && !io::announces_hdf5(options.out)) {
    throw InputError(
        fmt::format("generate: expected FAMILY OUT [name=value ...], got '{}' in the place of OUT", options.out));
  }
  { const io::AtomicFile probe(options.out); }             // an unwritable place is reported before the work
  const std::atomic<bool>& interrupted = catch_signals();  // the unfinished file is given up
  GenerateFileOptions writing;
  writing.progress = [&](Index written, Index total) {
    if (interrupted) throw Interrupted{};
    show_progress(written, total);
  };
  try {
    const FamilyInfo family = find_family(options.family);
    std::vector<std::string> numbers = options.assignments;
    writing.files = take_files(numbers, family);
    generate_file(options.family, parse_assignments(numbers, family.words), options.out, writing);
  } catch (const Interrupted&) {
    print("pliant: generate: interrupted, nothing written\n", true);
    return pliant::exit_code(Status::interrupted);
  }
  return 0;
}

}  // namespace

std::string family_page(const FamilyInfo& family) {
  std::string text = fmt::format("{:<18} {}\n{:<18}  ", family.name, family.description, "");
  for (const auto& [name, value] : family.defaults) {
    const auto words = family.words.find(name);
    text += words == family.words.end() ? fmt::format(" {}={:g}", name, value)
                                        : fmt::format(" {}={}", name, fmt::join(words->second, "|"));
  }
  for (const std::string& file : family.files) text += fmt::format(" {}=FILE", file);
  return text + "\n";
}

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
