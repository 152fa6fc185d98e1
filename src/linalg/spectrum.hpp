// Rigorous bounds of the eigenvalues of quadratic forms and Gram matrices.
//
// Lower bounds feed certificates, so every computed eigenvalue is moved outwards by a bound of its
// rounding error. Where an eigendecomposition is too dear, Gershgorin discs and successful Cholesky
// factorisations of P - tI give the lower bound, and norms the upper one.
#pragma once

#include "pliant/data_matrix.hpp"
#include "pliant/types.hpp"

#include <functional>
#include <mutex>

namespace pliant {

struct EigenvalueBounds {
  double lower = 0.0;     ///< max(0, proven lower bound)
  double upper = 0.0;     ///< proven upper bound
  double smallest = 0.0;  ///< best estimate of the smallest eigenvalue, may be negative
  double defect = 0.0;    ///< d >= 0 with S + d I positive semidefinite, proved; infinite: not known
};

/// Of (P + P')/2, P square.
EigenvalueBounds symmetric_eigenvalues(const DataMatrix& P);

/// The most negative v'Pv/v'v found, rounding taken off, over the unit vectors, pairs of them and an approximate
/// eigenvector: a number < 0 proves that P is not positive semidefinite, 0 that no such v was found.
double proven_negative_curvature(const DataMatrix& P);

/// Of A'A. Forming the Gram matrix is worth more work where the lower bound is wanted too.
EigenvalueBounds gram_eigenvalues(const DataMatrix& A, bool lower_wanted);

/// Upper bound of |row_i|^2.
double squared_norm_bound(const DataMatrix& A, Index i);

/// Lower triangle of H += sum_i w_i a_i a_i', in deterministic parallel chunks; `weights` fills w for a block of rows.
using BlockWeights = std::function<void(Rows rows, double* w)>;
void add_gram_parallel(const DataMatrix& A, const BlockWeights& weights, MatrixRef H);

/// Bounds computed at the first request, by one thread.
class LazyEigenvalueBounds {
 public:
  template <class Compute>
  const EigenvalueBounds& get(const Compute& compute) const {
    std::call_once(once_, [&] { bounds_ = compute(); });
    return bounds_;
  }

 private:
  mutable std::once_flag once_;
  mutable EigenvalueBounds bounds_;
};

}  // namespace pliant
