// Rows that read no data: bounds on single variables, and the two halves of w|x_j|.
//
// w |x_j| = w max(x_j, 0) + w max(-x_j, 0) is the exact penalty of x_j <= 0 and -x_j <= 0 with xi = w, so an l1
// term enters the path as two rows per variable whose xi is w and never grows: no splitting of variables.
#pragma once

#include "pliant/regularizers.hpp"
#include "pliant/types.hpp"

#include <vector>

namespace pliant {

/// Whether both bounds of a variable are one: an equality, since multipliers of two opposite rows could grow together
/// without end.
bool is_fixed(const SeparableParameters& psi, Index j);

class CoordinateRows {
 public:
  /// Rows of the separable term; bounds of variables that are not fixed first, then l1.
  explicit CoordinateRows(const SeparableParameters& psi, Index n);

  Index size() const { return static_cast<Index>(rows_.size()); }
  /// Rows from here on belong to the l1 term: they may be positive.
  Index bounds() const { return bounds_; }
  double l1_weight() const { return l1_; }

  /// a_k = sign_k x_j - offset_k
  void values(const Vector& x, VectorRef a) const;
  /// out_k = sign_k d_j
  void slopes(const Vector& d, VectorRef out) const;
  /// out_j += sum sign_k w_k
  void add_transposed(ConstVectorRef w, VectorRef out) const;
  /// diagonal of H += outer weights
  void add_diagonal(ConstVectorRef outer, MatrixRef H) const;

 private:
  struct Row {
    Index j;
    double sign;
    double offset;
  };
  std::vector<Row> rows_;
  Index bounds_ = 0;
  double l1_ = 0.0;
};

}  // namespace pliant
