// Factorisation L D L' of sparse symmetric quasi-definite matrices [H A'; A -C], H and C positive definite.
//
// Such matrices have a factorisation with diagonal D for every symmetric permutation, so the ordering is chosen for
// sparsity alone, once. Three implementations: a simplicial one for small factors, where its lack of overhead wins, a
// supernodal one (dense blocks, BLAS) for large ones, and MUMPS (multifrontal) where pivots must be chosen by value.
#pragma once

#include "pliant/types.hpp"

#include <Eigen/SparseCore>

#include <memory>

namespace pliant {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

class SparseLdl {
 public:
  virtual ~SparseLdl() = default;

  /// The lower triangle of a matrix with the pattern given at creation, compressed, every diagonal entry present. False
  /// if a pivot vanished or memory ran out.
  virtual bool factorize(const SparseMatrix& lower) = 0;
  /// x = K^-1 x
  virtual void solve(VectorRef x) = 0;
  virtual const char* name() const = 0;
};

/// What a factorisation will cost.
struct SparseLdlCost {
  double flops = 0.0;
  double entries = 0.0;  ///< of the factor
};

enum class LdlKind { automatic, simplicial, supernodal, multifrontal };

/// Orders the pattern of `lower`, whose first `positive` pivots are positive, and chooses by the estimated cost, which
/// `cost` receives.
std::unique_ptr<SparseLdl> make_sparse_ldl(const SparseMatrix& lower, Index positive, LdlKind kind,
                                           SparseLdlCost& cost);

}  // namespace pliant
