// Dense kernels of sparse factorisations: column-major blocks, BLAS where they are large enough for it. Whoever calls
// them holds the LapackLock.
#pragma once

#include "pliant/types.hpp"

namespace pliant {

/// C = beta C + alpha A B', C of m x n, A of m x k, B of n x k.
void multiply_transposed(Index m, Index n, Index k, double alpha, const double* A, Index lda, const double* B,
                         Index ldb, double beta, double* C, Index ldc);

/// L D L' of the first `columns` pivots of a block of `rows` >= columns rows, of which the lower trapezium is given
/// and becomes L (unit diagonal, which is not stored). `pivots` receives D, `signs` are those of D; lost pivots are
/// replaced (ldl_analysis.hpp). False if one is not finite. `work` grows as needed.
bool factorize_block(double* block, Index rows, Index columns, const double* signs, double* pivots, Vector& work);

}  // namespace pliant
