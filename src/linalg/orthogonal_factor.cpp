#include "linalg/orthogonal_factor.hpp"

#include <Eigen/QR>

namespace pliant {

struct OrthogonalFactor::Parts {
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
};

OrthogonalFactor::OrthogonalFactor(const Matrix& A) : parts_(std::make_unique<Parts>()) {
  parts_->decomposition.compute(A);
}

OrthogonalFactor::OrthogonalFactor(const Matrix& A, double threshold) : parts_(std::make_unique<Parts>()) {
  parts_->decomposition.setThreshold(threshold);
  parts_->decomposition.compute(A);
}

OrthogonalFactor::~OrthogonalFactor() = default;
OrthogonalFactor::OrthogonalFactor(OrthogonalFactor&&) noexcept = default;
OrthogonalFactor& OrthogonalFactor::operator=(OrthogonalFactor&&) noexcept = default;

Index OrthogonalFactor::rank() const { return parts_->decomposition.rank(); }

Matrix OrthogonalFactor::range() const { return Matrix(parts_->decomposition.householderQ()).leftCols(rank()); }

Matrix OrthogonalFactor::pseudo_inverse() const { return parts_->decomposition.pseudoInverse(); }

Vector OrthogonalFactor::solve(const Vector& b) const { return parts_->decomposition.solve(b); }

}  // namespace pliant
