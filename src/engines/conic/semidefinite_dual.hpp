// Matrix variables under equalities, as modelling languages write them,
//
//   minimise c'x   subject to   Ex = e,   s = h - Gx in K   with one entry g_r in every row and column of G,
//
// have a dual that the semidefinite engine takes: with x_j = (h_r - s_r)/g_r for the row r of variable j,
//
//   minimise (e - E~h)'nu + c~'h   subject to   z = c~ - E~'nu in K,   c~_r = -c_j/g_r,   E~_ir = E_ij/g_r,
//
// over one nu for each equality, z the multipliers of the cones and s those of this program. The value is minus that of
// the program above. Few equalities (max-cut: one for each node) then stand for many variables (n(n + 1)/2).
#pragma once

#include "pliant/problem.hpp"

#include <vector>

namespace pliant {

class SemidefiniteDual {
 public:
  static bool applies(const Problem& problem);

  /// The problem must stay.
  explicit SemidefiniteDual(const Problem& problem);

  /// Over nu; its cones have the rows of those of the problem.
  const Problem& program() const { return program_; }
  /// x from s, and z from nu.
  Vector x(const std::vector<Vector>& s) const;
  std::vector<Vector> cone_multipliers(const Vector& nu) const;
  /// The largest |c_j|.
  double largest_cost() const { return largest_cost_; }

 private:
  const Problem& problem_;
  Problem program_;
  double largest_cost_;
};

}  // namespace pliant
