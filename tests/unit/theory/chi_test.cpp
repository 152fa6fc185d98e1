// chi against its definition (the supremum over weights), against a brute-force enumeration of its own and against the
// bound by bases of Stewart and Todd; its upper bounds; refusals.
#include "pliant/theory.hpp"

#include "support/random.hpp"
#include "support/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <functional>

namespace pliant::theory {
namespace {

using pliant::testing::Random;
using pliant::testing::refusal_of;

/// Where chi is below this, no set of rows is so close to dependent that rounding or finite weights would show.
constexpr double kFarFromDependent = 3e3;

double norm_of(const Matrix& X, Norm norm) {
  return norm == Norm::two ? Eigen::JacobiSVD<Matrix>(X).singularValues()[0] : X.cwiseAbs().rowwise().sum().maxCoeff();
}

Matrix random_hessian(Random& random, Index n, double mu, double L) {
  const Matrix V = Eigen::HouseholderQR<Matrix>(random.matrix(n, n)).householderQ();
  Vector eigenvalues(n);
  for (double& e : eigenvalues) e = random.log_uniform(mu, L);
  eigenvalues[0] = mu;
  if (n > 1) eigenvalues[n - 1] = L;
  const Matrix Q = V * eigenvalues.asDiagonal() * V.transpose();
  return 0.5 * (Q + Q.transpose());
}

/// Rows of lengths over three decades; some seeds repeat a row or add one to another.
Matrix random_rows(Random& random, Index m, Index n, std::uint64_t seed) {
  Matrix A = random.matrix(m, n);
  for (Index i = 0; i < m; ++i) A.row(i) *= random.log_uniform(0.03, 30.0);
  if (seed % 3 == 1 && m > 1) A.row(m - 1) = -2.0 * A.row(0);
  if (seed % 3 == 2 && m > 2) A.row(2) = A.row(0) + A.row(1);
  return A;
}

/// max over all sets J with an invertible M_JJ of |M_{:,J} M_JJ^{-1}|, sets as bit masks.
double brute_force(const Matrix& A, const Matrix& Q, Norm norm) {
  const Matrix M = A * Q.ldlt().solve(A.transpose());
  double largest = 0.0;
  for (unsigned mask = 1; mask < (1u << A.rows()); ++mask) {
    std::vector<Index> J;
    for (Index i = 0; i < A.rows(); ++i) {
      if (mask >> i & 1u) J.push_back(i);
    }
    Matrix G = M(J, J);
    const Vector scale = G.diagonal().cwiseSqrt().cwiseInverse();
    G = scale.asDiagonal() * G * scale.asDiagonal();
    if (static_cast<Index>(J.size()) > A.cols() || Eigen::SelfAdjointEigenSolver<Matrix>(G).eigenvalues()[0] < 1e-11)
      continue;
    const Matrix X = M(Eigen::all, J) * scale.asDiagonal() * G.inverse() * scale.asDiagonal();
    largest = std::max(largest, norm_of(X, norm));
  }
  return largest;
}

/// M W (I + M W)^{-1}, through the symmetric form that stays accurate for any W > 0.
Matrix weighted_projection(const Matrix& A, const Matrix& Q, const Vector& w) {
  const Matrix R = Q.llt().matrixL().solve(A.transpose());  // n x m
  const Index n = R.rows(), m = R.cols();
  // Least squares |x|^2 + sum w_i (r_i'x - v_i)^2 for every unit vector v, by QR of the stacked rows.
  Matrix stacked(n + m, n), right = Matrix::Zero(n + m, m);
  stacked.topRows(m) = w.cwiseSqrt().asDiagonal() * R.transpose();
  stacked.bottomRows(n).setIdentity();
  right.topRows(m) = w.cwiseSqrt().asDiagonal();
  return R.transpose() * stacked.colPivHouseholderQr().solve(right);
}

TEST(TheoryChi, EqualsBruteForceInBothNorms) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 4), m = random.integer(1, 7);
    const Matrix A = random_rows(random, m, n, seed), Q = random_hessian(random, n, 0.5, 20.0);
    for (const Norm norm : {Norm::two, Norm::infinity}) {
      const double expected = brute_force(A, Q, norm), chi = chi_exact(A, Q, norm);
      EXPECT_GE(chi, expected * (1.0 - 1e-3));
      // Sets close to dependent lose twice as many digits in M_JJ as in the rows, and the closest are left out there.
      if (chi < kFarFromDependent) {
        EXPECT_NEAR(chi, expected, 1e-5 * expected);
        ++compared;
      }
    }
    EXPECT_GE(chi_exact(A, Q), 1.0 - 1e-12);
  }
  EXPECT_GT(compared, 150);
}

