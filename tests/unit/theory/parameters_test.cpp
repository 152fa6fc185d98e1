// Constants, Theorem 1 as printed, the choice of delta, smoothness and iteration counts.
#include "pliant/theory.hpp"

#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pliant::theory {
namespace {

const ProblemConstants kProblem{.m = 6, .l = 11, .Lf = 2.5, .mu = 0.3, .constraint = {.La = 1.5, .C0 = 0.7, .C1 = 3.0}};

TEST(TheoryTheorem1, FormulaAndConditions) {
  const ConstraintConstants c{.La = 1.0, .C0 = 2.0, .C1 = 0.5};
  EXPECT_DOUBLE_EQ(theorem1_constant(c, 3, 4.0), 2 * 0.5 * 4.0 + 2 * 3 * 2.0);
  const Penalty p{1.5, 1e-3, 9};
  const Printed bound = theorem1_as_printed(p, 0.5, 16.0, 0.5);
  EXPECT_DOUBLE_EQ(bound.value, 3e-3 * std::log(16.0 * 1.5 / (0.5 * 1e-3)));
  EXPECT_TRUE(bound.conditions_hold);
  // Each condition alone: delta too large; C1 too large.
  EXPECT_FALSE(theorem1_as_printed({1.5, 10.0, 9}, 0.5, 16.0, 0.0).conditions_hold);
  EXPECT_FALSE(theorem1_as_printed(p, 0.5, 16.0, 1e4).conditions_hold);
  EXPECT_EQ(theorem1_as_printed({1.5, 0.0, 9}, 0.5, 16.0, 1e4).value, 0.0);
}

TEST(TheoryChoice, StaticParameters) {
  const StaticParameters s = static_parameters(1e-2, 5, 4.0, 1.5);
  EXPECT_DOUBLE_EQ(s.delta, 1e-2 / (20 * std::log(2.0)));
  EXPECT_DOUBLE_EQ(s.inner_accuracy, 1e-2);
  EXPECT_DOUBLE_EQ(s.violation, 1e-2);
  EXPECT_DOUBLE_EQ(s.objective_gap, 2e-2);
  EXPECT_EQ(s.delta, delta_for_accuracy(1e-2, 5));
  // Consistent with Proposition 2: (m xi delta ln 2 + inner accuracy)/(xi - xi_bar) <= eps at xi = 2 xi_bar.
  const StaticParameters t = static_parameters(1e-2, 5, 3.0, 1.5);
  EXPECT_NEAR(any_point_violation_bound(objective_gap_upper_weak({3.0, t.delta, 5}) + t.inner_accuracy, 3.0, 1.5), 1e-2,
              1e-16);
  EXPECT_THROW(static_parameters(1e-2, 5, 2.9, 1.5), InputError);
  EXPECT_THROW(static_parameters(0.0, 5, 4.0, 1.5), InputError);
  EXPECT_THROW(delta_for_accuracy(1e-2, 0), InputError);
}

TEST(TheoryChoice, DeltaAsPrinted) {
  const double eps = 1e-3, mu = 0.2, U = 7.0, xi = 1.7;
  const Printed d = delta_as_printed(eps, {xi, 0.0, 16}, mu, U, 0.1);
  EXPECT_DOUBLE_EQ(d.value, eps / (16.0 * std::log(8.0 * U * xi / (mu * eps))));
  EXPECT_TRUE(d.conditions_hold);
  // The relation its proof rests on: 2 sqrt(m) delta ln(U xi/(mu delta)) <= eps.
  EXPECT_LE(2.0 * theorem1_as_printed({xi, d.value, 16}, mu, U, 0.0).value, eps);
  EXPECT_FALSE(delta_as_printed(1e9, {xi, 0.0, 16}, mu, U, 0.0).conditions_hold);
  EXPECT_FALSE(delta_as_printed(eps, {xi, 0.0, 16}, mu, U, 1e4).conditions_hold);
}

TEST(TheorySmoothness, PropositionThreeBoundsTheCurvatureInOneDimension) {
  // a(x) = x^2/2 - c is 1-smooth with C1 = 2, C0 = 2c; the second derivative of p_delta(a(x)) must stay below the
  // bound.
  testing::Random random(3);
  double worst = 0.0;
  for (int k = 0; k < 200; ++k) {
    const double c = random.log_uniform(1e-3, 10.0);
    const double delta = random.log_uniform(1e-3, 10.0);
    const ConstraintConstants constants{.La = 1.0, .C0 = 2 * c, .C1 = 2.0};
    EXPECT_LT(component_smoothness(constants, delta), component_smoothness_weak(constants, delta));
    for (int j = 0; j < 200; ++j) {
      const double x = random.normal() * std::sqrt(2 * c + 3 * delta);
      const double s = 1.0 / (1.0 + std::exp(-(0.5 * x * x - c) / delta));
      const double curvature = s + s * (1 - s) / delta * x * x;
      ASSERT_LE(curvature, component_smoothness(constants, delta));
      worst = std::max(worst, curvature / component_smoothness(constants, delta));
      ASSERT_LE(std::abs(x), gradient_norm_bound(constants, 0.5 * x * x - c) * (1 + 1e-14));
    }
  }
  EXPECT_GT(worst, 0.8);
  EXPECT_DOUBLE_EQ(component_smoothness({.La = 1.0, .C0 = 3.0, .C1 = 2.0}, 0.5), 1.0 + 2 * kCurvaturePeak + 1.5);
  EXPECT_DOUBLE_EQ(component_smoothness_weak({.La = 1.0, .C0 = 3.0, .C1 = 2.0}, 0.5), 3.0);
}

TEST(TheorySmoothness, SumsEachConstraintsOwnConstant) {
  RowConstants rows;
  rows.smoothness = Vector{{1.0, 0.0, 2.0}};
  rows.growth_constant = Vector{{4.0, 1e4, 0.0}};
  rows.growth_slope = Vector{{0.0, 0.0, 1.0}};
  EXPECT_NEAR(penalty_smoothness(2.0, 0.25, rows), 2.0 * (1.0 + 4.0 + 1e4 + 2.0 + kCurvaturePeak), 1e-11);
  rows.growth_constant[0] = kInfinity;
  EXPECT_EQ(penalty_smoothness(2.0, 0.25, rows), kInfinity);
  EXPECT_EQ(penalty_smoothness(2.0, 0.25, RowConstants{}), 0.0);
}

TEST(TheoryCounts, FormulasTermByTerm) {
  const double xi = 3.0, eps = 0.02, m = 6, l = 11, Lf = 2.5, La = 1.5, C0 = 0.7, C1 = 3.0, mu = 0.3;
  const double L = Lf + m * xi * (La + C1 / 4) + m * m * xi * C0 * std::log(2.0) / eps;
  EXPECT_NEAR(static_smoothness(kProblem, xi, eps), L, 1e-12 * L);
  const double N =
      2.0 * std::sqrt(8 * Lf / (xi * eps) + 8 * m * (La + C1 / 4) / eps + 8 * m * m * C0 * std::log(2.0) / (eps * eps));
  EXPECT_NEAR(accelerated_gradient_iterations(kProblem, xi, eps, 2.0), N, 1e-12 * N);
  EXPECT_NEAR(N, 2.0 * std::sqrt(8 * L / (xi * eps)), 1e-12 * N);
  EXPECT_NEAR(corollary1_as_printed(kProblem, xi, eps),
              (Lf + m * (La + C1)) / std::sqrt(eps) + m * m * xi * C0 / std::pow(eps, 1.5), 1e-8);
  EXPECT_NEAR(strongly_convex_iterations(kProblem, xi, eps, 5.0), std::sqrt(L / mu) * std::log(40.0 / (xi * eps)),
              1e-9);
  EXPECT_EQ(strongly_convex_iterations(kProblem, xi, eps, 1e-9), 0.0);
  EXPECT_NEAR(corollary2_gradient_as_printed(kProblem, xi, eps),
              std::sqrt((Lf + m * xi * La + m * xi * C1) / mu) + std::pow(m, 0.75) * std::sqrt(xi * C0 / (mu * eps)),
              1e-10);
  EXPECT_NEAR(catalyst_order(kProblem, xi, eps, Sampling::proportional), l + m + std::sqrt((l + m) * L / mu), 1e-9);
  const double largest = std::max((l + m) / l * Lf, (l + m) * xi * (La + C1 / 4 + m * C0 * std::log(2.0) / eps));
  EXPECT_NEAR(catalyst_order(kProblem, xi, eps, Sampling::uniform), l + m + std::sqrt((l + m) * largest / mu), 1e-9);
  EXPECT_NEAR(corollary2_catalyst_as_printed(kProblem, xi, eps),
              l + std::sqrt((l + m) * (Lf + m * xi * La + m * xi * C1) / mu) +
                  std::pow(m, 0.75) * std::sqrt((l + m) * xi * C0 / (mu * eps)),
              1e-10);
  EXPECT_NEAR(linear_constraints_order(11, 6, Lf, mu, xi, eps),
              l + m + std::sqrt((l + m) * (Lf + m * m * xi * std::log(2.0) / eps) / mu), 1e-9);
  EXPECT_NEAR(linear_constraints_order_as_printed(11, 6, Lf, mu, xi, eps),
              l + std::sqrt((l + m) * Lf / mu) + std::pow(m, 0.75) * std::sqrt((l + m) * xi / (mu * eps)), 1e-10);
}

TEST(TheoryCounts, UniformSamplingCostsTheFactorOfTheCorrection) {
  // Many objective components, constraints dominate: the ratio tends to sqrt((l + m)/m).
  const ProblemConstants p{
      .m = 100, .l = 9900, .Lf = 1e-6, .mu = 1e-6, .constraint = {.La = 0.0, .C0 = 1.0, .C1 = 0.0}};
  const double ratio = (catalyst_order(p, 1.0, 1e-3, Sampling::uniform) - 1e4) /
                       (catalyst_order(p, 1.0, 1e-3, Sampling::proportional) - 1e4);
  EXPECT_NEAR(ratio, 10.0, 1e-6);
}

TEST(TheoryCounts, InnerAccuracySolvesItsEquation) {
  testing::Random random(4);
  for (int k = 0; k < 100; ++k) {
    const ConstraintConstants c{.La = random.log_uniform(1e-3, 1e3), .C0 = random.log_uniform(1e-3, 1e3), .C1 = 0.4};
    const double mu = random.log_uniform(1e-3, 10.0), change = random.log_uniform(1e-9, 10.0);
    const double radius = std::sqrt(2.0 * inner_accuracy_for_change(change, c, mu, 0.5) / mu);
    const double slope = std::sqrt(c.C0 + 0.2);
    EXPECT_NEAR(slope * radius + 0.5 * c.La * radius * radius, change, 1e-13 * change);
  }
  const ConstraintConstants linear{.La = 0.0, .C0 = 4.0, .C1 = 0.0};
  EXPECT_DOUBLE_EQ(inner_accuracy_as_printed(0.1, linear, 2.0, 0.0), 2.0 * 0.01 / 4.0);
  // For linear constraints the printed accuracy is exactly twice too lax: sqrt(Delta/mu) for sqrt(2 Delta/mu).
  EXPECT_NEAR(inner_accuracy_as_printed(0.1, linear, 2.0, 0.0) / inner_accuracy_for_change(0.1, linear, 2.0, 0.0), 2.0,
              1e-14);
}

TEST(TheoryNonsmooth, CorrectedAndPrinted) {
  const Penalty p{0.25, 0.01, 8};
  const double excess = 8 * 0.01 * std::log(2.0);
  const Guarantee both = nonsmooth_constraints(p, 0.1, 0.3, false);
  EXPECT_DOUBLE_EQ(both.violation, 4 * 8 * 0.1 + 2 * excess + 0.6);
  EXPECT_DOUBLE_EQ(both.objective_gap, 0.25 * (0.8 + excess + 0.3));
  const Guarantee above = nonsmooth_constraints(p, 0.1, 0.3, true);
  EXPECT_DOUBLE_EQ(above.violation, 2 * 8 * 0.1 + 2 * excess + 0.6);
  EXPECT_EQ(above.objective_gap, both.objective_gap);
  EXPECT_DOUBLE_EQ(nonsmooth_constraints_as_printed(p, 0.1, 0.3).violation, 4 * 8 * 0.1 + 2 * excess + 0.5 * 0.3);
}

TEST(TheoryInput, CountsAndConstantsAreChecked) {
  using ::testing::HasSubstr;
  const auto message = [](ProblemConstants p, double xi, double eps, double distance) -> std::string {
    try {
      accelerated_gradient_iterations(p, xi, eps, distance);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  ProblemConstants bad = kProblem;
  EXPECT_THAT(message(kProblem, 0.0, 0.1, 1.0), HasSubstr("xi:"));
  EXPECT_THAT(message(kProblem, 1.0, -0.1, 1.0), HasSubstr("eps:"));
  EXPECT_THAT(message(kProblem, 1.0, 0.1, -1.0), HasSubstr("distance:"));
  bad.constraint.C0 = -1.0;
  EXPECT_THAT(message(bad, 1.0, 0.1, 1.0), HasSubstr("C0:"));
  bad = kProblem;
  bad.Lf = std::nan("");
  EXPECT_THAT(message(bad, 1.0, 0.1, 1.0), HasSubstr("Lf:"));
  bad = kProblem;
  bad.mu = 0.0;
  EXPECT_THROW(catalyst_order(bad, 1.0, 0.1, Sampling::uniform), InputError);
  EXPECT_THROW(strongly_convex_iterations(bad, 1.0, 0.1, 1.0), InputError);
  EXPECT_THROW(component_smoothness({}, 0.0), InputError);
  EXPECT_THROW(theorem1_as_printed({1.0, 1.0, 1}, 0.0, 1.0, 0.0), InputError);
  EXPECT_THROW(nonsmooth_constraints({1.0, 1.0, 1}, -1.0, 0.0, true), InputError);
}

}  // namespace
}  // namespace pliant::theory
