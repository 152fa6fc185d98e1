// What `auto` takes, and that it solves what it took.
#include "pliant/generate.hpp"
#include "pliant/solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pliant {
namespace {

using ::testing::HasSubstr;

Settings penalty_given() {
  Settings settings;
  settings.outer = Outer::multiplier;
  return settings;
}

Attempt first_choice(const Problem& problem, const Settings& settings) {
  return choose(problem, settings).attempts.front();
}

Problem with(Problem problem, ProxPtr psi) {
  problem.regularize(std::move(psi));
  return problem;
}

TEST(Auto, TakesThePathEngineWhereItAppliesAndThePenaltyIsFree) {
  const Problem problem = generate("ridge", {{"n", 5.0}, {"m", 50.0}});
  EXPECT_EQ(first_choice(problem, {}).method, Method::path);
  for (int k = 0; k < 3; ++k) {
    Settings settings;
    if (k == 0) settings.outer = Outer::nested;
    if (k == 1) settings.xi = 3.0;
    if (k == 2) settings.delta = 0.1;
    const Attempt choice = first_choice(problem, settings);
    EXPECT_EQ(choice.method, Method::lbfgs);
    EXPECT_EQ(choice.outer, k == 0 ? Outer::nested : Outer::multiplier);
    EXPECT_THAT(choice.reason, HasSubstr("n = 5, m = 50, l = 50"));
  }
}

TEST(Auto, TakesSparseLinearAlgebraForSparseProgramsAndConjugateGradientsWhereFactorsFillUp) {
  const Attempt sparse = first_choice(generate("sparse_qp", {{"n", 2500.0}, {"m", 10.0}, {"links", 1.0}}), {});
  EXPECT_EQ(sparse.method, Method::path);
  EXPECT_EQ(sparse.linear_algebra, LinearAlgebra::sparse);
  EXPECT_THAT(sparse.reason, HasSubstr("sparse"));
  const Attempt filled = first_choice(generate("sparse_qp", {{"n", 25000.0}, {"m", 150000.0}}), {});
  EXPECT_EQ(filled.linear_algebra, LinearAlgebra::iterative);
  const Attempt dense = first_choice(generate("dense_qp", {{"n", 10.0}, {"m", 100.0}}), {});
  EXPECT_EQ(dense.linear_algebra, LinearAlgebra::dense);
}

TEST(Auto, SamplesLongSumsWithKinksAndTakesApgOtherwise) {
  const auto method = [](const Problem& problem) { return first_choice(problem, penalty_given()).method; };
  const auto ridge = [](double l) { return generate("ridge", {{"n", 5.0}, {"m", 50.0}, {"l", l}}); };
  EXPECT_EQ(method(with(ridge(1000.0), l1(5, 0.01))), Method::katyusha);
  EXPECT_EQ(method(with(ridge(20.0), l1(5, 0.01))), Method::apg);      // a short sum
  EXPECT_EQ(method(generate("dense_lp", {{"n", 5.0}})), Method::apg);  // not strongly convex
  // Curved rows, and sparse samples.
  EXPECT_EQ(method(generate("fairness", {{"n", 5.0}, {"m", 20.0}, {"l", 2000.0}})), Method::apg);
  EXPECT_EQ(method(generate("fairness", {{"n", 400.0}, {"m", 0.0}, {"l", 15000.0}})), Method::apg);
}

TEST(Auto, SolvesWhatItTook) {
  for (const Problem& problem : {generate("svm", {{"n", 5.0}, {"m", 100.0}}),
                                 with(generate("ridge", {{"n", 5.0}, {"m", 50.0}, {"l", 500.0}}), l1(5, 0.05)),
                                 generate("fairness", {{"n", 20.0}, {"m", 20.0}, {"l", 200.0}, {"mu", 0.1}})}) {
    const Result r = solve(problem, penalty_given());
    EXPECT_EQ(r.status, Status::optimal) << r.message;
    EXPECT_EQ(r.method, first_choice(problem, penalty_given()).method);
    EXPECT_FALSE(r.choice.empty());
    EXPECT_TRUE(certify(problem, r.x, r.multipliers).satisfies(Settings{}));
  }
}

TEST(Auto, ReasonIsGivenOnlyForWhatWasLeftOpen) {
  Settings settings = penalty_given();
  settings.method = Method::apg;
  EXPECT_EQ(first_choice(generate("svm"), settings).reason, "");
}

}  // namespace
}  // namespace pliant
