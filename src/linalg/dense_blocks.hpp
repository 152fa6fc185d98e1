// Products, inverses and step lengths of dense symmetric matrices of any order.
#pragma once

#include "pliant/types.hpp"

namespace pliant {

/// out = A B, columns spread over threads.
void multiply(const Matrix& A, const Matrix& B, Matrix& out);

/// A <- (A + A')/2
void symmetrize(Matrix& A);

/// A^-1, both triangles, from its Cholesky factor (lower triangle).
Matrix inverse_from_cholesky(const Matrix& factor);

/// A lower bound of the smallest eigenvalue of L^-1 D L^-T, D symmetric: exact for small orders, by Lanczos steps with
/// their residual taken off for large ones (where it is almost certainly a bound, and close).
double smallest_relative_eigenvalue(const Matrix& factor, const Matrix& D);

}  // namespace pliant
