// Helpers shared by the commands.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/io.hpp"
#include "pliant/problem.hpp"
#include "pliant/settings.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace pliant::cli {

/// Names whose values are words, with the words; the value is the position of the word.
using Words = std::map<std::string, std::vector<std::string>>;

/// Parses k=v arguments into numbers; InputError names the argument that is not one.
std::map<std::string, double> parse_assignments(const std::vector<std::string>& arguments, const Words& words = {});

/// The name of a problem's file in messages and reports; "-" is standard input.
std::string shown_name(const std::string& file);

/// Reads and validates a problem ("-": from standard input, the format by content) within the memory limit; messages name the file. What of the file is not in the
/// problem is noted on standard error, unless `quiet`.
Problem load(const std::string& file, const Settings& settings, bool quiet = false);

/// Reads a solution and checks that it fits the problem; messages name the file.
Solution load_solution(const std::string& file, const Problem& problem);

/// Declares the settings of the table as options of a command: all of them, or those named.
void add_settings(CLI::App& command, Settings& settings, const std::vector<std::string>& only = {});

/// Text goes to standard output, or to standard error when standard output carries JSON.
void print(const std::string& text, bool to_stderr);

}  // namespace pliant::cli
