// Rows of a matrix with absolute values in the place of their entries: what rounding is relative to.
#pragma once

#include "pliant/data_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {

/// sum_j |row_ij| x_j, x >= 0
inline double absolute_dot(const DataMatrix& A, Index row, const double* x) {
  double sum = 0.0;
  if (A.is_sparse()) {
    for (Index p = A.starts()[row]; p < A.starts()[row + 1]; ++p) sum += std::abs(A.values()[p]) * x[A.columns()[p]];
    return sum;
  }
  const Eigen::Map<const Vector> values(A.values().data() + row * A.cols(), A.cols());
  return values.cwiseAbs().dot(Eigen::Map<const Vector>(x, A.cols()));
}

/// out += w |row_i|, w >= 0; a product too small for a double counts as the smallest normal one, never as 0.
inline void absolute_axpy(const DataMatrix& A, Index row, double w, double* out) {
  if (w == 0.0) return;
  const auto size = [w](double value) {
    return value == 0.0 ? 0.0 : std::max(w * std::abs(value), std::numeric_limits<double>::min());
  };
  if (A.is_sparse()) {
    for (Index p = A.starts()[row]; p < A.starts()[row + 1]; ++p) out[A.columns()[p]] += size(A.values()[p]);
    return;
  }
  const double* values = A.values().data() + row * A.cols();
  for (Index j = 0; j < A.cols(); ++j) out[j] += size(values[j]);
}

}  // namespace pliant
