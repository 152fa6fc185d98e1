// Balls in second-order engines, beside optima planted in the data.
#include "pliant/pliant.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

struct Planted {
  Problem problem{1};
  Vector x;
  double value = 0.0;
};

// grad f(x*) + G'lambda + nu x* = 0 with lambda, nu >= 0, tight where positive.
Planted planted_in_ball(Random& random, bool on_the_boundary) {
  const Index n = random.integer(2, 25), m = random.integer(1, 200), tight = random.integer(0, std::min(n - 1, m));
  const double radius = random.log_uniform(1e-3, 1e4);
  Planted out{Problem(n), random.vector(n), 0.0};
  out.x *= radius * (on_the_boundary ? 1.0 : 0.5) / out.x.norm();
  const Matrix B = random.matrix(n, n), P = B * B.transpose() / radius;
  const Matrix G = random.matrix(m, n);
  Vector h = G * out.x, pull = P * out.x;
  for (Index i = 0; i < m; ++i) {
    if (i < tight) {
      pull += random.uniform(0.1, 1.0) * G.row(i).transpose();
    } else {
      h[i] += radius * random.uniform(0.01, 2.0);
    }
  }
  if (on_the_boundary) pull += random.uniform(0.1, 1.0) * out.x / radius;
  out.value = 0.5 * out.x.dot(P * out.x) - pull.dot(out.x);
  out.problem.minimize(quadratic(P, -pull));
  out.problem.subject_to(linear_le(G, h));
  out.problem.regularize(ball(n, radius));
  return out;
}

TEST(Ball, IsOneCurvedRowToTheSecondOrderEngines) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 300);
    const Planted planted = planted_in_ball(random, seed % 3 != 0);
    Settings settings;
    settings.tol_gap = settings.tol_feas = 1e-8;
    const Result result = solve(planted.problem, settings);
    ASSERT_EQ(result.status, Status::optimal) << result.message;
    EXPECT_EQ(result.engine, "path / working sets");
    const double radius = radius_parameter(planted.problem.prox());
    EXPECT_LE(result.x.norm(), radius * (1.0 + 1e-15));
    const double allowed = 1e-7 * (1.0 + std::abs(planted.value));
    EXPECT_NEAR(result.certificate.objective, planted.value, allowed);
    EXPECT_LE(result.certificate.lower_bound, planted.value + 1e-12 * (1.0 + std::abs(planted.value)));
    ASSERT_EQ(result.multipliers.lambda.size(), 1u);
    const Certificate again = certify(planted.problem, result.x, result.multipliers);
    EXPECT_TRUE(again.satisfies(settings)) << again.gap_rel();
    SolveHooks hooks;
    hooks.warm_start = &result.x;
    hooks.warm_multipliers = &result.multipliers;
    EXPECT_EQ(solve(planted.problem, settings, hooks).status, Status::optimal);
  }
}

TEST(Ball, ThatMissesTheRowsIsAProofWithTheBallItself) {
  for (const double radius : {1e-3, 1.0, 1e6}) {
    SCOPED_TRACE(radius);
    Problem problem(3);
    problem.minimize(linear(Vector::Ones(3)));
    Matrix G(1, 3);
    G << 1.0, 2.0, 2.0;  // length 3
    problem.subject_to(linear_le(G, Vector::Constant(1, -3.1 * radius)));
    problem.regularize(ball(3, radius));
    const Result result = solve(problem);
    ASSERT_EQ(result.status, Status::primal_infeasible) << result.message;
    ASSERT_TRUE(result.infeasibility.has_value());
    EXPECT_TRUE(prove_infeasible(problem, result.x, result.multipliers).holds);
  }
}

TEST(Ball, GradientsAreWhatIsLeft) {
  Random random(7);
  const Planted planted = planted_in_ball(random, true);
  const Plan plan = choose(planted.problem, {});
  ASSERT_EQ(plan.attempts.size(), 2u);
  EXPECT_TRUE(plan.attempts[0].ball_as_row);
  EXPECT_FALSE(plan.attempts[1].ball_as_row);
  EXPECT_EQ(plan.attempts[1].method, Method::apg);
  Settings asked;
  asked.method = Method::apg;
  EXPECT_FALSE(choose(planted.problem, asked).attempts.front().ball_as_row);
  asked.method = Method::path;
  EXPECT_EQ(choose(planted.problem, asked).attempts.size(), 1u);
}

}  // namespace
}  // namespace pliant
