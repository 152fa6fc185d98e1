#include "engines/interior/kkt_system.hpp"

namespace pliant {
namespace {

constexpr int kMostRefinements = 6;
constexpr double kResidual = 1e-13;  // relative to the right-hand side: rounding
constexpr double kUsefulReduction = 0.9;

SparseMatrix lower_triangle(const SparseMatrix& P, const SparseMatrix& A) {
  const Index n = P.cols();
  const Index size = n + A.rows();
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(static_cast<std::size_t>(P.nonZeros() + A.nonZeros() + size));
  for (int j = 0; j < P.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(P, j); it; ++it) {
      if (it.row() >= j) entries.emplace_back(static_cast<int>(it.row()), j, it.value());
    }
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      entries.emplace_back(static_cast<int>(n + it.row()), j, it.value());
    }
  }
  for (int k = 0; k < size; ++k) entries.emplace_back(k, k, 0.0);
  SparseMatrix K(static_cast<int>(size), static_cast<int>(size));
  K.setFromTriplets(entries.begin(), entries.end());
  return K;
}

}  // namespace

KktSystem::KktSystem(const SparseMatrix& P, const SparseMatrix& A, LdlKind kind)
    : n_(P.cols()), m_(A.rows()), kind_(kind), K_(lower_triangle(P, A)) {
  fixed_.resize(n_ + m_);
  for (int j = 0; j < K_.outerSize(); ++j) {
    diagonal_.push_back(K_.outerIndexPtr()[j]);  // the first entry of a column of a lower triangle
    fixed_[j] = K_.valuePtr()[diagonal_.back()];
  }
  ldl_ = make_sparse_ldl(K_, n_, kind, cost_);
}

bool KktSystem::factorize(const Vector& H, const Vector& C) {
  for (Index j = 0; j < n_; ++j) K_.valuePtr()[diagonal_[static_cast<std::size_t>(j)]] = fixed_[j] + H[j];
  for (Index i = 0; i < m_; ++i) K_.valuePtr()[diagonal_[static_cast<std::size_t>(n_ + i)]] = -C[i];
  active_ = ldl_.get();
  if (active_->factorize(K_)) return true;
  if (kind_ == LdlKind::simplicial) return false;
  if (!pivoting_) {
    SparseLdlCost cost;
    pivoting_ = make_sparse_ldl(K_, n_, LdlKind::multifrontal, cost);
  }
  active_ = pivoting_.get();
  return active_->factorize(K_);
}

void KktSystem::residual(const Vector& z, Vector& out) const {
  out = rhs_;
  out.noalias() -= K_.selfadjointView<Eigen::Lower>() * z;
}

bool KktSystem::solve(const Vector& r_x, const Vector& r_y, Vector& dx, Vector& dy) {
  rhs_.resize(n_ + m_);
  rhs_ << r_x, r_y;
  z_ = rhs_;
  active_->solve(z_);
  residual(z_, residual_);
  double error = residual_.lpNorm<Eigen::Infinity>();
  const double enough = kResidual * (1.0 + rhs_.lpNorm<Eigen::Infinity>());
  for (int k = 0; k < kMostRefinements && error > enough; ++k) {
    trial_ = residual_;
    active_->solve(trial_);
    trial_ += z_;
    residual(trial_, trial_residual_);
    const double trial_error = trial_residual_.lpNorm<Eigen::Infinity>();
    if (!(trial_error < kUsefulReduction * error)) break;
    z_.swap(trial_);
    residual_.swap(trial_residual_);
    error = trial_error;
  }
  dx = z_.head(n_);
  dy = z_.tail(m_);
  return z_.allFinite();
}

}  // namespace pliant
