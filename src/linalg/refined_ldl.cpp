#include "linalg/refined_ldl.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace pliant {
namespace {

constexpr double kRounding = 1e-13;  // relative residuals no refinement is needed for
constexpr Index kKrylov = 20;        // dimension of the Krylov space
// Where GMRES leaves more than this share of the error, or makes the solution longer than this, K is singular and the
// right-hand side not in its range: what it gains comes from huge vectors of the null space.
constexpr double kSuccess = 0.01;
constexpr double kLonger = 30.0;
// A residual is computed to eps |K||z| at best, and z itself is rounded to as much: this many times that is all rounding.
constexpr double kFloor = 4.0;

}  // namespace

RefinedLdl::RefinedLdl(const SparseMatrix& lower, Index positive, LdlKind kind, RefinementRules rules)
    : positive_(positive), kind_(kind), rules_(rules), ldl_(make_sparse_ldl(lower, positive, kind, cost_)) {}

bool RefinedLdl::factorize(const SparseMatrix& K, const SparseMatrix& factorised) {
  K_ = &K;
  factorised_ = &factorised;
  active_ = ldl_.get();
  return active_->factorize(factorised) || factorize_with_pivoting();
}

bool RefinedLdl::factorize_with_pivoting() {
  const bool pivots = ldl_->name() == std::string_view("multifrontal");
  if (kind_ != LdlKind::automatic || pivots || active_ == pivoting_.get()) return false;
  if (!pivoting_) {
    SparseLdlCost cost;
    pivoting_ = make_sparse_ldl(*factorised_, positive_, LdlKind::multifrontal, cost);
  }
  active_ = pivoting_.get();
  return active_->factorize(*factorised_);
}

void RefinedLdl::residual(const Vector& rhs, const Vector& z, Vector& out) const {
  out = rhs;
  out.noalias() -= K_->selfadjointView<Eigen::Lower>() * z;
}

// The largest entry of |K||z|, times eps: what no factorisation can go below.
double RefinedLdl::rounding(const Vector& z) const {
  Vector sums = Vector::Zero(z.size());
  for (int j = 0; j < K_->outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(*K_, j); it; ++it) {
      const double size = std::abs(it.value());
      sums[it.row()] += size * std::abs(z[j]);
      if (it.row() != j) sums[j] += size * std::abs(z[it.row()]);
    }
  }
  return kFloor * std::numeric_limits<double>::epsilon() * sums.lpNorm<Eigen::Infinity>();
}

double RefinedLdl::solve_refined(const Vector& rhs, Vector& z) {
  z = rhs;
  active_->solve(z);
  residual(rhs, z, residual_);
  double error = residual_.lpNorm<Eigen::Infinity>();
  const double size = rhs.lpNorm<Eigen::Infinity>() + rules_.least_size + 1e-300;
  for (int k = 0; k < rules_.most && error > kRounding * size; ++k) {
    trial_ = residual_;
    active_->solve(trial_);
    trial_ += z;
    residual(rhs, trial_, trial_residual_);
    const double trial_error = trial_residual_.lpNorm<Eigen::Infinity>();
    if (!(trial_error < error)) break;
    const bool useful = trial_error < rules_.useful * error;
    z.swap(trial_);
    residual_.swap(trial_residual_);
    error = trial_error;
    if (!useful) break;
  }
  rounded_ = error > rules_.stalled * size && error <= rounding(z);
  if (error > rules_.stalled * size && !rounded_) improve(rhs, size, z, error);
  return z.allFinite() ? error / size : kInfinity;
}

// GMRES for K M^-1 y = r, M what was factorised, z += M^-1 y: Arnoldi's basis with Givens rotations.
void RefinedLdl::improve(const Vector& rhs, double size, Vector& z, double& error) {
  const double beta = residual_.norm();
  if (!std::isfinite(beta) || !(beta > 0.0)) return;
  basis_.resize(rhs.size(), kKrylov + 1);
  Matrix H = Matrix::Zero(kKrylov + 1, kKrylov);
  Vector g = Vector::Zero(kKrylov + 1), cosine(kKrylov), sine(kKrylov);
  g[0] = beta;
  basis_.col(0) = residual_ / beta;
  Index k = 0;
  while (k < kKrylov && std::abs(g[k]) > kRounding * size) {
    trial_ = basis_.col(k);
    active_->solve(trial_);
    auto next = basis_.col(k + 1);
    next.noalias() = K_->selfadjointView<Eigen::Lower>() * trial_;
    for (int round = 0; round < 2; ++round) {  // twice is enough to stay orthogonal
      const Vector along = basis_.leftCols(k + 1).transpose() * next;
      next.noalias() -= basis_.leftCols(k + 1) * along;
      H.col(k).head(k + 1) += along;
    }
    H(k + 1, k) = next.norm();
    if (!H.col(k).allFinite()) break;
    const bool last = !(H(k + 1, k) > 1e-14 * H.col(k).head(k + 1).norm());
    if (!last) next /= H(k + 1, k);
    for (Index i = 0; i < k; ++i) {
      const double above = H(i, k);
      H(i, k) = cosine[i] * above + sine[i] * H(i + 1, k);
      H(i + 1, k) = -sine[i] * above + cosine[i] * H(i + 1, k);
    }
    const double length = std::hypot(H(k, k), H(k + 1, k));
    if (!(length > 0.0)) break;
    cosine[k] = H(k, k) / length;
    sine[k] = H(k + 1, k) / length;
    H(k, k) = length;
    g[k + 1] = -sine[k] * g[k];
    g[k] *= cosine[k];
    ++k;
    if (last) break;
  }
  if (k == 0) return;
  const Vector y = H.topLeftCorner(k, k).triangularView<Eigen::Upper>().solve(g.head(k));
  trial_.noalias() = basis_.leftCols(k) * y;
  active_->solve(trial_);
  trial_ += z;
  residual(rhs, trial_, trial_residual_);
  const double trial_error = trial_residual_.lpNorm<Eigen::Infinity>();
  if (!(trial_error < kSuccess * error && trial_.norm() <= kLonger * z.norm())) return;
  z.swap(trial_);
  residual_.swap(trial_residual_);
  error = trial_error;
}

double RefinedLdl::solve(const Vector& rhs, Vector& z) {
  const double error = solve_refined(rhs, z);
  if (!is_inaccurate(error) || active_ != ldl_.get()) return error;
  const Vector first = z;
  const double pivoted = factorize_with_pivoting() ? solve_refined(rhs, z) : kInfinity;
  if (pivoted < error) return pivoted;
  active_ = ldl_.get();  // no better: ill-conditioning is not cured by pivoting
  z = first;
  return error;
}

}  // namespace pliant
