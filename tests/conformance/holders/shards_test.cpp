// Rows in shards: the same answer as from one memory, the same bytes however they are cut, and after a loss.
#include "pliant/shards.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

/// A solve over parts of the rows of a problem, in this memory.
ShardedResult solve_in_parts(const Problem& problem, Index parts) {
  std::vector<Shard> shards;
  for (Index p = 0; p < parts; ++p) shards.emplace_back(rows_of_part(problem, p, parts));
  const Exchange exchange = [&](const std::vector<std::string>& requests) {
    std::vector<std::string> out;
    for (std::size_t s = 0; s < requests.size(); ++s) out.push_back(shards[s].answer(requests[s]));
    return out;
  };
  return solve(without_rows(problem), parts, exchange, accurate());
}

void expect_as_in_one_memory(const Problem& problem, const std::string& what) {
  const Result whole = solve(problem, accurate());
  ASSERT_EQ(whole.status, Status::optimal) << what << whole.message;
  ShardedResult first;
  for (const Index parts : {1, 2, 3, 8}) {
    const ShardedResult found = solve_in_parts(problem, parts);
    ASSERT_EQ(found.result.status, Status::optimal) << what << found.result.message;
    EXPECT_EQ(found.all_rows, problem.constraints()) << what;
    const double scale = 1.0 + std::abs(whole.certificate.objective);
    EXPECT_NEAR(found.result.certificate.objective, whole.certificate.objective, 3e-8 * scale) << what;
    for (const BatchPtr& batch : problem.batches()) {
      Vector values(batch->size());
      batch->values(found.result.x, Rows::range(0, batch->size()), values);
      EXPECT_LE(values.maxCoeff(), 1e-7 * (1.0 + batch->constant_scale())) << what;
    }
    if (parts == 1) first = found;
    EXPECT_EQ(found.result.x, first.result.x) << what << parts << " shards";
    EXPECT_EQ(found.rows, first.rows) << what << parts << " shards";
    EXPECT_EQ(found.result.certificate.lower_bound, first.result.certificate.lower_bound) << what << parts;
    for (std::size_t b = 0; b < first.result.multipliers.lambda.size(); ++b) {
      EXPECT_EQ(found.result.multipliers.lambda[b], first.result.multipliers.lambda[b]) << what << parts;
    }
  }
}

Problem curved_rows(Random& random, Index n, Index m) {
  const Index rank = 2;
  Problem out(n);
  out.minimize(linear(to_array(random.vector(n))));
  out.regularize(box(to_array(Vector::Constant(n, -10.0)), to_array(Vector::Constant(n, 10.0))));
  out.subject_to(quadratic_lowrank_le(Tensor({m, rank, n}, to_array(random.vector(m * rank * n))),
                                      Tensor({m, n}, to_array(random.vector(m * n))),
                                      to_array(Vector::Constant(m, -random.uniform(0.5, 2.0)))));
  return out;
}

Problem many_batches(Random& random, Index n, Index m) {
  Problem out = curved_rows(random, n, m);
  const Matrix G = random.matrix(m, n);
  out.subject_to(linear_le(DataMatrix::from(G), to_array(Vector(G.rowwise().norm()))));
  const Matrix H = random.matrix(m / 2, n);
  const Vector width = 2.0 * H.rowwise().norm();
  out.subject_to(linear_range(to_array(Vector(-width)), DataMatrix::from(H), to_array(width)));
  return out;
}

Problem points_to_cover(Random& random, Index d, Index m) {
  Problem out((d + 1) * (d + 2) / 2);
  out.minimize(log_det(d + 1));
  out.subject_to(rank_one_lifted_le(Tensor({m, d}, to_array(random.vector(m * d))), to_array(Vector::Ones(m))));
  return out;
}

Problem second_order_cones(Random& random, Index n, Index m) {
  Problem out(n);
  out.minimize(linear(to_array(random.vector(n))));
  out.regularize(box(to_array(Vector::Constant(n, -10.0)), to_array(Vector::Constant(n, 10.0))));
  constexpr Index kRows = 3;
  Vector h = 0.3 * random.vector(m * kRows);
  for (Index i = 0; i < m; ++i) h[i * kRows] = random.uniform(1.0, 2.0);  // 0 is inside
  out.subject_to({DataMatrix::from(random.matrix(m * kRows, n)), to_array(h),
                  std::vector<Cone>(static_cast<std::size_t>(m), Cone{ConeKind::second_order, kRows})});
  return out;
}

TEST(Shards, Cones) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Random random(seed);
    const Problem problem = second_order_cones(random, random.integer(2, 6), random.integer(2500, 4000));
    const Result whole = solve(problem, accurate());
    ASSERT_EQ(whole.status, Status::optimal) << whole.message;
    ShardedResult first;
    for (const Index parts : {1, 3}) {
      const ShardedResult found = solve_in_parts(problem, parts);
      ASSERT_EQ(found.result.status, Status::optimal) << found.result.message;
      EXPECT_NEAR(found.result.certificate.objective, whole.certificate.objective,
                  3e-8 * (1.0 + std::abs(whole.certificate.objective)));
      const ConicConstraint& conic = problem.conic()[0];
      for (Index i = 0; i < conic.G.rows(); i += 3) {
        Vector s(3);
        for (Index j = 0; j < 3; ++j) s[j] = conic.h[i + j] - conic.G.dot(i + j, found.result.x.data());
        EXPECT_LE(s.tail(2).norm() - s[0], 1e-7) << "cone " << i / 3;
      }
      if (parts == 1) first = found;
      EXPECT_EQ(found.result.x, first.result.x);
      EXPECT_EQ(found.result.certificate.lower_bound, first.result.certificate.lower_bound);
    }
  }
}

TEST(Shards, RowsOfOtherFamilies) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    Random random(seed);
    expect_as_in_one_memory(curved_rows(random, random.integer(2, 6), random.integer(2500, 5000)), "curved rows ");
    expect_as_in_one_memory(many_batches(random, random.integer(2, 6), random.integer(2500, 5000)), "many batches ");
    expect_as_in_one_memory(points_to_cover(random, random.integer(2, 4), random.integer(2500, 5000)), "points ");
  }
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
