// Singular values of small dense matrices through LAPACK. To be called from one thread at a time.
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
