// --guarantee through the command: on ten problems of six families the accuracy that `info` predicts is reached at or
// before the predicted number of steps, judged by `check` from the file alone and by a reference solution.
#include "command.hpp"

#include "pliant/pliant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char* family;
  const char* parameters;
  const char* epsilon;
};

class GuaranteedAccuracy : public ::testing::TestWithParam<Case> {};

double number(const Json& json, const char* name) { return json.at(name).get<double>(); }

TEST_P(GuaranteedAccuracy, IsReachedAtOrBeforeN) {
  const Case c = GetParam();
  const WorkFolder work;
  ASSERT_EQ(work.pliant(std::string("generate ") + c.family + " p.h5 " + c.parameters).exit_code, 0);
  const Json reference = Json::parse(work.pliant("solve p.h5 --tol-feas 1e-10 --tol-gap 1e-10 --json -").out);
  ASSERT_EQ(reference.at("status"), "optimal");
  const std::string asked = std::string("--guarantee ") + c.epsilon;
  const Json info = Json::parse(work.pliant("info p.h5 " + asked + " --json -").out).at("guarantee");
  const Outcome run = work.pliant("solve p.h5 " + asked + " --solution x.h5 --json -");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json result = Json::parse(run.out);
  const Json judged = Json::parse(work.pliant("check p.h5 x.h5 --json -").out);

  const Json& g = result.at("guarantee");
  for (const char* name : {"epsilon", "xi", "delta", "iterations_predicted", "objective_gap_predicted"}) {
    EXPECT_EQ(g.at(name), info.at(name)) << name;
  }
  const double epsilon = std::stod(c.epsilon), promised = number(g, "objective_gap_predicted");
  EXPECT_TRUE(g.at("reached").get<bool>());
  EXPECT_DOUBLE_EQ(promised, 0.5 * epsilon * number(g, "xi"));
  EXPECT_LE(number(g, "iterations"), number(g, "iterations_predicted"));
  const double violation = number(judged.at("violation"), "l1");
  EXPECT_LE(violation, epsilon);
  EXPECT_NEAR(number(g, "violation"), violation, 1e-12);
  const double gap = number(judged, "objective") - number(reference, "objective");
  EXPECT_LE(std::abs(gap), promised + 1e-9 * (1.0 + std::abs(number(reference, "objective"))));
  std::printf("| %s %s | %s | %d | %.3g | %.2e | %lld | %lld | %.1e | %.1e | %.1e |\n", c.family, c.parameters,
              c.epsilon, g.at("corollary").get<int>(), number(g, "xi"), number(g, "delta"),
              g.at("iterations_predicted").get<long long>(), g.at("iterations").get<long long>(), violation, promised,
              gap);
}

INSTANTIATE_TEST_SUITE_P(
    TenProblems, GuaranteedAccuracy,
    ::testing::Values(Case{"dense_qp", "n=4 m=10 seed=1", "0.01"}, Case{"dense_qp", "n=6 m=20 seed=2", "0.05"},
                      Case{"qcqp", "n=4 m=6 seed=8", "0.05"}, Case{"qcqp", "n=3 m=5 seed=4", "0.02"},
                      Case{"log_sum_exp", "n=4 m=6 seed=5", "0.05"}, Case{"log_sum_exp", "n=3 m=5 seed=6", "0.1"},
                      Case{"dense_lp", "n=3 m=8 seed=7", "0.1"}, Case{"dense_lp", "n=4 m=10 seed=8", "0.2"},
                      Case{"entrywise_strong", "n=5 m=5", "0.001"}, Case{"ridge", "n=4 m=12 seed=9", "0.02"}));

TEST(GuaranteeCommand, PredictedStandsBesideActual) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate dense_qp p.h5 n=4 m=10 seed=1").exit_code, 0);
  const Outcome info = work.pliant("info p.h5 --guarantee 0.01");
  EXPECT_THAT(info.out, HasSubstr("Slater       s = "));
  EXPECT_THAT(info.out, HasSubstr("Slater point of the problem"));
  EXPECT_THAT(info.out, HasSubstr("after N = "));
  const Outcome run = work.pliant("solve p.h5 --guarantee 0.01 --timeless");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr("apg / guarantee"));
  EXPECT_THAT(run.out, HasSubstr("reached after "));
  const Outcome cut = work.pliant("solve p.h5 --guarantee 1e-60 --max-iterations 7 --timeless");
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_THAT(cut.out, HasSubstr("not reached after 7 of N = "));
}

