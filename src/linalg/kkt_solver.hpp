// The contract of the Newton systems of all interior-point methods,
//
//   [ H   A' ] [dx]   [r_x]
//   [ A  -C  ] [dy] = [r_y],
//
// H positive semidefinite, C = 0 or positive semidefinite, A fixed. Each solver factorises in its own way, since each
// is told its present scaling in another one (a dense H, diagonals, cones); once factorised, all are asked alike.
#pragma once

#include "pliant/types.hpp"

namespace pliant {

class KktSolver {
 public:
  virtual ~KktSolver() = default;

  /// dy has as many entries as A has rows. False if the result is not finite.
  virtual bool solve(const Vector& r_x, const Vector& r_y, Vector& dx, Vector& dy) = 0;

 protected:
  KktSolver() = default;
  KktSolver(const KktSolver&) = default;
  KktSolver& operator=(const KktSolver&) = default;
};

}  // namespace pliant
