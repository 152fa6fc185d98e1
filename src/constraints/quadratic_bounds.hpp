// Spectral bounds of one convex quadratic 1/2 x'Px + q'x, behind the constants and the convexity test.
#pragma once

#include "pliant/types.hpp"

#include <Eigen/Eigenvalues>

namespace pliant {

struct QuadraticBounds {
  /// Upper bound of lambda_max(P); 0 only if P = 0.
  double largest_eigenvalue = 0.0;
  /// Upper bound of 1/2 q'P^+q = -min (1/2 x'Px + q'x); infinite if there is no minimum or it is
  /// numerically doubtful that there is one.
  double depth = 0.0;
};

/// Memory for matrices of one order, used by one thread for many constraints.
struct QuadraticWorkspace {
  explicit QuadraticWorkspace(Index order);

  Matrix matrix;
  Vector vector, other;
  Eigen::SelfAdjointEigenSolver<Matrix> eigen;
};

/// P dense, n x n; the workspace has order n.
QuadraticBounds dense_bounds(const double* P, const double* q, Index n, QuadraticWorkspace& work);
/// P = B'B, B k x n row-major; the workspace has order k.
QuadraticBounds lowrank_bounds(const double* B, const double* q, Index k, Index n, QuadraticWorkspace& work);
/// P = diag(D), D >= 0.
QuadraticBounds diagonal_bounds(const double* D, const double* q, Index n);

/// Eigenvalues above minus this count as nonnegative: what rounding leaves of a semidefinite P.
double convexity_tolerance(const double* P, Index n);
/// Whether P is positive semidefinite up to convexity_tolerance (lower triangle only).
bool is_convex(const double* P, Index n, QuadraticWorkspace& work);
/// d >= 0 with (P + P')/2 + d I positive semidefinite for certain: 0 where P is definite or diagonal, infinite where
/// nothing can be proved.
double proven_defect(const double* P, Index n, QuadraticWorkspace& work);
double smallest_eigenvalue(const double* P, Index n, QuadraticWorkspace& work);

}  // namespace pliant
