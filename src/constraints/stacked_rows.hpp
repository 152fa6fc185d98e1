// Products with small row-major matrices M_i (height x n) stored one after another.
#pragma once

#include "pliant/rows.hpp"
#include "pliant/types.hpp"

#include <algorithm>

namespace pliant {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMajorMap = Eigen::Map<const RowMajorMatrix>;
using ConstVectorMap = Eigen::Map<const Vector>;
using VectorMap = Eigen::Map<Vector>;

/// Block k of out (height numbers) = M_{rows[k]} x.
inline void multiply_stacked(const double* data, Index height, Index n, Rows rows, const double* x, double* out) {
  const ConstVectorMap point(x, n);
  if (rows.contiguous()) {
    const Index lines = rows.size() * height;
    VectorMap(out, lines).noalias() = RowMajorMap(data + rows.first() * height * n, lines, n) * point;
    return;
  }
  for (Index k = 0; k < rows.size(); ++k) {
    VectorMap(out + k * height, height).noalias() = RowMajorMap(data + rows[k] * height * n, height, n) * point;
  }
}

/// u = M x and v = M d with one read of M: a few lines at a time stay in the first-level cache.
inline void multiply_pair(const double* matrix, Index height, Index n, const double* x, const double* d, double* u,
                          double* v) {
  constexpr Index kCachedNumbers = 2048;
  const Index step = std::max<Index>(8, kCachedNumbers / std::max<Index>(1, n));
  for (Index line = 0; line < height; line += step) {
    const Index count = std::min(step, height - line);
    const RowMajorMap part(matrix + line * n, count, n);
    VectorMap(u + line, count).noalias() = part * ConstVectorMap(x, n);
    VectorMap(v + line, count).noalias() = part * ConstVectorMap(d, n);
  }
}

}  // namespace pliant
