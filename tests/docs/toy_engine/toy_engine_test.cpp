// The toy engine works like any other: listed once, refused where it does not apply, named in results.
#include "pliant/pliant.hpp"
#include "solve/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace pliant {
namespace {

using ::testing::HasSubstr;

Problem corner(double c1, double c2) {
  Problem problem(2);
  problem.minimize(linear(Doubles({c1, c2})));
  problem.regularize(box(Doubles({-1.0, 0.0}), Doubles({2.0, 5.0})));
  return problem;
}

Plan toy_plan() { return {{attempt_with(engine_named("toy"), "to show how")}}; }

TEST(ToyEngine, FindsTheCornerAndSaysWhoItIs) {
  const Result r = solve(corner(3.0, -2.0), toy_plan(), {}, {});
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_EQ(r.x[0], -1.0);
  EXPECT_EQ(r.x[1], 5.0);
  EXPECT_EQ(r.engine, "path / toy: corners");
  ASSERT_EQ(r.attempts.size(), 1u);
  EXPECT_EQ(r.attempts[0].reason, "to show how");
  EXPECT_EQ(r.iterations, 1);
}

TEST(ToyEngine, SaysWhatItCannotTake) {
  const Engine& toy = engine_named("toy");
  EXPECT_EQ(toy.obstacle(corner(1.0, 1.0), {}), "");
  Problem constrained = corner(1.0, 1.0);
  constrained.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({1.0, 1.0})), Doubles({1.0})));
  EXPECT_THAT(toy.obstacle(constrained, {}), HasSubstr("no constraints"));
  Problem curved = corner(1.0, 1.0);
  curved.minimize(quadratic(DataMatrix::dense(2, 2, Doubles({1.0, 0.0, 0.0, 1.0})), Doubles({0.0, 0.0})));
  EXPECT_THAT(toy.obstacle(curved, {}), HasSubstr("linear objective"));
}

TEST(ToyEngine, ChangesNoOther) {
  std::set<std::string_view> names;
  for (const Engine& engine : engines()) EXPECT_TRUE(names.insert(engine.name).second) << engine.name;
  EXPECT_TRUE(names.contains("toy"));
  EXPECT_EQ(solve(generate("dense_qp", {{"n", 4.0}, {"m", 60.0}})).engine, "path / working sets");
}

}  // namespace
}  // namespace pliant
