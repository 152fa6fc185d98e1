// Soft rows in shards: the answer of one memory, the same bytes however they are cut and whatever is lost.
#include "pliant/shards.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "support/soft_data.hpp"
#include "support/solve_in_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Random;
using testing::SoftData;

constexpr Index kChunk = 1024;  // borders of shards

/// Shards in this memory, which may be lost and made again.
class SoftTeam {
 public:
  SoftTeam(const SoftData& data, std::vector<Index> cuts, Index lose_one_in = 0, Random* random = nullptr)
      : data_(data), cuts_(std::move(cuts)), lose_one_in_(lose_one_in), random_(random) {
    for (std::size_t s = 0; s + 1 < cuts_.size(); ++s) shards_.push_back(make(s));
    told_.resize(shards_.size());
  }

  /// `beside`: hard rows; `interrupted_at`: a round, from 0; negative: none.
  ShardedResult solve(const Settings& settings, const Problem* beside = nullptr, Index interrupted_at = -1) {
    std::atomic<bool> interrupt = false;
    SolveHooks hooks;
    hooks.interrupt = &interrupt;
    Index round = 0;
    const Exchange exchange = [&](const std::vector<std::string>& requests) {
      if (round++ == interrupted_at) interrupt = true;
      std::vector<std::string> out;
      for (std::size_t s = 0; s < requests.size(); ++s) out.push_back(ask(s, requests[s]));
      return out;
    };
    return pliant::solve(beside != nullptr ? *beside : data_.beside(), data_.soft, static_cast<Index>(shards_.size()),
                         exchange, settings, hooks);
  }

 private:
  std::string ask(std::size_t s, const std::string& request) {
    if (lose_one_in_ > 0 && random_->integer(0, lose_one_in_ - 1) == 0) {
      shards_[s] = make(s);
      for (const std::string& before : told_[s]) shards_[s].answer(before);
    }
    std::string out = shards_[s].answer(request);
    if (Shard::begins(request)) told_[s].clear();
    if (Shard::teaches(request)) told_[s].push_back(request);
    return out;
  }
  Shard make(std::size_t s) const {
    const Index begin = cuts_[s], count = cuts_[s + 1] - begin;
    return {DataMatrix::from(Matrix(data_.G.middleRows(begin, count))),
            to_array(Vector(data_.h.segment(begin, count)))};
  }

  const SoftData& data_;
  std::vector<Index> cuts_;
  Index lose_one_in_;
  Random* random_;
  std::vector<Shard> shards_;
  std::vector<std::vector<std::string>> told_;
};

Settings to_the_digits() {
  Settings settings;
  settings.tol_gap = settings.tol_feas = 1e-8;
  return settings;
}

std::vector<Index> cuts_of(Index m, Index parts) {
  std::vector<Index> out;
  const Index chunks = (m + kChunk - 1) / kChunk;
  for (Index p = 0; p <= parts; ++p) out.push_back(std::min(m, p * chunks / parts * kChunk));
  return out;
}

// Whatever was returned, from the data alone: what x costs, and that the slopes are those of multipliers that prove it.
void expect_optimal(const SoftData& data, const ShardedResult& found) {
  const Result& r = found.result;
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  const double objective = data.objective(r.x), scale = 1.0 + std::abs(objective);
  EXPECT_NEAR(r.certificate.objective, objective, 1e-10 * scale);
  EXPECT_LE(r.certificate.lower_bound, objective + 1e-10 * scale);
  EXPECT_GE(r.certificate.lower_bound, objective - 2e-8 * scale);
  ASSERT_EQ(found.slopes.size(), data.h.size());
  Vector gradient = data.curvature * r.x;
  double worth = 0.5 * data.curvature * r.x.squaredNorm();
  for (Index i = 0; i < data.h.size(); ++i) {
    const SoftData::Price p = data.price(i);
    const double s = found.slopes[i], rounding = 1e-12 * (p.below + p.above);
    EXPECT_TRUE(s >= -p.below - rounding && s <= p.above + rounding) << "row " << i << ": " << s;
    gradient += s * data.G.row(i).transpose();
    worth += s * (data.G.row(i).dot(r.x) - (s > 0.0 ? p.upper : p.lower));
  }
  EXPECT_NEAR(worth, objective, 1e-7 * scale);
  if (data.box == 0.0) {
    EXPECT_LE(gradient.lpNorm<Eigen::Infinity>(), 1e-6);
  }
}

