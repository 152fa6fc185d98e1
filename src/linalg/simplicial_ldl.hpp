// Simplicial factorisation: row by row, without blocks; it knows the signs of the pivots.
#pragma once

#include "linalg/ldl_analysis.hpp"

#include <vector>

namespace pliant {

class SimplicialLdl final : public SparseLdl {
 public:
  /// The first `positive` pivots of the unpermuted matrix are positive, the others negative.
  SimplicialLdl(const SparseMatrix& lower, Index positive, LdlAnalysis analysis);

  bool factorize(const SparseMatrix& lower) override;
  void solve(VectorRef x) override;
  const char* name() const override { return "simplicial"; }

 private:
  LdlAnalysis analysis_;
  std::vector<double> signs_;
  PermutedTriangle upper_;
  std::vector<Index> starts_;  // columns of L
  std::vector<int> rows_;
  std::vector<double> values_;
  Vector pivots_, work_;
};

}  // namespace pliant
