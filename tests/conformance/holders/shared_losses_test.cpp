// Sums of losses whose rows are cut over shards: solves, and what their rounding is relative to.
#include "pliant/shards.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pliant {
namespace {

using testing::Random;

constexpr LossKind kKinds[] = {LossKind::square, LossKind::logistic, LossKind::huber};

struct LossData {
  Matrix A;
  Vector t;
  LossKind kind;
  double k = 0.0, ridge = 0.0;

  LossData(Random& random, LossKind loss, Index n, Index m) : A(random.matrix(m, n)), t(m), kind(loss) {
    const Vector x = random.vector(n);
    for (Index i = 0; i < m; ++i) t[i] = A.row(i).dot(x) + random.uniform(-1.0, 1.0);
    if (kind == LossKind::logistic) t = t.unaryExpr([](double v) { return v > 0.0 ? 1.0 : -1.0; });
    k = random.uniform(0.2, 1.0);
    ridge = random.uniform(0.01, 0.1);
  }

  TermPtr term() const {
    switch (kind) {
      case LossKind::square:
        return least_squares(DataMatrix::from(A), to_array(t));
      case LossKind::logistic:
        return logistic(DataMatrix::from(A), to_array(t));
      default:
        return huber(DataMatrix::from(A), to_array(t), k);
    }
  }
  /// 2 * losses beside a small one that stays here.
  Problem problem() const {
    Problem out(A.cols());
    out.minimize(least_squares(DataMatrix::from(Matrix(A.topRows(5))), to_array(Vector(Vector::Ones(5)))), 0.1);
    out.minimize(term(), 2.0);
    out.regularize(l2_squared(A.cols(), ridge));
    return out;
  }
  /// Of that, row by row.
  Vector gradient(const Vector& x) const {
    Vector out = ridge * x + 0.02 * A.topRows(5).transpose() * (A.topRows(5) * x - Vector::Ones(5));
    for (Index i = 0; i < t.size(); ++i) {
      const double z = A.row(i).dot(x), d = z - t[i];
      const double slope = kind == LossKind::square     ? d
                           : kind == LossKind::logistic ? -t[i] / (1.0 + std::exp(t[i] * z))
                                                        : std::max(-k, std::min(k, d));
      out += 2.0 * slope / static_cast<double>(t.size()) * A.row(i).transpose();
    }
    return out;
  }
};

/// The shards of a sum of losses in so many parts.
class LossTeam {
 public:
  LossTeam(const LossSum& losses, Index parts) {
    for (Index p = 0; p < parts; ++p) shards_.push_back(losses_of_part(losses, p, parts));
  }
  Exchange exchange() {
    return [this](const std::vector<std::string>& requests) {
      if (rounds_left-- == 0) throw InputError("gone");
      std::vector<std::string> out;
      for (std::size_t s = 0; s < requests.size(); ++s) out.push_back(shards_[s].answer(requests[s]));
      return out;
    };
  }
  Index rounds_left = std::numeric_limits<Index>::max();

 private:
  std::vector<Shard> shards_;
};

TEST(SharedLosses, SolvedAsInOneMemoryHoweverTheyAreCut) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (const LossKind kind : kKinds) {
      Random random(10 * seed + static_cast<std::uint64_t>(kind));
      const LossData data(random, kind, random.integer(2, 8), random.integer(2000, 9000));
      const std::optional<LossesApart> apart = without_losses(data.problem());
      ASSERT_TRUE(apart.has_value());
      ShardedResult first;
      for (const Index parts : {1, 2, 3, 20}) {
        LossTeam team(*apart->term->structure().losses, parts);
        ShardedResult found = solve(apart->beside, apart->losses, parts, team.exchange());
        const Result& r = found.result;
        ASSERT_EQ(r.status, Status::optimal) << r.message;
        EXPECT_EQ(r.certificate.lower_bound_kind, BoundKind::proved);
        // Strong convexity: |x - x*| is no more than that of the gradient over it.
        EXPECT_LE(data.gradient(r.x).squaredNorm() / (2.0 * data.ridge), 3e-6 * (1.0 + r.certificate.objective));
        EXPECT_NEAR(r.certificate.objective, data.problem().objective(r.x), 1e-12 * (1.0 + r.certificate.objective));
        EXPECT_GT(found.rounds, 2);
        if (parts == 1) {
          first = std::move(found);
          continue;
        }
        EXPECT_EQ(r.x, first.result.x) << parts << " parts, seed " << seed;
        EXPECT_EQ(r.certificate.lower_bound, first.result.certificate.lower_bound);
        EXPECT_EQ(found.rounds, first.rounds);
      }
    }
  }
}

// What rounding is relative to: that of the term in one memory.
TEST(SharedLosses, SizesAreThoseOfOneMemory) {
  for (const LossKind kind : kKinds) {
    Random random(30 + static_cast<std::uint64_t>(kind));
    const LossData data(random, kind, 5, 5000);
    const TermPtr here = data.term();
    LossTeam team(*here->structure().losses, 3);
    const TermPtr there = losses_in_shards(kind, 3, team.exchange(), data.k);
    const Vector x = random.vector(5);
    Vector expected = Vector::Zero(5), found = Vector::Zero(5);
    const double value = here->add_absolute_sums(x, 0.7, expected);
    EXPECT_NEAR(there->add_absolute_sums(x, 0.7, found), value, 1e-11 * value);
    EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(), 1e-11 * expected.norm());
    EXPECT_GT(value, 0.0);
    EXPECT_GE(there->rounding_length(),
              5 + 1024 + 3);  // a product, the rows of a chunk one by one, the tree of its chunks
  }
}

TEST(SharedLosses, TheLatestPointIsKeptWhenShardsAreLost) {
  Random random(3);
  const LossData data(random, LossKind::logistic, 4, 4000);
  const std::optional<LossesApart> apart = without_losses(data.problem());
  LossTeam whole(*apart->term->structure().losses, 2);
  const Index rounds = solve(apart->beside, apart->losses, 2, whole.exchange()).rounds;
  for (Index k = 0; k < rounds; ++k) {
    LossTeam team(*apart->term->structure().losses, 2);
    Vector latest;
    SolveHooks hooks;
    hooks.best_every = kInfinity;
    hooks.best = [&](const BestSoFar& best) { latest = best.x; };
    team.rounds_left = k;
    EXPECT_EQ(testing::refusal_of([&] { solve(apart->beside, apart->losses, 2, team.exchange(), {}, hooks); }), "gone");
    ASSERT_EQ(latest.size(), 4);
    EXPECT_TRUE(latest.allFinite());
    if (k == rounds - 1) {
      EXPECT_LT(data.gradient(latest).norm(), data.gradient(Vector::Zero(4)).norm());
    }
  }
}

TEST(SharedLosses, WhatIsNoSumOfLosses) {
  Random random(4);
  LossData data(random, LossKind::square, 3, 2000);
  EXPECT_FALSE(without_losses(Problem(3)).has_value());
  EXPECT_THAT(testing::refusal_of([&] { losses_of_part(*data.term()->structure().losses, 2, 2); }),
              ::testing::HasSubstr("part 2 of 2"));
  data.t[1500] = kInfinity;
  Problem bad(3);
  bad.minimize(data.term());
  const std::optional<LossesApart> apart = without_losses(bad);
  EXPECT_THAT(testing::refusal_of([&] {
                LossTeam team(*apart->term->structure().losses, 2);
                solve(apart->beside, apart->losses, 2, team.exchange());
              }),
              ::testing::HasSubstr("finite"));
}

}  // namespace
}  // namespace pliant
