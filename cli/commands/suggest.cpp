#include "commands/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace pliant::cli {
namespace {

// Changes between two words, a swap of neighbours counting once (optimal string alignment): row by row of the table
// d(i, j) = changes between the first i letters of one and the first j of the other.
std::size_t changes_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({changed, last[j] + 1, now[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

// The known words of which `word` is the beginning, where it says enough: "--tol" for "--tol-feas" and "--tol-gap".
std::vector<std::string> beginning_with(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kShortest = 4, kMost = 4;  // "--t" and "--ma" begin too much
  std::vector<std::string> found;
  for (const std::string& candidate : known) {
    if (candidate.starts_with(word)) found.push_back(candidate);
  }
  return word.size() >= kShortest && found.size() <= kMost ? found : std::vector<std::string>();
}

// What other programs call it.
struct Elsewhere {
  std::string_view word, here;
};
constexpr std::array kElsewhere{Elsewhere{"-o", "--solution"},
                                Elsewhere{"--out", "--solution"},
                                Elsewhere{"--output", "--solution"},
                                Elsewhere{"--eps", "--tol-gap"},
                                Elsewhere{"--tolerance", "--tol-gap"},
                                Elsewhere{"--timeout", "--time-limit"},
                                Elsewhere{"--max-iter", "--max-iterations"}};

std::string name_here(std::string_view word, const std::vector<std::string>& known) {
  for (const Elsewhere& other : kElsewhere) {
    if (other.word == word && std::find(known.begin(), known.end(), other.here) != known.end())
      return std::string(other.here);
  }
  return {};
}

// For an option at the end of the line whose value was forgotten; else nothing.
std::string missing_value(const CLI::App& command, const CLI::ParseError& error) {
  const std::string text = error.what();
  if (error.get_name() != "ArgumentMismatch" || !text.ends_with(" missing")) return {};
  const CLI::Option* option = command.get_option_no_throw(text.substr(0, text.find(':')));
  if (option == nullptr) return {};
  return fmt::format("{}: {}: expected {}, got nothing", command.get_name(), option->get_name(),
                     option->get_type_name());
}

}  // namespace

std::string closest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestWord = 64;  // longer ones are no slips of the finger
  if (word.size() > kLongestWord) return {};
  // One letter of three may be wrong, two at least: "--tol" is near nothing, "--tolgap" near "--tol-gap".
  std::size_t fewest = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : known) {
    const std::size_t changes = changes_between(word, candidate);
    if (changes < fewest && changes < candidate.size()) {
      fewest = changes;
      found = candidate;
    }
  }
  return found;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  std::string meant = name_here(word, known);
  if (meant.empty()) meant = closest(word, known);
  const std::vector<std::string> longer = meant.empty() ? beginning_with(word, known) : std::vector{meant};
  return longer.empty() ? std::string() : fmt::format("; did you mean {}?", fmt::join(longer, " or "));
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    out.push_back(command->get_name());
  }
  return out;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> out;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  for (const CLI::App* command : app.get_subcommands()) {
    const std::vector<std::string> unknown = command->remaining();
    const auto option = std::find_if(unknown.begin(), unknown.end(),
                                     [](const std::string& word) { return word.size() > 1 && word.front() == '-'; });
    if (option != unknown.end()) {
      const std::string name = option->substr(0, option->find('='));
      const std::string meant = suggestion(name, option_names(*command));
      return fmt::format("{}: unknown option {}{}", command->get_name(), name,
                         meant.empty() ? fmt::format("; 'pliant help {}' lists them", command->get_name()) : meant);
    }
    if (!unknown.empty()) return fmt::format("{}: unexpected argument '{}'", command->get_name(), unknown.front());
    if (const std::string missing = missing_value(*command, error); !missing.empty()) return missing;
    return fmt::format("{}: {}", command->get_name(), error.what());
  }
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty()) return "expected a command; 'pliant help' lists the commands";
  const std::string meant = suggestion(unknown.front(), option_names(app));
  return fmt::format("unknown option {}{}", unknown.front(),
                     meant.empty() ? "; 'pliant help' lists the commands" : meant);
}

}  // namespace pliant::cli
