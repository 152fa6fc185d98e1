// `pliant help [TOPIC]`: the help of a command, or a page about what commands share.
#include "commands/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/suggest.hpp"

#include "pliant/generate.hpp"
#include "pliant/io.hpp"
#include "pliant/result.hpp"
#include "pliant/settings.hpp"
#include "solve/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>

namespace pliant::cli {
namespace {

struct ExitMeaning {
  int code;
  std::string_view meaning;
};
constexpr std::array kExitMeanings{
    ExitMeaning{0, "solved to the tolerances; or what was asked for is done"},
    ExitMeaning{1, "bad input or usage: one line on standard error says what and where"},
    ExitMeaning{2, "stopped by a limit or a callback, the best point written"},
    ExitMeaning{3, "infeasible or unbounded, with a verified certificate"},
    ExitMeaning{4, "numerical failure, the best point written"},
    ExitMeaning{130, "interrupted, the best point written"},
};

struct StatusMeaning {
  Status status;
  std::string_view meaning;
};
constexpr std::array kStatusMeanings{
    StatusMeaning{Status::optimal, "the certificate meets the tolerances"},
    StatusMeaning{Status::primal_infeasible, "no point satisfies the constraints; the proof is part of the result"},
    StatusMeaning{Status::dual_infeasible, "the objective falls without end; the ray is part of the result"},
    StatusMeaning{Status::time_limit, "stopped by --time-limit with the best point"},
    StatusMeaning{Status::pass_limit, "stopped by --max-passes with the best point"},
    StatusMeaning{Status::iteration_limit, "stopped by --max-iterations with the best point"},
    StatusMeaning{Status::user_stopped, "stopped by a callback with the best point"},
    StatusMeaning{Status::interrupted, "stopped by Ctrl-C or a signal with the best point"},
    StatusMeaning{Status::numerical_error, "the tolerances were not met; the figures hold for the best point"},
};

std::string statuses_page() {
  std::string text = "Statuses of a solve, with the exit code of the command:\n";
  for (const StatusMeaning& s : kStatusMeanings) {
    text += fmt::format("  {:<18} {:>3}  {}\n", to_string(s.status), exit_code(s.status), s.meaning);
  }
  return text;
}

// Engines that run under one of the strategies of --outer have none of their own.
std::string methods_page() {
  std::string text = "Engines: name, --method, `outer` in JSON, label in logs:\n";
  for (const Engine& engine : engines()) {
    text += fmt::format("  {:<22} {:<18} {:<14} {}\n", engine.name, to_string(engine.method),
                        engine.penalised() ? "as --outer" : engine.strategy, engine.label);
  }
  return text;
}

std::string formats_page() {
  std::string text = "Problem files, by content or ending:\n";
  for (const FileFormat& format : file_formats()) {
    text += fmt::format("  {:<17} {:<24} {}, {}{}\n", format.name, fmt::format("{}", fmt::join(format.endings, ", ")),
                        format.holds,
                        format.reads && format.writes ? "read and written"
                        : format.reads                ? "read"
                                                      : "written",
                        format.gzip ? ", also .gz" : "");
  }
  return text + "\nA problem named - is read from standard input and recognised by content.\nSolution files: " +
         solution_endings() + ".\n";
}

std::string settings_page() {
  std::string text = "Settings of solve; the same names with _ for - in Python and C++:\n";
  for (const SettingSpec& spec : settings_table()) {
    text += fmt::format("  {:<18} {} [{}]\n", spec.option(), spec.description, spec.print(Settings{}));
    if (!spec.value_name.empty()) text += fmt::format("  {:<18} {}\n", "", spec.value_name);
  }
  return text;
}

std::string families_page() {
  std::string text = "Families of generate ('pliant generate --list' has their parameters):\n";
  for (const FamilyInfo& family : generated_families()) {
    text += fmt::format("  {:<18} {}\n", family.name, family.description);
  }
  return text;
}

struct Topic {
  std::string_view name, about;
  std::string (*page)();
};
constexpr std::array kTopics{
    Topic{"formats", "files of problems and solutions", formats_page},
    Topic{"settings", "every setting with its default", settings_page},
    Topic{"exit-codes", "what the command returns to the shell", exit_codes_page},
    Topic{"statuses", "how a solve can end", statuses_page},
    Topic{"methods", "the engines behind --method", methods_page},
    Topic{"families", "instances that can be generated", families_page},
};

std::string overview(const CLI::App& app) {
  // app.help() would be the help of the command that runs, this one.
  std::string text = app.get_formatter()->make_help(&app, "pliant", CLI::AppFormatMode::Normal) +
                     "\nTopics of 'pliant help TOPIC', beside the commands:\n";
  for (const Topic& topic : kTopics) text += fmt::format("  {:<18} {}\n", topic.name, topic.about);
  return text + "  SETTING, FAMILY    one of them, such as tol-gap or dense_qp\n";
}

std::string setting_page(const SettingSpec& spec) {
  return fmt::format("{}{}{}\n  {}\n  default {}; {} in Python and C++\n", spec.option(),
                     spec.value_name.empty() ? "" : " ", spec.value_name, spec.description, spec.print(Settings{}),
                     spec.name);
}

// A setting, by the name of its option or that of Python, or a family; they are too many to be listed as topics. Adds
// their names to `names`.
std::optional<std::string> page_of_name(const std::string& wanted, std::vector<std::string>& names) {
  for (const SettingSpec& spec : settings_table()) {
    names.push_back(spec.option().substr(2));
    if (wanted == names.back() || wanted == spec.name) return setting_page(spec);
  }
  for (const FamilyInfo& family : generated_families()) {
    names.push_back(family.name);
    if (wanted == family.name) return family_page(family);
  }
  return std::nullopt;
}

std::string page_of(const CLI::App& app, const std::string& wanted) {
  if (wanted.empty()) return overview(app);
  std::vector<std::string> known = command_names(app);
  if (std::find(known.begin(), known.end(), wanted) != known.end()) return app.get_subcommand(wanted)->help("pliant");
  for (const Topic& topic : kTopics) {
    if (topic.name == wanted) return topic.page();
    known.emplace_back(topic.name);
  }
  std::vector<std::string> all = known;
  if (const std::optional<std::string> page = page_of_name(wanted, all)) return *page;
  const std::string meant = suggestion(wanted, all);
  throw InputError(fmt::format("help: nothing is known of '{}'{}", wanted,
                               meant.empty() ? fmt::format(" (expected {})", fmt::join(known, ", ")) : meant));
}

}  // namespace

std::string exit_codes_page() {
  std::string text = "Exit codes:\n";
  for (const ExitMeaning& e : kExitMeanings) text += fmt::format("  {:>3}  {}\n", e.code, e.meaning);
  return text;
}

std::vector<std::string> help_topics() {
  std::vector<std::string> names;
  for (const Topic& topic : kTopics) names.emplace_back(topic.name);
  return names;
}

void add_help(CLI::App& app, int& exit_code) {
  auto topic = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "explain a command or a topic");
  command->add_option("TOPIC", *topic,
                      fmt::format("a command, {}, a setting or a family", fmt::join(help_topics(), ", ")));
  command->callback([topic, &app, &exit_code] {
    print(page_of(app, *topic), false);
    exit_code = 0;
  });
}

}  // namespace pliant::cli
