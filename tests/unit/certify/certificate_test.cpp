// The certificate against planted optima: never above F*, tight at the solution, honest otherwise.
#include "pliant/certificate.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::planted_qp;
using testing::PlantedQp;
using testing::Random;

TEST(Certificate, NeverAboveTheOptimumForAnyPointAndAnyMultipliers) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 12), m = random.integer(1, 40);
    const PlantedQp p = planted_qp(random, n, m, std::min(m, n / 2), seed % 3 == 0 ? 1 : 0);
    for (int trial = 0; trial < 20; ++trial) {
      const double size = random.log_uniform(1e-8, 10.0);
      const Vector x = p.x + size * random.vector(n);
      Multipliers multipliers = p.multipliers;
      multipliers.lambda[0] = (multipliers.lambda[0] + size * random.vector(m)).cwiseMax(0.0);
      if (multipliers.nu.size() > 0) multipliers.nu += size * random.vector(1);
      const Certificate c = certify(p.problem, x, multipliers);
      EXPECT_TRUE(c.lower_bound_rigorous());
      EXPECT_LE(c.lower_bound, p.value + 1e-10 * (1.0 + std::abs(p.value)));
    }
    const Certificate at_solution = certify(p.problem, p.x, p.multipliers);
    EXPECT_NEAR(at_solution.lower_bound, p.value, 1e-9 * (1.0 + std::abs(p.value)));
    EXPECT_LE(at_solution.violation_linf, 1e-12);
    EXPECT_LE(at_solution.dual_residual_rel, 1e-12);
    EXPECT_TRUE(at_solution.satisfies(Settings{}));
  }
}

// With a prox term and mu = 0 or mu > 0: the bound must stay below F at every feasible point.
TEST(Certificate, NeverAboveAnyFeasiblePointWithProxTerms) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 1000);
    const Index n = 6, m = 15;
    const Vector inside = Vector::Constant(n, 1.0 / static_cast<double>(n));
    const Matrix G = random.matrix(m, n);
    const Vector h = G * inside + Vector::Constant(m, 0.1);
    const Matrix A = random.matrix(9, n);
    const Vector b = random.vector(9);
    const std::vector<ProxPtr> terms{
        box(to_array(Vector::Constant(n, -1.0)), to_array(Vector::Constant(n, 2.0))),
        simplex(n, 1.0),
        ball(n, 1.5),
        l1(n, 0.3),
        l2_squared(n, 0.2),
        elastic_net(n, 0.1, 0.4),
        combine(l1(n, 0.2), box(to_array(Vector::Constant(n, -2.0)), to_array(Vector::Constant(n, 1.0)))),
        group_l2(Indices({0, 0, 1, 1, 2, 2}), Doubles({0.3, 0.2, 0.5}))};
    for (const ProxPtr& psi : terms) {
      SCOPED_TRACE(psi->kind());
      for (const bool least : {true, false}) {
        Problem problem(n);
        if (least)
          problem.minimize(least_squares(DataMatrix::from(A), to_array(b)));
        else
          problem.minimize(huber(DataMatrix::from(A), to_array(b), 0.7));
        problem.regularize(psi);
        problem.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
        problem.slater_point = inside;
        const double feasible_value = problem.objective(inside);
        for (int trial = 0; trial < 10; ++trial) {
          Vector x = inside + random.log_uniform(1e-6, 3.0) * random.vector(n);
          psi->project(x);
          Multipliers multipliers;
          multipliers.lambda.push_back((random.log_uniform(1e-4, 1.0) * random.vector(m)).cwiseMax(0.0));
          const Certificate c = certify(problem, x, multipliers);
          ASSERT_TRUE(c.lower_bound_rigorous());
          EXPECT_LE(c.lower_bound, feasible_value + 1e-12 * (1.0 + std::abs(feasible_value)));
        }
      }
    }
  }
}

