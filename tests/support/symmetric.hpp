// Symmetric matrices for tests, with svec spelt out independently of the library, in extended precision.
#pragma once

#include "support/random.hpp"

#include <Eigen/Cholesky>

#include <cmath>

namespace pliant::testing {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// X from (X_00, sqrt2 X_10, ..., X_11, sqrt2 X_21, ...).
template <class Derived>
LongMatrix long_smat(const Eigen::MatrixBase<Derived>& x, Index order) {
  LongMatrix X(order, order);
  Index k = 0;
  for (Index column = 0; column < order; ++column) {
    for (Index row = column; row < order; ++row) {
      const long double entry = static_cast<long double>(x[k++]);
      X(row, column) = X(column, row) = row == column ? entry : entry / std::sqrt(2.0L);
    }
  }
  return X;
}

/// log det X, NaN unless X is positive definite.
inline long double long_log_det(const LongMatrix& X) {
  const Eigen::LLT<LongMatrix> factor(X);
  if (factor.info() != Eigen::Success) return std::nanl("");
  long double sum = 0.0L;
  for (Index i = 0; i < X.rows(); ++i) sum += 2.0L * std::log(factor.matrixLLT()(i, i));
  return sum;
}

inline Matrix symmetric_matrix(Random& random, Index order) {
  const Matrix A = random.matrix(order, order);
  return 0.5 * (A + A.transpose());
}

inline Matrix definite_matrix(Random& random, Index order) {
  const Matrix A = random.matrix(order, order);
  const Matrix product = A * A.transpose() + 0.3 * Matrix::Identity(order, order);
  return 0.5 * (product + product.transpose());
}

}  // namespace pliant::testing
