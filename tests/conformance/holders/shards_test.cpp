// Rows in shards: the same answer as from one memory, the same bytes however they are cut, and after a loss.
#include "pliant/shards.hpp"
#include "parallel/stop.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Random;

struct RawRows {
  Matrix G;
  Vector h, c;
  double curvature;

  RawRows(Random& random, Index n, Index m, bool curved)
      : G(random.matrix(m, n)), h(m), c(random.vector(n)), curvature(curved ? random.uniform(0.1, 2.0) : 0.0) {
    for (Index i = 0; i < m; ++i) h[i] = random.uniform(0.5, 1.5) * G.row(i).norm();  // 0 is inside
  }

  Problem beside() const {
    const Index n = c.size();
    Problem out(n);
    out.minimize(linear(to_array(c)));
    if (curvature > 0.0) {
      out.minimize(quadratic(DataMatrix::from(curvature * Matrix::Identity(n, n)), to_array(Vector::Zero(n))));
    }
    out.regularize(box(to_array(Vector::Constant(n, -10.0)), to_array(Vector::Constant(n, 10.0))));
    return out;
  }
  Problem whole() const {
    Problem out = beside();
    out.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
    return out;
  }
  Shard shard(Index begin, Index end, bool sparse = false) const {
    const Index count = end - begin, n = c.size();
    DataMatrix part = DataMatrix::from(Matrix(G.middleRows(begin, count)));
    if (sparse) {
      std::vector<Index> starts, columns;
      for (Index i = 0; i <= count; ++i) starts.push_back(i * n);
      for (Index i = 0; i < count * n; ++i) columns.push_back(i % n);
      part = DataMatrix::csr(count, n, starts, columns, part.values());
    }
    return Shard(std::move(part), to_array(Vector(h.segment(begin, count))));
  }
};

/// Shards in this memory, which may be lost and made again.
class Team {
 public:
  Team(const RawRows& raw, std::vector<Index> cuts, bool sparse = false)
      : raw_(raw), cuts_(std::move(cuts)), sparse_(sparse) {
    for (std::size_t s = 0; s + 1 < cuts_.size(); ++s) shards_.push_back(make(s));
    told_.resize(shards_.size());
  }

  /// From here on one request in so many finds its shard gone.
  void lose_one_in(Random& random, Index many) {
    random_ = &random;
    many_ = many;
  }
  int lost() const { return lost_; }

  ShardedResult solve(const Settings& settings) {
    const Exchange exchange = [&](const std::vector<std::string>& requests) {
      std::vector<std::string> out;
      for (std::size_t s = 0; s < requests.size(); ++s) out.push_back(ask(s, requests[s]));
      return out;
    };
    return pliant::solve(raw_.beside(), static_cast<Index>(shards_.size()), exchange, settings);
  }

  std::string ask(std::size_t s, const std::string& request) {
    if (random_ != nullptr && random_->integer(0, many_ - 1) == 0) {
      ++lost_;
      shards_[s] = make(s);
      for (const std::string& before : told_[s]) shards_[s].answer(before);
    }
    std::string out = shards_[s].answer(request);
    if (Shard::teaches(request)) told_[s].push_back(request);
    return out;
  }

 private:
  Shard make(std::size_t s) const { return raw_.shard(cuts_[s], cuts_[s + 1], sparse_); }

  const RawRows& raw_;
  std::vector<Index> cuts_;
  bool sparse_;
  std::vector<Shard> shards_;
  std::vector<std::vector<std::string>> told_;
  Random* random_ = nullptr;
  Index many_ = 0;
  int lost_ = 0;
};

Settings accurate() {
  Settings settings;
  settings.tol_gap = settings.tol_feas = 1e-8;
  return settings;
}

std::vector<Index> equal_cuts(Index m, Index parts) {
  constexpr Index kChunk = 1024;
  std::vector<Index> out;
  const Index chunks = (m + kChunk - 1) / kChunk;
  for (Index p = 0; p <= parts; ++p) out.push_back(std::min(m, p * chunks / parts * kChunk));
  return out;
}

