// Hard rows, equalities and bounds beside soft rows in shards.
#include "pliant/certificate.hpp"
#include "pliant/check.hpp"
#include "pliant/shards.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "support/solve_in_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Random;

Settings strict() {
  Settings settings;
  settings.tol_gap = settings.tol_feas = 1e-8;
  return settings;
}

/// Absolute deviations with rows that must hold: some exclude the best fit.
struct Constrained {
  Matrix A, G, E;
  Vector b, h, e;
  double box = 0.0;  // 0: none

  Constrained(Random& random, Index n, Index m, Index hard, Index equalities)
      : A(random.matrix(m, n)),
        G(random.matrix(hard, n)),
        E(random.matrix(equalities, n)),
        b(m),
        h(hard),
        e(equalities) {
    const Vector best = random.vector(n), feasible = random.vector(n);
    for (Index i = 0; i < m; ++i) b[i] = A.row(i).dot(best) + random.uniform(-1.0, 1.0);
    for (Index i = 0; i < hard; ++i) h[i] = G.row(i).dot(feasible) + random.uniform(0.0, 0.5);
    e = E * feasible;
    box = random.uniform(0.0, 1.0) < 0.5 ? 0.0 : feasible.lpNorm<Eigen::Infinity>() + 0.1;
  }

  /// Hard rows in two batches, the soft ones between them.
  Problem problem() const {
    const Index n = A.cols(), first = h.size() / 2;
    Problem out(n);
    if (box > 0.0) out.regularize(pliant::box(to_array(Vector::Constant(n, -box)), to_array(Vector::Constant(n, box))));
    out.subject_to(linear_le(DataMatrix::from(Matrix(G.topRows(first))), to_array(Vector(h.head(first)))));
    out.minimize(absolute(DataMatrix::from(A), to_array(b)));
    out.subject_to(linear_le(DataMatrix::from(Matrix(G.bottomRows(h.size() - first))),
                             to_array(Vector(h.tail(h.size() - first)))));
    if (e.size() > 0) out.equal(DataMatrix::from(E), to_array(e));
    return out;
  }

  double objective(const Vector& x) const { return (A * x - b).lpNorm<1>() / static_cast<double>(b.size()); }
  double violation(const Vector& x) const {
    double worst = std::max((G * x - h).maxCoeff(), 0.0);
    if (e.size() > 0) worst = std::max(worst, (E * x - e).lpNorm<Eigen::Infinity>());
    if (box > 0.0) worst = std::max(worst, x.lpNorm<Eigen::Infinity>() - box);
    return worst;
  }
};

// The multipliers of the batches of the whole problem.
Multipliers of_whole(const Problem& problem, const ShardedResult& found) {
  Multipliers out = found.result.multipliers;
  EXPECT_EQ(out.lambda.size(), 2U);
  Vector soft(problem.batches()[1]->size());
  problem.batches()[1]->duals_to_multipliers(found.slopes, soft);
  out.lambda.insert(out.lambda.begin() + 1, soft);
  return out;
}

TEST(BesideSoftShards, AsInOneMemoryHoweverTheyAreCut) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Random random(seed);
    const Index n = random.integer(3, 8);
    const Constrained data(random, n, random.integer(3000, 9000), random.integer(2, 20 * n),
                           seed % 3 == 0 ? 0 : random.integer(1, n - 2));
    const Problem problem = data.problem();
    const Result whole = solve(problem, strict());
    ASSERT_EQ(whole.status, Status::optimal) << whole.message;
    ShardedResult first;
    for (const Index parts : {1, 2, 3, 8}) {
      ShardedResult found = testing::solve_in_parts(problem, parts, strict());
      const Result& r = found.result;
      ASSERT_EQ(r.status, Status::optimal) << "seed " << seed << ": " << r.message;
      EXPECT_LE(data.violation(r.x), 1e-7);
      EXPECT_NEAR(r.certificate.objective, data.objective(r.x), 1e-10 * (1.0 + data.objective(r.x)));
      EXPECT_NEAR(data.objective(r.x), data.objective(whole.x), 5e-8 * (1.0 + data.objective(whole.x)));
      const Certificate again = certify(problem, r.x, of_whole(problem, found));
      EXPECT_TRUE(again.satisfies(strict())) << again.gap_rel() << " " << again.dual_residual_rel;
      if (parts == 1) {
        first = std::move(found);
        continue;
      }
      EXPECT_EQ(r.x, first.result.x) << parts << " parts";
      EXPECT_EQ(found.slopes, first.slopes);
      EXPECT_EQ(r.multipliers.lambda, first.result.multipliers.lambda);
      EXPECT_EQ(r.certificate.lower_bound, first.result.certificate.lower_bound);
    }
  }
}

