// Screening radii, the rate of the multiplier method, and the two examples.
#include "pliant/theory.hpp"

#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pliant::theory {
namespace {

TEST(TheoryScreening, RadiiSolveTheirQuadratics) {
  testing::Random random(5);
  for (int k = 0; k < 200; ++k) {
    const double r = random.log_uniform(1e-6, 10.0), mu = random.log_uniform(1e-3, 10.0),
                 gap = random.log_uniform(1e-9, 9.0);
    // mu/2 rho^2 - |r| rho = gap, and mu rho^2 - |r| rho = T.
    const double rho = screening_radius(r, mu, gap);
    EXPECT_NEAR(0.5 * mu * rho * rho, gap + r * rho, 1e-13 * (gap + r * rho));
    const double sharp = screening_radius_exact_penalty(r, mu, gap);
    EXPECT_NEAR(mu * sharp * sharp, gap + r * sharp, 1e-13 * (gap + r * sharp));
    EXPECT_DOUBLE_EQ(screening_radius_centered(r, mu, gap) + r / mu, rho);
    EXPECT_DOUBLE_EQ(screening_radius_saddle(r, mu, gap) + r / (2.0 * mu), sharp);
    // mu/2 (x - b)^2 s.t. x <= b at x = b - d, with the multiplier mu d that makes r vanish: T = mu d^2, and sharp.
    EXPECT_NEAR(screening_radius_saddle(0.0, mu, mu * gap * gap), gap, 1e-14 * gap);
    EXPECT_DOUBLE_EQ(screening_radius_multiplier(r, mu, gap), std::sqrt(2.0 / mu * (gap + r * r / (2.0 * mu))));
  }
  EXPECT_THROW(screening_radius(1.0, 0.0, 1.0), InputError);
  EXPECT_THROW(screening_radius(-1.0, 1.0, 1.0), InputError);
  EXPECT_THROW(screening_radius_exact_penalty(1.0, 1.0, -1.0), InputError);
}

TEST(TheoryScreening, TestOfOneConstraint) {
  EXPECT_TRUE(is_screened(-1.0, 1.0, 0.5, 0.8));   // -1 + 0.8 + 0.16 < 0
  EXPECT_FALSE(is_screened(-1.0, 1.0, 0.5, 0.9));  // -1 + 0.9 + 0.2025 > 0
  EXPECT_FALSE(is_screened(-1.0, 1.0, 0.0, 1.0));  // equality proves nothing
  EXPECT_FALSE(is_screened(-1.0, 0.0, 0.0, kInfinity));
  EXPECT_THROW(is_screened(std::nan(""), 1.0, 0.0, 1.0), InputError);
}

// min x^2/2 + x, -x <= 0 and -x - 1 <= 0 (inactive, slack 1): iterate u += a and compare the rate of |x|.
TEST(TheoryMultiplierMethod, LocalRateMatchesTheIteration) {
  for (const double delta : {0.3, 1.0}) {
    for (const double xi : {1.5, 3.0}) {
      const double eigenvalue = 1.0 - 1.0 / xi;  // D = lambda*(1 - lambda*/xi), S = 1
      double u = 0.0, v = 0.0, previous = 1.0, rate = 0.0;
      for (int step = 0; step < 25; ++step) {
        double lo = -2.0 * xi, hi = 2.0 * xi;  // bisection: the gradient increases in x
        for (int k = 0; k < 200; ++k) {
          const double x = 0.5 * (lo + hi);
          const double gradient =
              1.0 + x - xi / (1.0 + std::exp((x - u) / delta)) - xi / (1.0 + std::exp((x + 1.0 - v) / delta));
          (gradient < 0.0 ? lo : hi) = x;
        }
        const double x = 0.5 * (lo + hi);
        if (std::abs(x) < 1e-11) break;
        rate = std::abs(x / previous);
        previous = x;
        u -= x;
        v -= x + 1.0;
      }
      EXPECT_LE(rate, multiplier_method_rate(delta, eigenvalue, 1.0) + 0.01) << delta << " " << xi;
      EXPECT_GE(rate, multiplier_method_rate(delta, eigenvalue, 1.0) - 0.02) << delta << " " << xi;
    }
  }
  EXPECT_DOUBLE_EQ(multiplier_method_rate(0.5, 1.5, kInfinity), 0.25);
  EXPECT_DOUBLE_EQ(multiplier_method_rate(0.5, 1e9, 0.5), std::exp(-1.0));
}

TEST(TheoryExamples, ExampleOneClosedForm) {
  for (const double xi : {1.0001, 1.2, 1.5, 1.9, 2.0, 7.0}) {
    for (const double delta : {1.0, 1e-3, 1e-9}) {
      const double t = example1_minimizer(xi, delta);
      EXPECT_NEAR(1.0 - xi / (1.0 + std::exp(t / delta)), 0.0, 4e-16 * xi);  // optimality
      const ExamplePoint point = example1(xi, delta, 5);
      EXPECT_DOUBLE_EQ(point.violation_1, 5 * std::max(0.0, -t));
      EXPECT_DOUBLE_EQ(point.violation_2, std::sqrt(5.0) * std::max(0.0, -t));
      EXPECT_DOUBLE_EQ(point.objective_gap, 5 * t);
    }
  }
  // The master bound is attained at xi = 1 + W.
  const double xi = 1.0 + kW;
  const ExamplePoint sharp = example1(xi, 1e-3, 10);
  EXPECT_NEAR((xi - 1.0) * sharp.violation_1, master_bound({xi, 1e-3, 10}), 1e-15);
  const std::vector<double> values(10, -sharp.minimizer);
  EXPECT_NEAR(master_term(xi, 1e-3, values), master_bound({xi, 1e-3, 10}), 1e-15);
  EXPECT_THROW(example1_minimizer(1.0, 0.1), InputError);
  EXPECT_THROW(example1_minimizer(1.5, -0.1), InputError);
}

/// The root of 1 + t = xi sigma(-t/delta) by plain bisection in the scaled variable, long double throughout.
long double bisected_root(long double xi, long double delta) {
  const auto residual = [&](long double u) {
    const long double e = std::exp(-std::abs(u));
    const long double upper = u >= 0.0L ? e / (1.0L + e) : 1.0L / (1.0L + e);  // sigma(-u)
    const long double lower = u >= 0.0L ? 1.0L / (1.0L + e) : e / (1.0L + e);  // sigma(u)
    // Two equal forms; the second does not cancel where sigma(-u) is close to 1.
    return upper < 0.5L ? 1.0L + delta * u - xi * upper : delta * u + (1.0L - xi) + xi * lower;
  };
  long double lo = -1.0L / delta, hi = (xi + 1.0L) / delta;
  for (int k = 0; k < 400; ++k) {
    const long double mid = 0.5L * (lo + hi);
    (residual(mid) < 0.0L ? lo : hi) = mid;
  }
  return delta * 0.5L * (lo + hi);
}

TEST(TheoryExamples, ExampleTwoRootIsAccurateForEveryDelta) {
  for (const double xi : {0.3, 0.9, 1.0, 1.0 + 1e-9, 1.2, 1.5, 1.9, 2.5, 100.0}) {
    for (double delta = 1.0; delta > 0.5e-12; delta *= 0.1) {
      const double expected = static_cast<double>(bisected_root(xi, delta));
      EXPECT_NEAR(example2_minimizer(xi, delta), expected, 2e-15 * std::abs(expected)) << xi << " " << delta;
    }
  }
  // Symmetric point: at xi = 2 the root is exactly 0.
  EXPECT_EQ(example2_minimizer(2.0, 1e-5), 0.0);
  EXPECT_EQ(example2_minimizer(1.5, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(example2_minimizer(0.25, 0.0), -0.75);
  EXPECT_THROW(example2_minimizer(-1.0, 0.1), InputError);
  EXPECT_THROW(example2_minimizer(1.0, -0.1), InputError);
  EXPECT_THROW(example2(1.0, 0.1, 0), InputError);
}

TEST(TheoryExamples, ExampleTwoPoint) {
  const ExamplePoint point = example2(1.2, 1e-3, 100);
  const double t = point.minimizer;
  EXPECT_LT(t, 0.0);
  EXPECT_DOUBLE_EQ(point.violation_1, -100 * t);
  EXPECT_DOUBLE_EQ(point.violation_2, -10 * t);
  EXPECT_NEAR(point.objective_gap, 100 * (t + 0.5 * t * t), 1e-16);
  EXPECT_LT(point.objective_gap, 0.0);
}

}  // namespace
}  // namespace pliant::theory
