// The solver on small problems with planted solutions: accuracy, limits, interruption, determinism.
#include "pliant/solve.hpp"
#include "pliant/generate.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace pliant {
namespace {

using testing::planted_qp;
using testing::PlantedQp;
using testing::Random;

/// First-order settings; the path engine has its own tests.
Settings first_order() {
  Settings s;
  s.method = Method::apg;
  return s;
}

TEST(Solve, ReachesPlantedSolutionsWithEveryShapeOfConstraint) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(3, 10), m = random.integer(4, 60);
    const PlantedQp p = planted_qp(random, n, m, std::min<Index>(m, n / 2), static_cast<Index>(seed % 3));
    const Result r = solve(p.problem, first_order());
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    // Judged again, from the data and the returned multipliers alone.
    const Certificate again = certify(p.problem, r.x, r.multipliers);
    EXPECT_TRUE(again.satisfies(Settings{}));
    EXPECT_NEAR(again.objective, r.certificate.objective, 1e-12 * (1.0 + std::abs(p.value)));
    EXPECT_NEAR(again.lower_bound, r.certificate.lower_bound, 1e-9 * (1.0 + std::abs(p.value)));
    EXPECT_NEAR(r.certificate.objective, p.value, 2e-5 * (1.0 + std::abs(p.value)));
    EXPECT_LE(r.certificate.lower_bound, p.value + 1e-9 * (1.0 + std::abs(p.value)));
  }
}

TEST(Solve, NestedAndStaticReachModestTolerances) {
  Random random(3);
  const PlantedQp p = planted_qp(random, 6, 20, 3, 0);
  for (const Outer outer : {Outer::nested, Outer::fixed}) {
    Settings settings;
    settings.outer = outer;
    settings.tol_feas = settings.tol_gap = 1e-3;
    const Result r = solve(p.problem, settings);
    EXPECT_EQ(r.status, Status::optimal) << to_string(outer) << ": " << r.message;
    EXPECT_EQ(r.outer, outer);
    EXPECT_NEAR(r.certificate.objective, p.value, 1e-2 * (1.0 + std::abs(p.value)));
  }
}

// With xi and delta given, the minimiser of that very penalised problem comes back, not the best point on the way.
TEST(Solve, StaticWithGivenPenaltyReturnsItsMinimiser) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PlantedQp p = planted_qp(random, 6, 20, 3, 0);
    Settings settings;
    settings.outer = Outer::fixed;
    settings.method = Method::apg;
    settings.xi = 50.0;
    settings.delta = 0.05;
    const Result r = solve(p.problem, settings);
    EXPECT_EQ(r.status, Status::iteration_limit) << r.message;
    EXPECT_EQ(r.delta, 0.05);
    const PenalizedMinimum exact = minimize_penalized(p.problem, r.xi, 0.05, 1e-12);
    EXPECT_LE((r.x - exact.x).norm(), 1e-6 * (1.0 + exact.x.norm()));
  }
}

// Without strong convexity the error of a stage is a guess; a stage that ended too early goes on instead of blaming
// rounding.
TEST(Solve, StaticGoesOnWhereAStageEndedTooEarly) {
  Settings settings;
  settings.outer = Outer::fixed;
  settings.method = Method::apg;
  settings.nonsmooth = Nonsmooth::spectral;
  settings.tol_feas = settings.tol_gap = 1e-2;
  for (const double seed : {1.0, 2.0, 3.0}) {
    const Result r = solve(generate("robust_lp", {{"n", 8.0}, {"m", 300.0}, {"seed", seed}}), settings);
    EXPECT_EQ(r.status, Status::optimal) << seed << ": " << r.message;
  }
}

TEST(Solve, UnconstrainedProblemsAreLegal) {
  Random random(4);
  const PlantedQp p = planted_qp(random, 5, 0, 0, 0);
  const Result r = solve(p.problem);
  EXPECT_EQ(r.status, Status::optimal);
  EXPECT_NEAR(r.certificate.objective, p.value, 1e-6 * (1.0 + std::abs(p.value)));
  EXPECT_EQ(r.passes, 0.0);
}

TEST(Solve, AutomaticXiRisesWhereTheFirstGuessIsTooSmall) {
  // One constraint carries a multiplier of 1000 while the gradient at the start is tiny.
  Problem problem(2);
  problem.minimize(quadratic(DataMatrix::dense(2, 2, Doubles({1.0, 0.0, 0.0, 1.0})), Doubles({1e-6, 0.0})));
  problem.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({-0.001, 0.0})), Doubles({-0.001})));
  const Result r = solve(problem, first_order());
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_NEAR(r.x[0], 1.0, 2e-3);
  EXPECT_NEAR(r.multipliers.lambda[0][0], 1000.0, 2.0);
  EXPECT_GE(r.xi, 1000.0);
}