TEST(GuaranteeCommand, RefusalsAreOneLine) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate entrywise_convex p.h5 n=4 m=4").exit_code, 0);
  ASSERT_EQ(work.pliant("generate small_lmi c.h5 n=4 m=10").exit_code, 0);
  const Case refused[] = {{"p.h5", "--guarantee 0.01", "|x0 - x*|: no bound of it"},
                          {"p.h5", "--guarantee 0.01 --xi 2", "|x0 - x*|"},
                          {"c.h5", "--guarantee 0.01", "cones"},
                          {"p.h5", "--guarantee -1", "expected a number > 0"},
                          {"p.h5", "--guarantee 0.01 --method lbfgs", "--method lbfgs"},
                          {"p.h5", "--distance 3", "applies to --guarantee"}};
  for (const auto& [file, options, why] : refused) {
    const Outcome run = work.pliant(std::string("solve ") + file + " " + options + " --quiet");
    EXPECT_EQ(run.exit_code, 1) << options;
    EXPECT_THAT(run.err, HasSubstr(why));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
  // `info` says the same and goes on.
  const Outcome info = work.pliant("info p.h5 --guarantee 0.01");
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_THAT(info.out, HasSubstr("guarantee    none for epsilon = 0.01: |x0 - x*|: no bound of it"));
}

// x_delta from the command: grad F + xi sum sigma(a_i/delta) grad a_i vanishes at what it writes.
TEST(GuaranteeCommand, StaticWithXiAndDeltaReturnsTheMinimiser) {
  const WorkFolder work;
  for (const char* family : {"dense_qp", "qcqp", "log_sum_exp"}) {
    ASSERT_EQ(work.pliant(std::string("generate ") + family + " p.h5 n=4 m=8 seed=3").exit_code, 0);
    const Outcome run =
        work.pliant("solve p.h5 --outer static --method apg --xi 3 --delta 0.1 --solution x.h5 --quiet");
    EXPECT_EQ(run.exit_code, 2) << run.err;  // it minimises the penalised problem, not the constrained one
    const Problem problem = read_problem(work.file("p.h5"));
    const Vector x = read_solution(work.file("x.h5")).x;
    Vector gradient = Vector::Zero(4), a(8), weights(8);
    problem.add_smooth_gradient(x, gradient);
    const double scale = 1.0 + gradient.norm();
    const ConstraintBatch& rows = *problem.batches()[0];
    rows.values(x, Rows::range(0, 8), a);
    for (Index i = 0; i < 8; ++i) weights[i] = 3.0 / (1.0 + std::exp(-a[i] / 0.1));
    rows.add_weighted_gradient(x, Rows::range(0, 8), weights, gradient);
    EXPECT_LE(gradient.norm(), 1e-6 * scale) << family;
  }
}

TEST(GuaranteeCommand, InfoHasConstantsOfCones) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate robust_lp p.h5 n=4 m=10 seed=1").exit_code, 0);
  const Json info = Json::parse(work.pliant("info p.h5 --json -").out);
  ASSERT_EQ(info.at("cones").size(), 1u);
  const Json& c = info.at("cones")[0];
  EXPECT_EQ(c.at("kind"), "soc");
  EXPECT_EQ(c.at("cones"), 10);
  EXPECT_EQ(c.at("rank"), 2);
  EXPECT_GT(number(c, "lipschitz"), 0.0);
  EXPECT_NEAR(number(c, "C0"), std::pow(number(c, "lipschitz"), 2), 1e-12 * number(c, "C0"));
  EXPECT_NEAR(number(c, "error_over_nu"), std::log(2.0), 1e-15);
  EXPECT_GT(number(info.at("slater"), "slack"), 0.0);
  EXPECT_GT(number(info.at("slater"), "multiplier_bound"), 0.0);
}

}  // namespace
}  // namespace pliant::testing
