// Rank-revealing factorisation of a dense matrix: A = Q T Z with Q and Z orthogonal (Householder, column pivoting).
#pragma once

#include "pliant/types.hpp"

#include <memory>

namespace pliant {

class OrthogonalFactor {
 public:
  /// Rank by pivots above rounding.
  explicit OrthogonalFactor(const Matrix& A);
  /// Rank by pivots above `threshold` times the largest.
  OrthogonalFactor(const Matrix& A, double threshold);
  ~OrthogonalFactor();
  OrthogonalFactor(OrthogonalFactor&&) noexcept;
  OrthogonalFactor& operator=(OrthogonalFactor&&) noexcept;

  Index rank() const;
  /// Columns: an orthonormal basis of the range of A.
  Matrix range() const;
  /// A^+
  Matrix pseudo_inverse() const;
  /// A^+ b: the shortest x among those of smallest |Ax - b|.
  Vector solve(const Vector& b) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pliant
