// The instances of SDPLIB beside the repository against their reference values: objective to the digits these have,
// violation and dual residual within 1e-6, judged from the file and the answer alone; infeasible and unbounded ones
// with their proofs.
#include "pliant/infeasibility.hpp"
#include "pliant/io.hpp"
#include "pliant/solve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace pliant::testing {
namespace {

struct Instance {
  std::string file, reference, status, digits;
};

// Fields of a CSV line, quotes respected.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// set,file,format,m,n,nnz,cones,reference_objective,status,source,digits
std::vector<Instance> instances() {
  std::vector<Instance> out;
  std::ifstream index(std::filesystem::path(PLIANT_DATA) / "index.csv");
  for (std::string line; std::getline(index, line);) {
    const std::vector<std::string> f = fields(line);
    if (f.size() > 10 && f[0] == "sdplib") out.push_back({f[1], f[7], f[8], f[10]});
  }
  return out;
}

TEST(Sdplib, ReferenceValuesAndProofs) {
  const std::vector<Instance> all = instances();
  if (all.empty()) GTEST_SKIP() << "no instances at " << PLIANT_DATA;
  EXPECT_EQ(all.size(), 18u);
  for (const Instance& instance : all) {
    SCOPED_TRACE(instance.file);
    const Problem problem = read_problem(std::filesystem::path(PLIANT_DATA) / instance.file);
    const Result result = solve(problem);
    const Certificate c = certify(problem, result.x, result.multipliers);
    std::printf("%-28s %-18s %3ld steps %14.8e  violation %.0e  dual %.0e  gap %.0e  %.2f s\n", instance.file.c_str(),
                std::string(to_string(result.status)).c_str(), static_cast<long>(result.iterations), c.objective,
                c.violation_rel(), c.dual_residual_rel, c.gap_rel(), result.time.solve);
    std::fflush(stdout);
    if (instance.status == "infeasible") {
      EXPECT_EQ(result.status, Status::primal_infeasible);
      EXPECT_TRUE(prove_infeasible(problem, result.x, result.multipliers).holds);
    } else if (instance.status == "unbounded") {
      EXPECT_EQ(result.status, Status::dual_infeasible);
      ASSERT_GT(result.ray.size(), 0);
      EXPECT_TRUE(prove_unbounded(problem, result.x, result.ray).holds);
    } else {
      EXPECT_EQ(result.status, Status::optimal) << result.message;
      const double reference = std::stod(instance.reference);
      const double tolerance = std::max(1e-6, std::pow(10.0, 1.0 - std::stod(instance.digits)));
      EXPECT_NEAR(c.objective, reference, tolerance * (1.0 + std::abs(reference)));
      EXPECT_LE(c.violation_rel(), 1e-6);
      EXPECT_LE(c.dual_residual_rel, 1e-6);
    }
    EXPECT_LE(result.time.solve, 120.0);
  }
}

}  // namespace
}  // namespace pliant::testing
