// lower_model is the exact minimum; lower_model_bounded bounds the minimum over a sublevel set.
#include "unit/prox/prox_zoo.hpp"

#include <gtest/gtest.h>

namespace pliant::testing {
namespace {

struct Model {
  const ProxSpecimen& s;
  Vector x, g;
  double mu;
  double operator()(const Vector& y) const { return g.dot(y - x) + 0.5 * mu * (y - x).squaredNorm() + s.psi(y); }
  double scale() const { return 1.0 + g.norm() * (1.0 + x.norm()) + mu * x.squaredNorm() + s.psi(x); }
};

// A minimising sequence that uses nothing but prox: y <- prox(y - t (g + mu (y - x)), t), with growing t where mu = 0.
Vector minimise(const Model& m) {
  const ProxTerm& term = *m.s.term;
  Vector y = m.x;
  if (m.mu > 0.0) {
    term.prox(m.x - m.g / m.mu, 1.0 / m.mu, y);
    return y;
  }
  for (double t = 1e-2; t < 1e9; t *= 2.0) {
    const Vector v = y - t * m.g;
    term.prox(v, t, y);
  }
  return y;
}

TEST(LowerModel, IsBelowEverywhereAndAttained) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(3000 + seed);
    for (const ProxSpecimen& s : prox_zoo(seed, 6)) {
      SCOPED_TRACE(s.name);
      for (int trial = 0; trial < 20; ++trial) {
        const double mu = trial % 4 == 0 ? 0.0 : random.log_uniform(1e-3, 1e2);
        SCOPED_TRACE(mu);
        const Model model{s, domain_point(random, *s.term), random.vector(6) * random.log_uniform(0.01, 2.0), mu};
        const double bound = s.term->lower_model(model.x, model.g, mu);
        for (int k = 0; k < 100; ++k) {
          const double value = model(domain_point(random, *s.term));
          EXPECT_LE(bound, value + 1e-12 * (1.0 + std::abs(value)));
        }
        const double reached = model(minimise(model));
        EXPECT_LE(bound, reached + 1e-12 * (std::abs(reached) + model.scale()));
        if (std::isfinite(bound)) {
          EXPECT_LE(reached, bound + 1e-7 * model.scale());
        } else {
          Vector far(6);
          s.term->prox(model.x - 1e15 * model.g, 1e15, far);
          EXPECT_LE(model(far), -1e4);
        }
      }
    }
  }
}

// Small gradients, for which l1 and group terms hold the model at 0 although mu = 0.
TEST(LowerModel, PiecewiseLinearPart) {
  for (const ProxSpecimen& s : prox_zoo(5, 6)) {
    SCOPED_TRACE(s.name);
    Random random(3100);
    const Model model{s, domain_point(random, *s.term), 1e-3 * random.vector(6), 0.0};
    const double bound = s.term->lower_model(model.x, model.g, 0.0);
    const bool bounded = s.name != "none" && s.name != "nonnegative" && s.name != "box" && s.name != "group_l2";
    if (bounded) {
      EXPECT_TRUE(std::isfinite(bound));
      EXPECT_LE(model(minimise(model)), bound + 1e-9);
    }
  }
  const Vector x = Vector::Constant(2, 3.0);
  Vector g(2);
  g << 1.0, -1.0;
  EXPECT_EQ(l1(2, 1.0)->lower_model(x, g, 0.0), 0.0);  // |g| = w: minimum -g'x = 0 at y = 0
  EXPECT_EQ(l1(2, 0.99)->lower_model(x, g, 0.0), -kInfinity);
  EXPECT_EQ(no_regularizer(2)->lower_model(x, Vector::Zero(2), 0.0), 0.0);
  EXPECT_EQ(group_l2(std::vector<Index>{0, 0}, std::vector<double>{1.5})->lower_model(x, g, 0.0), 0.0);
  EXPECT_EQ(group_l2(std::vector<Index>{0, 0}, std::vector<double>{1.4})->lower_model(x, g, 0.0), -kInfinity);
  EXPECT_EQ(simplex(2, 2.0)->lower_model(Vector::Ones(2), g, 0.0), -2.0);
  EXPECT_EQ(nonnegative(2)->lower_model(x, g, 0.0), -kInfinity);
  EXPECT_EQ(nonnegative(2)->lower_model(x, g.cwiseAbs(), 0.0), -6.0);
}

