// `pliant completions SHELL`: completion scripts, made from the options as they are declared.
#include "commands/arguments.hpp"
#include "commands/commands.hpp"

#include "pliant/generate.hpp"
#include "pliant/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace pliant::cli {
namespace {

struct KnownOption {
  std::string name;   // with its dashes
  std::string about;  // one line
  bool takes_value = false;
  std::vector<std::string> values;  // where they are words; else a file or a number
};

struct KnownCommand {
  std::string name, about;
  std::vector<KnownOption> options;
  std::vector<std::string> words;  // that may stand for its first argument; none: a file
};

// "auto|path|apg" names values; "auto|V" has one word, and a value in capitals that is none.
std::vector<std::string> words_of(const std::string& type) {
  std::vector<std::string> out;
  std::istringstream in(type);
  for (std::string word; std::getline(in, word, '|');) {
    const bool placeholder =
        word.empty() || word.front() == '[' ||
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isupper(c) != 0; });
    if (!placeholder) out.push_back(word);
  }
  return type.find('|') == std::string::npos ? std::vector<std::string>() : out;
}

// A description between single quotes: brackets and colons mean something to zsh, and an apostrophe ends the quotes, comes
// and opens them again.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '`' || c == '\\') continue;
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c == '[' ? '(' : c == ']' ? ')' : c == ':' ? ',' : c;
    }
  }
  return out;
}

std::vector<KnownOption> options_of(const CLI::App& command) {
  std::vector<KnownOption> out;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      out.push_back({"--" + name, plain(option->get_description()), option->get_expected_min() > 0,
                     words_of(option->get_type_name())});
    }
  }
  return out;
}

// What `help` knows beside the commands.
std::vector<std::string> help_words() {
  std::vector<std::string> out = help_topics();
  for (const SettingSpec& spec : settings_table()) out.push_back(spec.option().substr(2));
  for (const FamilyInfo& family : generated_families()) out.push_back(family.name);
  return out;
}

std::vector<KnownCommand> commands_of(const CLI::App& app) {
  std::vector<KnownCommand> out;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    out.push_back({command->get_name(), plain(command->get_description()), options_of(*command), {}});
    KnownCommand& known = out.back();
    if (known.name == "completions") known.words = {"bash", "zsh", "fish"};
    if (known.name == "help") known.words = help_words();
    if (known.name == "generate") {
      for (const FamilyInfo& family : generated_families()) known.words.push_back(family.name);
    }
  }
  for (KnownCommand& known : out) {
    if (known.name != "help") continue;
    for (const KnownCommand& other : out) known.words.push_back(other.name);
  }
  return out;
}

std::vector<std::string> names_of(const auto& list) {
  std::vector<std::string> out;
  for (const auto& entry : list) out.push_back(entry.name);
  return out;
}

std::string bash_script(const std::vector<KnownCommand>& commands) {
  // Readline breaks --method=path into three words.
  std::string text = R"(# Completions of pliant for bash, made by 'pliant completions bash'.
_pliant() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local options='' first='' values=''
  COMPREPLY=()
  if [ "$word" = = ]; then
    word=''
  elif [ "$before" = = ]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
)";
  text += fmt::format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n    return\n  fi\n",
                      fmt::join(names_of(commands), " "));
  text += "  case $command in\n";
  for (const KnownCommand& c : commands) {
    text += fmt::format("    {})\n      options='{}'\n", c.name, fmt::join(names_of(c.options), " "));
    if (!c.words.empty()) {
      text += fmt::format("      [ \"$COMP_CWORD\" -eq 2 ] && first='{}'\n", fmt::join(c.words, " "));
    }
    std::string cases;
    for (const KnownOption& o : c.options) {
      if (!o.values.empty()) cases += fmt::format("        {}) values='{}' ;;\n", o.name, fmt::join(o.values, " "));
    }
    if (!cases.empty()) text += "      case $before in\n" + cases + "      esac\n";
    text += "      ;;\n";
  }
  return text + R"(  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [ -n "$first" ]; then
    COMPREPLY=($(compgen -W "$first" -- "$word"))
  else
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -F _pliant pliant
)";
}

std::string zsh_script(const std::vector<KnownCommand>& commands) {
  std::string text =
      "#compdef pliant\n# Completions of pliant for zsh, made by 'pliant completions zsh'.\n_pliant() {\n"
      "  local -a commands\n  commands=(\n";
  for (const KnownCommand& c : commands) text += fmt::format("    '{}:{}'\n", c.name, c.about);
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local chosen=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $chosen in\n";
  for (const KnownCommand& c : commands) {
    text += fmt::format("    {})\n      _arguments", c.name);
    for (const KnownOption& o : c.options) {
      const std::string value = !o.takes_value     ? ""
                                : o.values.empty() ? ":value:_files"
                                                   : fmt::format(":value:({})", fmt::join(o.values, " "));
      text += fmt::format(" \\\n        '{}{}[{}]{}'", o.name, value.empty() ? "" : "=", o.about, value);
    }
    text += c.words.empty() ? " \\\n        '*:file:_files'"
                            : fmt::format(" \\\n        '1:word:({})' '*:file:_files'", fmt::join(c.words, " "));
    text += "\n      ;;\n";
  }
  // Where zsh finds it in its path it is the body of the function; where it is sourced it announces itself.
  return text +
         "  esac\n}\nif [ \"$funcstack[1]\" = _pliant ]; then\n  _pliant \"$@\"\nelse\n  compdef _pliant pliant\nfi\n";
}

std::string fish_script(const std::vector<KnownCommand>& commands) {
  std::string text = "# Completions of pliant for fish, made by 'pliant completions fish'.\n";
  for (const KnownCommand& c : commands) {
    text += fmt::format("complete -c pliant -n __fish_use_subcommand -f -a {} -d '{}'\n", c.name, c.about);
  }
  for (const KnownCommand& c : commands) {
    const std::string here = fmt::format("complete -c pliant -n '__fish_seen_subcommand_from {}'", c.name);
    for (const KnownOption& o : c.options) {
      const std::string value = !o.takes_value     ? ""
                                : o.values.empty() ? " -r"
                                                   : fmt::format(" -x -a '{}'", fmt::join(o.values, " "));
      text += fmt::format("{} -l {}{} -d '{}'\n", here, o.name.substr(2), value, o.about);
    }
    if (!c.words.empty()) {
      text += fmt::format(
          "complete -c pliant -n '__fish_seen_subcommand_from {}; and test (count (commandline -opc)) -eq 2' -f -a "
          "'{}'\n",
          c.name, fmt::join(c.words, " "));
    }
  }
  return text;
}

std::string script(const CLI::App& app, const std::string& shell) {
  const std::vector<KnownCommand> commands = commands_of(app);
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw InputError(fmt::format("completions: expected bash, zsh or fish, got '{}'", shell));
}

}  // namespace

void add_completions(CLI::App& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completions", "a completion script for a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  command->callback([shell, &app, &exit_code] {
    print(script(app, *shell), false);
    exit_code = 0;
  });
}

}  // namespace pliant::cli
