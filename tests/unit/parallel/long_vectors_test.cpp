// Loops over long vectors beside plain ones, on both sides of the size from which threads take part.
#include "parallel/long_vectors.hpp"

#include "linalg/sums.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace pliant {
namespace {

using testing::Random;

constexpr Index kSizes[] = {0, 1, 7, 4095, 8191, 8192, 8193, 65535, 65537, 700001};

TEST(LongVectors, PositionsAndCountsAreThoseOfAPlainLoop) {
  Random random(21);
  for (const Index size : kSizes) {
    SCOPED_TRACE(size);
    const Vector v = random.vector(size);
    for (const double threshold : {-10.0, 0.3, 10.0}) {  // all, some, none
      const auto wanted = [&](Index i) { return v[i] > threshold; };
      std::vector<Index> expected;
      for (Index i = 0; i < size; ++i) {
        if (wanted(i)) expected.push_back(i);
      }
      for (const int threads : {1, 3}) {
        const parallel::ThreadScope scope(threads);
        EXPECT_EQ(parallel::positions(size, wanted), expected);
        EXPECT_EQ(parallel::count_if(size, wanted), static_cast<Index>(expected.size()));
      }
    }
  }
}

TEST(LongVectors, CopiesAndConstantsReachEveryElement) {
  Random random(22);
  const parallel::ThreadScope scope(3);
  for (const Index size : kSizes) {
    const Vector v = random.vector(size);
    EXPECT_TRUE(parallel::copy(v) == v);
    EXPECT_TRUE(parallel::constant(size, -2.5) == Vector::Constant(size, -2.5));
  }
  Vector kept = Vector::Ones(5);
  const double* const place = kept.data();
  parallel::resize(kept, 5);
  EXPECT_EQ(kept.data(), place);
}

TEST(LongVectors, PartsComeInOrder) {
  const parallel::ThreadScope scope(3);
  for (const Index size : kSizes) {
    Index next = 0;
    for (const auto& [begin, end] :
         parallel::parts<std::pair<Index, Index>>(size, [](Index begin, Index end) { return std::pair(begin, end); })) {
      EXPECT_EQ(begin, next);
      next = end;
    }
    EXPECT_EQ(next, size);
  }
}

TEST(LongVectors, SumsAreThoseOfOneThreadDigitByDigit) {
  Random random(23);
  for (const Index size : kSizes) {
    SCOPED_TRACE(size);
    const Vector v = random.vector(size);
    const auto term = [&](Index i) { return v[i]; };
    for (const int threads : {1, 3}) {
      const parallel::ThreadScope scope(threads);
      EXPECT_EQ(long_pairwise_sum(size, term), pairwise_sum(0, size, term));
    }
  }
}

}  // namespace
}  // namespace pliant