// One coordinate against a fine grid.
TEST(LowerModel, SeparableCoordinateAgainstGrid) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(3200 + seed);
    const double w1 = seed % 3 == 0 ? 0.0 : random.uniform(0.0, 2.0);
    const double w2 = seed % 2 == 0 ? 0.0 : random.uniform(0.0, 2.0);
    const double lo = random.uniform(-2.0, 1.0);
    const double hi = lo + random.uniform(0.0, 2.0);
    const double mu = seed % 5 == 0 ? 0.0 : random.uniform(0.0, 2.0);
    const double x = random.uniform(lo, hi);
    const double g = 2.0 * random.normal();
    const ProxPtr term = combine(elastic_net(1, w1, w2), box(std::vector<double>{lo}, std::vector<double>{hi}));
    double best = kInfinity;
    const int points = 20000;
    for (int k = 0; k <= points; ++k) {
      const double y = lo + (hi - lo) * k / points;
      best = std::min(best, g * (y - x) + 0.5 * mu * (y - x) * (y - x) + w1 * std::abs(y) + 0.5 * w2 * y * y);
    }
    const double bound = term->lower_model(Vector::Constant(1, x), Vector::Constant(1, g), mu);
    EXPECT_LE(bound, best + 1e-13);
    EXPECT_LE(best, bound + 2e-3);
    EXPECT_EQ(term->lower_model_bounded(Vector::Constant(1, x), Vector::Constant(1, g), mu, 1e9), bound);
  }
}

// Tiny and huge mu neither overflow nor lift the bound above the truth.
TEST(LowerModel, ExtremeCurvature) {
  for (const ProxSpecimen& s : prox_zoo(6, 6)) {
    SCOPED_TRACE(s.name);
    Random random(3300);
    const Vector x = domain_point(random, *s.term);
    const Vector g = random.vector(6);
    const double flat = s.term->lower_model(x, g, 0.0);
    for (double mu : {1e-300, 1e-100, 1e-20, 1e-14, 1e-9, 1e9, 1e20}) {
      SCOPED_TRACE(mu);
      const double bound = s.term->lower_model(x, g, mu);
      EXPECT_FALSE(std::isnan(bound));
      EXPECT_LE(bound, s.psi(x) + 1e-12 * (1.0 + s.psi(x)) + 1e-15 * mu);  // y = x
      EXPECT_LE(flat - 1e-12 * (1.0 + std::abs(flat)), bound);
      if (mu < 1e-10 && std::isfinite(flat)) {
        EXPECT_NEAR(bound, flat, 1e-8 * (1.0 + std::abs(flat)));
      }
    }
  }
}

TEST(LowerModelBounded, HoldsOnTheSublevelSet) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(3400 + seed);
    for (const ProxSpecimen& s : prox_zoo(seed, 6)) {
      SCOPED_TRACE(s.name);
      for (int trial = 0; trial < 10; ++trial) {
        const double mu = trial % 2 == 0 ? 0.0 : random.log_uniform(1e-3, 1.0);
        const Model model{s, domain_point(random, *s.term), random.vector(6) * random.log_uniform(0.1, 10.0), mu};
        const double psi_max = s.psi(model.x) * random.uniform(1.0, 2.0);
        const double bound = s.term->lower_model_bounded(model.x, model.g, mu, psi_max);
        EXPECT_LE(s.term->lower_model(model.x, model.g, mu), bound);
        for (int k = 0; k < 200; ++k) {
          Vector y = domain_point(random, *s.term);
          y = model.x + random.uniform() * (y - model.x);
          if (s.psi(y) > psi_max) continue;
          EXPECT_LE(bound, model(y) + 1e-11 * (1.0 + std::abs(model(y)) + model.scale()));
        }
      }
    }
  }
}

