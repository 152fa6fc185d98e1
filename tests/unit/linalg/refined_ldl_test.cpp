// Refined solutions against dense linear algebra: regularisations larger than eigenvalues, and singular matrices.
#include "linalg/refined_ldl.hpp"
#include "linalg/singular_values.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <Eigen/QR>

namespace pliant::testing {
namespace {

struct System {
  Matrix K;
  SparseMatrix lower, regularised;
  Index positive = 0;
};

SparseMatrix sparse_lower(const Matrix& K) {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int j = 0; j < K.cols(); ++j) {
    for (int i = j; i < K.rows(); ++i) entries.emplace_back(i, j, K(i, j));
  }
  SparseMatrix out(static_cast<int>(K.rows()), static_cast<int>(K.cols()));
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

System with_regularisation(Matrix K, Index positive, double size) {
  System out{K, sparse_lower(K), {}, positive};
  for (Index j = 0; j < K.cols(); ++j) K(j, j) += j < positive ? size : -size;
  out.regularised = sparse_lower(K);
  return out;
}

// [H A'; A -C] with a few eigenvalues far below the regularisation.
System nearly_singular(Random& random) {
  const Index n = random.integer(4, 12), m = random.integer(2, n - 1), weak = random.integer(1, 3);
  const Matrix Q = Eigen::HouseholderQR<Matrix>(random.matrix(n, n)).householderQ();
  Vector values(n);
  for (Index i = 0; i < n; ++i) values[i] = i < weak ? random.log_uniform(1e-7, 1e-6) : random.log_uniform(0.1, 10.0);
  Matrix K = Matrix::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = Q * values.asDiagonal() * Q.transpose();
  // Rows that do not see the weak directions, so that these stay weak.
  const Matrix A = random.matrix(m, n - weak) * Q.rightCols(n - weak).transpose();
  K.bottomLeftCorner(m, n) = A;
  K.topRightCorner(n, m) = A.transpose();
  K.bottomRightCorner(m, m) = -random.log_uniform(0.1, 10.0) * Matrix::Identity(m, m);
  return with_regularisation(0.5 * (K + K.transpose()), n, 1e-6);
}

TEST(RefinedLdl, SolvesWhereRefinementAloneStalls) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 300);
    const System s = nearly_singular(random);
    const Vector rhs = s.K * random.vector(s.K.cols());
    RefinedLdl ldl(s.lower, s.positive, LdlKind::simplicial, RefinementRules{});
    ASSERT_TRUE(ldl.factorize(s.lower, s.regularised));
    Vector z;
    const double error = ldl.solve(rhs, z);
    const double size = rhs.lpNorm<Eigen::Infinity>();
    const double left = (rhs - s.K * z).lpNorm<Eigen::Infinity>() / size;
    EXPECT_LE(left, 1e-9);
    EXPECT_NEAR(error, left, 1e-12);
  }
}

// Without a solution GMRES gains nothing by huge vectors of the null space.
TEST(RefinedLdl, StaysBoundedWhereThereIsNoSolution) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 400);
    const Index n = random.integer(2, 6), m = n + random.integer(1, 3);  // more equalities than variables
    Matrix K = Matrix::Zero(n + m, n + m);
    K.bottomLeftCorner(m, n) = random.matrix(m, n);
    K.topRightCorner(n, m) = K.bottomLeftCorner(m, n).transpose();
    const System s = with_regularisation(K, n, 1e-8);
    const Vector rhs = random.vector(n + m);
    Vector plain, z;
    double errors[2];
    for (const bool with_gmres : {false, true}) {
      RefinementRules rules;
      if (!with_gmres) rules.stalled = kInfinity;
      RefinedLdl ldl(s.lower, s.positive, LdlKind::simplicial, rules);
      ASSERT_TRUE(ldl.factorize(s.lower, s.regularised));
      errors[with_gmres ? 1 : 0] = ldl.solve(rhs, with_gmres ? z : plain);
    }
    EXPECT_TRUE(std::isfinite(errors[1]));
    EXPECT_LE(errors[1], errors[0]);
    EXPECT_LE(z.norm(), 31.0 * plain.norm());
  }
}

TEST(SingularValues, MultiplyBackAndAreOrthogonal) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed + 500);
    const Index n = random.integer(1, 20);
    const Matrix A = random.matrix(n, n);
    const SingularValues svd = singular_values(A);
    EXPECT_LE((svd.left * svd.values.asDiagonal() * svd.right - A).norm(), 1e-12 * A.norm());
    EXPECT_LE((svd.left.transpose() * svd.left - Matrix::Identity(n, n)).norm(), 1e-12 * static_cast<double>(n));
    EXPECT_LE((svd.right.transpose() * svd.right - Matrix::Identity(n, n)).norm(), 1e-12 * static_cast<double>(n));
    EXPECT_GE(svd.values.minCoeff(), 0.0);
  }
  EXPECT_TRUE(singular_values(Matrix::Constant(2, 2, std::nan(""))).values.array().isNaN().all());
}

}  // namespace
}  // namespace pliant::testing