void expect_same_bytes(const ShardedResult& one, const ShardedResult& other, const std::string& what) {
  EXPECT_EQ(one.result.x, other.result.x) << what;
  EXPECT_EQ(one.slopes, other.slopes) << what;
  EXPECT_EQ(one.result.certificate.objective, other.result.certificate.objective) << what;
  EXPECT_EQ(one.result.certificate.lower_bound, other.result.certificate.lower_bound) << what;
  EXPECT_EQ(one.result.passes, other.result.passes) << what;
}

constexpr SoftLoss kLosses[] = {SoftLoss::positive_part, SoftLoss::quantile, SoftLoss::absolute,
                                SoftLoss::epsilon_insensitive, SoftLoss::hinge};

TEST(SoftShards, AsInOneMemoryHoweverTheyAreCut) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const SoftLoss loss : kLosses) {
      Random random(100 * seed + static_cast<std::uint64_t>(loss));
      SoftData data(random, loss, random.integer(2, 8), random.integer(2000, 12000));
      if (seed % 2 == 1) data.box = random.uniform(0.5, 5.0);
      const Result whole = solve(data.whole(), to_the_digits());
      ASSERT_EQ(whole.status, Status::optimal) << whole.message;
      ShardedResult first;
      for (const Index parts : {1, 2, 3, 8}) {
        ShardedResult found = SoftTeam(data, cuts_of(data.h.size(), parts)).solve(to_the_digits());
        expect_optimal(data, found);
        EXPECT_NEAR(found.result.certificate.objective, whole.certificate.objective,
                    3e-8 * (1.0 + std::abs(whole.certificate.objective)));
        EXPECT_EQ(found.all_rows, data.h.size());
        if (data.box > 0.0) {
          EXPECT_EQ(found.result.certificate.lower_bound_kind, BoundKind::proved);
        }
        if (parts == 1) {
          first = std::move(found);
        } else {
          expect_same_bytes(found, first, "seed " + std::to_string(seed) + ", " + std::to_string(parts) + " shards");
        }
      }
    }
  }
}

// All samples come in one round, though some have a row twice.
TEST(SoftShards, SamplesComeOnce) {
  constexpr char kFetch = 9;  // ShardCall::soft_fetch
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(seed);
    const SoftData data(random, SoftLoss::absolute, 3, random.integer(50, 60) * kChunk + random.integer(1, 900));
    Shard shard(DataMatrix::from(data.G), to_array(data.h));
    Index fetches = 0;
    const Exchange exchange = [&](const std::vector<std::string>& requests) {
      fetches += requests[0][0] == kFetch ? 1 : 0;
      return std::vector<std::string>{shard.answer(requests[0])};
    };
    ASSERT_EQ(solve(data.beside(), data.soft, 1, exchange, to_the_digits()).result.status, Status::optimal);
    EXPECT_EQ(fetches, 1) << "seed " << seed;
  }
}

// Rows near their kinks are all with one shard, which has sent too few of them.
TEST(SoftShards, RowsInOrderOfTheirTargets) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Random random(seed);
    SoftData data(random, SoftLoss::quantile, 3, random.integer(6, 12) * kChunk);
    data.soft.parameter = random.uniform(0.02, 0.1);
    data.G.rightCols(1).setOnes();  // the level of the quantile decides which rows are near
    data.G.leftCols(2) *= 0.01;
    std::sort(data.h.begin(), data.h.end());
    const ShardedResult one = SoftTeam(data, cuts_of(data.h.size(), 1)).solve(to_the_digits());
    const ShardedResult many = SoftTeam(data, cuts_of(data.h.size(), 6)).solve(to_the_digits());
    expect_optimal(data, one);
    expect_same_bytes(many, one, "seed " + std::to_string(seed));
  }
}

TEST(SoftShards, AShardThatIsLostIsToldAgain) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    const SoftData data(random, kLosses[seed % 5], 4, random.integer(3000, 9000));
    const std::vector<Index> cuts = cuts_of(data.h.size(), 3);
    const ShardedResult whole = SoftTeam(data, cuts).solve(to_the_digits());
    expect_same_bytes(SoftTeam(data, cuts, 3, &random).solve(to_the_digits()), whole, "seed " + std::to_string(seed));
  }
}