// In the plane the bound is compared with the best point of a grid over the sublevel set.
TEST(LowerModelBounded, IsSharpInThePlane) {
  Random random(3500);
  const std::vector<double> lo{-1.0, -kInfinity}, hi{kInfinity, 0.4};
  const std::vector<ProxPtr> terms{
      l1(2, 0.6),
      l2_squared(2, 0.8),
      elastic_net(2, 0.3, 0.5),
      group_l2(std::vector<Index>{0, 0}, std::vector<double>{0.7}),
      group_l2(std::vector<Index>{0, 1}, std::vector<double>{0.7, 0.2}),
      combine(l1(2, 0.6), box(lo, hi)),
      combine(elastic_net(2, 0.3, 0.5), box(lo, hi)),
  };
  for (const ProxPtr& term : terms) {
    SCOPED_TRACE(term->kind());
    for (int trial = 0; trial < 9; ++trial) {
      const double mu = trial % 3 == 0 ? 0.0 : random.log_uniform(1e-3, 1.0);
      const Vector g = random.vector(2) * 2.0;
      const Vector x = 0.3 * domain_point(random, *term);
      const double psi_max = random.uniform(0.2, 1.0);
      const double bound = term->lower_model_bounded(x, g, mu, psi_max);
      double best = kInfinity;
      const double reach = 5.5;  // psi_max / smallest weight and more
      const int points = 400;
      Vector y(2);
      for (int i = 0; i <= points; ++i) {
        for (int k = 0; k <= points; ++k) {
          y << -reach + 2.0 * reach * i / points, -reach + 2.0 * reach * k / points;
          const double psi = term->value(y);
          if (psi > psi_max || term->domain_violation(y) > 0.0) continue;
          best = std::min(best, g.dot(y - x) + 0.5 * mu * (y - x).squaredNorm() + psi);
        }
      }
      EXPECT_LE(bound, best + 1e-10);
      EXPECT_LE(best, bound + 0.05 * (2.0 + g.norm()));
    }
  }
}

// w l1 with mu = 0: -g'x - max(0, |g|_inf - w) psi_max / w.
TEST(LowerModelBounded, L1ClosedForm) {
  Random random(3600);
  for (int trial = 0; trial < 50; ++trial) {
    const double w = random.log_uniform(0.01, 10.0);
    const Vector x = random.vector(7);
    const Vector g = random.vector(7);
    const double psi_max = w * x.lpNorm<1>() * 1.5;
    const double expected = -g.dot(x) - std::max(0.0, g.lpNorm<Eigen::Infinity>() - w) * psi_max / w;
    EXPECT_NEAR(l1(7, w)->lower_model_bounded(x, g, 0.0, psi_max), expected, 1e-12 * (1.0 + std::abs(expected)));
  }
}

TEST(LowerModelBounded, OddLimits) {
  const Vector x = Vector::Ones(2), g = 3.0 * Vector::Ones(2);
  EXPECT_EQ(l1(2, 1.0)->lower_model_bounded(x, g, 0.0, kInfinity), -kInfinity);
  EXPECT_EQ(l1(2, 1.0)->lower_model_bounded(x, g, 0.0, std::nan("")), -kInfinity);
  EXPECT_NEAR(l1(2, 1.0)->lower_model_bounded(x, g, 0.0, -1.0), -6.0, 1e-12);  // only y = 0 remains
  const ProxPtr unweighted = group_l2(std::vector<Index>{0, 1}, std::vector<double>{0.0, 1.0});
  EXPECT_EQ(unweighted->lower_model_bounded(x, g, 0.0, 5.0), -kInfinity);
}

}  // namespace
}  // namespace pliant::testing
