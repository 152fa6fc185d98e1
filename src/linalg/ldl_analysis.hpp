// What is known of a factorisation L D L' before any number is: order of the pivots, elimination tree, lengths of the
// columns of L.
#pragma once

#include "linalg/sparse_ldl.hpp"

#include <vector>

namespace pliant {

using Integers = Eigen::VectorXi;

/// One triangle of the permuted matrix by columns, its values named by their places in the unpermuted lower triangle:
/// permuting once suffices.
struct PermutedTriangle {
  std::vector<int> starts, rows, places;
};

enum class TriangleSide { lower, upper };
PermutedTriangle permuted_triangle(const SparseMatrix& lower, const Integers& place, TriangleSide side);

struct LdlAnalysis {
  Integers place;   ///< of each column of the matrix among the pivots
  Integers parent;  ///< in the elimination tree; -1 for roots
  Integers counts;  ///< entries of each column of L below the diagonal

  SparseLdlCost cost() const;
};

/// Approximate minimum degree.
Integers minimum_degree_order(const SparseMatrix& lower);
LdlAnalysis analyse_ldl(const SparseMatrix& lower, Integers place);
/// The same factorisation with the pivots of every subtree one after the other, the largest subtree last.
LdlAnalysis postordered(const LdlAnalysis& analysis);

/// The cheaper of approximate minimum degree and, where its search would cost little beside the factorisations it may
/// save, nested dissection.
LdlAnalysis analyse_ldl(const SparseMatrix& lower);

/// Signs of the pivots in their order, if the first `positive` of the unpermuted matrix are positive.
std::vector<double> pivot_signs(const Integers& place, Index positive);

/// Rounding can turn a tiny pivot of a quasi-definite matrix to zero or to the wrong sign: it is replaced by a small
/// one of the right sign, and the solution is refined against the matrix anyway. The matrices come equilibrated.
/// Pivots relative to what was cancelled in them were tried: replacing those that lost all digits stalls linear
/// programs, whose smallest pivots are the regularisation itself.
inline double guarded_pivot(double pivot, double sign) {
  constexpr double kLostPivot = 1e-13;
  constexpr double kReplacement = 2e-7;
  return sign * pivot <= kLostPivot ? sign * kReplacement : pivot;
}

}  // namespace pliant
