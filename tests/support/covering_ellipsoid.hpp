// An independent solver for the ellipsoid of least volume around points: Frank-Wolfe with away steps (Wolfe-Atwood)
// on its dual, max log det M(u), M(u) = sum u_i q_i q_i' over the simplex, q_i = (p_i, 1).
#pragma once

#include "pliant/types.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <cmath>

namespace pliant::testing {

struct CoveringEllipsoid {
  Matrix X;            ///< feasible: max q_i'X q_i = 1
  Vector multipliers;  ///< p u, the multipliers of q_i'X q_i <= 1
  double upper = 0.0;  ///< -log det X >= optimal value
  double lower = 0.0;  ///< log det(p M(u)) <= optimal value
};

/// `points` is m x d. Runs until upper - lower <= accuracy.
inline CoveringEllipsoid covering_ellipsoid(const Matrix& points, double accuracy) {
  const Index m = points.rows(), p = points.cols() + 1;
  Matrix Q(m, p);
  Q << points, Vector::Ones(m);
  const auto order = static_cast<double>(p);
  Vector u = Vector::Constant(m, 1.0 / static_cast<double>(m));
  for (int iteration = 0; iteration < 200000; ++iteration) {
    const Matrix M = Q.transpose() * u.asDiagonal() * Q;
    const Matrix V = M.inverse();
    const Vector score = (Q * V).cwiseProduct(Q).rowwise().sum();
    Index far = 0, near = -1;
    const double highest = score.maxCoeff(&far);
    for (Index i = 0; i < m; ++i) {
      if (u[i] > 0.0 && (near < 0 || score[i] < score[near])) near = i;
    }
    if (order * std::log(highest / order) <= accuracy) {
      const Matrix X = V / highest;
      const double log_det_M = 2.0 * M.llt().matrixLLT().diagonal().array().log().sum();
      return {X, order * u, log_det_M + order * std::log(highest), log_det_M + order * std::log(order)};
    }
    // Exact line search towards vertex `far`, or away from vertex `near` until it is dropped.
    const bool away = 1.0 - score[near] / order > highest / order - 1.0;
    const Index i = away ? near : far;
    double step = (score[i] - order) / (order * (score[i] - 1.0));
    if (away) step = std::max(step, -u[i] / (1.0 - u[i]));
    u *= 1.0 - step;
    u[i] = std::max(0.0, u[i] + step);
    u /= u.sum();
  }
  throw std::logic_error("covering_ellipsoid: no convergence");
}

}  // namespace pliant::testing
