// What a mistyped word was meant to be.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace pliant::cli {

/// The known word that differs from `word` by the fewest changed, missing, additional or swapped letters; empty where
/// none is near.
std::string closest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean X?" for the closest word or for those that begin so, or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

/// Names of the commands, and of the long options of one.
std::vector<std::string> command_names(const CLI::App& app);
std::vector<std::string> option_names(const CLI::App& command);

/// What is wrong with the arguments, in one line: options nobody knows first, whatever else is missing.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace pliant::cli
