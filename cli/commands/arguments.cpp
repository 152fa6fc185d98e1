#include "commands/arguments.hpp"

#include "commands/standard_input.hpp"
#include "commands/waiting.hpp"
#include "linalg/memory_promise.hpp"
#include "machine/activity.hpp"
#include "parallel/parallel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace pliant::cli {

std::map<std::string, double> parse_assignments(const std::vector<std::string>& arguments, const Words& words) {
  std::map<std::string, double> out;
  for (const std::string& argument : arguments) {
    const auto equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(fmt::format("'{}': expected name=value", argument));
    }
    const std::string name = argument.substr(0, equals);
    const char* begin = argument.data() + equals + 1;
    const char* end = argument.data() + argument.size();
    double value = 0.0;
    if (const auto known = words.find(name); known != words.end()) {
      const auto word = std::find(known->second.begin(), known->second.end(), std::string(begin, end));
      if (word == known->second.end()) {
        throw InputError(fmt::format("'{}': expected one of {} after '='", argument, fmt::join(known->second, ", ")));
      }
      value = static_cast<double>(word - known->second.begin());
    } else if (const auto [stop, error] = std::from_chars(begin, end, value); error != std::errc() || stop != end) {
      throw InputError(fmt::format("'{}': expected a number after '='", argument));
    }
    if (!out.emplace(name, value).second) throw InputError(fmt::format("'{}': {} is given twice", argument, name));
  }
  return out;
}

namespace {

/// Runs a check whose messages do not know the file, and adds its name.
template <class Check>
void naming(const std::string& file, Check check) {
  try {
    check();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

std::string shown_name(const std::string& file) { return file == "-" ? kStandardInput : file; }

namespace {

// Messages name what the user named.
Problem read_standard_input(const ReadOptions& options) {
  const KeptInput kept;
  try {
    return read_problem(kept.file(), options);
  } catch (const InputError& error) {
    std::string message = error.what();
    if (const auto place = message.find(kept.file()); place != std::string::npos) {
      message.replace(place, kept.file().size(), kStandardInput);
    }
    throw InputError(message);
  }
}

}  // namespace

Problem load(const std::string& name, const Settings& settings, bool quiet) {
  std::vector<std::string> notes;
  const std::string file = shown_name(name);
  const ReadOptions options{settings.memory_limit, &notes};
  const Waiting waiting(quiet ? Waiting::When::never : Waiting::When::on_terminals);
  const machine::Activity reading("reading the problem");
  const parallel::ThreadScope threads(settings.threads);
  if (settings.memory_limit) promise_memory(*settings.memory_limit);
  Problem problem = name == "-" ? read_standard_input(options) : read_problem(name, options);
  Waiting::interrupt();
  for (const std::string& note : notes) {
    if (!quiet) fmt::print(stderr, "pliant: note: {}: {}\n", file, note);
  }
  const machine::Activity checking("checking the problem");
  naming(file, [&] { problem.validate(); });
  return problem;
}

Solution load_solution(const std::string& file, const Problem& problem) {
  Solution solution = read_solution(file);
  naming(file, [&] { check_solution_shape(problem, solution); });
  return solution;
}

void add_settings(CLI::App& command, Settings& settings, const std::vector<std::string>& only) {
  for (const SettingSpec& spec : settings_table()) {
    if (!only.empty() && std::find(only.begin(), only.end(), spec.name) == only.end()) continue;
    if (spec.is_flag) {
      command.add_flag_callback(
          spec.option(), [&settings, &spec] { spec.parse(spec, settings, "true"); }, spec.description);
    } else {
      command
          .add_option_function<std::string>(
              spec.option(), [&settings, &spec](const std::string& text) { spec.parse(spec, settings, text); },
              fmt::format("{} [{}]", spec.description, spec.print(Settings{})))
          ->type_name(spec.value_name);
    }
  }
}

void print(const std::string& text, bool to_stderr) {
  Waiting::interrupt();
  std::fputs(text.c_str(), to_stderr ? stderr : stdout);
}

}  // namespace pliant::cli
