// The Newton system with equalities, its residuals recomputed from H and E.
#include "linalg/dense_kkt.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::Random;

Matrix definite(Random& random, Index n, double smallest) {
  const Matrix B = random.matrix(n, n);
  return B * B.transpose() / static_cast<double>(n) + smallest * Matrix::Identity(n, n);
}

// Residuals of both block rows, relative to what cancels in them.
void expect_solves(const Matrix& H, const Matrix& E, const Vector& r_x, const Vector& r_e, double tolerance) {
  DenseKkt kkt(E);
  EXPECT_EQ(kkt.equalities(), E.rows());
  Matrix lower = H.triangularView<Eigen::Lower>();  // the upper triangle is not read
  ASSERT_TRUE(kkt.factorize(lower));
  Vector dx, dy;
  kkt.solve(r_x, r_e, dx, dy);
  ASSERT_EQ(dx.size(), H.rows());
  ASSERT_EQ(dy.size(), E.rows());
  const double size = 1.0 + (H * dx).norm() + r_x.norm();
  EXPECT_LE((H * dx + E.transpose() * dy - r_x).norm(), tolerance * size);
  EXPECT_LE((E * dx - r_e).norm(), tolerance * (1.0 + r_e.norm()));
  // The short form is the same with r_e = 0.
  Vector short_dx, full_dx;
  kkt.solve(r_x, short_dx);
  kkt.solve(r_x, Vector::Zero(E.rows()), full_dx, dy);
  EXPECT_EQ(short_dx, full_dx);
}

TEST(DenseKkt, SolvesWithAndWithoutEqualities) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 20), rows = random.integer(0, n);
    const Matrix E = random.matrix(rows, n) * random.log_uniform(1e-3, 1e3);
    expect_solves(definite(random, n, 0.1), E, random.vector(n), random.vector(rows), 1e-9);
  }
}

TEST(DenseKkt, DependentRowsDoNoHarm) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(3, 15), rank = random.integer(1, n - 1), copies = random.integer(1, 4);
    Matrix E(rank + copies + 1, n);
    E.topRows(rank) = random.matrix(rank, n);
    E.middleRows(rank, copies) = random.matrix(copies, rank) * E.topRows(rank);
    E.bottomRows(1).setZero();
    const Vector r_e = E * random.vector(n);  // consistent
    expect_solves(definite(random, n, 0.1), E, random.vector(n), r_e, 1e-8);
  }
}

// Weights of twelve decades on some rows, as at the end of a path: the multipliers are still right.
TEST(DenseKkt, DependentRowsAndLargeWeights) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = 8;
    Matrix E(5, n);
    E.topRows(3) = random.matrix(3, n);
    E.bottomRows(2) = random.matrix(2, 3) * E.topRows(3);
    const Matrix G = random.matrix(3, n);
    const Matrix H = definite(random, n, 0.1) + 1e10 * G.transpose() * G;
    DenseKkt kkt(E);
    Matrix lower = H;
    ASSERT_TRUE(kkt.factorize(lower));
    const Vector r_x = random.vector(n), r_e = 1e-3 * (E * random.vector(n));
    Vector dx, dy;
    kkt.solve(r_x, r_e, dx, dy);
    EXPECT_LE((E * dx - r_e).norm(), 1e-10);
    // H dx cancels to 1e10 times the rounding of G dx; orthogonal to the rows of G nothing cancels.
    const Vector residual = H * dx + E.transpose() * dy - r_x;
    EXPECT_LE(residual.norm(), 1e-13 * H.norm() * (dx.norm() + r_x.norm() / 0.1));
  }
}

// H may be singular, as long as it is definite where E dx = 0.
TEST(DenseKkt, SingularHessian) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 10);
    const Matrix B = random.matrix(n, n - 1);
    const Matrix E = random.matrix(1, n);
    expect_solves(B * B.transpose(), E, random.vector(n), random.vector(1), 1e-6);
  }
  const Matrix zero = Matrix::Zero(3, 3);
  expect_solves(zero + 1e-300 * Matrix::Identity(3, 3), Matrix::Identity(3, 3), Vector::Zero(3), Vector::Ones(3), 1e-9);
}

TEST(DenseKkt, SaysNoToIndefiniteMatrices) {
  Matrix H = Matrix::Identity(3, 3);
  H(1, 1) = -1.0;
  EXPECT_FALSE(DenseKkt(Matrix(0, 3)).factorize(H));
  H = Matrix::Identity(3, 3);
  H(2, 2) = std::nan("");
  EXPECT_FALSE(DenseKkt(Matrix::Ones(1, 3)).factorize(H));
}

TEST(DenseKkt, EqualitiesThatAreAllZero) {
  expect_solves(Matrix::Identity(4, 4), Matrix::Zero(2, 4), Vector::Ones(4), Vector::Zero(2), 1e-14);
}

}  // namespace
}  // namespace pliant
