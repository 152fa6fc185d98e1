// Supernodal factorisation: columns of L with the same rows are one dense block, factorised by BLAS, left-looking.
// Wide trees of thousands of small leaves, which short rows of a program are, cost no more than their numbers.
#pragma once

#include "linalg/supernodes.hpp"

namespace pliant {

class SupernodalLdl final : public SparseLdl {
 public:
  /// The first `positive` pivots of the unpermuted matrix are positive, the others negative.
  SupernodalLdl(const SparseMatrix& lower, Index positive, const LdlAnalysis& analysis);

  bool factorize(const SparseMatrix& lower) override;
  void solve(VectorRef x) override;
  const char* name() const override { return "supernodal"; }

 private:
  double* block(int s) { return values_.data() + nodes_.value_starts[static_cast<std::size_t>(s)]; }
  void assemble(int s, const SparseMatrix& lower);
  /// Subtracts what descendant d contributes to the columns of s; its rows from `begin` to `end` are such columns.
  void subtract(int s, int d, int begin, int end);
  /// Puts d on the list of the supernode that its rows from `begin` on reach next.
  void enlist(int d, int begin);

  Integers place_;
  std::vector<double> signs_;
  PermutedTriangle triangle_;
  Supernodes nodes_;
  std::vector<double> values_;
  Vector pivots_, work_, product_, scaled_;
  std::vector<int> local_;             // where a row stands in the supernode being assembled
  std::vector<int> head_, next_, at_;  // lists of descendants that reach a supernode, and where their rows do
};

}  // namespace pliant
