// The table of engines: names and labels are unique, plans name rows of it, and results say which row answered.
#include "solve/registry.hpp"

#include "pliant/generate.hpp"
#include "pliant/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace pliant {
namespace {

using ::testing::HasSubstr;

TEST(Registry, NamesAndLabelsAreUnique) {
  std::set<std::string_view> names, labels;
  for (const Engine& engine : engines()) {
    EXPECT_TRUE(names.insert(engine.name).second) << engine.name;
    EXPECT_TRUE(labels.insert(engine.label).second) << engine.label;
    EXPECT_EQ(&engine_named(engine.name), &engine);
    EXPECT_EQ(&engine_of(attempt_with(engine, "")), &engine) << engine.name;
  }
}

TEST(Registry, EveryMethodButAutoHasAnEngine) {
  for (const Method method :
       {Method::path, Method::apg, Method::lbfgs, Method::svrg, Method::loopless_svrg, Method::catalyst_svrg,
        Method::katyusha, Method::loopless_katyusha, Method::rpdg, Method::sdca}) {
    EXPECT_EQ(engine_of(method).method, method);
  }
}

TEST(Plan, ResultsSayWhichAttemptAnswered) {
  for (const Problem& problem :
       {generate("dense_qp", {{"n", 4.0}, {"m", 50.0}}), generate("sparse_qp", {{"n", 60.0}, {"m", 100.0}}),
        generate("robust_lp", {{"n", 4.0}, {"m", 100.0}}), generate("ridge", {{"n", 4.0}, {"m", 30.0}})}) {
    const Plan plan = choose(problem, {});
    const Result r = solve(problem, plan, {}, {});
    EXPECT_EQ(r.status, Status::optimal);
    ASSERT_FALSE(r.attempts.empty());
    EXPECT_LE(r.attempts.size(), plan.attempts.size());
    for (std::size_t k = 0; k < r.attempts.size(); ++k) EXPECT_EQ(r.attempts[k].engine, plan.attempts[k].engine);
    EXPECT_EQ(r.attempts.back().engine, r.engine);
    EXPECT_EQ(r.attempts.back().status, "optimal");
  }
}

// A factorisation that is too dear is left to conjugate gradients, and that shows.
TEST(Plan, AnAttemptThatDeclinesIsFollowedByTheNext) {
  const Problem problem = generate("dense_qp", {{"n", 10.0}, {"m", 30.0}});
  Plan plan;
  plan.attempts.push_back(attempt_with(engine_named("sparse_factorisations"), "first"));
  plan.attempts.back().most_flops = 1.0;
  plan.attempts.push_back(attempt_with(engine_named("conjugate_gradients"), "then"));
  const Result r = solve(problem, plan, {}, {});
  EXPECT_EQ(r.status, Status::optimal) << r.message;
  ASSERT_EQ(r.attempts.size(), 2u);
  EXPECT_EQ(r.attempts[0].status, "declined");
  EXPECT_EQ(r.engine, "path / conjugate gradients");
  EXPECT_EQ(r.choice, "first; then");
}

// Conjugate gradients that have read as much as they were given leave the rest to the next attempt, and no more is read
// by them than a step beyond.
TEST(Plan, AnAttemptThatReadsTooMuchIsFollowedByTheNext) {
  const Problem problem = generate("sparse_qp", {{"n", 40.0}, {"m", 200.0}});
  Plan plan;
  plan.attempts.push_back(attempt_with(engine_named("conjugate_gradients"), "first"));
  const Result alone = solve(problem, plan, {}, {});
  ASSERT_EQ(alone.status, Status::optimal) << alone.message;
  plan.attempts.back().most_passes = 0.25 * alone.passes;
  plan.attempts.push_back(attempt_with(engine_named("sparse_factorisations"), "then"));
  const Result r = solve(problem, plan, {}, {});
  EXPECT_EQ(r.status, Status::optimal) << r.message;
  ASSERT_EQ(r.attempts.size(), 2u);
  EXPECT_EQ(r.attempts[0].status, "numerical_error");
  EXPECT_EQ(r.engine, "path / sparse factorisations");
  EXPECT_LT(r.passes, 0.75 * alone.passes);
  plan.attempts.front().most_passes = 2.0 * alone.passes;
  EXPECT_EQ(solve(problem, plan, {}, {}).attempts.size(), 1u);
}

}  // namespace
}  // namespace pliant
