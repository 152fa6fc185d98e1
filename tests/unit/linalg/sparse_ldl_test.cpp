// Factorisations of quasi-definite matrices, their residuals recomputed from the matrix.
#include "linalg/sparse_ldl.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::Random;

struct QuasiDefinite {
  SparseMatrix lower;
  Matrix full;
  Index positive = 0;
};

QuasiDefinite quasi_definite(Random& random) {
  QuasiDefinite s;
  s.positive = random.integer(1, 40);
  const Index size = s.positive + random.integer(0, 30);
  s.full = Matrix::Zero(size, size);
  for (Index j = 0; j < s.positive; ++j) s.full(j, j) = random.log_uniform(1e-4, 1e4);
  for (Index i = s.positive; i < size; ++i) {
    s.full(i, i) = -random.log_uniform(1e-4, 1e4);
    for (int k = 0; k < 3; ++k) {
      const Index j = random.integer(0, s.positive - 1);
      s.full(i, j) = s.full(j, i) = random.normal();
    }
  }
  const Matrix triangle = s.full.triangularView<Eigen::Lower>();
  s.lower = triangle.sparseView().cast<double>();
  s.lower.makeCompressed();
  return s;
}

class SparseLdlKinds : public ::testing::TestWithParam<LdlKind> {};

TEST_P(SparseLdlKinds, SolvesQuasiDefiniteSystemsAgainAndAgain) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    QuasiDefinite s = quasi_definite(random);
    SparseLdlCost cost;
    const std::unique_ptr<SparseLdl> ldl = make_sparse_ldl(s.lower, s.positive, GetParam(), cost);
    EXPECT_GE(cost.entries, static_cast<double>(s.full.rows()));
    for (int repeat = 0; repeat < 3; ++repeat) {  // other values, same pattern
      for (Index j = 0; j < s.full.rows(); ++j) {
        s.full(j, j) *= random.uniform(0.5, 2.0);
        s.lower.coeffRef(static_cast<int>(j), static_cast<int>(j)) = s.full(j, j);
      }
      ASSERT_TRUE(ldl->factorize(s.lower));
      const Vector b = random.vector(s.full.rows());
      Vector x = b;
      ldl->solve(x);
      ASSERT_TRUE(x.allFinite());
      EXPECT_LE((s.full * x - b).norm(), 1e-9 * (b.norm() + s.full.norm() * x.norm()));
    }
  }
}

TEST_P(SparseLdlKinds, GivesTheSameBytesEveryTime) {
  Random random(3);
  const QuasiDefinite s = quasi_definite(random);
  const Vector b = random.vector(s.full.rows());
  std::vector<Vector> results;
  for (int run = 0; run < 2; ++run) {
    SparseLdlCost cost;
    const auto ldl = make_sparse_ldl(s.lower, s.positive, GetParam(), cost);
    ASSERT_TRUE(ldl->factorize(s.lower));
    results.push_back(b);
    ldl->solve(results.back());
  }
  EXPECT_EQ(results[0], results[1]);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SparseLdlKinds, ::testing::Values(LdlKind::simplicial, LdlKind::multifrontal));

// [0 1; 1 0] scaled: no pivot order on the diagonal exists, but its sign is known, so a small pivot takes its place.
TEST(SimplicialLdl, VanishedPivotsAreReplacedAndNaNIsRefused) {
  SparseMatrix K(2, 2);
  K.insert(0, 0) = 0.0;
  K.insert(1, 0) = 1.0;
  K.insert(1, 1) = 0.0;
  K.makeCompressed();
  SparseLdlCost cost;
  const auto ldl = make_sparse_ldl(K, 1, LdlKind::simplicial, cost);
  ASSERT_TRUE(ldl->factorize(K));
  Vector x{{1.0, 2.0}};
  ldl->solve(x);
  EXPECT_NEAR(x[0], 2.0, 1e-5);
  EXPECT_NEAR(x[1], 1.0, 1e-5);
  K.coeffRef(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(ldl->factorize(K));
}

}  // namespace
}  // namespace pliant
