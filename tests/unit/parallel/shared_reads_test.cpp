#include "parallel/shared_reads.hpp"

#include "parallel/stop.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>

namespace pliant {
namespace {

using parallel::BlockLoop;
using parallel::Chunks;
using parallel::SharedReads;

// Sums of `data` to several powers, block by block; `seen` is told of every block.
struct Sums {
  const std::vector<double>& data;
  Index dim;
  std::function<void(Index begin)> seen = [](Index) {};
  std::vector<double> out = std::vector<double>(static_cast<std::size_t>(dim), 1.5);

  void run(const void* shared, Index block = 100) {
    const auto f = [&](Index begin, Index count, double* partial) {
      seen(begin);
      for (Index i = begin; i < begin + count; ++i) {
        double power = 1.0;
        for (Index j = 0; j < dim; ++j) partial[j] += power *= data[static_cast<std::size_t>(i)];
      }
    };
    const auto rows = static_cast<Index>(data.size());
    parallel::reduce_blocks({Chunks{rows, 7}, block, dim, f, out.data(), 8.0 * static_cast<double>(rows)}, shared);
  }
};

// work(k, member) for k = 0, ..., count - 1, each in a thread of its own.
template <class Work>
void run_members(Index count, int threads, const Work& work) {
  SharedReads group(count, threads);
  std::vector<std::thread> all;
  for (Index k = 0; k < count; ++k) {
    all.emplace_back([&, k] {
      SharedReads::Member member(group);
      work(k, member);
    });
  }
  for (std::thread& thread : all) thread.join();
}

TEST(SharedReads, EveryBlockIsReadOnceForAllAndSumsAreThoseOfEachAlone) {
  testing::Random random(11);
  const std::vector<double> data = random.numbers(5003);
  constexpr Index kMembers = 4;
  std::vector<Sums> alone, together;
  std::vector<Index> order;  // blocks as they were read, by one thread
  for (Index k = 0; k < kMembers; ++k) {
    alone.push_back({data, k + 1});
    together.push_back({data, k + 1, [&](Index begin) { order.push_back(begin); }});
  }
  for (Sums& sums : alone) sums.run(nullptr);
  std::vector<double> saved(kMembers);
  run_members(kMembers, 1, [&](Index k, SharedReads::Member& member) {
    together[static_cast<std::size_t>(k)].run(data.data());
    saved[static_cast<std::size_t>(k)] = member.bytes_saved();
  });
  for (std::size_t k = 0; k < alone.size(); ++k) {
    const std::vector<double>&a = alone[k].out, &b = together[k].out;
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0) << "member " << k;
    EXPECT_DOUBLE_EQ(saved[k], 0.75 * 8.0 * 5003);
  }
  ASSERT_EQ(order.size() % kMembers, 0u);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], order[i - i % kMembers]) << "block " << i;
}

TEST(SharedReads, OnlyTheSameMemoryInTheSameBlocksIsShared) {
  testing::Random random(12);
  const std::vector<double> one = random.numbers(3000), other = random.numbers(3000);
  std::vector<double> saved(4);
  run_members(4, 2, [&](Index k, SharedReads::Member& member) {
    Sums sums{k == 3 ? other : one, 2};
    sums.run(sums.data.data(), k == 2 ? 64 : 100);
    saved[static_cast<std::size_t>(k)] = member.bytes_saved();
  });
  const double half = 0.5 * 8.0 * 3000;
  EXPECT_EQ(saved, (std::vector<double>{half, half, 0.0, 0.0}));
}

TEST(SharedReads, WhoIsDoneOrNeverCameIsNotWaitedFor) {
  testing::Random random(13);
  const std::vector<double> data = random.numbers(1000);
  std::vector<double> saved(3);
  SharedReads group(4, 1);
  group.withdraw();
  std::vector<std::thread> all;
  for (Index k = 0; k < 3; ++k) {
    all.emplace_back([&, k] {
      SharedReads::Member member(group);
      for (Index round = 0; round < 3 * k; ++round) Sums{data, 1}.run(data.data());
      saved[static_cast<std::size_t>(k)] = member.bytes_saved();
    });
  }
  for (std::thread& thread : all) thread.join();
  // Members 1 and 2 share three reads, member 2 has three to itself.
  EXPECT_EQ(saved, (std::vector<double>{0.0, 3 * 4.0 * 1000, 3 * 4.0 * 1000}));
}

TEST(SharedReads, AFailureReachesAllWhoShareTheRead) {
  testing::Random random(14);
  const std::vector<double> data = random.numbers(1000);
  std::atomic<int> caught = 0;
  run_members(3, 2, [&](Index k, SharedReads::Member&) {
    Sums sums{data, 1};
    if (k == 1) sums.seen = [](Index) { throw std::runtime_error("no"); };
    try {
      sums.run(data.data());
    } catch (const std::runtime_error&) {
      ++caught;
    }
    sums.seen = [](Index) {};
    sums.run(data.data());  // the group goes on
  });
  EXPECT_EQ(caught.load(), 3);
}

// The time of one of them is up: it alone is stopped.
TEST(SharedReads, ALimitOfOneMemberIsNotThatOfAnother) {
  testing::Random random(15);
  const std::vector<double> data = random.numbers(1000);
  const std::atomic<bool> stop = true;
  const parallel::StopSign sign{&stop};
  Sums alone{data, 2};
  alone.run(nullptr);
  for (int repeat = 0; repeat < 20; ++repeat) {  // whoever comes last reads
    std::vector<int> stopped(3, 0);
    std::vector<Sums> sums(3, Sums{data, 2});
    run_members(3, 1, [&](Index k, SharedReads::Member&) {
      const parallel::StopScope scope(k == 0 ? &sign : nullptr);
      try {
        sums[static_cast<std::size_t>(k)].run(data.data());
      } catch (const parallel::Stopped&) {
        stopped[static_cast<std::size_t>(k)] = 1;
      }
    });
    EXPECT_EQ(stopped[1] + stopped[2], 0);
    EXPECT_EQ(sums[1].out, alone.out);
    EXPECT_EQ(sums[2].out, alone.out);
  }
}

}  // namespace
}  // namespace pliant
