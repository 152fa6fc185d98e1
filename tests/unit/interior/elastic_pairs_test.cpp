// Pairs of the elastic path: Newton directions of their equations, mu, and xi that grows.
#include "engines/interior/elastic_pairs.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::Random;

ElasticPairs random_pairs(Random& random, Index count) {
  ElasticPairs out;
  out.resize(count);
  for (Index k = 0; k < count; ++k) {
    out.s[k] = random.log_uniform(1e-6, 1e3);
    out.v[k] = random.log_uniform(1e-6, 1e3);
    out.ceiling[k] = random.log_uniform(1.0, 1e4);
    out.lambda[k] = out.ceiling[k] * random.uniform(1e-4, 0.999);
  }
  return out;
}

double mean_product(const ElasticPairs& p) {
  double sum = 0.0;
  for (Index k = 0; k < p.size(); ++k) sum += p.s[k] * p.lambda[k] + p.v[k] * (p.ceiling[k] - p.lambda[k]);
  return sum / static_cast<double>(2 * p.size());
}

TEST(ElasticPairs, MuIsTheMeanProductBeforeAndAfterAStep) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ElasticPairs p = random_pairs(random, random.integer(1, 30));
    EXPECT_NEAR(p.mu(), mean_product(p), 1e-12 * mean_product(p));
    ElasticDirection d{random.vector(p.size()), random.vector(p.size()), random.vector(p.size())};
    const interior::Steps t = p.longest(d);
    EXPECT_LE(t.primal, 1.0);
    EXPECT_LE(t.dual, 1.0);
    const double predicted = p.mu_after(d, t), size = mean_product(p);
    p.move(d, t);
    EXPECT_NEAR(predicted, mean_product(p), 1e-10 * size);
    EXPECT_GE(std::min({p.s.minCoeff(), p.v.minCoeff(), p.lambda.minCoeff(), (p.ceiling - p.lambda).minCoeff()}),
              -1e-9);
    if (t.primal < 1.0) {
      EXPECT_NEAR(std::min(p.s.minCoeff(), p.v.minCoeff()), 0.0, 1e-9);
    }
  }
  EXPECT_EQ(ElasticPairs{}.mu(), 0.0);
}

// Linearised: s + ds - (v + dv) + a + da = 0, and both products reach their targets up to second order.
TEST(ElasticPairs, DirectionsSolveTheLinearisedEquations) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const ElasticPairs p = random_pairs(random, 1);
    const double residual = random.normal(), slope = random.normal();
    const double target_s = random.log_uniform(1e-6, 1.0), target_v = random.log_uniform(1e-6, 1.0);
    const double rs = target_s - p.s[0] * p.lambda[0], rv = target_v - p.v[0] * p.room(0);
    ElasticDirection d;
    d.resize_pairs(1);
    d.lambda[0] = (slope + residual + rs / p.lambda[0] - rv / p.room(0)) / p.weight(0);
    p.complete(0, slope, residual, target_s, target_v, d);
    const double size = 1.0 + std::abs(residual) + std::abs(slope) + std::abs(d.s[0]) + std::abs(d.v[0]);
    EXPECT_NEAR(slope + d.s[0] - d.v[0], -residual, 1e-8 * size * std::max(1.0, p.weight(0)));
    EXPECT_NEAR(p.s[0] * d.lambda[0] + p.lambda[0] * d.s[0], rs, 1e-8 * (1.0 + p.lambda[0]) * size);
    EXPECT_NEAR(-p.v[0] * d.lambda[0] + p.room(0) * d.v[0], rv, 1e-8 * (1.0 + p.room(0)) * size);
  }
}

TEST(ElasticPairs, SecondOrderTermsAreClipped) {
  Random random(3);
  const ElasticPairs p = random_pairs(random, 2);
  const ElasticDirection d{Vector{{3.0, -200.0}}, Vector{{-5.0, 1.0}}, Vector{{2.0, 2.0}}};
  EXPECT_EQ(p.second_order(d, 0, 100.0).s, 6.0);
  EXPECT_EQ(p.second_order(d, 0, 100.0).v, -10.0);
  EXPECT_EQ(p.second_order(d, 1, 100.0).s, -100.0);
  EXPECT_EQ(p.second_order(d, 1, 1.0).v, 1.0);
}

TEST(ElasticPairs, RaisingXiKeepsComplementarity) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const ElasticPairs before = random_pairs(random, 5);
    ElasticPairs after = before;
    const double factor = random.uniform(1.5, 100.0);
    after.raise_ceiling(2, factor);
    EXPECT_DOUBLE_EQ(after.ceiling[2], factor * before.ceiling[2]);
    EXPECT_EQ(after.lambda, before.lambda);
    EXPECT_EQ(after.s, before.s);
    const double product = before.v[2] * (before.ceiling[2] - before.lambda[2]);
    EXPECT_NEAR(after.v[2] * (after.ceiling[2] - after.lambda[2]), product, 1e-12 * product);
    EXPECT_NEAR(after.mu(), before.mu(), 1e-12 * before.mu());
    for (const Index k : {0, 1, 3, 4}) {
      EXPECT_EQ(after.v[k], before.v[k]);
      EXPECT_EQ(after.ceiling[k], before.ceiling[k]);
    }
  }
}

}  // namespace
}  // namespace pliant
