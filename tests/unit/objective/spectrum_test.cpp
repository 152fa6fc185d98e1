// Proven eigenvalue bounds of large matrices and the Cholesky proofs behind them.
#include "linalg/spectrum.hpp"
#include "linalg/shifted_cholesky.hpp"
#include "unit/objective/term_zoo.hpp"

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

namespace pliant::testing {
namespace {

constexpr Index kBlock = 3;

// Block diagonal CSR matrix of 3 x 3 blocks, symmetrically permuted by j -> 7 j mod n (n prime to 7), so that its
// eigenvalues are known although it is large and far from diagonally dominant.
DataMatrix block_diagonal(const std::vector<Matrix>& blocks) {
  const Index n = kBlock * static_cast<Index>(blocks.size());
  std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const Matrix& block = blocks[static_cast<std::size_t>(i / kBlock)];
    auto& row = rows[static_cast<std::size_t>(7 * i % n)];
    for (Index k = 0; k < kBlock; ++k) row.emplace_back(7 * (i / kBlock * kBlock + k) % n, block(i % kBlock, k));
    std::sort(row.begin(), row.end());
  }
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (const auto& row : rows) {
    for (const auto& [j, value] : row) {
      columns.push_back(j);
      values.push_back(value);
    }
    starts.push_back(static_cast<Index>(values.size()));
  }
  return DataMatrix::csr(n, n, std::move(starts), std::move(columns), std::move(values));
}

Matrix random_block(Random& random, double lowest) {
  const Matrix Q = Eigen::HouseholderQR<Matrix>(random.matrix(kBlock, kBlock)).householderQ();
  Vector eigenvalues(kBlock);
  eigenvalues << lowest, random.uniform(1.0, 10.0), random.uniform(1.0, 10.0);
  const Matrix S = Q * eigenvalues.asDiagonal() * Q.transpose();
  return 0.5 * (S + S.transpose());
}

struct LargeCase {
  DataMatrix P;
  double smallest;
};

LargeCase large_case(std::uint64_t seed, double lowest) {
  Random random(seed);
  std::vector<Matrix> blocks;
  for (Index k = 0; k < 400; ++k) blocks.push_back(random_block(random, random.log_uniform(0.05, 1.0)));
  blocks[123] = random_block(random, lowest);
  double smallest = kInfinity;
  for (const Matrix& block : blocks) {
    smallest = std::min(smallest, Eigen::SelfAdjointEigenSolver<Matrix>(block).eigenvalues()[0]);
  }
  return {block_diagonal(blocks), smallest};
}

TEST(Spectrum, LargeSparseLowerBoundIsProvenAndClose) {
  for (double lowest : {0.04, 1e-3, 1e-6}) {
    SCOPED_TRACE(lowest);
    const LargeCase large = large_case(11, lowest);
    const EigenvalueBounds bounds = symmetric_eigenvalues(large.P);
    EXPECT_LE(bounds.lower, large.smallest + 1e-15);
    EXPECT_LE(0.5 * large.smallest, bounds.lower);
    EXPECT_LE(9.0, bounds.upper);
    EXPECT_LE(bounds.upper, 30.0);
    const TermPtr term = quadratic(large.P, to_array(Vector::Zero(large.P.rows())));
    EXPECT_EQ(term->strong_convexity(), bounds.lower);
    EXPECT_NO_THROW(term->validate());
  }
}

TEST(Spectrum, LargeSparseNonConvexityIsFound) {
  for (double lowest : {-0.5, -1e-3, -1e-6}) {
    SCOPED_TRACE(lowest);
    const LargeCase large = large_case(12, lowest);
    const EigenvalueBounds bounds = symmetric_eigenvalues(large.P);
    EXPECT_EQ(bounds.lower, 0.0);
    EXPECT_NEAR(bounds.smallest, lowest, 0.01 * std::abs(lowest));
    const TermPtr term = quadratic(large.P, to_array(Vector::Zero(large.P.rows())));
    EXPECT_THROW(term->validate(), InputError);
  }
}

TEST(Spectrum, LargeSingularMatrixIsAccepted) {
  const LargeCase large = large_case(13, 0.0);
  EXPECT_EQ(symmetric_eigenvalues(large.P).lower, 0.0);
  EXPECT_NO_THROW(quadratic(large.P, to_array(Vector::Zero(large.P.rows())))->validate());
}

// Second differences plus 0.01 I: Gershgorin alone proves 0.01, which is nearly sharp.
TEST(Spectrum, DiagonallyDominantMatrixNeedsNoFactorisation) {
  const Index n = 5000;
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max<Index>(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      columns.push_back(j);
      values.push_back(i == j ? 2.01 : -1.0);
    }
    starts.push_back(static_cast<Index>(values.size()));
  }
  const EigenvalueBounds bounds =
      symmetric_eigenvalues(DataMatrix::csr(n, n, std::move(starts), std::move(columns), std::move(values)));
  EXPECT_LE(bounds.lower, 0.01 + 4e-7);
  EXPECT_LE(0.00999, bounds.lower);
  EXPECT_LE(4.0099, bounds.upper);
  EXPECT_LE(bounds.upper, 4.02);
}

