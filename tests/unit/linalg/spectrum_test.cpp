// Eigenvalue bounds of large sparse forms, where no eigendecomposition is taken.
#include "linalg/spectrum.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

namespace pliant {
namespace {

using testing::Random;

// B'B of a few variables among many that appear nowhere, as CSR.
DataMatrix few_among_many(const Matrix& S, Index order) {
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < order; ++i) {
    for (Index j = 0; j < S.cols() && i < S.rows(); ++j) {
      columns.push_back(j);
      values.push_back(S(i, j));
    }
    starts.push_back(static_cast<Index>(values.size()));
  }
  return DataMatrix::csr(order, order, std::move(starts), std::move(columns), std::move(values));
}

// The Krylov space ends after a few steps; what comes then is rounding and must not count.
TEST(Spectrum, MostlyEmptyFormsAreConvex) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 6), order = random.integer(1001, 2500);
    const Matrix B = random.matrix(n, n) * random.log_uniform(1e-6, 1e6);
    const Matrix S = B.transpose() * B;
    const EigenvalueBounds bounds = symmetric_eigenvalues(few_among_many(S, order));
    const double norm = S.norm();
    EXPECT_GE(bounds.smallest, -1e-10 * norm);
    EXPECT_LE(bounds.smallest, 1e-10 * norm);
    EXPECT_EQ(bounds.lower, 0.0);
  }
}

TEST(Spectrum, NegativeEigenvaluesAreStillFound) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 6), order = random.integer(1001, 2500);
    Matrix S = random.matrix(n, n);
    S = (S.transpose() * S).eval();
    S(0, 0) -= 2.0 * S.trace();
    const double truth = Eigen::SelfAdjointEigenSolver<Matrix>(S).eigenvalues().minCoeff();
    const EigenvalueBounds bounds = symmetric_eigenvalues(few_among_many(S, order));
    EXPECT_NEAR(bounds.smallest, truth, 1e-6 * S.norm());
  }
}

}  // namespace
}  // namespace pliant