TEST(TheoryChi, BoundsEveryWeightedProjectionAndIsAttained) {
  int attained = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 1000);
    const Index n = random.integer(1, 4), m = random.integer(1, 6);
    const Matrix A = random_rows(random, m, n, seed), Q = random_hessian(random, n, 0.5, 20.0);
    for (const Norm norm : {Norm::two, Norm::infinity}) {
      const double chi = chi_exact(A, Q, norm);
      double largest = 0.0;
      for (int k = 0; k < 200; ++k) {
        Vector w(m);
        for (double& t : w) t = random.log_uniform(1e-9, 1e9);
        largest = std::max(largest, norm_of(weighted_projection(A, Q, w), norm));
      }
      // Weights of 0 and infinity: the sets J themselves.
      for (unsigned mask = 1; mask < (1u << m); ++mask) {
        Vector w(m);
        for (Index i = 0; i < m; ++i) w[i] = (mask >> i & 1u) ? 1e10 : 0.0;
        largest = std::max(largest, norm_of(weighted_projection(A, Q, w), norm));
      }
      EXPECT_LE(largest, chi * (1.0 + 1e-6));
      // Weights of 1e10 are as good as infinite unless some set is close to dependent; larger ones drown in rounding.
      if (chi < 50.0) {
        EXPECT_GE(largest, chi * (1.0 - 5e-2));
        ++attained;
      }
    }
  }
  EXPECT_GT(attained, 40);
}

// Stewart and Todd: no weighted projection on the range of B = [A Q^{-1/2}; I] is larger than max |B B_I^{-1}| over
// the bases I of B; chi is never above that.
TEST(TheoryChi, IsAtMostTheBoundByBases) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed + 2000);
    const Index n = random.integer(1, 3), m = random.integer(1, 5);
    const Matrix A = random_rows(random, m, n, 0), Q = random_hessian(random, n, 0.5, 20.0);
    Matrix B(m + n, n);
    B.topRows(m) = Q.llt().matrixL().solve(A.transpose()).transpose();
    B.bottomRows(n).setIdentity();
    double bases = 0.0;
    for (unsigned mask = 0; mask < (1u << (m + n)); ++mask) {
      std::vector<Index> I;
      for (Index i = 0; i < m + n; ++i) {
        if (mask >> i & 1u) I.push_back(i);
      }
      if (static_cast<Index>(I.size()) != n) continue;
      const Matrix basis = B(I, Eigen::all);
      if (basis.determinant() != 0.0) bases = std::max(bases, norm_of(B * basis.inverse(), Norm::two));
    }
    EXPECT_LE(chi_exact(A, Q), bases * (1.0 + 1e-9)) << seed;
  }
}

TEST(TheoryChi, KnownValues) {
  // The counterexample to Theorem 1: rows -1 and -K in one variable.
  for (const double K : {1.0, 10.0, 1000.0}) {
    const Matrix A{{-1.0}, {-K}};
    EXPECT_NEAR(chi_exact(A, Matrix::Identity(1, 1)), std::hypot(1.0, K), 1e-12 * K);
    EXPECT_NEAR(chi_exact(A, Matrix::Identity(1, 1), Norm::infinity), K, 1e-12 * K);
    EXPECT_NEAR(chi_bound(A, Matrix::Identity(1, 1)), std::hypot(1.0, K), 1e-12 * K);  // whole numbers, one variable
  }
  // Orthogonal rows of any length: nothing moves but what is pushed.
  EXPECT_NEAR(chi_exact(Matrix(Vector{{1.0, 30.0, 1e-3}}.asDiagonal()), Matrix::Identity(3, 3)), 1.0, 1e-14);
  // Sets that are not bases count: (1, 0) alone moves the nearly parallel (1, e) as much as itself.
  EXPECT_NEAR(chi_exact(Matrix{{1.0, 0.0}, {1.0, 1e-3}}, Matrix::Identity(2, 2)), std::sqrt(2.0), 1e-6);
  EXPECT_EQ(chi_exact(Matrix::Zero(2, 2), Matrix::Identity(2, 2)), 0.0);
  // The units of the rows altogether and those of Q do not matter.
  Random random(5);
  const Matrix A = random.matrix(5, 3), Q = random_hessian(random, 3, 1.0, 9.0);
  EXPECT_NEAR(chi_exact(1e4 * A, 1e-3 * Q), chi_exact(A, Q), 1e-10 * chi_exact(A, Q));
}

TEST(TheoryChi, UpperBoundsAreUpperBounds) {
  int finite = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 3000);
    const Index n = random.integer(1, 5), m = random.integer(1, 6);
    Matrix A = random_rows(random, m, n, seed);
    if (seed % 2 == 0) A = (3.0 * A).array().round().cwiseMin(9.0).cwiseMax(-9.0).matrix() / 4.0;
    const Matrix Q = random_hessian(random, n, 0.5, 20.0);
    const double chi = chi_exact(A, Q), bound = chi_bound(A, Q);
    EXPECT_LE(chi, bound * (1.0 + 1e-9));
    // Random rows, as many as variables at most, are independent.
    if (m <= n && seed % 3 == 0 && seed % 2 == 1) {
      EXPECT_LT(bound, kInfinity);
    }
    finite += bound < 1e6;
  }
  EXPECT_GT(finite, 60);
}

