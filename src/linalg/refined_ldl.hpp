// Solutions with a sparse factorisation that are accurate for a matrix K although what is factorised differs from it:
// by a regularisation, by replaced pivots, or by rounding alone.
//
// 1. Iterative refinement against K.
// 2. Where that stalls, GMRES on K with the factorisation as preconditioner: a regularisation that is large beside a
//    few small eigenvalues of K ruins the former, not the latter.
// 3. Where more than `inaccurate` is left, the same with a factorisation that pivots; the better of the two is kept.
//
// Residuals that are the rounding of K z itself, entries of 1e9 beside a right-hand side of 1, end all three.
#pragma once

#include "linalg/sparse_ldl.hpp"

#include <memory>

namespace pliant {

struct RefinementRules {
  int most = 10;             ///< refinements
  double useful = 0.7;       ///< a refinement must leave at most this share of the error, or it is the last
  double stalled = 1e-9;     ///< larger leftovers ask for GMRES
  double inaccurate = 1e-7;  ///< larger ones for pivoting
  double least_size = 0.0;   ///< errors are relative to the right-hand side plus this
};

class RefinedLdl {
 public:
  /// For matrices with the pattern of `lower`, whose first `positive` pivots are positive.
  RefinedLdl(const SparseMatrix& lower, Index positive, LdlKind kind, RefinementRules rules);

  /// Factorises the lower triangle `factorised`; with pivoting where that fails without. False if both fail. Both
  /// matrices must stay until the last solve.
  bool factorize(const SparseMatrix& K, const SparseMatrix& factorised);
  /// z = K^-1 rhs. Returns what is left of the right-hand side, relative to it; infinite if z is not finite.
  double solve(const Vector& rhs, Vector& z);
  /// The same without a second factorisation, for who knows what else to do where that `is_inaccurate`.
  double solve_without_pivoting(const Vector& rhs, Vector& z) { return solve_refined(rhs, z); }
  /// Whether an error that was just returned asks for more than refinement: it is neither small nor rounding.
  bool is_inaccurate(double error) const { return error > rules_.inaccurate && !rounded_; }

  const SparseLdlCost& cost() const { return cost_; }
  const char* name() const { return ldl_->name(); }

 private:
  bool factorize_with_pivoting();
  double solve_refined(const Vector& rhs, Vector& z);
  /// Replaces z where that makes the residual smaller.
  void improve(const Vector& rhs, double size, Vector& z, double& error);
  double rounding(const Vector& z) const;
  void residual(const Vector& rhs, const Vector& z, Vector& out) const;

  Index positive_;
  LdlKind kind_;
  RefinementRules rules_;
  SparseLdlCost cost_;  // before ldl_, whose making fills it
  std::unique_ptr<SparseLdl> ldl_;
  std::unique_ptr<SparseLdl> pivoting_;  // for matrices the other one fails on
  SparseLdl* active_ = nullptr;
  const SparseMatrix* K_ = nullptr;
  const SparseMatrix* factorised_ = nullptr;
  bool rounded_ = false;  // the last residual was rounding alone
  Vector residual_, trial_, trial_residual_;
  Matrix basis_;  // of the Krylov space
};

}  // namespace pliant
