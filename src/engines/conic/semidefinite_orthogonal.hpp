// Directions of the semidefinite engine without its Newton matrix, by orthogonal transformations. With Cholesky factors
// L = A A' and S = C C' that matrix is a Gram matrix,
//
//   H_ij = tr(F_i L F_j S^-1) = <B_i, B_j>,   B_i = A' F_i C^-T,
//
// and the step of semidefinite_interior.hpp a least-squares problem over B = QR:
//
//   M  = A^-1 (sigma mu S^-1 - L - dL_a dS_a S^-1 + L Rp S^-1) C      what the step would be without <F_i, L + dL> = c
//   dx = R^-1 (Q'M - R^-T rd),   dL = sym(A W C^-1),   W = M - Q (Q'M - R^-T rd)
//
// Where x runs away (no interior on the side of the multipliers: hinf, qap) the curvature along its way falls below the
// rounding of H, and <F_i, L> = c cannot be kept: 1e-8 is left of it, which |x| makes large. In B that curvature is a
// length, of which half as many digits are lost, and <F_i, dL> = B'W misses rd by the rounding of W, which is small.
#pragma once

#include "engines/conic/semidefinite_form.hpp"
#include "linalg/tall_qr.hpp"

#include <vector>

namespace pliant {

/// A step of all unknowns; lower-case letters are the diagonal block.
struct SemidefiniteDirection {
  Vector x;
  std::vector<Matrix> S, L;
  Vector s, l;
};

/// An iterate with its residuals. Factors are lower triangles, whatever stands above them.
struct SemidefinitePoint {
  const std::vector<Matrix>& S_factor;
  const std::vector<Matrix>& L_factor;
  const Vector& s;
  const Vector& l;
  const std::vector<Matrix>& Rp;
  const Vector& rp;
  const Vector& rd;
};

class OrthogonalNewton {
 public:
  /// Multiplications of one factorisation.
  static double operations(const SemidefiniteForm& form);

  explicit OrthogonalNewton(const SemidefiniteForm& form) : form_(form) {}

  /// B and its factors at a point, which must stay until the last direction from it. False: B has no full rank.
  bool factorize(const SemidefinitePoint& at);
  /// `predictor` null: a plain Newton step with this centring target.
  void direct(const SemidefinitePoint& at, double target, const SemidefiniteDirection* predictor,
              SemidefiniteDirection& out) const;

 private:
  void fill_block(std::size_t b, Index first_row, Matrix& B) const;
  /// M of all blocks, one after the other, then that of the diagonal block.
  Vector unrestricted(const SemidefinitePoint& at, double target, const SemidefiniteDirection* predictor) const;

  const SemidefiniteForm& form_;
  std::vector<Matrix> A_, C_, C_inverse_;
  TallQr qr_;
  Vector balancing_;  // R^-T rd
};

}  // namespace pliant
