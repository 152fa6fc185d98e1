// All instances of CBLIB beside the repository, with default settings: at most two minutes each.
#include "support/cblib.hpp"

#include <chrono>
#include <iostream>

namespace pliant::testing {
namespace {

// Every instance with exponential cones, and all but one of the others: sched_100_50_orig is not solved yet
// (docs/methods.md). What is not solved must not be called optimal.
TEST(Cblib, AllInstancesButOneAreSolved) {
  const std::vector<CblibInstance> all = cblib_instances(PLIANT_DATA);
  if (all.empty()) GTEST_SKIP() << "no instances at " << PLIANT_DATA;
  int unsolved = 0;
  for (const CblibInstance& instance : all) {
    const auto begin = std::chrono::steady_clock::now();
    const CblibOutcome outcome = solve_instance(PLIANT_DATA, instance);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::cout << outcome.words << (outcome.solved ? "; solved, " : "; NOT solved, ") << seconds << " s" << std::endl;
    EXPECT_LE(seconds, 120.0);
    if (outcome.solved) continue;
    ++unsolved;
    EXPECT_EQ(instance.cones.find("EXP"), std::string::npos) << outcome.words;
    EXPECT_NE(outcome.status, Status::optimal) << outcome.words;
  }
  EXPECT_LE(unsolved, 1);
}

}  // namespace
}  // namespace pliant::testing
