#include "linalg/dense_kkt.hpp"

#include "linalg/orthogonal_factor.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "machine/activity.hpp"

#include <algorithm>

namespace pliant {
namespace {

constexpr double kSchurRegularisation = 1e-13;  // relative to the largest diagonal entry
constexpr double kDependent = 1e-12;            // pivots below this, relative to the largest, are rounding
constexpr int kRefinements = 2;

}  // namespace

// E' = Q R with pivoting: B = the first rank rows of Q', and back = B E^+.
DenseKkt::DenseKkt(const Matrix& E) : equalities_(E.rows()), zero_(Vector::Zero(E.rows())) {
  if (equalities_ == 0) return;
  const OrthogonalFactor factor(E.transpose(), kDependent);
  if (factor.rank() == 0) return;
  B_ = factor.range().transpose();
  gram_ = B_.transpose() * B_;
  back_ = B_ * factor.pseudo_inverse().transpose();
}

bool DenseKkt::factorize(Matrix& H) {
  const machine::Activity factorising("factorising a dense matrix");
  factor_.swap(H);
  if (B_.rows() == 0) return cholesky_in_place(factor_);
  rho_ = factor_.diagonal().mean() / gram_.diagonal().maxCoeff();
  factor_.triangularView<Eigen::Lower>() += rho_ * gram_;
  if (!cholesky_in_place(factor_)) return false;
  half_ = B_.transpose();
  factor_.triangularView<Eigen::Lower>().solveInPlace(half_);
  schur_.noalias() = half_.transpose() * half_;
  schur_.diagonal().array() += kSchurRegularisation * std::max(schur_.diagonal().maxCoeff(), 1e-300);
  return cholesky_in_place(schur_);
}

// dx = H^-1 (r_x + rho B'r_b - B'z) with S z = B H^-1 (r_x + rho B'r_b) - r_b.
void DenseKkt::solve_once(const Vector& r_x, const Vector& r_b, Vector& dx, Vector& z) const {
  const auto L = factor_.triangularView<Eigen::Lower>();
  dx = r_x;
  if (B_.rows() > 0) dx.noalias() += rho_ * (B_.transpose() * r_b);
  L.solveInPlace(dx);
  if (B_.rows() > 0) {
    z.noalias() = half_.transpose() * dx;
    z -= r_b;
    const auto S = schur_.triangularView<Eigen::Lower>();
    S.solveInPlace(z);
    S.transpose().solveInPlace(z);
    dx.noalias() -= half_ * z;
  }
  L.transpose().solveInPlace(dx);
}

bool DenseKkt::solve(const Vector& r_x, Vector& dx) { return solve(r_x, zero_, dx, unused_); }

bool DenseKkt::solve(const Vector& r_x, const Vector& r_e, Vector& dx, Vector& dy) {
  dy.setZero(equalities_);
  if (B_.rows() == 0) {
    solve_once(r_x, r_b_, dx, z_);
    return dx.allFinite();
  }
  r_b_.noalias() = back_ * r_e;
  solve_once(r_x, r_b_, dx, z_);
  work_x_.setZero(r_x.size());
  for (int k = 0; k < kRefinements; ++k) {  // the equalities exactly; H dx + B'z = r_x holds by construction
    work_b_ = r_b_;
    work_b_.noalias() -= B_ * dx;
    solve_once(work_x_, work_b_, more_x_, more_z_);
    dx += more_x_;
    z_ += more_z_;
  }
  dy.noalias() = back_.transpose() * z_;
  return dx.allFinite() && dy.allFinite();
}

}  // namespace pliant
