// What the path engine needs of a problem besides its rows: the objective's quadratic data where it is quadratic,
// the simple term psi as rows without data, and the equalities.
#pragma once

#include "engines/path/coordinate_rows.hpp"
#include "pliant/problem.hpp"

#include <string>

namespace pliant {

struct PathModel {
  explicit PathModel(const Problem& problem);

  /// Why the path engine cannot take a problem, in words; empty if it can.
  static std::string obstacle(const Problem& problem);
  /// The same of a problem whose rows are held elsewhere: objective, psi and equalities.
  static std::string obstacle_beside_rows(const Problem& problem);

  Index dimension() const { return problem.dimension(); }
  /// Multipliers of the problem's own equalities, out of those of all rows of E.
  Index own_equalities() const;

  /// How far the certificate of x will be from its objective: complementarity of the rows (coordinate rows last, the
  /// first `constraints` of them constraints, the others halves of the l1 term; where `caps` is finite a row is soft) and
  /// what the residual r of the Lagrangian costs the bound.
  double certified_gap(const Vector& x, const Vector& lambda, const Vector& a, Index constraints, const Vector& caps,
                       const Vector& r) const;

  const Problem& problem;
  CoordinateRows coordinates;
  double l2 = 0.0;      ///< (l2/2)|x|^2 from psi
  double mu = 0.0;      ///< strong convexity of the objective
  Vector lower, upper;  ///< bounds, infinite where there is none
  Matrix E;             ///< equalities E x = e: the problem's own, fixed variables, the sum of a simplex
  Vector e;
  bool quadratic = false;  ///< objective 1/2 x'Px + q'x + constant, psi's l2 part included
  bool linear_rows = false;
  Matrix P;  ///< empty unless quadratic
  Vector q;
  double constant = 0.0;  ///< of the objective, where it matters what accuracies are relative to
};

}  // namespace pliant
