#include "linalg/dense_kkt.hpp"

#include <algorithm>

extern "C" void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);

namespace pliant {
namespace {

constexpr double kSchurRegularisation = 1e-13;  // relative to the largest diagonal entry
constexpr int kRefinements = 2;

// Lower triangle of A -> L with A = LL', in place.
bool cholesky(Matrix& A) {
  const int n = static_cast<int>(A.rows());
  int info = 0;
  if (n > 0) dpotrf_("L", &n, A.data(), &n, &info);
  return info == 0;
}

}  // namespace

DenseKkt::DenseKkt(Matrix E) : E_(std::move(E)) {
  if (E_.rows() > 0) gram_ = E_.transpose() * E_;
}

bool DenseKkt::factorize(Matrix& H) {
  factor_.swap(H);
  if (E_.rows() == 0) return cholesky(factor_);
  const double size = gram_.diagonal().maxCoeff();
  rho_ = size > 0.0 ? factor_.diagonal().mean() / size : 0.0;
  factor_.triangularView<Eigen::Lower>() += rho_ * gram_;
  if (!cholesky(factor_)) return false;
  half_ = factor_.triangularView<Eigen::Lower>().solve(E_.transpose());
  schur_ = half_.transpose() * half_;
  schur_.diagonal().array() += kSchurRegularisation * std::max(schur_.diagonal().maxCoeff(), 1e-300);
  return cholesky(schur_);
}

// dx = H^-1 (r_x + rho E'r_e - E'dy) with S dy = E H^-1 (r_x + rho E'r_e) - r_e.
void DenseKkt::solve_once(const Vector& r_x, const Vector& r_e, Vector& dx, Vector& dy) const {
  const auto L = factor_.triangularView<Eigen::Lower>();
  dx = r_x;
  if (E_.rows() > 0) dx.noalias() += rho_ * (E_.transpose() * r_e);
  L.solveInPlace(dx);
  dy.resize(E_.rows());
  if (E_.rows() > 0) {
    dy.noalias() = half_.transpose() * dx;
    dy -= r_e;
    const auto S = schur_.triangularView<Eigen::Lower>();
    S.solveInPlace(dy);
    S.transpose().solveInPlace(dy);
    dx.noalias() -= half_ * dy;
  }
  L.transpose().solveInPlace(dx);
}

void DenseKkt::solve(const Vector& r_x, const Vector& r_e, Vector& dx, Vector& dy) const {
  solve_once(r_x, r_e, dx, dy);
  if (E_.rows() == 0) return;
  work_x_.setZero(r_x.size());
  for (int k = 0; k < kRefinements; ++k) {  // the equalities exactly; H dx + E'dy = r_x holds by construction
    work_e_ = r_e - E_ * dx;
    solve_once(work_x_, work_e_, more_x_, more_y_);
    dx += more_x_;
    dy += more_y_;
  }
}

}  // namespace pliant
