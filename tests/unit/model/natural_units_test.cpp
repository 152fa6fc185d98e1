// Variables of very different sizes: which units are found, that a copy in them is the same problem, and that answers
// come back in the original ones.
#include "model/natural_units.hpp"
#include "pliant/pliant.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

struct Planted {
  Problem problem;
  Vector x;
  double value;
};

// min 1/2 x'Px + q'x, Gx <= h with a planted optimum, variable j measured in units of 10^decades[j].
Planted planted(Index n, Index m, const Vector& decades, unsigned seed, bool lp) {
  testing::Random rng(seed);
  const Matrix G0 = rng.matrix(m, n);
  const Vector x0 = rng.vector(n);
  Vector multipliers = Vector::Zero(m), slack(m);
  for (Index i = 0; i < m; ++i) {
    const bool active = i < n;
    slack[i] = active ? 0.0 : 0.1 + std::abs(rng.normal());
    multipliers[i] = active ? 0.1 + std::abs(rng.normal()) : 0.0;
  }
  const Matrix B = rng.matrix(n, n);
  const Matrix P0 = lp ? Matrix::Zero(n, n) : Matrix(B.transpose() * B);
  const Vector q0 = -(P0 * x0 + G0.transpose() * multipliers), h = G0 * x0 + slack;
  const Vector D = decades.unaryExpr([](double e) { return std::pow(10.0, e); });
  Planted out{Problem(n), x0.cwiseQuotient(D), 0.5 * x0.dot(P0 * x0) + q0.dot(x0)};
  if (lp) {
    out.problem.minimize(linear(q0.cwiseProduct(D)));
  } else {
    const Matrix P = D.asDiagonal() * P0 * D.asDiagonal();
    out.problem.minimize(quadratic(Matrix(0.5 * (P + P.transpose())), q0.cwiseProduct(D)));
  }
  out.problem.subject_to(linear_le(Matrix(G0 * D.asDiagonal()), h));
  return out;
}

Vector spread(Index n, double decades, unsigned seed) {
  testing::Random rng(seed);
  Vector out(n);
  for (Index j = 0; j < n; ++j) out[j] = decades * (2.0 * rng.uniform() - 1.0);
  out[0] = decades;
  out[n - 1] = -decades;
  return out;
}

TEST(NaturalUnits, AlikeVariablesAreLeftAlone) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(planted(8, 200, Vector::Zero(8), seed, true).problem.natural_units().size(), 0);
  }
}

TEST(NaturalUnits, FindsTheUnitsThatWereHidden) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Vector decades = spread(6, 4.0, seed);
    const Vector D = planted(6, 300, decades, seed, false).problem.natural_units();
    ASSERT_EQ(D.size(), 6);
    for (Index j = 0; j < 6; ++j) {
      EXPECT_EQ(std::exp2(std::round(std::log2(D[j]))), D[j]) << "a power of two";
      // Up to a common factor D undoes 10^decades.
      const double rest = D[j] * std::pow(10.0, decades[j]) / (D[0] * std::pow(10.0, decades[0]));
      EXPECT_GT(rest, 0.2);
      EXPECT_LT(rest, 5.0);
    }
  }
}

TEST(NaturalUnits, ACopyIsTheSameProblemToTheLastBit) {
  const Planted p = planted(6, 40, spread(6, 5.0, 3), 3, false);
  const Vector& D = p.problem.natural_units();
  ASSERT_GT(D.size(), 0);
  const auto copy = in_units(p.problem, D);
  ASSERT_TRUE(copy.has_value());
  testing::Random rng(9);
  const Vector y = rng.vector(6), x = y.cwiseProduct(D);
  Vector a(40), b(40);
  p.problem.batches()[0]->values(x, Rows::range(0, 40), a);
  copy->problem.batches()[0]->values(y, Rows::range(0, 40), b);
  EXPECT_EQ(a, b);
  EXPECT_EQ(p.problem.objective(x), copy->problem.objective(y));
}

TEST(NaturalUnits, NumbersThatLeaveTheRangeOfDoublesAreNotCopied) {
  Problem p(2);
  p.minimize(linear(Vector(Vector::Constant(2, 1.0))));
  Matrix G(2, 2);
  G << 1e-300, 0.0, 0.0, 1.0;
  p.subject_to(linear_le(G, Vector(Vector::Ones(2))));
  Vector D(2);
  D << std::exp2(-60), 1.0;
  EXPECT_FALSE(in_units(p, D).has_value());
}

