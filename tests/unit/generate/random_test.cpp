#include "random/random.hpp"

#include "generate/data.hpp"
#include "parallel/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace pliant {
namespace {

using random::Stream;

constexpr Index kSamples = 200000;
// Five standard deviations of a mean of kSamples numbers of unit variance.
const double kFiveSigma = 5.0 / std::sqrt(static_cast<double>(kSamples));

Vector normals(const Stream& stream, Index count) {
  Vector v(count);
  stream.normals(v.data(), count);
  return v;
}

double correlation(const Vector& a, const Vector& b) { return a.dot(b) / (a.norm() * b.norm()); }

TEST(Stream, UniformsFillTheOpenUnitIntervalEvenly) {
  const Stream stream(3, 1);
  std::vector<int> bins(20, 0);
  for (Index k = 0; k < kSamples; ++k) {
    const double u = stream.uniform(k);
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++bins[static_cast<std::size_t>(u * 20.0)];
  }
  double chi_squared = 0.0;
  const double expected = static_cast<double>(kSamples) / 20.0;
  for (int count : bins) chi_squared += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi_squared, 50.0);  // 19 degrees of freedom: exceeded with probability 1.4e-4
}

TEST(Stream, NormalsHaveTheMomentsOfTheNormalDistribution) {
  const Vector z = normals(Stream(5, 2), kSamples);
  EXPECT_TRUE(z.allFinite());
  EXPECT_LT(std::abs(z.mean()), kFiveSigma);
  EXPECT_LT(std::abs(z.cwiseAbs2().mean() - 1.0), kFiveSigma * std::sqrt(2.0));
  EXPECT_LT(std::abs(z.array().cube().mean()), kFiveSigma * std::sqrt(15.0));
  EXPECT_LT(std::abs(z.array().square().square().mean() - 3.0), kFiveSigma * std::sqrt(96.0));
}

TEST(Stream, RowsLabelsSeedsAndNeighboursAreUncorrelated) {
  const Vector z = normals(Stream(7, 1), kSamples);
  EXPECT_LT(std::abs(correlation(z, normals(Stream(8, 1), kSamples))), kFiveSigma);
  EXPECT_LT(std::abs(correlation(z, normals(Stream(7, 2), kSamples))), kFiveSigma);
  EXPECT_LT(std::abs(correlation(normals(Stream(7, 1).row(0), kSamples), normals(Stream(7, 1).row(1), kSamples))),
            kFiveSigma);
  EXPECT_LT(std::abs(correlation(z.head(kSamples - 1), z.tail(kSamples - 1))), kFiveSigma);
  Vector firsts(kSamples), seconds(kSamples);
  for (Index i = 0; i < kSamples; ++i) {
    const Stream row = Stream(7, 1).row(i);
    firsts[i] = row.uniform(0, -1.0, 1.0);
    seconds[i] = row.uniform(1, -1.0, 1.0);
  }
  EXPECT_LT(std::abs(firsts.mean()), kFiveSigma);
  EXPECT_LT(std::abs(correlation(firsts, seconds)), kFiveSigma);
}

TEST(Stream, HashesDoNotCollide) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t label = 0; label < 10; ++label) {
      for (Index row = 0; row < 10; ++row) {
        for (Index k = 0; k < 10; ++k) seen.insert(Stream(seed, label).row(row).bits(k));
      }
    }
  }
  EXPECT_EQ(seen.size(), 10000u);
}

TEST(Stream, ValuesArePinned) {
  // Computed independently; instances named by their seed must not change between versions or platforms.
  EXPECT_EQ(Stream(0, 1).bits(0), 2558736989570252433u);
  EXPECT_EQ(Stream(42, 3).row(1000000).bits(7), 13301421434823228149u);
  EXPECT_EQ(Stream(42, 3).row(1000000).uniform(7), 0.72107150083903);
}

TEST(Stream, BelowReachesEveryValue) {
  const Stream stream(0, 1);
  EXPECT_EQ(stream.below(3, 1), 0);
  std::set<Index> seen;
  for (Index k = 0; k < 200; ++k) seen.insert(stream.below(k, 7));
  EXPECT_EQ(seen, (std::set<Index>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Stream, OddCountsAreThePrefixOfEvenOnes) {
  const Stream stream(11, 4);
  EXPECT_EQ(normals(stream, 7), normals(stream, 8).head(7));
}

TEST(NormalRows, DoNotDependOnTheNumberOfThreadsAndHaveUnitNorm) {
  const auto build = [](int threads) {
    const parallel::ThreadScope scope(threads);
    const generation::Parameters parameters(generation::sizes_and(1, 1, {}), {});
    return generation::normal_rows(parameters, generation::Label::rows, 3000, 13, generation::RowNorm::unit).share();
  };
  const Doubles one = build(1);
  const Doubles two = build(2);
  const Doubles five = build(5);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin()));
  EXPECT_TRUE(std::equal(one.begin(), one.end(), five.begin()));
  for (Index i = 0; i < 3000; ++i) {
    EXPECT_NEAR(Eigen::Map<const Vector>(one.data() + 13 * i, 13).norm(), 1.0, 1e-14);
  }
}

TEST(Stream, OneNormalIsThatOfTheWhole) {
  const Stream stream(5, 2);
  const Vector all = normals(stream, 9);
  for (Index k = 0; k < 9; ++k) EXPECT_EQ(stream.normal(k), all[k]);
}

TEST(CheckedSize, RefusesAbsurdSizes) {
  EXPECT_THROW(generation::checked_size({Index{1} << 31, Index{1} << 31, Index{1} << 31}), InputError);
  EXPECT_EQ(generation::checked_size({0, 5}), 0);
  EXPECT_EQ(generation::checked_size({3, 4, 5}), 60);
}

}  // namespace
}  // namespace pliant
