// Dense Cholesky of a symmetric H that rounding may have left slightly indefinite: H + r (diag(H) + share max diag(H))
// with the smallest r of a growing sequence that lets the factorisation run to its end. Solutions are refined against H
// itself as long as that helps.
#pragma once

#include "linalg/kkt_solver.hpp"

namespace pliant {

struct RegularisationRules {
  double least = 1e-14;  ///< r at first; times
  double growth = 100;   ///< this when the factorisation fails,
  double limit = 1e-4;   ///< up to this
  double share = 1e-3;   ///< of the largest diagonal entry that is added to each
  int refinements = 8;
  double refinement_gain = 0.7;  ///< a refinement must shrink the residual at least so far
};

class RegularisedCholesky final : public KktSolver {
 public:
  explicit RegularisedCholesky(RegularisationRules rules = {}) : rules_(rules) {}

  /// Both triangles of H, which must stay until the last solve. False if even the largest r is not enough.
  bool factorize(const Matrix& H);
  /// H dx = r_x; there is no second block row, so dy is empty.
  bool solve(const Vector& r_x, const Vector& r_y, Vector& dx, Vector& dy) override;

 private:
  RegularisationRules rules_;
  const Matrix* H_ = nullptr;
  Matrix factor_;
};

}  // namespace pliant
