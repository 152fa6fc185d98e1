// Theorem 1 repaired as formulas; violations in other norms; the middle term of Proposition 2.
#include "pliant/theory.hpp"

#include "support/random.hpp"
#include "support/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pliant::theory {
namespace {

using pliant::testing::refusal_of;
using ::testing::HasSubstr;

double sigma(double t) { return 1.0 / (1.0 + std::exp(-t)); }

/// Integral of max(1, ln(c/s)) over 0 < s <= delta by the midpoint rule in ln s, s = delta e^{-y}.
double integral(double c, double delta) {
  double sum = 0.0;
  constexpr int kSteps = 200000;
  constexpr double kEnd = 45.0;
  for (int k = 0; k < kSteps; ++k) {
    const double y = kEnd * (k + 0.5) / kSteps;
    const double s = delta * std::exp(-y);
    sum += std::max(1.0, std::log(c / s)) * s;
  }
  return sum * kEnd / kSteps;
}

TEST(TheoryTheorem1Repaired, IsTheIntegralOfTheBoundOfTheSlope) {
  for (const double delta : {1e-6, 1e-2, 1.0, 3.0, 20.0}) {
    const Penalty p{2.0, delta, 9};
    // c = sqrt(9) 1.5 0.8 2/0.5 = 14.4, so that delta = 20 lies beyond c/e.
    EXPECT_NEAR(theorem1_repaired(p, 0.5, 1.5, 0.8, 4.0), 15.0 * integral(14.4, delta), 1e-6 * 15.0 * delta * 20.0);
    EXPECT_NEAR(theorem1_repaired_infinity(p, 0.5, 1.5, 0.8, 4.0), 5.0 * integral(14.4, delta), 1e-4 * delta);
    EXPECT_NEAR(theorem1_repaired_sharp(p, 0.5, 1.5, 4.0), 3.0 * std::sqrt(17.0) * integral(9.0, delta), 1e-4 * delta);
    EXPECT_LE(theorem1_repaired_sharp(p, 0.5, 1.5, 4.0), theorem1_repaired(p, 0.5, 1.5, 0.8, 4.0));
  }
  EXPECT_EQ(theorem1_repaired({2.0, 0.0, 9}, 0.5, 1.5, 0.8, kInfinity), 0.0);
  EXPECT_EQ(theorem1_repaired({2.0, 0.1, 9}, 0.5, 1.5, 0.8, kInfinity), kInfinity);
}

TEST(TheoryTheorem1Repaired, CoversTheCounterexample) {
  // Rows -1 and -1000 at xi = 1, delta = 1e-6: the violation is 0.0114, the printed bound 4.1e-5.
  const double norm = std::hypot(1.0, 1000.0);
  const double bound = theorem1_repaired({1.0, 1e-6, 2}, 1.0, norm, 1000.0, norm);
  EXPECT_NEAR(bound, 0.041, 0.0005);
  EXPECT_LT(theorem1_as_printed({1.0, 1e-6, 2}, 1.0, 4e6, 0.0).value, 4.2e-5);
}

TEST(TheoryTheorem1Repaired, ActiveRows) {
  const Penalty p{2.0, 1e-6, 100};
  const ActiveRows rows{.active = 4, .smallest_singular = 0.5, .smallest_slack = 0.1};
  const double c = 5.0 * 9.0 * 2.0 / 0.5;
  EXPECT_NEAR(theorem1_repaired_active(p, 0.5, 1.5, 3.0, 1.0, rows),
              (1.0 + 2.0 * 3.0 / 0.5) * 2.0 * 1e-6 * (1.0 + std::log(c / 1e-6)), 1e-15);
  // The path may still pass the others: nothing is said.
  EXPECT_EQ(theorem1_repaired_active({2.0, 1e-3, 100}, 0.5, 1.5, 3.0, 1.0, rows), kInfinity);
  EXPECT_EQ(theorem1_repaired_active(p, 0.5, 1.5, 3.0, 100.0, rows), kInfinity);
  EXPECT_EQ(theorem1_repaired_active({2.0, 100.0, 100}, 0.5, 1.5, 3.0, 1.0, rows), kInfinity);
  // All active: no slack is needed, and the Hessian alone spreads.
  EXPECT_NEAR(theorem1_repaired_active({2.0, 1e-6, 4}, 0.5, 2.0, 3.0, 1.0, {4, 0.5, 0.0}),
              (1.0 + 2.0 * 3.0 / 0.5) * 2.0 * 1e-6 * (1.0 + std::log(36.0 / 1e-6)), 1e-15);
  EXPECT_THAT(refusal_of([&] { theorem1_repaired_active(p, 0.5, 0.4, 3.0, 1.0, rows); }), HasSubstr("L:"));
  EXPECT_THAT(refusal_of([&] {
                theorem1_repaired_active(p, 0.5, 1.0, 3.0, 1.0, {0, 1.0, 1.0});
              }),
              HasSubstr("active:"));
  EXPECT_THAT(refusal_of([&] {
                theorem1_repaired_active(p, 0.5, 1.0, 3.0, 1.0, {101, 1.0, 1.0});
              }),
              HasSubstr("active:"));
  EXPECT_THAT(refusal_of([&] {
                theorem1_repaired_active(p, 0.5, 1.0, 3.0, 1.0, {4, 0.0, 1.0});
              }),
              HasSubstr("smallest_singular:"));
}

TEST(TheoryTheorem1Repaired, Refusals) {
  EXPECT_THAT(refusal_of([] { theorem1_repaired({1.0, 1.0, 2}, 0.0, 1.0, 1.0, 1.0); }), HasSubstr("mu:"));
  EXPECT_THAT(refusal_of([] { theorem1_repaired({1.0, 1.0, 2}, 1.0, -1.0, 1.0, 1.0); }), HasSubstr("A_norm:"));
  EXPECT_THAT(refusal_of([] {
                theorem1_repaired({1.0, 1.0, 2}, 1.0, 1.0, std::nan(""), 1.0);
              }),
              HasSubstr("row_norm:"));
  EXPECT_THAT(refusal_of([] { theorem1_repaired_sharp({1.0, 1.0, 2}, 1.0, 1.0, -1.0); }), HasSubstr("chi:"));
  EXPECT_THAT(refusal_of([] { theorem1_repaired_infinity({1.0, -1.0, 2}, 1.0, 1.0, 1.0, 1.0); }), HasSubstr("delta:"));
}

TEST(TheoryNorms, LargestViolationIsTheRoot) {
  testing::Random random(7);
  for (int k = 0; k < 300; ++k) {
    const Penalty p{random.log_uniform(0.1, 10.0), random.log_uniform(1e-8, 1.0), random.integer(1, 1000)};
    const double rho = 1.0 - random.log_uniform(1e-6, 1.0);
    const NormBounds v = violation_norms(p, rho * p.xi);
    const double u = v.infinity / p.delta, budget = kW * static_cast<double>(p.m - 1);
    const double margin = 1.0 - rho;
    EXPECT_NEAR(u * (margin - sigma(-u)), budget, 1e-9 * (budget + u * margin) + 1e-15);
    // Nothing beyond u satisfies the inequality.
    for (const double factor : {1.001, 1.1, 2.0, 100.0}) {
      const double beyond = factor * u + 1e-9;
      EXPECT_GT(beyond * (margin - sigma(-beyond)), budget);
    }
    EXPECT_LE(v.infinity, v.two * (1.0 + 1e-12));
    EXPECT_LE(v.two, v.one * (1.0 + 1e-12));
    EXPECT_LE(v.one, violation_bound(master_bound(p), p.xi, rho * p.xi) * (1.0 + 1e-12));
    EXPECT_LE(v.two, std::sqrt(static_cast<double>(p.m)) * v.infinity * (1.0 + 1e-12));
  }
  // One constraint: Example 1 exactly, for every xi, in every norm.
  for (const double xi : {1.01, 1.2, 1.5, 1.9, 2.0, 3.0}) {
    const NormBounds v = violation_norms({xi, 0.1, 1}, 1.0);
    EXPECT_NEAR(v.infinity, example1(xi, 0.1, 1).violation_1, 1e-13);
    EXPECT_NEAR(v.one, v.infinity, 1e-15);
    EXPECT_NEAR(v.two, v.infinity, 1e-15);
  }
  EXPECT_EQ(violation_norms({2.0, 0.1, 5}, 2.0).infinity, kInfinity);
  EXPECT_EQ(violation_norms({2.0, 0.0, 5}, 2.0).infinity, 0.0);
  EXPECT_EQ(violation_norms({2.0, 0.1, 0}, 1.0).one, 0.0);
  EXPECT_THAT(refusal_of([] { violation_norms({1.0, 0.1, 5}, 2.0); }), HasSubstr("xi:"));
}

// The infinity-norm bound is attained: rows e_1..e_{m-1} and -k (1,..,1), cost -xi_bar times the last row. There
// x = -(1 + W) delta (1,..,1) is the minimiser, x* = 0 with lambda* = (0,..,0, xi_bar), and no optimal multiplier is smaller.
TEST(TheoryNorms, LargestViolationIsAttained) {
  for (const Index m : {2, 3, 10, 100}) {
    for (const double rho : {0.0, 0.3, 0.7, 0.99}) {
      const double xi = 1.7, delta = 0.01, t = 1.0 + kW;
      const double u = violation_norms({xi, delta, m}, rho * xi).infinity / delta;
      const double k = sigma(-t) / (sigma(u) - rho);
      EXPECT_GT(k, 0.0);
      const double last_value = k * static_cast<double>(m - 1) * t * delta;  // a_m(x)
      EXPECT_NEAR(last_value, u * delta, 1e-12 * u * delta);
      // Every component of the gradient: cost + xi sigma(a_m/delta) times the last row + xi sigma(-t).
      const double gradient = rho * xi * k - xi * sigma(last_value / delta) * k + xi * sigma(-t);
      EXPECT_NEAR(gradient, 0.0, 1e-13 * xi);
    }
  }
}

TEST(TheoryNorms, FromADistance) {
  const NormBounds linear = violation_norms_from_distance({.La = 0.0, .C0 = 4.0, .C1 = 0.0}, 9, 0.5);
  EXPECT_DOUBLE_EQ(linear.infinity, 1.0);
  EXPECT_DOUBLE_EQ(linear.two, 3.0);
  EXPECT_DOUBLE_EQ(linear.one, 9.0);
  // a = x^2 - 1 (C0 = C1 = 4) at distance d from x = 1: exactly 2d + d^2, within v = d sqrt(4 + 4v).
  for (const double d : {1e-6, 0.1, 1.0, 10.0}) {
    const double v = violation_norms_from_distance({.La = 2.0, .C0 = 4.0, .C1 = 4.0}, 1, d).infinity;
    EXPECT_NEAR(v, d * std::sqrt(4.0 + 4.0 * v), 1e-12 * v);
    EXPECT_GE(v, 2.0 * d + d * d);
  }
  EXPECT_EQ(violation_norms_from_distance({.La = 0.0, .C0 = 4.0, .C1 = 0.0}, 9, 0.0).one, 0.0);
  EXPECT_EQ(violation_norms_from_distance({.La = 0.0, .C0 = 4.0, .C1 = 0.0}, 9, kInfinity).one, kInfinity);
  EXPECT_DOUBLE_EQ(change_bound(8.0, 2.0, 3.0), 6.0);
  EXPECT_EQ(change_bound(8.0, 0.0, 3.0), kInfinity);
  EXPECT_THAT(refusal_of([] { change_bound(1.0, 1.0, -1.0); }), HasSubstr("norm:"));
}

TEST(TheoryAnyPoint, MiddleTermOfPropositionTwo) {
  const std::vector<double> values{0.5, -3.0, 2.0, 0.25};
  const std::vector<Index> E{0, 1};
  EXPECT_DOUBLE_EQ(weighted_violation(5.0, 3.0, values, E), 2.0 * 0.5 + 5.0 * 2.25);
  EXPECT_DOUBLE_EQ(weighted_violation(5.0, 3.0, values, {}), 5.0 * 2.75);
  EXPECT_DOUBLE_EQ(weighted_violation(3.0, 3.0, values, E), 3.0 * 2.25);
  EXPECT_DOUBLE_EQ(weighted_violation_bound_weak(-0.5, {5.0, 0.1, 4}), -0.5 + 2.0 * std::log(2.0));
  EXPECT_DOUBLE_EQ(inactive_violation_bound(0.6, 3.0), 0.2);
  EXPECT_THAT(refusal_of([&] { weighted_violation(2.0, 3.0, values, E); }),
              HasSubstr("xi: expected a number >= xi_bar"));
  EXPECT_THAT(refusal_of([&] { weighted_violation(5.0, 3.0, values, std::vector<Index>{4}); }),
              HasSubstr("always_active: expected indices below 4, got 4"));
  EXPECT_THAT(refusal_of([] { weighted_violation(5.0, 3.0, std::vector<double>{std::nan("")}, {}); }),
              HasSubstr("values:"));
  EXPECT_THAT(refusal_of([] { inactive_violation_bound(-1.0, 3.0); }), HasSubstr("penalized_gap:"));
}

}  // namespace
}  // namespace pliant::theory
