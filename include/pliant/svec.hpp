// Symmetric matrices as vectors.
//
// svec lists the lower triangle column by column (the same numbers as the upper triangle row by row), off-diagonal
// entries times sqrt(2):
//
//   svec(X) = (X_00, sqrt2 X_10, ..., sqrt2 X_{p-1,0}, X_11, sqrt2 X_21, ..., X_{p-1,p-1})
//
// A p x p matrix becomes p(p+1)/2 numbers, and inner products stay: <A, X> = svec(A)'svec(X).
#pragma once

#include "pliant/types.hpp"

#include <numbers>
#include <optional>

namespace pliant {

/// p(p+1)/2
constexpr Index svec_size(Index order) { return order * (order + 1) / 2; }

/// The p with p(p+1)/2 = size, if there is one.
std::optional<Index> svec_order(Index size);

/// f(k, i, j) for every entry k of svec, which stands for the matrix entry i >= j; k ascends.
template <class F>
void for_each_svec_entry(Index order, const F& f) {
  Index k = 0;
  for (Index j = 0; j < order; ++j) {
    for (Index i = j; i < order; ++i) f(k++, i, j);
  }
}

/// What entry (i, j) is multiplied with: 1 on the diagonal, sqrt(2) elsewhere.
constexpr double svec_scale(Index i, Index j) { return i == j ? 1.0 : std::numbers::sqrt2; }

/// out += weight * svec(X); reads the lower triangle of X alone.
void add_svec(ConstMatrixRef X, double weight, VectorRef out);
/// svec(X) from the lower triangle.
Vector svec(ConstMatrixRef X);

/// X (p x p, both triangles) from svec(X).
void unpack_svec(ConstVectorRef x, MatrixRef X);
/// The same as a new matrix; throws InputError if the length of x is not p(p+1)/2.
Matrix smat(ConstVectorRef x);

}  // namespace pliant
