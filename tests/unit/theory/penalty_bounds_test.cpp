// The penalty and the bounds at its minimiser, against long-double evaluation and brute force.
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

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

long double sigmoid(long double t) { return 1.0L / (1.0L + std::exp(-t)); }

/// max of f over a fine grid refined around the best point: a brute-force check of a constant.
template <class Function>
long double grid_maximum(Function f, long double lo, long double hi) {
  for (int level = 0; level < 12; ++level) {
    long double best_t = lo;
    for (int k = 0; k <= 200; ++k) {
      const long double t = lo + (hi - lo) * static_cast<long double>(k) / 200.0L;
      if (f(t) > f(best_t)) best_t = t;
    }
    const long double width = (hi - lo) / 50.0L;
    lo = best_t - width;
    hi = best_t + width;
  }
  return f(0.5L * (lo + hi));
}

TEST(TheoryConstants, AreTheMaximaTheyClaimToBe) {
  const long double w = grid_maximum([](long double t) { return t * sigmoid(-t); }, 0.0L, 10.0L);
  EXPECT_NEAR(static_cast<double>(w), kW, kEps);
  // W = LambertW(1/e): W e^W = 1/e, to full double precision.
  EXPECT_NEAR(kW * std::exp(kW) * std::exp(1.0), 1.0, 4 * kEps);
  const long double peak = grid_maximum([](long double t) { return t * sigmoid(t) * sigmoid(-t); }, 0.0L, 10.0L);
  EXPECT_NEAR(static_cast<double>(peak), kCurvaturePeak, kEps);
  EXPECT_DOUBLE_EQ(kLn2, std::log(2.0));
}

TEST(TheorySoftplus, MatchesLongDoubleAndItsBounds) {
  testing::Random random(1);
  for (int k = 0; k < 2000; ++k) {
    const double delta = random.log_uniform(1e-8, 10.0);
    const double t = random.normal() * delta * random.log_uniform(1e-3, 30.0);
    const long double exact =
        static_cast<long double>(delta) * std::log1p(std::exp(static_cast<long double>(t) / delta));
    EXPECT_NEAR(softplus(t, delta), static_cast<double>(exact),
                (8 + std::abs(t) / delta) * kEps * static_cast<double>(exact));  // t/delta is rounded
    EXPECT_GE(softplus_excess(t, delta), 0.0);
    EXPECT_LE(softplus_excess(t, delta), softplus_excess_bound(delta));
    const long double term =
        std::abs(static_cast<long double>(t)) * sigmoid(-std::abs(static_cast<long double>(t)) / delta);
    EXPECT_NEAR(complementarity(t, delta), static_cast<double>(term), 100 * kEps * static_cast<double>(term));
    EXPECT_LE(complementarity(t, delta), kW * delta * (1.0 + 4 * kEps));
  }
  EXPECT_EQ(softplus(1e300, 1e-300), 1e300);
  EXPECT_EQ(softplus(-1e300, 1e-300), 0.0);
  EXPECT_EQ(softplus(2.0, 0.0), 2.0);
  EXPECT_EQ(softplus(-2.0, 0.0), 0.0);
  EXPECT_EQ(complementarity(2.0, 0.0), 0.0);
}

TEST(TheoryExactness, LemmaAndSlaterBound) {
  EXPECT_DOUBLE_EQ(multiplier_bound_from_slater(3.0, 0.5), 6.0);
  EXPECT_TRUE(penalty_is_exact(1.0, 1.0, 0.1));
  EXPECT_FALSE(penalty_is_exact(1.0, 1.0, 0.0));
  EXPECT_TRUE(penalty_is_exact(1.1, 1.0, 0.0));
  EXPECT_FALSE(penalty_is_exact(0.9, 1.0, 0.1));
  // One variable: min x^2/2 + x, -x <= 0, lambda* = 1; at x_hat = s the bound is (s^2/2 + s)/s >= 1.
  for (const double s : {1e-6, 0.1, 1.0, 10.0}) EXPECT_GE(multiplier_bound_from_slater(0.5 * s * s + s, s), 1.0);
}

TEST(TheoryMaster, FormsAgreeWithDirectSums) {
  testing::Random random(2);
  for (int k = 0; k < 200; ++k) {
    const double xi = random.log_uniform(0.1, 100.0);
    const double delta = random.log_uniform(1e-6, 1.0);
    const Index m = random.integer(1, 20);
    const Index active = random.integer(0, m);
    std::vector<double> values(static_cast<std::size_t>(m)), slacks;
    for (double& a : values) a = random.normal() * delta * 3.0;
    long double term = 0.0L;
    for (const double a : values) {
      const long double t = std::abs(static_cast<long double>(a));
      term += t / (1.0L + std::exp(t / delta));
    }
    EXPECT_NEAR(master_term(xi, delta, values), static_cast<double>(xi * term), 1e-14 * xi * static_cast<double>(term));
    EXPECT_LE(master_term(xi, delta, values), master_bound({xi, delta, m}) * (1.0 + 1e-14));
    EXPECT_DOUBLE_EQ(master_bound({xi, delta, m}), kW * static_cast<double>(m) * xi * delta);
    const double common = delta * random.uniform(0.0, 5.0);
    for (Index i = active; i < m; ++i) slacks.push_back(common);
    long double inactive = 0.0L;
    for (const double s : slacks) inactive += std::exp(-1.0L - static_cast<long double>(s) / delta);
    const double expected =
        static_cast<double>(static_cast<long double>(xi) * delta * (kW * static_cast<long double>(active) + inactive));
    EXPECT_NEAR(master_bound_refined(xi, delta, active, slacks), expected, 1e-13 * expected);
    EXPECT_NEAR(master_bound_refined({xi, delta, m}, active, common), expected, 1e-13 * expected);
    EXPECT_EQ(objective_gap_upper_refined(xi, delta, active, slacks), master_bound_refined(xi, delta, active, slacks));
  }
  EXPECT_EQ(master_bound_refined({2.0, 0.0, 5}, 2, 0.0), 0.0);
  EXPECT_EQ(master_bound_refined(2.0, 1e-300, 0, std::vector<double>{1.0}), 0.0);
}

