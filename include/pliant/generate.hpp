// Seeded instances of every family used in documentation, tests and benchmarks.
#pragma once

#include "pliant/problem.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace pliant {

struct FamilyInfo {
  std::string name;
  std::string description;
  std::map<std::string, double> defaults;  ///< parameters and their default values
  /// Parameters whose values are words on the command line; the number is the position of the word, from 0.
  std::map<std::string, std::vector<std::string>> words;
  /// Parameters that name files to read, all of them optional.
  std::vector<std::string> files;
};

const std::vector<FamilyInfo>& generated_families();

/// Builds an instance; throws InputError for unknown families or parameters.
Problem generate(const std::string& family, const std::map<std::string, double>& parameters = {},
                 const std::map<std::string, std::string>& files = {});

struct GenerateFileOptions {
  std::map<std::string, std::string> files;  ///< to read, by the name of their parameter
  Index block_bytes = Index{16} << 20;       ///< made and written at a time
  /// Called after every block with the bytes written so far and in all; an exception gives the file up.
  std::function<void(Index written, Index total)> progress;
};

/// Writes an instance to the native container without holding its large arrays in memory: the same bytes as
/// write_problem(generate(family, parameters), file).
void generate_file(const std::string& family, const std::map<std::string, double>& parameters,
                   const std::filesystem::path& file, const GenerateFileOptions& options = {});

}  // namespace pliant
