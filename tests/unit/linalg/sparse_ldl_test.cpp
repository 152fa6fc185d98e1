// Factorisations of quasi-definite matrices, their residuals recomputed from the matrix.
#include "linalg/sparse_ldl.hpp"

#include "linalg/supernodes.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

INSTANTIATE_TEST_SUITE_P(Kinds, SparseLdlKinds,
                         ::testing::Values(LdlKind::simplicial, LdlKind::supernodal, LdlKind::multifrontal));

// [0 1; 1 0] scaled: no pivot order on the diagonal exists, but its sign is known, so a small pivot takes its place.
class LdlWithoutPivoting : public ::testing::TestWithParam<LdlKind> {};

TEST_P(LdlWithoutPivoting, VanishedPivotsAreReplacedAndNaNIsRefused) {
  SparseMatrix K(2, 2);
  K.insert(0, 0) = 0.0;
  K.insert(1, 0) = 1.0;
  K.insert(1, 1) = 0.0;
  K.makeCompressed();
  SparseLdlCost cost;
  const auto ldl = make_sparse_ldl(K, 1, GetParam(), cost);
  ASSERT_TRUE(ldl->factorize(K));
  Vector x{{1.0, 2.0}};
  ldl->solve(x);
  EXPECT_NEAR(x[0], 2.0, 1e-5);
  EXPECT_NEAR(x[1], 1.0, 1e-5);
  K.coeffRef(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(ldl->factorize(K));
}

INSTANTIATE_TEST_SUITE_P(Kinds, LdlWithoutPivoting, ::testing::Values(LdlKind::simplicial, LdlKind::supernodal));

// Short rows over few variables: thousands of leaves under one wide dense root, wider than a panel of the dense kernel
// and than the columns it updates at a time.
TEST(SupernodalLdl, FactorisesWideRootsUnderManyLeaves) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index variables = random.integer(40, 300), rows = random.integer(1000, 2000);
    std::vector<Eigen::Triplet<double, int>> entries;
    for (Index j = 0; j < variables + rows; ++j) {
      const double sign = j < variables ? 1.0 : -1.0;
      entries.emplace_back(static_cast<int>(j), static_cast<int>(j), sign * random.log_uniform(1e-3, 1e3));
    }
    for (Index i = 0; i < rows; ++i) {
      for (int k = 0; k < 4; ++k) {
        entries.emplace_back(static_cast<int>(variables + i), static_cast<int>(random.integer(0, variables - 1)),
                             random.normal());
      }
    }
    SparseMatrix lower(static_cast<int>(variables + rows), static_cast<int>(variables + rows));
    lower.setFromTriplets(entries.begin(), entries.end());
    SparseLdlCost cost;
    const auto ldl = make_sparse_ldl(lower, variables, LdlKind::supernodal, cost);
    ASSERT_TRUE(ldl->factorize(lower));
    const Vector b = random.vector(variables + rows);
    Vector x = b;
    ldl->solve(x);
    const Vector left = lower.selfadjointView<Eigen::Lower>() * x - b;
    EXPECT_LE(left.norm(), 1e-9 * (b.norm() + lower.norm() * x.norm()));
    EXPECT_GE(cost.flops, std::pow(static_cast<double>(variables) / 2.0, 3.0) / 3.0);
  }
}

TEST(SparseLdl, AnEmptyMatrixCostsNothing) {
  const SparseMatrix empty(0, 0);
  SparseLdlCost cost;
  const auto ldl = make_sparse_ldl(empty, 0, LdlKind::automatic, cost);
  EXPECT_TRUE(ldl->factorize(empty));
  Vector none(0);
  ldl->solve(none);
  EXPECT_EQ(cost.flops, 0.0);
}

// L by elimination of the pattern, dense and slow: the analysis counts its columns, and the supernodes hold all of it.
TEST(Supernodes, HoldEveryEntryOfTheFactor) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const QuasiDefinite s = quasi_definite(random);
    const auto n = static_cast<int>(s.full.rows());
    const LdlAnalysis analysis = postordered(analyse_ldl(s.lower, minimum_degree_order(s.lower)));
    Matrix filled(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) filled(analysis.place[i], analysis.place[j]) = s.full(i, j) != 0.0 ? 1.0 : 0.0;
    }
    for (int k = 0; k < n; ++k) {
      for (int i = k + 1; i < n; ++i) {
        for (int j = k + 1; j < n && filled(i, k) != 0.0; ++j) {
          if (filled(j, k) != 0.0) filled(i, j) = 1.0;
        }
      }
    }
    const Supernodes nodes = find_supernodes(analysis, permuted_triangle(s.lower, analysis.place, TriangleSide::lower));
    for (int j = 0; j < n; ++j) {
      const double below = filled.col(j).tail(n - 1 - j).sum();
      EXPECT_EQ(static_cast<double>(analysis.counts[j]), below);
      const int node = nodes.of_column[static_cast<std::size_t>(j)];
      const std::vector<int> rows(nodes.rows_of(node), nodes.rows_of(node) + nodes.height(node));
      EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
      for (int i = j; i < n; ++i) {
        if (filled(i, j) != 0.0) {
          EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), i)) << i << ", " << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pliant