// (gradient, value) of (1/l) sum loss(g_i'x, h_i), row by row.
Vector plain_losses(const RawRows& raw, LossKind loss, double k, const Vector& x) {
  const Index m = raw.G.rows(), n = raw.G.cols();
  Vector out = Vector::Zero(n + 1);
  for (Index i = 0; i < m; ++i) {
    const double z = raw.G.row(i).dot(x), t = z - raw.h[i];
    double value = 0.5 * t * t, slope = t;
    if (loss == LossKind::logistic) {
      value = std::log1p(std::exp(-raw.h[i] * z));
      slope = -raw.h[i] / (1.0 + std::exp(raw.h[i] * z));
    } else if (loss == LossKind::huber && std::abs(t) > k) {
      value = k * std::abs(t) - 0.5 * k * k;
      slope = t > 0.0 ? k : -k;
    }
    out.head(n) += slope * raw.G.row(i).transpose();
    out[n] += value;
  }
  return out / static_cast<double>(m);
}

TEST(Shards, TheAnswerIsThatOfOneMemoryAndTheBytesAreThoseOfOneShard) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    const RawRows raw(random, random.integer(2, 12), random.integer(9000, 12000), seed % 2 == 0);
    const Result whole = solve(raw.whole(), accurate());
    ASSERT_EQ(whole.status, Status::optimal);
    ShardedResult first;
    for (const Index parts : {1, 2, 3, 8}) {
      const ShardedResult found = Team(raw, equal_cuts(raw.G.rows(), parts), seed % 3 == 2).solve(accurate());
      ASSERT_EQ(found.result.status, Status::optimal) << found.result.message;
      EXPECT_EQ(found.all_rows, raw.G.rows());
      const Vector& x = found.result.x;
      const Vector slack = raw.G * x - raw.h;
      EXPECT_LE(slack.maxCoeff(), 1e-7 * (1.0 + raw.h.maxCoeff()));
      const double value = raw.c.dot(x) + 0.5 * raw.curvature * x.squaredNorm();
      EXPECT_NEAR(value, whole.certificate.objective, 1e-7 * (1.0 + std::abs(value)));
      if (parts == 1) first = found;
      EXPECT_EQ(x, first.result.x) << parts << " shards";
      EXPECT_EQ(found.rows, first.rows) << parts << " shards";
      ASSERT_EQ(found.result.multipliers.lambda.size(), first.result.multipliers.lambda.size());
      for (std::size_t b = 0; b < first.result.multipliers.lambda.size(); ++b) {
        EXPECT_EQ(found.result.multipliers.lambda[b], first.result.multipliers.lambda[b]);
      }
      EXPECT_EQ(found.result.certificate.lower_bound, first.result.certificate.lower_bound);
      EXPECT_LE(found.rounds, 16);
      ::testing::Test::RecordProperty("rounds", static_cast<int>(found.rounds));
    }
  }
}

TEST(Shards, BlocksThatAreMadeAgainAndAgain) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(seed);
    const RawRows raw(random, random.integer(2, 8), random.integer(9000, 12000), seed % 2 == 0);
    constexpr Index kBlock = 1024;
    int walks = 0;
    const auto blocks = [&]() -> NextBlock {
      ++walks;
      return [&, begin = Index{0}](DataMatrix& G, Doubles& h) mutable {
        if (begin >= raw.G.rows()) return false;
        const Index count = std::min(kBlock, raw.G.rows() - begin);
        G = DataMatrix::from(Matrix(raw.G.middleRows(begin, count)));
        h = to_array(Vector(raw.h.segment(begin, count)));
        begin += count;
        return true;
      };
    };
    Shard shard{BlockSource(blocks)};
    const Exchange exchange = [&](const std::vector<std::string>& requests) {
      return std::vector<std::string>{shard.answer(requests[0])};
    };
    const ShardedResult found = solve(raw.beside(), 1, exchange, accurate());
    const ShardedResult held = Team(raw, {0, raw.G.rows()}).solve(accurate());
    ASSERT_EQ(found.result.status, Status::optimal) << found.result.message;
    EXPECT_EQ(found.result.x, held.result.x);
    EXPECT_EQ(found.rows, held.rows);
    EXPECT_EQ(found.result.certificate.lower_bound, held.result.certificate.lower_bound);
    EXPECT_LE(walks, found.rounds + 1) << "one walk for each round, and the first";
  }
}

