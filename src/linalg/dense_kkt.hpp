// Dense Cholesky (LAPACK) of H, and of the Schur complement B H^-1 B' where there are equalities.
//
// B has orthonormal rows that span those of E, so dependent equalities leave no trace in the factorisations:
// E dx = r_e becomes B dx = B E^+ r_e, and E'dy = B'z has the shortest solution dy = (B E^+)'z. H may be singular
// outside the null space of E, so rho B'B is added to it: that changes the first block row by rho B'r_b only. The
// Schur complement carries a small regularisation; refinement takes its effect out again.
#pragma once

#include "linalg/kkt_solver.hpp"

namespace pliant {

class DenseKkt final : public KktSolver {
 public:
  /// E may have no rows.
  explicit DenseKkt(const Matrix& E);

  /// Factorises for the lower triangle of H (overwritten). False if H is not positive definite on the null space of E.
  bool factorize(Matrix& H);
  bool solve(const Vector& r_x, const Vector& r_e, Vector& dx, Vector& dy) override;
  /// H^-1 r_x in the null space of E: the same with r_e = 0.
  bool solve(const Vector& r_x, Vector& dx);
  Index equalities() const { return equalities_; }

 private:
  void solve_once(const Vector& r_x, const Vector& r_b, Vector& dx, Vector& z) const;

  Index equalities_;
  Matrix B_, gram_;  // gram = B'B
  Matrix back_;      // B E^+
  double rho_ = 0.0;
  Matrix factor_;  // L of H + rho B'B
  Matrix half_;    // L^-1 B'
  Matrix schur_;   // L of half'half + regularisation
  Vector r_b_, z_, work_x_, work_b_, more_x_, more_z_;
  Vector zero_, unused_;  // of solves without r_e
};

}  // namespace pliant
