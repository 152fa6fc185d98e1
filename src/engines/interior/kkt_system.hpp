// The Newton system of the interior engine,
//
//   [ P + R + H   A' ] [dx]   [r_x]
//   [ A          -C  ] [dy] = [r_y],
//
// with diagonal H >= 0 (bounds), C > 0 (inequality rows; a small regularisation on equalities) that change from step
// to step, and a fixed small R. Solutions are refined against the matrix as it stands.
#pragma once

#include "engines/interior/standard_form.hpp"
#include "linalg/kkt_solver.hpp"
#include "linalg/refined_ldl.hpp"

#include <vector>

namespace pliant {

/// What factorising the matrix would cost, from its pattern.
struct KktCost : SparseLdlCost {
  double matrix_entries = 0.0;  ///< of its lower triangle
};
/// Seconds of an interior step with such a factor and so many entries of the matrix.
double predict_step_seconds(const SparseLdlCost& factor, double matrix_entries);
KktCost predict_kkt_cost(const SparseMatrix& P, const SparseMatrix& A);

class KktSystem final : public KktSolver {
 public:
  KktSystem(const SparseMatrix& P, const SparseMatrix& A, LdlKind kind);

  /// Factorises with the given diagonals, with pivoting where that fails without. False if both fail.
  bool factorize(const Vector& H, const Vector& C);
  bool solve(const Vector& r_x, const Vector& r_y, Vector& dx, Vector& dy) override;
  /// The same without a factorisation that pivots. False if the solution is inaccurate.
  bool solve_without_pivoting(const Vector& r_x, const Vector& r_y, Vector& dx, Vector& dy);

  const SparseLdlCost& cost() const { return ldl_.cost(); }
  const char* factorisation() const { return ldl_.name(); }

 private:
  Index n_, m_;
  SparseMatrix K_;               // lower triangle
  std::vector<Index> diagonal_;  // places of K_jj among the values
  Vector fixed_;                 // what of K_jj never changes
  RefinedLdl ldl_;
  Vector rhs_, z_;
};

}  // namespace pliant
