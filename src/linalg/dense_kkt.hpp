// Dense Cholesky (LAPACK) of H, and of the Schur complement E H^-1 E' where there are equalities.
//
// H may be singular outside the null space of E, so rho E'E is added to it: with E dx = r_e that changes the
// first block row by rho E'r_e only. The Schur complement carries a small regularisation, so that dependent
// equalities do no harm; refinement against the unregularised system takes its effect out again.
#pragma once

#include "linalg/kkt_solver.hpp"

namespace pliant {

class DenseKkt final : public KktSolver {
 public:
  /// E may have no rows.
  explicit DenseKkt(Matrix E);

  bool factorize(Matrix& H) override;
  using KktSolver::solve;
  void solve(const Vector& r_x, const Vector& r_e, Vector& dx, Vector& dy) const override;
  Index equalities() const override { return E_.rows(); }

 private:
  void solve_once(const Vector& r_x, const Vector& r_e, Vector& dx, Vector& dy) const;

  Matrix E_, gram_;  // gram = E'E
  double rho_ = 0.0;
  Matrix factor_;  // L of H + rho E'E
  Matrix half_;    // L^-1 E'
  Matrix schur_;   // L of half'half + regularisation
  mutable Vector work_x_, work_e_, more_x_, more_y_;
};

}  // namespace pliant
