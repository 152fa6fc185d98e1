// One function per command: it declares its options and runs when CLI11 calls it back.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pliant {
struct FamilyInfo;
}

namespace pliant::cli {

// Each sets `exit_code` when it runs; bad input is thrown as InputError.
void add_solve(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_generate(CLI::App& app, int& exit_code);
void add_convert(CLI::App& app, int& exit_code);
void add_bounds(CLI::App& app, int& exit_code);
void add_help(CLI::App& app, int& exit_code);
void add_completions(CLI::App& app, int& exit_code);

/// What the command returns to the shell, a line each.
std::string exit_codes_page();
/// A family of instances with its parameters and defaults.
std::string family_page(const FamilyInfo& family);
/// What `help` explains beside the commands.
std::vector<std::string> help_topics();

}  // namespace pliant::cli
