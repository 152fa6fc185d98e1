// The 2-norm without overflow or underflow of squares. (Eigen's stableNorm asserts on unaligned segments.)
#pragma once

#include "pliant/types.hpp"

namespace pliant {

template <class Derived>
double safe_norm(const Eigen::MatrixBase<Derived>& v) {
  const double largest = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
  return largest > 0.0 ? largest * (v / largest).norm() : largest;
}

}  // namespace pliant
