// Dense symmetric matrices through LAPACK: Cholesky factors and eigenvalues. One call at a time (lapack_lock.hpp).
#pragma once

#include "pliant/types.hpp"

namespace pliant {

/// Lower triangle of A -> L with A = LL', in place; the upper triangle is neither read nor written. False if A is not
/// positive definite, or not finite.
bool cholesky_in_place(Matrix& A);

struct SymmetricEigen {
  Vector values;   ///< ascending
  Matrix vectors;  ///< columns, orthonormal
};
/// All eigenvalues and eigenvectors, from the lower triangle. NaN everywhere if LAPACK fails.
SymmetricEigen symmetric_eigen(const Matrix& A);
/// NaN if LAPACK fails; +infinity for an empty matrix.
double smallest_eigenvalue(Matrix A);

}  // namespace pliant
