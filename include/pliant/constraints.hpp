// Constraint families. Each call makes one batch; see constraint_batch.hpp for what a batch can do.
#pragma once

#include "pliant/approximation.hpp"
#include "pliant/array.hpp"
#include "pliant/constraint_batch.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/tensor.hpp"

#include <functional>
#include <optional>

namespace pliant {

/// G x <= h, row by row; an infinite h_i is no row.
BatchPtr linear_le(DataMatrix G, Doubles h);
/// lo <= G x <= hi with rows stored once; infinite sides are no constraints.
BatchPtr linear_range(Doubles lo, DataMatrix G, Doubles hi);

/// 1/2 x'P_i x + q_i'x + r_i <= 0 with dense P (m, n, n), symmetric, q (m, n), r (m).
BatchPtr quadratic_le(Tensor P, Tensor q, Doubles r);
/// P_i = B_i'B_i with factors B (m, k, n).
BatchPtr quadratic_lowrank_le(Tensor factors, Tensor q, Doubles r);
/// P_i = diag(D_i), D (m, n).
BatchPtr quadratic_diagonal_le(Tensor diagonals, Tensor q, Doubles r);

/// ln sum_k exp(A_ik x + b_ik) <= 0 with A (m, k, n), b (m, k).
BatchPtr log_sum_exp_le(Tensor A, Tensor b);

/// q_i'X q_i <= b_i, linear in x = svec(X) (svec.hpp), X symmetric p x p; points q (m, p), b (m).
BatchPtr rank_one_le(Tensor points, Doubles b);
/// The same with q_i = (p_i, 1): points (m, d), X of order d + 1. With b = 1 the ellipsoid {y : (y,1)'X(y,1) <= 1}
/// covers the points; minimising log_det(d + 1) makes it the smallest.
BatchPtr rank_one_lifted_le(Tensor points, Doubles b);

/// Constraints given by functions. `rows` lists the wanted constraints.
struct CallbackFunctions {
  /// a_k = a_{rows[k]}(x)
  std::function<void(ConstVectorRef x, Rows rows, VectorRef a)> values;
  /// Row k of J (column-major, rows.size() x n) = gradient of a_{rows[k]} at x.
  std::function<void(ConstVectorRef x, Rows rows, MatrixRef J)> jacobian;
  /// H (n x n, full) = sum_k w_k Hess a_{rows[k]}(x); empty: not available.
  std::function<void(ConstVectorRef x, ConstVectorRef w, Rows rows, MatrixRef H)> hessian;
};
/// `approximates`: the functions stand for others that are not smooth (approximation.hpp).
BatchPtr callback_le(Index m, Index n, CallbackFunctions functions,
                     std::optional<RowConstants> constants = std::nullopt,
                     std::optional<Approximation> approximates = std::nullopt);

}  // namespace pliant