TEST(Certificate, SaysSoWhereNoBoundIsRigorous) {
  // min c'x without bounds or strong convexity: no finite lower bound unless the gradient vanishes, which it does for
  // multipliers nearby; those that are far off are not made good.
  Problem problem(2);
  problem.minimize(linear(Doubles({1.0, 1.0})));
  problem.subject_to(linear_le(DataMatrix::dense(2, 2, Doubles({-1.0, 0.0, 0.0, -1.0})), Doubles({0.0, 0.0})));
  Multipliers near;
  near.lambda.push_back(Vector::Constant(2, 1.0 - 1e-7));
  const Certificate c = certify(problem, Vector::Zero(2), near);
  EXPECT_TRUE(c.lower_bound_rigorous());
  EXPECT_LE(c.lower_bound, 0.0);
  EXPECT_NEAR(c.dual_residual, 1e-7, 1e-12);
  EXPECT_TRUE(c.satisfies(Settings{}));
  near.lambda[0].setConstant(0.9);
  const Certificate off = certify(problem, Vector::Zero(2), near);
  EXPECT_FALSE(off.lower_bound_rigorous());
  EXPECT_FALSE(off.satisfies(Settings{}));
}

// Far away, x - prox(x - g) rounds to 0 although nothing balances the gradient.
TEST(Certificate, LargePointsDoNotHideTheResidual) {
  Problem problem(2);
  problem.minimize(linear(Doubles({1.0, 0.0})));
  problem.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({0.0, 1.0})), Doubles({1.0})));
  const Certificate c = certify(problem, Vector{{-1e20, 0.0}});
  EXPECT_DOUBLE_EQ(c.dual_residual, 1.0);
  EXPECT_FALSE(c.satisfies(Settings{}));
}

TEST(Certificate, MeasuresViolationInEveryNormAndNeverForgivesNaN) {
  Problem problem(2);
  problem.minimize(quadratic(DataMatrix::dense(2, 2, Doubles({1.0, 0.0, 0.0, 1.0})), Doubles({0.0, 0.0})));
  problem.subject_to(linear_range(Doubles({-1.0, -kInfinity}), DataMatrix::dense(2, 2, Doubles({1.0, 0.0, 0.0, 1.0})),
                                  Doubles({1.0, 2.0})));
  const Certificate c = certify(problem, Vector{{5.0, 5.0}});
  EXPECT_DOUBLE_EQ(c.violation_linf, 4.0);
  EXPECT_DOUBLE_EQ(c.violation_l1, 7.0);
  EXPECT_DOUBLE_EQ(c.violation_l2, 5.0);
  EXPECT_DOUBLE_EQ(c.constant_scale, 2.0);
  EXPECT_DOUBLE_EQ(c.violation_rel(), 4.0 / 2.0);
  const Certificate bad = certify(problem, Vector{{std::nan(""), 0.0}});
  EXPECT_EQ(bad.violation_linf, kInfinity);
  EXPECT_FALSE(bad.satisfies(Settings{}));
}

TEST(Certificate, SlaterCombinationIsFeasible) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 77);
    const Index n = 5, m = 20;
    const Matrix G = random.matrix(m, n);
    Problem problem(n);
    problem.minimize(linear(to_array(random.vector(n))));
    problem.regularize(box(to_array(Vector::Constant(n, -3.0)), to_array(Vector::Constant(n, 3.0))));
    problem.subject_to(linear_le(DataMatrix::from(G), to_array(Vector::Constant(m, random.log_uniform(1e-3, 1.0)))));
    const auto point = feasible_from_slater(problem, 5.0 * random.vector(n), Vector::Zero(n));
    ASSERT_TRUE(point.has_value());
    const Certificate c = certify(problem, *point);
    EXPECT_LE(c.violation_linf, 0.0);
    EXPECT_LE(c.domain_violation, 0.0);
    EXPECT_FALSE(feasible_from_slater(problem, Vector::Zero(n), Vector::Constant(n, 100.0)).has_value());
  }
}

}  // namespace
}  // namespace pliant
