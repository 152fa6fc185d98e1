// The contract of a solver for Newton systems with equalities,
//
//   [ H  E' ] [dx]   [r_x]
//   [ E  0  ] [dy] = [r_e],
//
// H symmetric positive definite on the null space of E and formed anew at every step, E fixed. The path engine
// knows nothing else of linear algebra: sparse and iterative solvers implement the same calls.
#pragma once

#include "pliant/types.hpp"

namespace pliant {

class KktSolver {
 public:
  virtual ~KktSolver() = default;

  /// Factorises for the lower triangle of H (overwritten). False if H is not positive definite.
  virtual bool factorize(Matrix& H) = 0;
  /// dy has as many entries as E has rows.
  virtual void solve(const Vector& r_x, const Vector& r_e, Vector& dx, Vector& dy) const = 0;
  /// H^-1 r_x in the null space of E: the same with r_e = 0.
  void solve(const Vector& r_x, Vector& dx) const {
    Vector dy;
    solve(r_x, Vector::Zero(equalities()), dx, dy);
  }
  virtual Index equalities() const = 0;
};

}  // namespace pliant