// Interval matrices (rows of consecutive ones) and bounds are totally unimodular.
TEST(TheoryChi, TotallyUnimodularRows) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed + 4000);
    const Index n = random.integer(1, 5), m = random.integer(n, 9);
    Matrix A = Matrix::Zero(m, n);
    for (Index i = 0; i < m; ++i) {
      const Index first = random.integer(0, n - 1), last = random.integer(first, n - 1);
      A.row(i).segment(first, last - first + 1).setConstant(random.uniform() < 0.5 ? 1.0 : -1.0);
    }
    Vector diagonal(n);
    for (double& d : diagonal) d = random.log_uniform(0.1, 100.0);
    const Index rank = Eigen::ColPivHouseholderQR<Matrix>(A).rank();
    EXPECT_LE(chi_exact(A, Matrix(diagonal.asDiagonal())), chi_bound_minors(m, rank, 1.0) * (1.0 + 1e-12)) << seed;
  }
  EXPECT_DOUBLE_EQ(chi_bound_minors(10, 2, 3.0), std::sqrt(2.0 + 8.0 * 2.0 * 9.0));
  EXPECT_DOUBLE_EQ(chi_bound_minors(4, 4, 1.0), std::sqrt(2.0 + 2.0 * 2.0));  // two rows move two others
  EXPECT_DOUBLE_EQ(chi_bound_minors(1, 1, 7.0), 1.0);
}

TEST(TheoryChi, VaryingHessians) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed + 5000);
    const Index n = random.integer(1, 4), m = random.integer(1, 6);
    const double mu = random.log_uniform(0.1, 1.0), L = mu * random.log_uniform(1.0, 1e4);
    const Matrix A = random_rows(random, m, n, seed);
    const double bound = chi_varying(A, mu, L);
    for (int k = 0; k < 20; ++k) {
      EXPECT_LE(chi_exact(A, random_hessian(random, n, mu, L)), bound * (1.0 + 1e-9)) << seed;
    }
  }
  // The root of L/mu is needed: Q = I + L u u' with u = (cos t, sin t), sin t = L^{-1/2}, and the rows (1,0), (0,1).
  for (const double L : {1e2, 1e4, 1e6}) {
    const double s = 1.0 / std::sqrt(L), c = std::sqrt(1.0 - s * s);
    const Matrix Q{{1.0 + L * c * c, L * c * s}, {L * c * s, 1.0 + L * s * s}};
    const double chi = chi_exact(Matrix::Identity(2, 2), Q);
    EXPECT_GT(chi, 0.49 * std::sqrt(L));
    EXPECT_LE(chi, chi_varying(Matrix::Identity(2, 2), 1.0, 1.0 + L));
  }
}

TEST(TheoryChi, RefusesWhatItCannotDo) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  const Matrix I2 = Matrix::Identity(2, 2);
  Random random(1);
  EXPECT_THAT(refusal_of([&] { chi_exact(random.matrix(60, 20), Matrix::Identity(20, 20)); }),
              AllOf(HasSubstr("A: 60 rows in 20 variables"), HasSubstr("chi_bound")));
  EXPECT_THAT(refusal_of([&] { chi_varying(random.matrix(60, 20), 1.0, 2.0); }), HasSubstr("60 rows"));
  EXPECT_THAT(refusal_of([&] { chi_exact(Matrix(0, 2), I2); }), HasSubstr("A: expected at least one row"));
  EXPECT_THAT(refusal_of([&] { chi_exact(Matrix::Constant(1, 2, std::nan("")), I2); }),
              HasSubstr("A: expected finite"));
  EXPECT_THAT(refusal_of([&] { chi_exact(Matrix::Ones(1, 3), I2); }),
              HasSubstr("Q: expected 3 x 3 numbers, got 2 x 2"));
  EXPECT_THAT(refusal_of([&] { chi_exact(I2, -I2); }), HasSubstr("Q: expected a positive definite"));
  EXPECT_THAT(refusal_of([&] { chi_exact(I2, Matrix{{1.0, 0.5}, {0.0, 1.0}}); }), HasSubstr("Q: expected a symmetric"));
  EXPECT_THAT(refusal_of([&] { chi_bound(I2, Matrix::Constant(2, 2, kInfinity)); }), HasSubstr("Q: expected finite"));
  EXPECT_THAT(refusal_of([&] { chi_varying(I2, 2.0, 1.0); }), HasSubstr("L: expected a number >= mu = 2"));
  EXPECT_THAT(refusal_of([] { chi_bound_minors(2, 3, 1.0); }), HasSubstr("rank:"));
  EXPECT_THAT(refusal_of([] { chi_bound_minors(3, 2, 0.5); }), HasSubstr("largest_minor:"));
}

}  // namespace
}  // namespace pliant::theory