// The step of the refined bound that is not in the paper: for an inactive constraint of slack c delta and a value
// u delta, what it takes from the left side is at most e^{-1-c}.
TEST(TheoryMaster, InactiveConstraintsAddAtMostWhatTheRefinedBoundSays) {
  for (long double c = 0.0L; c < 8.0L; c += 0.05L) {
    for (long double u = -30.0L; u < 30.0L; u += 0.01L) {
      // u > 0: u - sigma(u)(u + c);  u < 0: -sigma(u)(u + c).
      const long double taken = std::max(u, 0.0L) - sigmoid(u) * (u + c);
      ASSERT_LE(taken, std::exp(-1.0L - c) * (1.0L + 1e-15L)) << "c " << c << " u " << u;
    }
  }
}

TEST(TheoryMaster, ViolationAndDistance) {
  EXPECT_DOUBLE_EQ(violation_bound(3.0, 5.0, 4.0), 3.0);
  EXPECT_EQ(violation_bound(3.0, 4.0, 4.0), kInfinity);
  EXPECT_DOUBLE_EQ(distance_bound(8.0, 2.0), 2.0);
  EXPECT_EQ(distance_bound(8.0, 0.0), kInfinity);
  EXPECT_EQ(violation_bound(kInfinity, 5.0, 4.0), kInfinity);
}

TEST(TheoryObjective, PropositionOne) {
  const Penalty p{3.0, 0.1, 7};
  EXPECT_DOUBLE_EQ(objective_gap_upper(p), 0.27846454276107379 * 2.1);
  EXPECT_DOUBLE_EQ(objective_gap_upper_weak(p), 2.1 * std::log(2.0));
  EXPECT_LT(objective_gap_upper(p), objective_gap_upper_weak(p));
  EXPECT_DOUBLE_EQ(objective_gap_lower(2.0, 0.25), -0.5);
  EXPECT_DOUBLE_EQ(objective_gap_lower_weak(3.0, 0.25), -0.75);
  const std::vector<double> optimal{0.0, -0.2, -5.0};
  const double sum = 0.1 * (std::log(2.0) + std::log1p(std::exp(-2.0)) + std::log1p(std::exp(-50.0)));
  EXPECT_NEAR(objective_gap_upper_from_values(3.0, 0.1, optimal), 3.0 * sum, 1e-15);
}

TEST(TheoryAnyPoint, PropositionTwoAndItsRemark) {
  EXPECT_DOUBLE_EQ(any_point_violation_bound(0.6, 5.0, 2.0), 0.2);
  EXPECT_EQ(any_point_violation_bound(0.6, 2.0, 2.0), kInfinity);
  const Penalty p{5.0, 0.1, 4};
  EXPECT_DOUBLE_EQ(any_point_violation_bound_weak(-0.5, p, 2.0), (-0.5 + 2.0 * std::log(2.0)) / 3.0);
  EXPECT_DOUBLE_EQ(doubled_threshold_violation_bound(0.1, 4), 1.6 * std::log(2.0));
}

TEST(TheoryInput, ErrorsNameTheParameter) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal_of([] { softplus(1.0, -1.0); }), HasSubstr("delta: expected a number >= 0, got -1"));
  EXPECT_THAT(refusal_of([] { softplus(kNan, 1.0); }), HasSubstr("t:"));
  EXPECT_THAT(refusal_of([] { complementarity(1.0, kNan); }), HasSubstr("delta:"));
  EXPECT_THAT(refusal_of([] { master_bound({-2.0, 1.0, 3}); }), HasSubstr("xi:"));
  EXPECT_THAT(refusal_of([] { master_bound({2.0, kNan, 3}); }), HasSubstr("delta:"));
  EXPECT_THAT(refusal_of([] { master_bound({2.0, 1.0, -3}); }), HasSubstr("m: expected a count >= 0, got -3"));
  EXPECT_THAT(refusal_of([] { master_bound_refined({2.0, 1.0, 3}, 4, 0.0); }), HasSubstr("active:"));
  EXPECT_THAT(refusal_of([] { master_bound_refined(2.0, 1.0, 3, std::vector<double>{-1.0}); }),
              HasSubstr("inactive_slack:"));
  EXPECT_THAT(refusal_of([] { violation_bound(1.0, 1.0, 2.0); }), HasSubstr("xi: expected a number >= xi_bar = 2"));
  EXPECT_THAT(refusal_of([] { violation_bound(kNan, 3.0, 2.0); }), HasSubstr("master:"));
  EXPECT_THAT(refusal_of([] { distance_bound(1.0, -1.0); }), HasSubstr("mu:"));
  EXPECT_THAT(refusal_of([] { multiplier_bound_from_slater(1.0, 0.0); }), HasSubstr("slater_s:"));
  EXPECT_THAT(refusal_of([] { multiplier_bound_from_slater(-1.0, 1.0); }), HasSubstr("slater_gap:"));
  EXPECT_THAT(refusal_of([] { any_point_violation_bound(-1.0, 3.0, 2.0); }), HasSubstr("penalized_gap:"));
  EXPECT_THAT(refusal_of([] { objective_gap_lower(1.0, -1.0); }), HasSubstr("violation:"));
}

}  // namespace
}  // namespace pliant::theory
