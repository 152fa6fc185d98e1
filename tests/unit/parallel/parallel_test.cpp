#include "parallel/parallel.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace pliant {
namespace {

using parallel::Chunks;

TEST(Parallel, ChunksCoverEverythingOnce) {
  for (Index total : {Index{1}, Index{2}, Index{63}, Index{1000}, Index{1001}}) {
    for (Index count : {Index{1}, Index{2}, Index{7}, Index{64}}) {
      if (count > total) continue;
      const Chunks chunks{total, count};
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(total));
      parallel::for_chunks(chunks, [&](Index, Index begin, Index end) {
        for (Index i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      for (const auto& s : seen) EXPECT_EQ(s.load(), 1);
    }
  }
}

TEST(Parallel, ReductionsAreTheSameBytesForAnyThreadCount) {
  testing::Random random(5);
  const std::vector<double> data = random.numbers(100000);
  auto sum = [&](int threads) {
    const parallel::ThreadScope scope(threads);
    double out[2] = {0.0, 0.0};
    parallel::reduce_chunks(
        Chunks{static_cast<Index>(data.size()), 37}, 2,
        [&](Index, Index begin, Index end, double* partial) {
          for (Index i = begin; i < end; ++i) {
            partial[0] += data[static_cast<std::size_t>(i)];
            partial[1] += data[static_cast<std::size_t>(i)] * data[static_cast<std::size_t>(i)];
          }
        },
        out);
    return std::pair(out[0], out[1]);
  };
  const auto one = sum(1);
  EXPECT_EQ(one, sum(2));
  EXPECT_EQ(one, sum(5));
}

TEST(Parallel, ExceptionsReachTheCaller) {
  const parallel::ThreadScope scope(2);
  EXPECT_THROW(parallel::for_chunks(Chunks{10, 10},
                                    [](Index chunk, Index, Index) {
                                      if (chunk == 7) throw std::runtime_error("seven");
                                    }),
               std::runtime_error);
}

TEST(Parallel, ChunkCountDependsOnTheProblemAlone) {
  const Chunks before = parallel::make_chunks(5000, 1 << 22, 64);
  const parallel::ThreadScope scope(3);
  EXPECT_EQ(before.count, parallel::make_chunks(5000, 1 << 22, 64).count);
  EXPECT_EQ(parallel::make_chunks(3, 1 << 30, 64).count, 3);
  EXPECT_EQ(parallel::make_chunks(1000, 100, 64).count, 1);
}

}  // namespace
}  // namespace pliant