TEST(BesideSoftShards, RowsThatExcludeEachOther) {
  Random random(5);
  Constrained data(random, 4, 4000, 12, 0);
  data.G.row(3) = -data.G.row(8);
  data.h[3] = -data.h[8] - 1.0;
  const ShardedResult found = testing::solve_in_parts(data.problem(), 3, strict());
  EXPECT_EQ(found.result.status, Status::primal_infeasible) << found.result.message;
}

// Squares of its entries vanish, but not what the row costs, and no sample has it: it may not be taken for a constant.
TEST(BesideSoftShards, ATinyRowCountsAtItsPrice) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    const Index n = 3, m = 4000;
    Matrix G = random.matrix(m, n);
    Vector h = G * random.vector(n), prices = Vector::Constant(m, 1.0 / static_cast<double>(m));
    for (Index i = 0; i < m; ++i) h[i] += random.uniform(-1.0, 1.0);
    const Index tiny = random.integer(0, m - 1);
    G.row(tiny) *= 1e-170;
    h[tiny] = G.row(tiny).sum();  // its kink goes through (1, 1, 1)
    prices[tiny] = 1e172;
    Problem problem(n);
    problem.minimize(quadratic(DataMatrix::from(Matrix(1e-2 * Matrix::Identity(n, n))), to_array(Vector::Zero(n))));
    problem.minimize(positive_part(DataMatrix::from(G), to_array(h), to_array(prices)));
    for (const Index parts : {1, 3}) {
      const Result found = testing::solve_in_parts(problem, parts, Settings{}).result;
      const Vector z = G * found.x;
      double truth = 5e-3 * found.x.squaredNorm();
      for (Index i = 0; i < m; ++i) truth += prices[i] * std::max(0.0, z[i] - h[i]);
      EXPECT_NEAR(found.certificate.objective, truth, 1e-9 * (1.0 + std::abs(truth)))
          << seed << ", " << parts << " parts";
      EXPECT_LE(found.certificate.lower_bound, truth);
    }
  }
}

TEST(BesideSoftShards, WhatIsRefused) {
  Random random(7);
  const Index n = 4;
  const auto said = [&](const Problem& problem) {
    return testing::refusal_of([&] { testing::solve_in_parts(problem, 2, strict()); });
  };
  EXPECT_EQ(said(Constrained(random, n, 3000, 20 * n, 0).problem()), "accepted");
  EXPECT_THAT(said(Constrained(random, n, 3000, 20 * n + 1, 0).problem()), HasSubstr("81 hard rows"));

  Problem curved = Constrained(random, n, 3000, 4, 0).problem();
  curved.subject_to(quadratic_diagonal_le(Tensor({1, n}, to_array(Vector::Ones(n))),
                                          Tensor({1, n}, to_array(Vector::Zero(n))),
                                          to_array(Vector::Constant(1, -1e3))));
  EXPECT_THAT(said(curved), HasSubstr("rows of the family quadratic"));

  Problem twice = Constrained(random, n, 3000, 4, 0).problem();
  const Constrained other(random, n, 3000, 4, 0);
  twice.minimize(absolute(DataMatrix::from(other.A), to_array(other.b)));
  EXPECT_THAT(said(twice), HasSubstr("one batch"));
}

}  // namespace
}  // namespace pliant
