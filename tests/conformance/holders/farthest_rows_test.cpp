// The farthest rows are those that sorting all of them would give, whatever the parts found in which order.
#include "rows/farthest_rows.hpp"
#include "parallel/parallel.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pliant {
namespace {

using testing::Random;

struct Stream {
  std::vector<double> distances;
  std::vector<Index> apart;

  double in_order(Index i) const {
    const double d = distances[static_cast<std::size_t>(i)];
    return std::isnan(d) ? kInfinity : d;
  }
  bool is_apart(Index i) const { return std::binary_search(apart.begin(), apart.end(), i); }
  std::vector<Index> by_sorting(Index most) const {
    std::vector<Index> rows;
    for (Index i = 0; i < static_cast<Index>(distances.size()); ++i) {
      if (!is_apart(i)) rows.push_back(i);
    }
    std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return in_order(a) > in_order(b); });
    rows.resize(std::min(rows.size(), static_cast<std::size_t>(most)));
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  Candidates found(Index most, int threads) const {
    const parallel::ThreadScope scope(threads);
    const auto own = [&](Index k) { return distances[static_cast<std::size_t>(k)]; };
    return find_farthest(
        static_cast<Index>(distances.size()), most, apart, [](Index k) { return k; }, own, own,
        [&](Index k, double d) { return !(own(k) < d); });
  }
};

// Few different distances, so that rows at the same one are left out and kept; the farthest lie first, last or anywhere.
Stream draw(Random& random, Index count) {
  Stream out;
  const auto values = static_cast<double>(random.integer(2, 3000));
  for (Index i = 0; i < count; ++i) out.distances.push_back(std::floor(random.uniform(-values, values)));
  const Index order = random.integer(0, 2);
  if (order == 1) std::sort(out.distances.begin(), out.distances.end());
  if (order == 2) std::sort(out.distances.rbegin(), out.distances.rend());
  for (Index k = 0; k < 5; ++k) {
    const auto at = [&] { return static_cast<std::size_t>(random.integer(0, count - 1)); };
    out.distances[at()] = std::numeric_limits<double>::quiet_NaN();
    out.distances[at()] = kInfinity;
    out.distances[at()] = -kInfinity;
  }
  for (Index i = 0; i < count; i += random.integer(1, 50)) out.apart.push_back(i);
  return out;
}

TEST(FarthestRows, AreThoseThatSortingGives) {
  for (int trial = 0; trial < 12; ++trial) {
    SCOPED_TRACE(trial);
    Random random(static_cast<std::uint64_t>(trial));
    const Index count = trial % 3 == 0 ? random.integer(1, 300) : random.integer(100'000, 400'000);
    const Stream stream = draw(random, count);
    for (const Index most : {Index{0}, Index{1}, random.integer(2, 3000), count}) {
      const std::vector<Index> expected = stream.by_sorting(most);
      for (const int threads : {1, 3}) {
        const Candidates found = stream.found(most, threads);
        EXPECT_EQ(found.rows, expected) << "most " << most << " of " << count << ", threads " << threads;
      }
    }
  }
}

TEST(FarthestRows, TheWorstValueIsThatOfAllRowsButThoseApart) {
  Stream stream;
  stream.distances = {1.0, 7.0, -3.0, 5.0};
  stream.apart = {1};
  EXPECT_EQ(stream.found(0, 1).worst, 5.0);
  EXPECT_EQ(stream.found(2, 1).worst, 5.0);
  stream.distances[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(stream.found(1, 1).worst, kInfinity);
}

}  // namespace
}  // namespace pliant
