// Simplicial factorisation: Eigen's AMD ordering and elimination tree, and a row-by-row numerical phase of our own
// that knows the signs of the pivots.
//
// Rounding can turn a tiny pivot of a quasi-definite matrix to zero or to the wrong sign. Such a pivot is replaced by
// a small one of the right sign; the solution is refined against the matrix anyway.
#pragma once

#include "linalg/sparse_ldl.hpp"

#include <Eigen/SparseCholesky>

#include <vector>

namespace pliant {

class SimplicialLdl final : public SparseLdl {
 public:
  /// The first `positive` pivots of the unpermuted matrix are positive, the others negative.
  SimplicialLdl(const SparseMatrix& lower, Index positive);

  bool factorize(const SparseMatrix& lower) override;
  void solve(VectorRef x) override;
  const char* name() const override { return "simplicial"; }
  SparseLdlCost cost() const;

 private:
  // Opens what Eigen's analysis leaves behind.
  struct Analysis : Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower, Eigen::AMDOrdering<int>> {
    const auto& column_counts() const { return m_nonZerosPerCol; }
    const auto& parent() const { return m_parent; }
    const auto& permutation() const { return m_P; }
  };
  void number_entries(const SparseMatrix& lower);

  std::vector<int> parent_, counts_;
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation_;
  std::vector<double> sign_;                    // of the pivots, permuted
  std::vector<int> upper_starts_, upper_rows_;  // permuted upper triangle by columns
  std::vector<Index> upper_places_;             // where its values stand in `lower`
  std::vector<Index> starts_;                   // columns of L
  std::vector<int> rows_;
  std::vector<double> values_;
  Vector pivots_, work_;
};

}  // namespace pliant
