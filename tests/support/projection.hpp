// A constrained sum whose solution is known to the last digit.
//
//   min 1/2 |x - c|^2 + mu/2 |x|^2   s.t.  x_j <= h_j, and rows g'x <= far that never matter
//
// so that x*_j = min(c_j / (1 + mu), h_j). The objective is a least-squares sum of n components.
#pragma once

#include "pliant/pliant.hpp"
#include "support/random.hpp"

namespace pliant::testing {

struct Projection {
  Problem problem;
  Vector c, h, x;
  double mu = 0.0;
};

inline Projection projection(Random& random, Index n, Index far_rows, double mu) {
  Projection p{Problem(n), 2.0 * random.vector(n), Vector(n), Vector(n), mu};
  for (Index j = 0; j < n; ++j) {
    // Active and inactive bounds in turn, none of them close to the other kind.
    const double minimum = p.c[j] / (1.0 + mu);
    p.h[j] = minimum + (j % 2 == 0 ? -1.0 : 1.0) * random.uniform(0.3, 1.0);
    p.x[j] = std::min(minimum, p.h[j]);
  }
  const double root = std::sqrt(static_cast<double>(n));
  p.problem.minimize(
      least_squares(DataMatrix::from(Matrix(root * Matrix::Identity(n, n))), to_array(Vector(root * p.c))));
  p.problem.regularize(l2_squared(n, mu));
  Matrix G(n + far_rows, n);
  G.topRows(n).setIdentity();
  G.bottomRows(far_rows) = random.matrix(far_rows, n);
  Vector right(n + far_rows);
  right << p.h, G.bottomRows(far_rows) * p.x + Vector::Constant(far_rows, 30.0);
  p.problem.subject_to(linear_le(DataMatrix::from(G), to_array(right)));
  return p;
}

}  // namespace pliant::testing
