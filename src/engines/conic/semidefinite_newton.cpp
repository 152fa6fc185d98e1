// The Newton system of the semidefinite engine: matrix, directions, refinement.
#include "engines/conic/semidefinite_interior.hpp"
#include "engines/conic/semidefinite_schur.hpp"
#include "linalg/dense_blocks.hpp"
#include "linalg/symmetric_eigen.hpp"

#include <cmath>

namespace pliant {

void SemidefiniteInterior::respond(std::size_t b, const Matrix& change, Matrix& moved, Matrix& out) const {
  multiply(change, inverse_[b], moved);
  multiply(L_[b], moved, out);
  symmetrize(out);
}

bool SemidefiniteInterior::factorize() {
  if (!(mu_ > 0.0) || !std::isfinite(mu_)) return false;
  return orthogonal_ ? orthogonal_->factorize(here()) : factorize_matrix();
}

bool SemidefiniteInterior::factorize_matrix() {
  const Index n = form_.variables();
  H_.setZero(n, n);
  form_.A.add_gram(Rows::range(0, s_.size()), Vector(l_.cwiseQuotient(s_)).data(), H_);
  Matrix product;
  for (std::size_t b = 0; b < form_.blocks.size(); ++b) {
    inverse_[b] = inverse_from_cholesky(S_factor_[b]);
    add_newton_matrix(form_.blocks[b], L_[b], inverse_[b], H_);
    respond(b, Rp_[b], product, carried_[b]);
  }
  H_.triangularView<Eigen::StrictlyUpper>() = H_.transpose();
  return kkt_.factorize(H_);
}

Vector SemidefiniteInterior::solve(const Vector& rhs) {
  Vector dx, dy;
  kkt_.solve(rhs, Vector(), dx, dy);  // what is not finite shows in the direction
  return dx;
}

void SemidefiniteInterior::direct(double target, const Direction* predictor, Direction& out) {
  Vector rhs = -rd_;
  Vector r = target * s_.cwiseInverse() - l_;
  if (predictor != nullptr) r -= predictor->s.cwiseProduct(predictor->l).cwiseQuotient(s_);
  form_.add_rows_transposed(r + rp_.cwiseProduct(l_).cwiseQuotient(s_), rhs);
  const std::size_t blocks = form_.blocks.size();
  for (std::size_t b = 0; b < blocks; ++b) {
    out.L[b] = target * inverse_[b] - L_[b];
    if (predictor != nullptr) out.L[b] -= bent_[b];
    form_.blocks[b].add_products(out.L[b] + carried_[b], rhs);
  }
  out.x = solve(rhs);
  out.s = form_.rows_times(out.x) - rp_;
  out.l = r - out.s.cwiseProduct(l_).cwiseQuotient(s_);
  Matrix moved, change;
  for (std::size_t b = 0; b < blocks; ++b) {
    out.S[b] = -Rp_[b];
    form_.blocks[b].add_combination(out.x, out.S[b]);
    respond(b, out.S[b], moved, change);
    out.L[b] -= change;
    if (predictor != nullptr) continue;
    multiply(out.L[b], moved, bent_[b]);
    symmetrize(bent_[b]);
  }
}

// dL comes out of large parts that cancel, so <F_i, dL> misses rd by more than its rounding where S^-1 is large. What
// is missing is solved for again, with H in place of the exact operator: the corrections are small, and so is their
// rounding.
void SemidefiniteInterior::refine(Direction& d) {
  const double enough = parameters_.direction_accuracy * (1.0 + form_.c.norm());
  double before = kInfinity;
  Matrix F, moved, change;
  for (int k = 0; k < parameters_.direction_refinements; ++k) {
    Vector missing = -rd_;
    form_.add_rows_transposed(d.l, missing);
    for (std::size_t b = 0; b < form_.blocks.size(); ++b) form_.blocks[b].add_products(d.L[b], missing);
    if (!(missing.norm() > enough) || !(missing.norm() < parameters_.direction_gain * before)) return;
    before = missing.norm();
    const Vector y = solve(missing);
    const Vector rows = form_.rows_times(y);
    d.x += y;
    d.s += rows;
    d.l -= rows.cwiseProduct(l_).cwiseQuotient(s_);
    for (std::size_t b = 0; b < form_.blocks.size(); ++b) {
      F.setZero(form_.blocks[b].order, form_.blocks[b].order);
      form_.blocks[b].add_combination(y, F);
      respond(b, F, moved, change);
      d.S[b] += F;
      d.L[b] -= change;
    }
  }
}

}  // namespace pliant
