// Small problems with a known solution, made by planting a KKT point.
#pragma once

#include "pliant/problem.hpp"
#include "support/random.hpp"

namespace pliant::testing {

struct PlantedQp {
  Problem problem;
  Vector x;      ///< the solution
  double value;  ///< F at it
  Multipliers multipliers;
};

/// min 1/2 x'Px + q'x s.t. G x <= h (active rows first), Ex = e: P positive definite, x and the
/// multipliers drawn first and q computed from stationarity.
inline PlantedQp planted_qp(Random& random, Index n, Index m, Index active, Index equalities) {
  const Vector x = random.vector(n);
  const Matrix factor = random.matrix(n, n);
  const Matrix P = factor * factor.transpose() / static_cast<double>(n) + 0.5 * Matrix::Identity(n, n);
  const Matrix G = random.matrix(m, n);
  const Matrix E = random.matrix(equalities, n);
  Vector lambda = Vector::Zero(m), h(m);
  for (Index i = 0; i < m; ++i) {
    const bool is_active = i < active;
    lambda[i] = is_active ? random.uniform(0.1, 2.0) : 0.0;
    h[i] = G.row(i).dot(x) + (is_active ? 0.0 : random.uniform(0.05, 3.0));
  }
  const Vector nu = random.vector(equalities);
  const Vector q = -(P * x + G.transpose() * lambda + E.transpose() * nu);
  PlantedQp out{Problem(n), x, 0.5 * x.dot(P * x) + q.dot(x), {}};
  out.problem.minimize(quadratic(DataMatrix::from(P), to_array(q)));
  if (m > 0) out.problem.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
  if (equalities > 0) out.problem.equal(DataMatrix::from(E), to_array(Vector(E * x)));
  if (m > 0) out.multipliers.lambda.push_back(lambda);
  out.multipliers.nu = nu;
  return out;
}

}  // namespace pliant::testing
