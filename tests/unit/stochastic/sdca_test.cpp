// Dual coordinate ascent as a method of its own: reference optima, limits, warm starts, xi, refusals.
#include "pliant/solve.hpp"

#include "support/small_problems.hpp"
#include "support/sum_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace pliant {
namespace {

using testing::Random;

Settings sdca(double tolerance) {
  Settings s;
  s.method = Method::sdca;
  s.tol_feas = s.tol_gap = tolerance;
  s.time_limit = 60.0;
  return s;
}

Problem generalised_linear(std::uint64_t seed, Index loss, Index simple) {
  Random random(seed);
  const Index n = 6, l = 40;
  Problem p(n);
  if (loss == 0) {
    p.minimize(least_squares(testing::random_csr(random, l, n), to_array(Vector(3.0 * random.vector(l)))));
  }
  if (loss == 1) p.minimize(logistic(DataMatrix::from(random.matrix(l, n)), Doubles(testing::signs(random, l))), 5.0);
  if (loss == 2) {
    p.minimize(huber(DataMatrix::from(random.matrix(l, n)), to_array(Vector(3.0 * random.vector(l))), 1.0));
  }
  p.minimize(linear(to_array(random.vector(n))));
  if (simple == 3) {
    p.minimize(quadratic(DataMatrix::from(0.4 * Matrix::Identity(n, n)), to_array(random.vector(n))), 0.5);
  } else {
    p.regularize(l2_squared(n, 0.2));
  }
  if (simple == 1) p.regularize(l1(n, 0.1));
  if (simple == 2) p.regularize(box(to_array(Vector::Constant(n, -0.2)), to_array(Vector::Constant(n, 0.1))));
  p.subject_to(testing::random_linear(random, 25, n));
  std::vector<double> lo(9, -1.0), hi(9, 0.5);
  hi[3] = kInfinity;
  lo[5] = -kInfinity;
  p.subject_to(linear_range(Doubles(std::move(lo)), testing::random_csr(random, 9, n), Doubles(std::move(hi))));
  if (simple != 2) p.equal(DataMatrix::from(random.matrix(1, n)), Doubles({0.05}));
  return p;
}

TEST(Sdca, ReachesTheOptimumOfThePathEngine) {
  for (Index loss = 0; loss < 4; ++loss) {
    for (Index simple = 0; simple < 4; ++simple) {
      SCOPED_TRACE(::testing::Message() << "loss " << loss << " simple term " << simple);
      const Problem p = generalised_linear(static_cast<std::uint64_t>(10 * loss + simple), loss, simple);
      Settings path = sdca(1e-11);
      path.method = Method::path;
      const Result reference = solve(p, path);
      ASSERT_EQ(reference.status, Status::optimal) << reference.message;
      const Result r = solve(p, sdca(1e-9));
      ASSERT_EQ(r.status, Status::optimal)
          << r.message << ", violation " << r.certificate.violation_linf << ", gap " << r.certificate.gap_abs();
      EXPECT_EQ(r.method, Method::sdca);
      EXPECT_EQ(r.delta, 0.0);
      EXPECT_TRUE(certify(p, r.x, r.multipliers).satisfies(sdca(1.1e-9)));
      EXPECT_LE((r.x - reference.x).norm(), 1e-3);
      EXPECT_NEAR(r.certificate.objective, reference.certificate.objective,
                  1e-7 * (1.0 + std::abs(reference.certificate.objective)));
      // An epoch visits every coordinate; a certificate reads everything once.
      EXPECT_GE(r.component_evaluations, r.iterations * (p.components() - p.constraints()));
    }
  }
}

TEST(Sdca, DependsOnTheSeedAndNotOnTheThreads) {
  const Problem p = generalised_linear(4, 1, 0);
  const auto x = [&](Index seed, int threads) {
    Settings s = sdca(1e-6);
    s.seed = seed;
    s.threads = threads;
    return solve(p, s).x;
  };
  const Vector one = x(3, 1), three = x(3, 3);
  EXPECT_EQ(std::memcmp(one.data(), three.data(), static_cast<std::size_t>(one.size()) * sizeof(double)), 0);
  EXPECT_GT((one - x(4, 1)).norm(), 0.0);
}

TEST(Sdca, RaisesXiUntilTheMultipliersFit) {
  // min 1/2 |x|^2 with two nearly opposite rows whose point is (0, -1): both multipliers are 1/(2e), far above the
  // first guess of xi.
  const double e = 0.1, multiplier = 0.5 / e;
  Problem p(2);
  p.regularize(l2_squared(2, 1.0));
  p.subject_to(linear_le(DataMatrix::from((Matrix(2, 2) << 1.0, e, -1.0, e).finished()), Doubles({-e, -e})));
  const Result r = solve(p, sdca(1e-9));
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_NEAR(r.multipliers.lambda[0][0], multiplier, 1e-5 * multiplier);
  EXPECT_GE(r.xi, multiplier);
  Settings small = sdca(1e-9);
  small.xi = 0.5 * multiplier;
  small.max_iterations = 500;
  const Result stuck = solve(p, small);
  EXPECT_EQ(stuck.status, Status::iteration_limit);
  EXPECT_EQ(stuck.xi, *small.xi);
  EXPECT_LE(stuck.multipliers.lambda[0].maxCoeff(), *small.xi);
}

TEST(Sdca, AWarmStartAtTheSolutionTakesNoStep) {
  const Problem p = generalised_linear(11, 1, 1);
  const Result first = solve(p, sdca(1e-8));
  ASSERT_EQ(first.status, Status::optimal);
  SolveHooks hooks;
  hooks.warm_start = &first.x;
  hooks.warm_multipliers = &first.multipliers;
  const Result again = solve(p, sdca(1e-8), hooks);
  EXPECT_EQ(again.status, Status::optimal);
  EXPECT_EQ(again.iterations, 0);
  // Further on from there: the first judged point is as good as the start.
  Settings limited = sdca(1e-9);
  limited.max_iterations = 1;
  const Result onward = solve(p, limited, hooks);
  EXPECT_LE(onward.certificate.violation_linf, 1e-7);
  EXPECT_LE(onward.certificate.gap_abs(), 1e-7);
}

TEST(Sdca, StopsAtLimitsAndWhenTold) {
  const Problem p = generalised_linear(12, 0, 0);
  Settings s = sdca(1e-12);
  s.max_iterations = 3;
  Result r = solve(p, s);
  EXPECT_EQ(r.status, Status::iteration_limit);
  EXPECT_EQ(r.iterations, 3);
  EXPECT_EQ(r.x.size(), p.dimension());
  s.max_iterations.reset();
  s.max_passes = 5.0;
  r = solve(p, s);
  EXPECT_EQ(r.status, Status::pass_limit);
  EXPECT_LE(r.passes, 8.0);
  SolveHooks hooks;
  Index rows = 0;
  hooks.progress = [&](const Progress&) { return ++rows >= 2; };
  s.max_passes.reset();
  r = solve(p, s, hooks);
  EXPECT_EQ(r.status, Status::user_stopped);
  EXPECT_EQ(static_cast<Index>(r.trace.size()), rows);
}

TEST(Sdca, ProvesContradictions) {
  Problem p(2);
  p.regularize(l2_squared(2, 1.0));
  p.subject_to(linear_le(DataMatrix::from((Matrix(2, 2) << 1.0, 1.0, -1.0, -1.0).finished()), Doubles({-1.0, -1.0})));
  EXPECT_EQ(solve(p, sdca(1e-6)).status, Status::primal_infeasible);
}

TEST(Sdca, WhatItCannotDoIsRefusedInOneLine) {
  const auto message = [](const Problem& p, Settings s = sdca(1e-3)) {
    try {
      choose(p, s);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  Random random(1);
  Problem flat(3);
  flat.minimize(logistic(DataMatrix::from(random.matrix(4, 3)), Doubles({1.0, -1.0, 1.0, 1.0})));
  EXPECT_EQ(message(flat).find("--method sdca: needs strong convexity"), 0u) << message(flat);
  Problem curved = flat;
  curved.regularize(l2_squared(3, 1.0));
  EXPECT_EQ(message(curved), "accepted");
  Settings with_delta = sdca(1e-3);
  with_delta.delta = 0.1;
  EXPECT_EQ(message(curved, with_delta).find("--method sdca: --outer and --delta do not apply"), 0u);
  curved.subject_to(testing::random_quadratic(random, 2, 3));
  EXPECT_EQ(message(curved).find("--method sdca: takes linear constraints"), 0u) << message(curved);
  Problem general = flat;
  general.minimize(
      quadratic(DataMatrix::from((Matrix(3, 3) << 1, 0, 0, 0, 2, 0, 0, 0, 1).finished()), Doubles({0.0, 0.0, 0.0})));
  EXPECT_EQ(message(general).find("--method sdca: takes least squares"), 0u) << message(general);
  Problem on_simplex(3);
  on_simplex.minimize(linear(Doubles({1.0, 2.0, 3.0})));
  on_simplex.regularize(simplex(3, 1.0));
  EXPECT_EQ(message(on_simplex).find("--method sdca: needs a separable simple term"), 0u) << message(on_simplex);
}

}  // namespace
}  // namespace pliant