TEST(NaturalUnits, AnswersComeBackInTheOriginalUnits) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const bool lp = seed % 2 == 0;
    const Planted p = planted(7, 150, spread(7, 5.0, seed), seed, lp);
    Settings settings;
    settings.tol_feas = settings.tol_gap = 1e-8;
    const Result r = solve(p.problem, settings);
    ASSERT_EQ(r.status, Status::optimal) << seed << ": " << r.message;
    EXPECT_NEAR(r.certificate.objective, p.value, 1e-7 * (1.0 + std::abs(p.value)));
    EXPECT_NEAR(p.problem.objective(r.x), p.value, 1e-7 * (1.0 + std::abs(p.value)));
    for (Index j = 0; j < 7; ++j) EXPECT_NEAR(r.x[j], p.x[j], 1e-4 * std::abs(p.x[j]) + 1e-3 * std::abs(p.x[j])) << j;
    // Stationarity, recomputed: grad F + G'lambda = 0 in units of the variables.
    Vector g = Vector::Zero(7);
    p.problem.add_smooth_gradient(r.x, g);
    const Vector size = g.cwiseAbs().cwiseMax(1e-300);
    p.problem.batches()[0]->add_weighted_gradient(r.x, Rows::range(0, 150), r.multipliers.lambda[0], g);
    EXPECT_LT(g.cwiseQuotient(size).lpNorm<Eigen::Infinity>(), 1e-3);
    EXPECT_THAT(r.choice, ::testing::HasSubstr("units of"));
  }
}

// A bound that is proved in the original units, but far away, is no reason not to look for a nearer one in others.
TEST(NaturalUnits, WhatASolveProvesIsConfirmed) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    testing::Random rng(seed);
    const Vector decades = spread(7, rng.uniform(2.0, 5.0), seed);
    Planted p = planted(7, 150, decades, seed, false);
    const Vector wide = 20.0 * p.x.cwiseAbs() + decades.unaryExpr([](double e) { return std::pow(10.0, -e); });
    p.problem.regularize(box(Vector(-wide), wide));
    Settings settings;
    settings.tol_feas = settings.tol_gap = rng.log_uniform(1e-9, 1e-5);
    const Result r = solve(p.problem, settings);
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    Solution solution;
    solution.x = r.x;
    solution.duals = r.multipliers.lambda;
    const Verdict verdict = check(p.problem, solution, settings);
    EXPECT_TRUE(verdict.satisfied) << verdict.certificate.gap_rel();
    EXPECT_EQ(verdict.certificate.lower_bound_kind, r.certificate.lower_bound_kind);
    EXPECT_LE(verdict.certificate.lower_bound, p.value + 1e-9 * (1.0 + std::abs(p.value)));
  }
}

TEST(NaturalUnits, ConesWithSmallEntriesAreScaledUpAndTheirMultipliersBroughtBack) {
  // min -x - y over |(x, y)| <= 1, written in a cone times 1e-6: multipliers are 1e6 times as large.
  constexpr double kSmall = 1e-6;
  Problem p(2);
  p.minimize(linear(Vector(Vector::Constant(2, -1.0))));
  Matrix G(3, 2);
  G << 0.0, 0.0, kSmall, 0.0, 0.0, kSmall;
  Vector h(3);
  h << kSmall, 0.0, 0.0;
  p.subject_to(conic(G, h, {{ConeKind::second_order, 3}}));
  Settings settings;
  settings.tol_feas = settings.tol_gap = 1e-8;
  const Result r = solve(p, settings);
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_NEAR(r.certificate.objective, -std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(r.multipliers.cones[0][0], std::sqrt(2.0) / kSmall, 1e-3 / kSmall);
}

// A violation that the tolerance of rows allows but its multiplier makes dear is no solution.
TEST(NaturalUnits, WhatAViolationIsWorthCounts) {
  Problem p(1);
  p.minimize(linear(Vector(Vector::Constant(1, -1.0))));
  p.subject_to(linear_le(Matrix(Matrix::Constant(1, 1, 1e-7)), Vector(Vector::Constant(1, 1e-7))));  // x <= 1
  Multipliers multipliers = zero_multipliers(p);
  multipliers.lambda[0][0] = 1e7;
  const Certificate inside = certify(p, Vector(Vector::Constant(1, 1.0)), multipliers);
  EXPECT_TRUE(inside.satisfies(Settings{}));
  const Certificate outside = certify(p, Vector(Vector::Constant(1, 1.5)), multipliers);  // off by 5e-8 in the row
  EXPECT_LE(outside.violation_rel(), Settings{}.tol_feas);
  EXPECT_NEAR(outside.violation_worth, 0.5, 1e-6);
  EXPECT_FALSE(outside.satisfies(Settings{}));
}

TEST(NaturalUnits, AnInfiniteSideIsNoRow) {
  Problem p(1);
  p.minimize(linear(Vector(Vector::Constant(1, -1.0))));
  Vector h(2);
  h << kInfinity, 3.0;
  const Handle handle = p.subject_to(linear_le(Matrix(Matrix::Ones(2, 1)), h));
  const Result r = solve(p);
  ASSERT_EQ(r.status, Status::optimal);
  EXPECT_NEAR(r.x[0], 3.0, 1e-5);
  ASSERT_EQ(r.duals(handle).size(), 2);
  EXPECT_EQ(r.duals(handle)[0], 0.0);
}

}  // namespace
}  // namespace pliant
