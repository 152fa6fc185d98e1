// The domain of a prox term: linear minima over it, growth along rays, and the domain as constraints.
#include "prox/domain.hpp"

#include "unit/prox/prox_zoo.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::Random;

constexpr Index kDimension = 7;

TEST(Domain, LinearMinimumIsBelowEveryPointOfTheDomainAndReached) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const testing::ProxSpecimen& s : testing::prox_zoo(seed, kDimension)) {
      SCOPED_TRACE(s.name);
      Random random(seed + 50);
      const Vector x = testing::domain_point(random, *s.term);
      const Vector g = random.vector(kDimension);
      for (const double radius : {30.0, 1e6}) {
        const double least = s.term->linear_minimum(x, g, radius);
        double reached = kInfinity;
        for (int trial = 0; trial < 50; ++trial) {
          Vector y = testing::domain_point(random, *s.term);
          if (y.lpNorm<Eigen::Infinity>() > radius) continue;
          EXPECT_GE(g.dot(y - x), least - 1e-10 * (1.0 + std::abs(least)));
        }
        // Far against the gradient and back into domain and radius, a few times, the minimum is reached.
        Vector y = x;
        for (int step = 0; step < 20; ++step) {
          y -= 10.0 * radius * g;
          s.term->project(y);
          y = y.cwiseMax(-radius).cwiseMin(radius);  // stays in the domain: a box, or well inside the radius
          if (y.lpNorm<Eigen::Infinity>() <= radius) reached = std::min(reached, g.dot(y - x));
        }
        EXPECT_NEAR(reached, least, 1e-4 * (1.0 + std::abs(least))) << radius;
      }
      EXPECT_EQ(s.term->linear_minimum(x, Vector::Zero(kDimension), kInfinity), 0.0);
    }
  }
}

TEST(Domain, GrowthBoundsPsiAndIsInfiniteExactlyWhereTheRayLeaves) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (const testing::ProxSpecimen& s : testing::prox_zoo(seed, kDimension)) {
      SCOPED_TRACE(s.name);
      Random random(seed + 90);
      const Vector x = testing::domain_point(random, *s.term);
      Vector d = random.vector(kDimension);
      if (seed % 2 == 0) {  // a direction that stays, where there is one
        const RecessionBounds bounds = recession_bounds(*s.term);
        d = d.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
      }
      const Growth growth = s.term->growth(x, d);
      const bool stays = s.violation(x + 1e9 * d) <= 1e-6;
      EXPECT_EQ(std::isfinite(growth.slope), stays);
      EXPECT_FALSE(std::isnan(growth.slope));
      EXPECT_TRUE(stays || seed % 2 == 1);
      if (!stays) continue;
      for (const double t : {1e-2, 1.0, 1e3}) {
        const double bound = s.psi(x) + t * (growth.slope + 0.5 * t * growth.curvature);
        EXPECT_LE(s.psi(x + t * d), bound + 1e-11 * (1.0 + std::abs(bound)));
      }
    }
  }
}

TEST(Domain, RowsHoldExactlyOnTheDomain) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const testing::ProxSpecimen& s : testing::prox_zoo(seed, kDimension)) {
      SCOPED_TRACE(s.name);
      Random random(seed + 130);
      const BatchPtr rows = domain_rows(*s.term);
      if (rows == nullptr) {
        EXPECT_EQ(s.violation(1e6 * random.vector(kDimension)), 0.0);
        continue;
      }
      EXPECT_NO_THROW(rows->validate());
      Vector a(rows->size());
      for (int trial = 0; trial < 20; ++trial) {
        const Vector inside = testing::domain_point(random, *s.term);
        rows->values(inside, Rows::range(0, a.size()), a);
        EXPECT_LE(a.maxCoeff(), 1e-12);
        const Vector anywhere = 3.0 * random.vector(kDimension);
        rows->values(anywhere, Rows::range(0, a.size()), a);
        EXPECT_EQ(a.maxCoeff() > 1e-9, s.violation(anywhere) > 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace pliant