TEST(Spectrum, CholeskyProvesExactlyWhatHolds) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(1100 + seed);
    const Index n = random.integer(3, 25);
    const Matrix B = sparse_matrix(random, n, n, 0.4);
    const Matrix S = B + B.transpose() + 2.0 * Matrix::Identity(n, n);
    const double smallest = Eigen::SelfAdjointEigenSolver<Matrix>(S).eigenvalues()[0];
    const double scale = S.norm();
    for (const DataMatrix& P : {DataMatrix::from(S), to_csr(S)}) {
      const ShiftedCholesky cholesky(P);
      ASSERT_TRUE(cholesky.affordable());
      EXPECT_LE((symmetric_part(P) - S).norm(), 0.0);
      for (double below : {1.0, 1e-3, 1e-9}) {
        const auto bound = cholesky.prove(smallest - below * scale);
        ASSERT_TRUE(bound.has_value());
        EXPECT_LE(*bound, smallest - 0.5 * below * scale);
        EXPECT_LE(smallest - 1.001 * below * scale - 1e-11 * scale, *bound);
        EXPECT_FALSE(cholesky.prove(smallest + below * scale).has_value());
      }
    }
  }
}

TEST(Spectrum, NaNIsNeverAProof) {
  Matrix S = Matrix::Identity(3, 3);
  S(1, 1) = std::nan("");
  EXPECT_FALSE(ShiftedCholesky(DataMatrix::from(S)).affordable());
  EXPECT_FALSE(ShiftedCholesky(to_csr(S)).affordable());
  S(2, 0) = S(0, 2) = 1.0;
  EXPECT_EQ(symmetric_eigenvalues(DataMatrix::from(S)).lower, 0.0);
}

// Wide data go through A A', data with many columns through norms.
TEST(Spectrum, GramBoundsOfWideAndHugeShapes) {
  Random random(14);
  const Matrix wide = random.matrix(5, 40);
  const double exact = Eigen::SelfAdjointEigenSolver<Matrix>(wide * wide.transpose()).eigenvalues().maxCoeff();
  for (const DataMatrix& A : {DataMatrix::from(wide), to_csr(wide)}) {
    const EigenvalueBounds bounds = gram_eigenvalues(A, true);
    EXPECT_EQ(bounds.lower, 0.0);
    EXPECT_LE(exact, bounds.upper);
    EXPECT_LE(bounds.upper, exact * (1.0 + 1e-11));
  }
  const Matrix huge = sparse_matrix(random, 1300, 1200, 0.003);
  const EigenvalueBounds bounds = gram_eigenvalues(to_csr(huge), true);
  EXPECT_EQ(bounds.lower, 0.0);
  Vector v = Vector::Ones(1200);  // power iteration: Rayleigh quotients from below
  for (int k = 0; k < 50; ++k) v = (huge.transpose() * (huge * v)).normalized();
  EXPECT_LE((huge * v).squaredNorm(), bounds.upper);
  EXPECT_LE(bounds.upper, huge.squaredNorm() * (1.0 + 1e-9));
}

}  // namespace
}  // namespace pliant::testing
