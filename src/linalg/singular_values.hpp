// Singular values of small dense matrices through LAPACK. One call at a time (lapack_lock.hpp).
#pragma once

#include "pliant/types.hpp"

namespace pliant {

struct SingularValues {
  Vector values;       ///< descending
  Matrix left, right;  ///< A = left diag(values) right
};
/// Of a square matrix. NaN everywhere if LAPACK fails.
SingularValues singular_values(Matrix A);

}  // namespace pliant
