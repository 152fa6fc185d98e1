// Rows of every family in shards: the answer of one memory, and the same bytes however they are cut.
#include "pliant/shards.hpp"
#include "support/random.hpp"
#include "support/solve_in_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

Settings to_eight_digits() {
  Settings settings;
  settings.tol_gap = settings.tol_feas = 1e-8;
  return settings;
}

void expect_as_in_one_memory(const Problem& problem, const std::string& what) {
  const Result whole = solve(problem, to_eight_digits());
  ASSERT_EQ(whole.status, Status::optimal) << what << whole.message;
  ShardedResult first;
  for (const Index parts : {1, 2, 3, 8}) {
    const ShardedResult found = testing::solve_in_parts(problem, parts, to_eight_digits());
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
  Vector h(m * kRows);
  for (Index i = 0; i < h.size(); ++i) {
    h[i] = i % kRows == 0 ? random.uniform(1.0, 2.0) : random.uniform(-0.3, 0.3);  // 0 is inside
  }
  out.subject_to({DataMatrix::from(random.matrix(m * kRows, n)), to_array(h),
                  std::vector<Cone>(static_cast<std::size_t>(m), Cone{ConeKind::second_order, kRows})});
  return out;
}

TEST(ShardFamilies, Cones) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Random random(seed);
    const Problem problem = second_order_cones(random, random.integer(2, 6), random.integer(2500, 4000));
    const Result whole = solve(problem, to_eight_digits());
    ASSERT_EQ(whole.status, Status::optimal) << whole.message;
    ShardedResult first;
    for (const Index parts : {1, 3}) {
      const ShardedResult found = testing::solve_in_parts(problem, parts, to_eight_digits());
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

TEST(ShardFamilies, RowsOfOtherFamilies) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    Random random(seed);
    expect_as_in_one_memory(curved_rows(random, random.integer(2, 6), random.integer(2500, 5000)), "curved rows ");
    expect_as_in_one_memory(many_batches(random, random.integer(2, 6), random.integer(2500, 5000)), "many batches ");
    expect_as_in_one_memory(points_to_cover(random, random.integer(2, 4), random.integer(2500, 5000)), "points ");
  }
}

// What shards know from the solve before, and have counted for it, changes no byte, passes included.
TEST(ShardFamilies, AnotherSolveOverTheSameShardsHasTheBytesOfTheFirst) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(70 + seed);
    const Index n = random.integer(2, 6);
    Problem problem(n);
    problem.minimize(linear(to_array(random.vector(n))));
    problem.regularize(box(to_array(Vector::Constant(n, -10.0)), to_array(Vector::Constant(n, 10.0))));
    const Matrix G = random.matrix(random.integer(300, 1500), n);
    problem.subject_to(linear_le(DataMatrix::from(G), to_array(Vector(G.rowwise().norm()))));
    std::vector<Shard> shards = testing::cut_into(3, problem);
    const ShardedResult first = testing::solve_over(shards, problem, to_eight_digits());
    for (int again = 0; again < 3; ++again) {
      const ShardedResult found = testing::solve_over(shards, problem, to_eight_digits());
      EXPECT_EQ(found.result.x, first.result.x) << "seed " << seed;
      EXPECT_EQ(found.result.passes, first.result.passes) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace pliant