// min 1/2|x - c|^2 s.t. g_i'x <= 1: x = 0 has slack 1, so |lambda*|_1 <= F(0) - LB.
TEST(Solve, ProvesXiFromASlaterPoint) {
  Random random(9);
  const Vector c = 3.0 * random.vector(4);
  Problem problem(4);
  problem.minimize(quadratic(DataMatrix::from(Matrix::Identity(4, 4)), to_array(Vector(-c))));
  problem.subject_to(linear_le(DataMatrix::from(random.matrix(10, 4)), to_array(Vector::Ones(10))));
  Settings settings = first_order();
  settings.xi = 1e4;
  problem.slater_point = Vector::Zero(4);
  const Result r = solve(problem, settings);
  ASSERT_EQ(r.status, Status::optimal);
  EXPECT_TRUE(r.xi_proved);
  EXPECT_GE(r.xi, r.multipliers.lambda[0].maxCoeff());
  // Whatever strictly feasible points are met, too small a xi is never called proved.
  settings.xi = 0.9 * r.multipliers.lambda[0].maxCoeff();
  settings.max_iterations = 500;
  EXPECT_FALSE(solve(problem, settings).xi_proved);
}

TEST(Solve, LimitsReturnTheBestIterateWithAnHonestStatus) {
  Random random(5);
  const PlantedQp p = planted_qp(random, 10, 100, 5, 0);
  Settings settings = first_order();
  settings.tol_feas = settings.tol_gap = 1e-12;
  settings.max_iterations = 7;
  Result r = solve(p.problem, settings);
  EXPECT_EQ(r.status, Status::iteration_limit);
  EXPECT_EQ(r.iterations, 7);
  EXPECT_TRUE(r.x.allFinite());
  EXPECT_LE(certify(p.problem, r.x, r.multipliers).lower_bound, p.value + 1e-9);

  settings.max_iterations.reset();
  settings.max_passes = 20.0;
  r = solve(p.problem, settings);
  EXPECT_EQ(r.status, Status::pass_limit);
  EXPECT_GE(r.passes, 20.0);
  EXPECT_LE(r.passes, 90.0);  // one step may backtrack

  settings.max_passes.reset();
  settings.time_limit = 0.0;
  r = solve(p.problem, settings);
  EXPECT_EQ(r.status, Status::time_limit);
  EXPECT_EQ(r.x.size(), 10);

  settings.time_limit.reset();
  SolveHooks hooks;
  std::atomic<bool> interrupt{true};
  hooks.interrupt = &interrupt;
  r = solve(p.problem, settings, hooks);
  EXPECT_EQ(r.status, Status::interrupted);
  EXPECT_EQ(exit_code(r.status), 130);

  hooks = {};
  Index rows = 0;
  hooks.progress = [&](const Progress& row) {
    EXPECT_TRUE(std::isfinite(row.objective));
    return ++rows == 3;
  };
  r = solve(p.problem, settings, hooks);
  EXPECT_EQ(r.status, Status::user_stopped);
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(r.trace.size(), 3U);
}

TEST(Solve, ExceptionsOfACallbackReachTheCaller) {
  Random random(6);
  const PlantedQp p = planted_qp(random, 4, 10, 2, 0);
  SolveHooks hooks;
  hooks.progress = [](const Progress&) -> bool { throw std::runtime_error("from the callback"); };
  EXPECT_THROW(solve(p.problem, first_order(), hooks), std::runtime_error);
}

// One constraint |x|^2 <= 1 on two variables whose functions answer with one number where told to.
Problem with_nonsense(double value, double slope, double curvature) {
  CallbackFunctions f;
  f.values = [=](ConstVectorRef x, Rows, VectorRef a) { a[0] = value == 0.0 ? x.squaredNorm() - 1.0 : value; };
  f.jacobian = [=](ConstVectorRef x, Rows, MatrixRef J) {
    J.row(0) = (slope == 0.0 ? Vector(2.0 * x) : Vector(Vector::Constant(2, slope))).transpose();
  };
  f.hessian = [=](ConstVectorRef, ConstVectorRef w, Rows, MatrixRef H) {
    H = curvature == 0.0 ? Matrix(2.0 * w[0] * Matrix::Identity(2, 2)) : Matrix(Matrix::Constant(2, 2, curvature));
  };
  Problem problem(2);
  problem.minimize(linear(Doubles(std::vector<double>{1.0, 1.0})));
  problem.subject_to(callback_le(1, 2, f));
  return problem;
}

