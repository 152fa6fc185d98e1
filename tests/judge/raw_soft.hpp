// Prices in an objective, on linear rows and on cones, as raw numbers.
#pragma once

#include "judge/exact.hpp"
#include "pliant/problem.hpp"

#include <vector>

namespace pliant::judge {

/// sum_i w_i max(0, g_i'x - upper_i)
struct RawSoftRows {
  Matrix G;
  Vector upper, weights;
};

/// sum_k w_k sum_j max(0, e_kj(x)), e_kj the eigenvalues of -(h_k - G_k x) in a second-order or a semidefinite cone.
struct RawSoftCones {
  struct Piece {
    Matrix G;
    Vector h;
    double weight = 1.0;
  };
  ConeKind kind = ConeKind::second_order;
  std::vector<Piece> cones;  ///< of one size
};

SoftRows to_soft_rows(const RawSoftRows& rows, const DataMatrix& G);
SoftRows to_soft_rows(const RawSoftCones& cones);

Rational exact_value(const RawSoftRows& rows, const RationalVector& x);
/// A number not below the prices at x; above them by digits that no double has, or, for matrices, by the rounding of their
/// eigenvalues.
Rational value_above(const RawSoftCones& cones, const RationalVector& x);

}  // namespace pliant::judge
