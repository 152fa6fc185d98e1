// One quadratic form at very many points: what a check of points that an ellipsoid must cover consists of.
#pragma once

#include "pliant/rows.hpp"
#include "pliant/types.hpp"

namespace pliant {

/// q(p) = p'Ap + 2c'p + s in the order in which it is evaluated. It keeps no memory of its own.
class PointForm {
 public:
  /// Numbers that a form of `width` variables takes in `memory`.
  static Index memory_size(Index width);
  /// q(p) = (p, 1)'D(p, 1) if `lifted`, p'Dp otherwise; D is symmetric.
  PointForm(ConstMatrixRef D, bool lifted, double* memory);

  /// out_k = q(point_k) for points that lie one after the other at `points`. A point gives the same numbers alone, in a
  /// list or in a range.
  void values(const double* points, Rows rows, double* out) const;

 private:
  void values_of_group(Index count, double* out) const;

  Index width_;
  double constant_;
  double* coefficients_;  // for each j: the linear one, the doubled ones of the entries before, that of the square
  double* group_;         // some points, entry by entry
};

}  // namespace pliant
