// Seeded instances of every family used in documentation, tests and benchmarks.
#pragma once

#include "pliant/problem.hpp"

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
};

const std::vector<FamilyInfo>& generated_families();

/// Builds an instance; throws InputError for unknown families or parameters.
Problem generate(const std::string& family, const std::map<std::string, double>& parameters = {});

}  // namespace pliant
