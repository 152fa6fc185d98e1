// Value, domain, projection, prox and residual of every prox term.
#include "unit/prox/prox_zoo.hpp"

#include <gtest/gtest.h>

namespace pliant::testing {
namespace {

TEST(ProxContract, ValueAndDomainEqualTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(2000 + seed);
    for (const ProxSpecimen& s : prox_zoo(seed, 8)) {
      SCOPED_TRACE(s.name);
      EXPECT_EQ(s.term->kind(), s.name);
      EXPECT_EQ(s.term->dimension(), 8);
      EXPECT_NO_THROW(s.term->validate());
      for (int trial = 0; trial < 50; ++trial) {
        Vector x = random.vector(8) * random.log_uniform(0.1, 10.0);
        EXPECT_NEAR(s.term->value(x), s.psi(x), 1e-13 * (1.0 + s.psi(x)));
        EXPECT_NEAR(s.term->domain_violation(x), s.violation(x), 1e-13 * (1.0 + s.violation(x)));
        s.term->project(x);
        EXPECT_LE(s.violation(x), 1e-14 * (1.0 + x.lpNorm<1>()));
        Vector again = x;
        s.term->project(again);
        EXPECT_LE((again - x).norm(), 1e-14 * (1.0 + x.norm()));
      }
    }
  }
}

// p = prox(v) minimises a (1/step + mu)-strongly convex function:
// q(y) >= q(p) + (1/step + mu)/2 |y - p|^2 for every y in dom psi. The projection is the prox of the indicator.
TEST(ProxContract, ProxMinimises) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(2100 + seed);
    for (const ProxSpecimen& s : prox_zoo(seed, 8)) {
      SCOPED_TRACE(s.name);
      for (int trial = 0; trial < 20; ++trial) {
        const Vector v = random.vector(8) * random.log_uniform(0.1, 10.0);
        const double step = random.log_uniform(1e-2, 1e2);
        Vector p(8);
        s.term->prox(v, step, p);
        Vector aliased = v;
        s.term->prox(aliased, step, aliased);
        EXPECT_EQ((aliased - p).norm(), 0.0);
        EXPECT_LE(s.violation(p), 1e-14 * (1.0 + v.norm()));
        Vector projected = v;
        s.term->project(projected);
        const double best = s.psi(p) + (p - v).squaredNorm() / (2.0 * step);
        for (int k = 0; k < 100; ++k) {
          const Vector far = domain_point(random, *s.term);
          Vector near = p + 1e-3 * random.vector(8);
          s.term->project(near);
          for (const Vector& y : {far, near}) {
            const double value = s.psi(y) + (y - v).squaredNorm() / (2.0 * step);
            const double growth = 0.5 * (1.0 / step + s.term->strong_convexity()) * (y - p).squaredNorm();
            EXPECT_LE(best + growth, value + 1e-12 * (1.0 + std::abs(value)));
            const double distance = (projected - v).squaredNorm() + (y - projected).squaredNorm();
            EXPECT_LE(distance, (y - v).squaredNorm() + 1e-12 * (1.0 + (y - v).squaredNorm()));
          }
        }
      }
    }
  }
}

// r - g is a subgradient: psi(y) >= psi(x) + (r - g)'(y - x) in dom psi. It is the shortest such r because it is the
// limit of (x - prox(x - t g, t))/t as t -> 0 (the Yosida approximation tends to the minimal section).
TEST(ProxContract, ResidualIsTheShortestSubgradient) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(2200 + seed);
    for (const ProxSpecimen& s : prox_zoo(seed, 8)) {
      SCOPED_TRACE(s.name);
      for (int trial = 0; trial < 30; ++trial) {
        const Vector x = domain_point(random, *s.term);
        const Vector g = random.vector(8) * random.log_uniform(0.1, 3.0);
        Vector r(8);
        s.term->residual(x, g, r);
        for (int k = 0; k < 100; ++k) {
          const Vector y = domain_point(random, *s.term);
          EXPECT_LE(s.psi(x) + (r - g).dot(y - x), s.psi(y) + 1e-11 * (1.0 + s.psi(y) + g.norm() * (y - x).norm()));
        }
        const double t = 1e-7;
        Vector moved(8);
        s.term->prox(x - t * g, t, moved);
        EXPECT_LE(((x - moved) / t - r).norm(), 1e-5 * (1.0 + g.norm() * (1.0 + 1.0 / std::max(x.norm(), 1e-2))));
      }
    }
  }
}

TEST(ProxContract, ResidualVanishesAtTheMinimiser) {
  for (const ProxSpecimen& s : prox_zoo(3, 8)) {
    SCOPED_TRACE(s.name);
    Random random(2300);
    const Vector v = 2.0 * random.vector(8);
    Vector p(8), r(8);
    s.term->prox(v, 1.0, p);
    s.term->residual(p, p - v, r);  // p minimises psi(y) + |y - v|^2/2
    EXPECT_LE(r.norm(), 1e-13 * (1.0 + v.norm()));
  }
}

// domain_radius is max |y - x| over the domain: never exceeded, and attained in some direction by projecting far out.
TEST(ProxContract, DomainRadiusIsExact) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(2400 + seed);
    for (const ProxSpecimen& s : prox_zoo(seed, 4)) {
      SCOPED_TRACE(s.name);
      const Vector x = domain_point(random, *s.term);
      const double radius = s.term->domain_radius(x);
      double farthest = 0.0;
      for (int trial = 0; trial < 400; ++trial) {
        Vector y = 1e6 * random.vector(4);
        if (trial == 0) y = -1e6 * x;
        s.term->project(y);
        farthest = std::max(farthest, (y - x).norm());
      }
      EXPECT_LE(farthest, radius * (1.0 + 1e-9));
      if (std::isfinite(radius)) {
        EXPECT_LE(radius, farthest * (1.0 + 1e-9));
      } else {
        EXPECT_LE(1e4, farthest);
      }
    }
  }
}

TEST(ProxContract, SimplexKeepsDigitsUnderLargeOffsets) {
  const ProxPtr term = simplex(3, 1.0);
  Vector v(3), p(3);
  v << 1e15 + 0.5, 1e15, 1e15 - 1e3;
  term->prox(v, 1.0, p);
  EXPECT_EQ(p[0], 0.75);
  EXPECT_EQ(p[1], 0.25);
  EXPECT_EQ(p[2], 0.0);
}

TEST(ProxContract, NaNStaysVisible) {
  const double nan = std::nan("");
  for (const ProxSpecimen& s : prox_zoo(4, 8)) {
    SCOPED_TRACE(s.name);
    const Vector bad = Vector::Constant(8, nan);
    const Vector x = [&] {
      Random random(2500);
      return domain_point(random, *s.term);
    }();
    Vector out(8);
    s.term->prox(bad, 1.0, out);
    EXPECT_TRUE(out.hasNaN());
    s.term->residual(x, bad, out);
    EXPECT_TRUE(out.hasNaN() || s.name == "box" || s.name == "separable");
    if (s.name == "box" || s.name == "separable") {
      EXPECT_TRUE(std::isnan(out[3]));
    }
    EXPECT_EQ(s.term->lower_model(x, bad, 1.0), -kInfinity);
    EXPECT_EQ(s.term->lower_model(x, bad, 0.0), -kInfinity);
    EXPECT_FALSE(s.term->domain_violation(bad) < 0.0);
  }
}

}  // namespace
}  // namespace pliant::testing
