// Rank, range and pseudo-inverse of matrices of known rank, checked by the equations that define them.
#include "linalg/orthogonal_factor.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant {
namespace {

using testing::Random;

constexpr double kOfProducts = 1e-9;  // products of Gaussian factors have conditions of a few thousand at worst

void expect_close(const Matrix& a, const Matrix& b) { EXPECT_LE((a - b).norm(), kOfProducts * (1.0 + b.norm())); }

TEST(OrthogonalFactor, MeetsTheEquationsOfMooreAndPenrose) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index rows = 1 + static_cast<Index>(seed % 7), columns = 1 + static_cast<Index>(seed / 7 % 9);
    const Index rank = static_cast<Index>(seed % static_cast<std::uint64_t>(std::min(rows, columns) + 1));
    Matrix A = Matrix::Zero(rows, columns);
    if (rank > 0) A = random.matrix(rows, rank) * random.matrix(rank, columns);
    const OrthogonalFactor factor(A, 1e-12);
    ASSERT_EQ(factor.rank(), rank);
    ASSERT_EQ(OrthogonalFactor(A).rank(), rank);

    const Matrix Q = factor.range();
    ASSERT_EQ(Q.cols(), rank);
    expect_close(Q.transpose() * Q, Matrix::Identity(rank, rank));
    expect_close(Q * (Q.transpose() * A), A);

    const Matrix X = factor.pseudo_inverse();
    const double size = 1.0 + A.norm() * X.norm();
    EXPECT_LE((A * X * A - A).norm(), kOfProducts * size * A.norm());
    EXPECT_LE((X * A * X - X).norm(), kOfProducts * size * X.norm());
    EXPECT_LE((A * X - (A * X).transpose()).norm(), kOfProducts * size);
    EXPECT_LE((X * A - (X * A).transpose()).norm(), kOfProducts * size);

    const Vector b = random.matrix(rows, 1);
    EXPECT_LE((factor.solve(b) - X * b).norm(), kOfProducts * (1.0 + X.norm() * b.norm()));
  }
}

}  // namespace
}  // namespace pliant
