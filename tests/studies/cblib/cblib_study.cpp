// All instances of CBLIB beside the repository, with default settings: at most two minutes each.
#include "support/cblib.hpp"

#include <chrono>
#include <iostream>

namespace pliant::testing {
namespace {

TEST(Cblib, AllInstancesAreSolved) {
  const std::vector<CblibInstance> all = cblib_instances(PLIANT_DATA);
  if (all.empty()) GTEST_SKIP() << "no instances at " << PLIANT_DATA;
  for (const CblibInstance& instance : all) {
    const auto begin = std::chrono::steady_clock::now();
    const bool good = expect_solved(PLIANT_DATA, instance);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::cout << instance.file << (good ? " solved, " : " NOT solved, ") << seconds << " s" << std::endl;
    EXPECT_LE(seconds, 120.0);
  }
}

}  // namespace
}  // namespace pliant::testing