TEST(Solve, NonsenseOfUserFunctionsEndsHonestly) {
  Settings settings;
  settings.max_iterations = 1000;
  ASSERT_EQ(solve(with_nonsense(0.0, 0.0, 0.0), settings).status, Status::optimal);
  const double nan = std::nan("");
  EXPECT_THROW(solve(with_nonsense(nan, 0.0, 0.0), settings), InputError);
  for (const double bad : {kInfinity, -kInfinity}) {
    EXPECT_NE(solve(with_nonsense(bad, 0.0, 0.0), settings).status, Status::optimal);
  }
  for (const double bad : {nan, kInfinity, -kInfinity}) {
    EXPECT_NE(solve(with_nonsense(0.0, bad, 0.0), settings).status, Status::optimal);
    EXPECT_EQ(solve(with_nonsense(0.0, 0.0, bad), settings).x.size(), 2);
  }
}

TEST(Solve, SameBytesForAnyThreadCount) {
  Random random(7);
  const PlantedQp p = planted_qp(random, 20, 3000, 8, 2);
  Settings settings = first_order();
  settings.threads = 1;
  const Result one = solve(p.problem, settings);
  settings.threads = 2;
  const Result two = solve(p.problem, settings);
  ASSERT_EQ(one.x.size(), two.x.size());
  EXPECT_EQ(std::memcmp(one.x.data(), two.x.data(), static_cast<std::size_t>(one.x.size()) * sizeof(double)), 0);
  EXPECT_EQ(one.iterations, two.iterations);
}

TEST(Solve, WarmStartFromASolutionIsMuchCheaper) {
  Random random(8);
  const PlantedQp p = planted_qp(random, 10, 200, 5, 0);
  const Result cold = solve(p.problem, first_order());
  ASSERT_EQ(cold.status, Status::optimal);
  SolveHooks hooks;
  hooks.warm_start = &cold.x;
  hooks.warm_multipliers = &cold.multipliers;
  const Result warm = solve(p.problem, first_order(), hooks);
  EXPECT_EQ(warm.status, Status::optimal);
  EXPECT_LE(warm.iterations, cold.iterations / 4);
}

TEST(Solve, InfeasibleAndUnboundedProblemsEndWithAProof) {
  Problem infeasible(1);
  infeasible.minimize(quadratic(DataMatrix::dense(1, 1, Doubles({1.0})), Doubles({0.0})));
  infeasible.subject_to(linear_le(DataMatrix::dense(2, 1, Doubles({1.0, -1.0})), Doubles({-1.0, -1.0})));
  Result r = solve(infeasible, first_order());
  EXPECT_EQ(r.status, Status::primal_infeasible) << r.message;
  EXPECT_TRUE(prove_infeasible(infeasible, r.x, r.multipliers).holds);
  EXPECT_GE(r.certificate.violation_linf, 1.0 - 1e-9);
  EXPECT_EQ(r.certificate.lower_bound, kInfinity);

  Problem unbounded(2);
  unbounded.minimize(linear(Doubles({1.0, 0.0})));
  unbounded.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({0.0, 1.0})), Doubles({1.0})));
  r = solve(unbounded, first_order());
  EXPECT_EQ(r.status, Status::dual_infeasible) << r.message;
  EXPECT_TRUE(prove_unbounded(unbounded, r.x, r.ray).holds);
  EXPECT_EQ(r.certificate.lower_bound, -kInfinity);
}

TEST(Solve, BadWarmStartIsRefused) {
  Random random(10);
  const PlantedQp p = planted_qp(random, 4, 10, 2, 0);
  const Vector wrong = Vector::Zero(3);
  SolveHooks hooks;
  hooks.warm_start = &wrong;
  EXPECT_THROW(solve(p.problem, {}, hooks), InputError);
}

TEST(MinimizePenalized, ReachesTheRequestedResidual) {
  Random random(11);
  const PlantedQp p = planted_qp(random, 8, 30, 3, 0);
  for (const double delta : {1.0, 1e-2, 1e-4}) {
    const PenalizedMinimum minimum = minimize_penalized(p.problem, 5.0, delta, 1e-9);
    EXPECT_LE(minimum.residual, 1e-9);
    // No nearby point has a smaller value of F + xi sum p_delta(a).
    for (int k = 0; k < 50; ++k) {
      const Vector y = minimum.x + random.log_uniform(1e-5, 1.0) * random.vector(8);
      Vector a(30);
      p.problem.batches()[0]->values(y, Rows::range(0, 30), a);
      double value = p.problem.objective(y);
      for (double t : a) value += 5.0 * (std::max(t, 0.0) + delta * std::log1p(std::exp(-std::abs(t) / delta)));
      EXPECT_GE(value, minimum.value - 1e-12 * std::abs(minimum.value));
    }
  }
}

}  // namespace
}  // namespace pliant