TEST(Shards, BlocksThatAreNotWhatTheyWere) {
  const auto source = [](std::vector<Index> sizes) {
    return BlockSource([sizes, walk = std::make_shared<int>(0)]() -> NextBlock {
      const Index rows = sizes[std::min<std::size_t>(static_cast<std::size_t>((*walk)++), sizes.size() - 1)];
      return [rows, done = false](DataMatrix& G, Doubles& h) mutable {
        if (std::exchange(done, true)) return false;
        G = DataMatrix::from(Matrix(Matrix::Ones(rows, 2)));
        h = to_array(Vector::Ones(rows));
        return true;
      };
    });
  };
  Problem beside(2);
  beside.minimize(linear({1.0, 1.0})).regularize(box({-1.0, -1.0}, {1.0, 1.0}));
  const auto refusal = [&](const std::vector<Index>& sizes) {
    return testing::refusal_of([&] {
      Shard shard(source(sizes));
      solve(beside, 1, [&](const auto& requests) { return std::vector<std::string>{shard.answer(requests[0])}; });
    });
  };
  EXPECT_THAT(refusal({50, 40}), HasSubstr("block 0: 40 rows, but there were 50"));
  const BlockSource none = []() -> NextBlock { return [](DataMatrix&, Doubles&) { return false; }; };
  EXPECT_THAT(testing::refusal_of([&] { Shard shard(none); }), HasSubstr("at least one"));
}

TEST(Shards, OneThatIsLostIsMadeAgainAndNobodyNotices) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random random(seed);
    const RawRows raw(random, 5, 6000, seed % 2 == 0);
    const std::vector<Index> cuts = equal_cuts(6000, 3);
    const ShardedResult quiet = Team(raw, cuts).solve(accurate());
    Team team(raw, cuts);
    team.lose_one_in(random, 7);
    const ShardedResult found = team.solve(accurate());
    lost += team.lost();
    EXPECT_EQ(found.result.x, quiet.result.x);
    EXPECT_EQ(found.result.certificate.lower_bound, quiet.result.certificate.lower_bound);
  }
  EXPECT_GT(lost, 0);
}

TEST(Shards, WhatAnExchangeThrowsEndsTheSolve) {
  Random random(1);
  const RawRows raw(random, 3, 100, true);
  int rounds = 0;
  const Exchange dies = [&](const std::vector<std::string>& requests) -> std::vector<std::string> {
    if (++rounds > 3) throw std::runtime_error("worker 2 is gone");
    Shard shard = raw.shard(0, 100);
    return {requests.size(), shard.answer(requests[0])};
  };
  EXPECT_THROW(solve(raw.beside(), 1, dies), std::exception);
}

// Interrupted in the middle of any round, as a communicator does it: an honest end with the latest point, whose figures are
// those of the raw data.
TEST(Shards, AnInterruptInARoundEndsWithTheLatestPoint) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Random random(seed);
    const RawRows raw(random, 6, 9000, seed % 2 == 0);
    const double optimum = Team(raw, {0, 9000}).solve(accurate()).result.certificate.objective;
    for (int stop_at = 1;; ++stop_at) {
      Shard shard = raw.shard(0, 9000);
      std::atomic<bool> interrupt = false;
      int rounds = 0;
      const Exchange exchange = [&](const std::vector<std::string>& requests) {
        if (++rounds == stop_at) interrupt = true;
        const parallel::StopSign sign{&interrupt};
        const parallel::StopScope scope(parallel::stop_sign() != nullptr ? &sign : nullptr);
        std::vector<std::string> answers{shard.answer(requests[0])};
        parallel::poll();
        return answers;
      };
      SolveHooks hooks;
      hooks.interrupt = &interrupt;
      int shown = 0;
      hooks.best = [&](const BestSoFar& best) { shown += best.x.allFinite() ? 1 : 0; };
      const ShardedResult found = solve(raw.beside(), 1, exchange, accurate(), hooks);
      if (rounds < stop_at) {
        EXPECT_EQ(found.result.status, Status::optimal);
        EXPECT_GT(stop_at, 4);
        break;
      }
      const Vector& x = found.result.x;
      ASSERT_EQ(x.size(), 6) << "stopped in round " << stop_at;
      const double worst = std::max(0.0, (raw.G * x - raw.h).maxCoeff());
      const double value = raw.c.dot(x) + 0.5 * raw.curvature * x.squaredNorm();
      const Certificate& certificate = found.result.certificate;
      EXPECT_NEAR(certificate.violation_linf, worst, 1e-9 * (1.0 + worst)) << "stopped in round " << stop_at;
      EXPECT_NEAR(certificate.objective, value, 1e-9 * (1.0 + std::abs(value)));
      EXPECT_LE(certificate.lower_bound, optimum + 1e-6 * (1.0 + std::abs(optimum)));
      EXPECT_TRUE(found.result.status == Status::interrupted || found.result.status == Status::optimal)
          << found.result.message;
      EXPECT_TRUE(shown > 0 || found.result.status == Status::optimal) << "stopped in round " << stop_at;
    }
  }
}

