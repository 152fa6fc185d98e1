// Convexity, and that the constants and the ball bound really are bounds.
#include "conformance/conformance_fixture.hpp"

#include <cmath>

namespace pliant::testing {
namespace {

constexpr double kRounding = 1e-11;

TEST_P(Conformance, ConvexOnRandomSegments) {
  build();
  for (int trial = 0; trial < 20; ++trial) {
    const double radius = random_.log_uniform(0.1, 100.0);
    const Vector x = radius * random_.vector(dimension());
    const Vector y = radius * random_.vector(dimension());
    const double t = random_.uniform();
    const Vector between = values((1.0 - t) * x + t * y, all());
    const Vector ends = (1.0 - t) * values(x, all()) + t * values(y, all());
    const double slack = kRounding * (1.0 + ends.cwiseAbs().maxCoeff());
    for (Index i = 0; i < size(); ++i) EXPECT_LE(between[i], ends[i] + slack) << "row " << i;
  }
}

TEST_P(Conformance, LinearRowsSaySoAndAreAffine) {
  build();
  ASSERT_EQ(batch().linear(), GetParam().linear);
  if (!batch().linear()) return;
  const Vector x = random_.vector(dimension()), y = random_.vector(dimension());
  const double t = random_.uniform(-3.0, 3.0);
  EXPECT_TRUE(near(values((1.0 - t) * x + t * y, all()), Vector((1.0 - t) * values(x, all()) + t * values(y, all())),
                   kRounding));
  for (Index i = 0; i < size(); ++i) EXPECT_EQ(component_gradient(i, x), component_gradient(i, y)) << "row " << i;
}

TEST_P(Conformance, GrowthConstantsBoundTheGradient) {
  build();
  const RowConstants* constants = batch().constants();
  ASSERT_NE(constants, nullptr);
  ASSERT_EQ(constants->growth_constant.size(), size());
  ASSERT_EQ(constants->growth_slope.size(), size());
  EXPECT_EQ(constants->growth_global, GetParam().growth_global);
  EXPECT_EQ(constants->growth_global, constants->growth_constant.allFinite());
  EXPECT_GE(constants->growth_constant.minCoeff(), 0.0);
  EXPECT_GE(constants->growth_slope.minCoeff(), 0.0);
  Vector a(size()), norms(size());
  for (int trial = 0; trial < 200; ++trial) {
    const Vector x = random_.log_uniform(1e-3, 1e6) * random_.vector(dimension());
    batch().values_and_gradient_norms(x, all(), a, norms);
    for (Index i = 0; i < size(); ++i) {
      const double bound = constants->growth_constant[i] + constants->growth_slope[i] * std::abs(a[i]);
      EXPECT_LE(norms[i] * norms[i], bound * (1.0 + 1e-13)) << "row " << i;
    }
  }
}

// Newton-like steps towards a = 0 reach the points where the growth bound is tightest.
TEST_P(Conformance, GrowthConstantsBoundTheGradientOnTheBoundary) {
  build();
  const RowConstants* constants = batch().constants();
  ASSERT_NE(constants, nullptr);
  for (Index i = 0; i < size(); ++i) {
    Vector x = random_.log_uniform(1.0, 1e4) * random_.vector(dimension());
    for (int step = 0; step < 30; ++step) {
      const double a = batch().component_value(i, x);
      const Vector g = component_gradient(i, x);
      const double bound = constants->growth_constant[i] + constants->growth_slope[i] * std::abs(a);
      // Where a cancels, its rounding error counts.
      const double rounding = 1e-12 * constants->growth_slope[i] * (1.0 + x.squaredNorm() * constants->smoothness[i]);
      EXPECT_LE(g.squaredNorm(), bound * (1.0 + 1e-13) + rounding) << "row " << i;
      if (g.squaredNorm() < 1e-20) break;
      x -= a / g.squaredNorm() * g;
    }
  }
}

// Pairs of points: random ones, then steps along the difference of gradients, which (like the power
// method) turn towards the direction of largest curvature.
TEST_P(Conformance, SmoothnessBoundsTheDifferenceOfGradients) {
  build();
  const RowConstants* constants = batch().constants();
  ASSERT_NE(constants, nullptr);
  ASSERT_EQ(constants->smoothness.size(), size());
  EXPECT_TRUE(constants->smoothness.allFinite());
  for (Index i = 0; i < size(); ++i) {
    for (const double radius : {0.1, 1.0, 10.0}) {
      const Vector x = random_.vector(dimension());
      Vector step = radius * random_.vector(dimension()).normalized();
      for (int repeat = 0; repeat < 20; ++repeat) {
        const Vector difference = component_gradient(i, x + step) - component_gradient(i, x);
        const double rounding = 1e-13 * (component_gradient(i, x).norm() + difference.norm()) + 1e-15 * step.norm();
        EXPECT_LE(difference.norm(), constants->smoothness[i] * step.norm() + rounding) << "row " << i;
        if (difference.norm() <= rounding) break;
        step = radius * difference.normalized();
      }
    }
  }
}

// a(x + t d) <= a(x) + t slope + t^2/2 curvature for every t, and no tighter bound of that form far out. A family may
// know nothing (infinite), but then for every row.
TEST_P(Conformance, GrowthBoundsTheRowsAlongEveryRay) {
  build();
  const std::vector<Index> subset = random_subset();
  for (const Rows rows : {all(), Rows::list(subset)}) {
    for (int trial = 0; trial < 10; ++trial) {
      const Vector x = random_.vector(dimension());
      const Vector d = random_.vector(dimension());
      Vector slope(rows.size()), curvature(rows.size());
      batch().growth(x, d, rows, slope, curvature);
      for (Index k = 0; k < rows.size(); ++k) {
        if (batch().family() == "callback") {
          EXPECT_EQ(slope[k], kInfinity);
          continue;
        }
        ASSERT_TRUE(std::isfinite(slope[k]) && std::isfinite(curvature[k])) << "row " << rows[k];
        EXPECT_GE(curvature[k], -1e-12);
        const LongVector from = x.cast<long double>(), along = d.cast<long double>();
        const long double here = instance_.value(rows[k], from);
        const double steepness = 1.0 + component_gradient(rows[k], x).norm() * d.norm();
        for (const long double t : {1e-3L, 0.3L, 5.0L, 1e4L, 1e9L}) {
          const long double rise = instance_.value(rows[k], from + t * along) - here;
          const long double bound = t * (slope[k] + 0.5L * t * curvature[k]);
          const long double size = std::abs(bound) + std::abs(here) + t * (steepness + t * curvature[k]);
          EXPECT_LE(rise, bound + 1e-12L * size) << "row " << rows[k] << ", t = " << static_cast<double>(t);
          EXPECT_GE(rise, t == 1e9L ? bound - 1e-5L * size : -HUGE_VALL) << "row " << rows[k];
        }
      }
    }
  }
}

// The recession cone holds exactly the directions with slope <= 0 and, where it asks for flatness, no curvature.
TEST_P(Conformance, RecessionConeAgreesWithGrowth) {
  build();
  const RecessionCone cone = batch().recession_cone();
  if (cone.rows == nullptr) return;
  ASSERT_EQ(cone.rows->dimension(), dimension());
  EXPECT_NO_THROW(cone.rows->validate());
  for (int trial = 0; trial < 10; ++trial) {
    const Vector d = random_.vector(dimension());
    Vector slope(size()), curvature(size());
    batch().growth(Vector::Zero(dimension()), d, all(), slope, curvature);
    Vector rows(cone.rows->size());
    cone.rows->values(d, Rows::range(0, rows.size()), rows);
    const double steepest = rows.size() > 0 ? rows.maxCoeff() : 0.0;
    EXPECT_NEAR(steepest, size() > 0 ? slope.maxCoeff() : 0.0, 1e-12 * (1.0 + std::abs(steepest)));
    EXPECT_TRUE(cone.flat || curvature.isZero(0.0));
  }
}

// The bound lazy checks rest on, from values_and_bounds alone.
TEST_P(Conformance, QuickBoundHoldsEverywhere) {
  build();
  const std::vector<Index> subset = random_subset();
  for (const Rows rows : {all(), Rows::list(subset)}) {
    const Vector x = random_.vector(dimension());
    Vector a(rows.size()), norms(rows.size()), smoothness(rows.size());
    batch().values_and_bounds(x, rows, a, norms, smoothness);
    EXPECT_TRUE(near(a, values(x, rows), 1e-13));
    for (int trial = 0; trial < 60; ++trial) {
      const Index uphill = rows[trial % std::max<Index>(1, rows.size())];
      const Vector towards = trial % 2 == 0 ? random_.vector(dimension()) : component_gradient(uphill, x);
      const double length = std::pow(10.0, -3.0 + 5.0 * random_.uniform());
      const Vector there = values(x + length * towards.normalized(), rows);
      for (Index k = 0; k < rows.size(); ++k) {
        const double bound = a[k] + norms[k] * length + 0.5 * smoothness[k] * length * length;
        EXPECT_LE(there[k], bound + 1e-12 * (1.0 + std::abs(bound))) << "row " << rows[k];
      }
    }
  }
}

TEST_P(Conformance, BallBoundHoldsInTheBall) {
  build();
  const std::vector<Index> subset = random_subset();
  for (const Rows rows : {all(), Rows::list(subset)}) {
    for (const double radius : {1e-3, 0.5, 20.0}) {
      const Vector x = random_.vector(dimension());
      Vector a(rows.size()), norms(rows.size()), bound(rows.size());
      batch().values_and_gradient_norms(x, rows, a, norms);
      batch().ball_upper_bound(rows, a, norms, radius, bound);
      const auto check = [&](const Vector& direction) {
        const Vector inside = values(x + radius * direction, rows);
        for (Index k = 0; k < rows.size(); ++k) {
          EXPECT_LE(inside[k], bound[k] + 1e-13 * (1.0 + std::abs(bound[k]))) << "row " << rows[k];
        }
      };
      for (int trial = 0; trial < 40; ++trial) {
        check(random_.vector(dimension()).normalized() * (trial % 2 == 0 ? 1.0 : random_.uniform()));
      }
      // Straight uphill for every row.
      for (Index k = 0; k < rows.size(); ++k) check(component_gradient(rows[k], x).normalized());
    }
  }
}

}  // namespace
}  // namespace pliant::testing
