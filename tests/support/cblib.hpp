// The instances of CBLIB with their reference values, where they lie beside the repository.
#pragma once

#include "pliant/io.hpp"
#include "pliant/solve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace pliant::testing {

struct CblibInstance {
  std::string file, cones;
  Index m = 0, n = 0, nonzeros = 0;
  double objective = 0.0;
  int digits = 0;
};

/// index.csv: set,file,format,m,n,nnz,cones,reference_objective,status,source,digits; sources may be quoted.
inline std::vector<CblibInstance> cblib_instances(const std::filesystem::path& data) {
  std::vector<CblibInstance> out;
  std::ifstream index(data / "index.csv");
  for (std::string line; std::getline(index, line);) {
    if (!line.starts_with("cblib,")) continue;
    std::istringstream fields(line);
    std::array<std::string, 8> f;
    for (std::string& field : f) std::getline(fields, field, ',');
    out.push_back({f[1], f[6], std::stol(f[3]), std::stol(f[4]), std::stol(f[5]), std::stod(f[7]),
                   std::stoi(line.substr(line.rfind(',') + 1))});
  }
  return out;
}

struct CblibOutcome {
  bool solved = false;
  Status status = Status::numerical_error;
  std::string words;
};

/// Solves with the default settings; solved: within max(1e-6, 10^(1-digits)) of the reference, all residuals <= 1e-6.
inline CblibOutcome solve_instance(const std::filesystem::path& data, const CblibInstance& instance) {
  const Problem problem = read_problem(data / instance.file);
  const Result result = solve(problem, Settings{});
  const Certificate& c = result.certificate;
  const double tolerance = std::max(1e-6, std::pow(10.0, 1 - instance.digits)) * (1.0 + std::abs(instance.objective));
  std::ostringstream words;
  words << instance.file << ": " << to_string(result.status) << ' ' << result.message << ": objective " << c.objective
        << ", expected " << instance.objective << "; violation " << c.violation_rel() << ", dual residual "
        << c.dual_residual_rel;
  return {result.status == Status::optimal && std::abs(c.objective - instance.objective) <= tolerance &&
              c.violation_rel() <= 1e-6 && c.dual_residual_rel <= 1e-6,
          result.status, words.str()};
}

inline bool expect_solved(const std::filesystem::path& data, const CblibInstance& instance) {
  const CblibOutcome outcome = solve_instance(data, instance);
  EXPECT_TRUE(outcome.solved) << outcome.words;
  return outcome.solved;
}

}  // namespace pliant::testing