// Sums of losses: values and gradients of the raw data, and the same bytes wherever the rows are cut.
TEST(Shards, LossesAddUpToTheSameBytesWhereverTheyAreCut) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    RawRows raw(random, random.integer(1, 9), random.integer(9, 12) * 1024 + random.integer(1, 1024), true);
    const Index m = raw.G.rows(), n = raw.G.cols();
    for (const LossKind loss : {LossKind::square, LossKind::logistic, LossKind::huber}) {
      if (loss == LossKind::logistic) {
        for (Index i = 0; i < m; ++i) raw.h[i] = random.uniform(-1.0, 1.0) > 0.0 ? 1.0 : -1.0;
      }
      const double k = random.uniform(0.2, 2.0);
      const Vector x = random.vector(n);
      Vector first;
      for (const Index parts : {1, 2, 3, 8}) {
        const std::vector<Index> cuts = equal_cuts(m, parts);
        std::vector<Shard> shards;
        for (std::size_t s = 0; s + 1 < cuts.size(); ++s)
          shards.push_back(raw.shard(cuts[s], cuts[s + 1], seed % 2 == 1));
        const Exchange exchange = [&](const std::vector<std::string>& requests) {
          std::vector<std::string> out;
          for (std::size_t s = 0; s < requests.size(); ++s) out.push_back(shards[s].answer(requests[s]));
          return out;
        };
        const TermPtr term = losses_in_shards(loss, parts, exchange, k);
        Vector sum = Vector::Zero(n + 1);
        sum[n] = term->add_gradient(x, 1.0, sum.head(n));
        EXPECT_EQ(term->value(x), sum[n]);
        if (parts == 1) first = sum;
        EXPECT_EQ(sum, first) << parts << " shards";
      }
      EXPECT_LE((first - plain_losses(raw, loss, k, x)).lpNorm<Eigen::Infinity>(), 1e-12 * (1.0 + first.norm()));
    }
  }
}

TEST(Shards, Refusals) {
  Random random(2);
  const RawRows raw(random, 3, 50, true);
  const auto refusal = [&](const Problem& problem, Index shards, const Exchange& exchange) {
    return testing::refusal_of([&] { solve(problem, shards, exchange); });
  };
  const Exchange one = [&](const std::vector<std::string>& requests) {
    Shard shard = raw.shard(0, 50);
    return std::vector<std::string>(requests.size(), shard.answer(requests[0]));
  };
  EXPECT_THAT(refusal(raw.whole(), 1, one), HasSubstr("inequalities of its own"));
  EXPECT_THAT(refusal(raw.beside(), 0, one), HasSubstr("at least one shard"));
  Problem wider(4);
  wider.minimize(linear({1.0, 1.0, 1.0, 1.0}));
  EXPECT_THAT(refusal(wider, 1, one), HasSubstr("3 columns, but the problem has 4"));
  Matrix bad = raw.G;
  bad(7, 1) = std::nan("");
  EXPECT_THAT(testing::refusal_of([&] { Shard(DataMatrix::from(bad), to_array(raw.h)); }), HasSubstr("row 7"));
  EXPECT_THAT(testing::refusal_of([&] { Shard(DataMatrix::from(raw.G), {1.0}); }), HasSubstr("expected 50 numbers"));
}

// Bytes nobody would send: refused or answered, never worse.
TEST(Shards, DamagedRequestsAreRefused) {
  Random random(3);
  const RawRows raw(random, 4, 2000, true);
  std::vector<std::string> seen;
  {
    Shard shard = raw.shard(0, 2000);
    const Exchange watch = [&](const std::vector<std::string>& requests) {
      seen.push_back(requests[0]);
      return std::vector<std::string>{shard.answer(requests[0])};
    };
    solve(raw.beside(), 1, watch, accurate());
  }
  int refused = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Shard shard = raw.shard(0, 2000);
    if (trial % 2 == 0) shard.answer(seen[0]);
    std::string bytes = seen[static_cast<std::size_t>(random.integer(0, static_cast<Index>(seen.size()) - 1))];
    const auto place = static_cast<std::size_t>(random.integer(0, static_cast<Index>(bytes.size()) - 1));
    if (trial % 3 == 0) {
      bytes.resize(place);
    } else {
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << random.integer(0, 7)));
    }
    try {
      shard.answer(bytes);
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace pliant