// Where the prices are those of a file: the parts of a problem, as processes have them.
// At every round there is: an honest end each time, also where hard rows exclude each other and a proof is being sought.
TEST(SoftShards, InterruptedAtAnyRound) {
  Random random(7);
  for (const bool exclude : {false, true}) {
    const SoftData data(random, SoftLoss::quantile, 3, 3 * kChunk);
    Problem beside = data.beside();
    Matrix sides(2, 3);
    sides << random.vector(3).transpose(), Vector::Zero(3).transpose();
    sides.row(1) = -sides.row(0);
    beside.subject_to(linear_le(DataMatrix::from(sides), to_array(Vector::Constant(2, exclude ? -1.0 : 1.0))));
    SoftTeam team(data, cuts_of(3 * kChunk, 2));
    const Status undisturbed = team.solve(to_the_digits(), &beside).result.status;
    EXPECT_EQ(undisturbed, exclude ? Status::primal_infeasible : Status::optimal);
    Status last = Status::interrupted;
    Index round = 0;
    for (; round < 1000 && last != undisturbed; ++round) {
      last = team.solve(to_the_digits(), &beside, round).result.status;
      EXPECT_TRUE(last == undisturbed || last == Status::interrupted) << "round " << round << ": " << to_string(last);
    }
    EXPECT_GT(round, 3);
    EXPECT_EQ(last, undisturbed) << "after its last round nothing is interrupted any more";
  }
}

TEST(SoftShards, PartsOfAProblem) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random random(seed);
    SoftData data(random, kLosses[seed], 5, random.integer(2000, 9000));
    const Problem problem = data.whole();
    ShardedResult first;
    for (const Index parts : {1, 2, 3, 8, 20}) {
      ShardedResult found = testing::solve_in_parts(problem, parts, to_the_digits());
      expect_optimal(data, found);
      const Vector& slopes = found.slopes;
      Vector multipliers(problem.batches()[0]->size());
      problem.batches()[0]->duals_to_multipliers(slopes, multipliers);
      const Certificate again = certify(problem, found.result.x, {{multipliers}, Vector()});
      EXPECT_TRUE(again.satisfies(to_the_digits())) << again.gap_rel();
      if (parts == 1) {
        first = std::move(found);
      } else {
        expect_same_bytes(found, first, std::to_string(parts) + " parts");
      }
    }
  }
}

TEST(SoftShards, WhatIsRefused) {
  Random random(1);
  SoftData data(random, SoftLoss::quantile, 3, 2000);
  const auto said = [&] {
    return testing::refusal_of([&] { SoftTeam(data, {0, kChunk, 2000}).solve(to_the_digits()); });
  };
  data.soft.parameter = 1.0;
  EXPECT_THAT(said(), HasSubstr("tau"));
  data.soft = {SoftLoss::epsilon_insensitive, -1.0, 1.0};
  EXPECT_THAT(said(), HasSubstr("eps"));
  data.soft = {SoftLoss::hinge, 0.0, 1.0};
  EXPECT_THAT(said(), HasSubstr("-1 or 1"));
  data.soft = {SoftLoss::absolute, 0.0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THAT(said(), HasSubstr("weight"));
  data.soft = {SoftLoss::absolute, 0.0, 1.0};
  data.h[7] = kInfinity;  // no row, and no target
  EXPECT_THAT(testing::refusal_of([&] { SoftTeam(data, {0, 2000}).solve(to_the_digits()); }), HasSubstr("finite"));

  SoftData other(random, SoftLoss::quantile, 3, 2000);
  Problem both = other.whole();
  both.subject_to(linear_le(DataMatrix::from(other.G), to_array(other.h)));
  EXPECT_THAT(testing::refusal_of([&] { Shard{both}; }), HasSubstr("one batch"));
}

// Requests that nobody sends end in an error, not in a crash.
TEST(SoftShards, BytesThatAreNoRequest) {
  Random random(2);
  const SoftData data(random, SoftLoss::quantile, 3, 1500);
  std::vector<std::string> seen;
  Shard shard(DataMatrix::from(data.G), to_array(data.h));
  const Exchange exchange = [&](const std::vector<std::string>& requests) {
    seen.push_back(requests[0]);
    return std::vector<std::string>{shard.answer(requests[0])};
  };
  ASSERT_EQ(solve(data.beside(), data.soft, 1, exchange, to_the_digits()).result.status, Status::optimal);
  const std::string open = seen.front();
  for (const std::string& request : seen) {
    for (int trial = 0; trial < 40; ++trial) {
      shard.answer(open);
      std::string cut =
          request.substr(0, static_cast<std::size_t>(random.integer(1, static_cast<Index>(request.size()))));
      if (cut.size() == request.size()) continue;
      EXPECT_NE(testing::refusal_of([&] { shard.answer(cut); }), "accepted");
    }
  }
}

}  // namespace
}  // namespace pliant
