// min |target - N y| over y whose entries beyond the first few are not negative (Lawson and Hanson): which of a few
// gradients of rows balance the gradient of an objective.
#pragma once

#include "pliant/types.hpp"

#include <vector>

namespace pliant {

class NonnegativeFit {
 public:
  /// The first `free` columns of N may have any sign. N and target are looked at again by every call.
  NonnegativeFit(const Matrix& N, const Vector& target, Index free);

  /// The best y that uses the first `columns` columns, of which there are never fewer than in the call before.
  void extend(Index columns);

  const Vector& y() const { return y_; }
  const Vector& residual() const { return residual_; }
  /// Columns that carry something, the free ones first.
  const std::vector<Index>& used() const { return used_; }
  /// What rounding alone may leave in an entry of the residual, at most.
  double rounding() const { return rounding_.maxCoeff(); }

 private:
  bool free(Index column) const { return column < free_; }
  /// The column that would reduce the residual most, or -1.
  Index next_column(Index columns) const;
  /// Least squares on the columns in use; those that would turn negative leave on the way there. False: `added` itself
  /// cannot stay, by rounding.
  bool settle(Index added);
  Vector fit_used() const;
  void measure();

  const Matrix& N_;
  const Vector& target_;
  Index free_;
  Vector y_, residual_, rounding_;
  std::vector<Index> used_;
  std::vector<char> refused_;
};

}  // namespace pliant
