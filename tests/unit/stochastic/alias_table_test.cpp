// The alias table draws every index with its probability: exactly, by measuring the intervals, and by a chi-square
// test.
#include "engines/stochastic/alias_table.hpp"
#include "random/random.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

Vector random_weights(Random& random, Index count) {
  Vector w(count);
  for (double& t : w) t = random.uniform() < 0.2 ? 0.0 : random.log_uniform(1e-6, 1e3);
  w[random.integer(0, count - 1)] = 1.0;
  return w;
}

// Column c of K is the interval (c/K, (c+1)/K) of u; inside it the draw changes at most once. Bisection finds where.
Vector measured_probabilities(const AliasTable& table) {
  Vector p = Vector::Zero(table.size());
  const double width = 1.0 / static_cast<double>(table.size());
  for (Index c = 0; c < table.size(); ++c) {
    double low = (static_cast<double>(c) + 1e-9) * width, high = (static_cast<double>(c) + 1.0 - 1e-9) * width;
    const Index first = table.draw(low), last = table.draw(high);
    if (first == last) {
      p[first] += width;
      continue;
    }
    const double begin = low, end = high;
    for (int k = 0; k < 80; ++k) {
      const double middle = 0.5 * (low + high);
      (table.draw(middle) == first ? low : high) = middle;
    }
    p[first] += (low - begin) / (end - begin) * width;
    p[last] += (end - low) / (end - begin) * width;
  }
  return p;
}

TEST(AliasTable, IntervalsHaveTheLengthsOfTheProbabilities) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Vector w = random_weights(random, random.integer(1, 200));
    const AliasTable table(w);
    const Vector measured = measured_probabilities(table);
    for (Index i = 0; i < w.size(); ++i) {
      EXPECT_NEAR(table.probability(i), w[i] / w.sum(), 1e-14);
      EXPECT_NEAR(measured[i], w[i] / w.sum(), 1e-8);
      EXPECT_EQ(measured[i] == 0.0, w[i] == 0.0);
    }
  }
}

// chi^2 of K - 1 degrees of freedom has mean K - 1 and variance 2 (K - 1): ten deviations are never seen by chance.
TEST(AliasTable, FrequenciesPassAChiSquareTest) {
  const Index draws = 400000;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random(100 + seed);
    Vector w(random.integer(2, 60));
    for (double& t : w) t = random.log_uniform(1e-2, 1.0);
    const AliasTable table(w);
    const random::Stream stream(seed, 7);
    Vector count = Vector::Zero(w.size());
    for (Index k = 0; k < draws; ++k) count[table.draw(stream.uniform(k))] += 1.0;
    const Vector expected = w * (static_cast<double>(draws) / w.sum());
    const double chi2 = ((count - expected).array().square() / expected.array()).sum();
    const double freedom = static_cast<double>(w.size() - 1);
    EXPECT_LE(chi2, freedom + 10.0 * std::sqrt(2.0 * freedom));
    EXPECT_GE(chi2, freedom - 10.0 * std::sqrt(2.0 * freedom));
  }
}

TEST(AliasTable, WeightsWithoutAPositiveSumAreRefused) {
  EXPECT_THROW(AliasTable(Vector::Zero(3)), std::logic_error);
  EXPECT_THROW(AliasTable(Vector::Constant(2, kInfinity)), std::logic_error);
}

}  // namespace
}  // namespace pliant
