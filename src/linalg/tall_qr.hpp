// B = QR of a tall dense matrix by Householder reflections (LAPACK). R'R = B'B without ever forming that product, so that
// what B tells of directions it hardly moves keeps twice the digits. One call at a time (lapack_lock.hpp).
#pragma once

#include "pliant/types.hpp"

namespace pliant {

class TallQr {
 public:
  /// At least as many rows as columns. False if B is not finite or has a column that depends on those before it.
  bool factorize(Matrix B);

  /// v <- Q'v and v <- Qv, Q square: the first columns() entries of Q'v belong to the range of B.
  void multiply_transposed(Vector& v) const { multiply("T", v); }
  void multiply(Vector& v) const { multiply("N", v); }
  /// v <- R^-1 v and v <- R^-T v
  void solve(Vector& v) const;
  void solve_transposed(Vector& v) const;

  Index columns() const { return factor_.cols(); }

 private:
  void multiply(const char* transposed, Vector& v) const;

  Matrix factor_;  // R, and the reflections below it
  Vector tau_;
};

}  // namespace pliant
