#include "engines/interior/kkt_system.hpp"

#include "linalg/ldl_analysis.hpp"

#include <cmath>

namespace pliant {
namespace {

constexpr RefinementRules kRules{.most = 6, .useful = 0.9, .stalled = 1e-9, .inaccurate = 1e-8, .least_size = 1.0};

// Measured on sparse_qp with n = 500..7000 and 1 to 20 rows per variable, one thread (docs/experiments/methods.md).
// Supernodal factorisations run at the speed of matrix products, simplicial ones (sparse_ldl.cpp) entry by entry.
constexpr double kBlockedFlop = 5e-11, kScalarFlop = 5e-10;
constexpr double kScalarFlops = 2e7;
// A step solves for two directions, each refined about twice: eight reads of the factor, twice of the matrix.
constexpr double kFactorEntry = 8e-9;
// Assembly, residuals and vectors of the sides of a row, for each stored number.
constexpr double kMatrixEntry = 6e-8;

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

double predict_step_seconds(const SparseLdlCost& factor, double matrix_entries) {
  const double flop = factor.flops < kScalarFlops ? kScalarFlop : kBlockedFlop;
  return flop * factor.flops + kFactorEntry * factor.entries + kMatrixEntry * matrix_entries;
}

KktCost predict_kkt_cost(const SparseMatrix& P, const SparseMatrix& A) {
  const SparseMatrix K = lower_triangle(P, A);
  return {analyse_ldl(K, minimum_degree_order(K)).cost(), static_cast<double>(K.nonZeros())};
}

KktSystem::KktSystem(const SparseMatrix& P, const SparseMatrix& A, LdlKind kind)
    : n_(P.cols()), m_(A.rows()), K_(lower_triangle(P, A)), ldl_(K_, n_, kind, kRules) {
  fixed_.resize(n_ + m_);
  for (int j = 0; j < K_.outerSize(); ++j) {
    diagonal_.push_back(K_.outerIndexPtr()[j]);  // the first entry of a column of a lower triangle
    fixed_[j] = K_.valuePtr()[diagonal_.back()];
  }
}

bool KktSystem::factorize(const Vector& H, const Vector& C) {
  for (Index j = 0; j < n_; ++j) K_.valuePtr()[diagonal_[static_cast<std::size_t>(j)]] = fixed_[j] + H[j];
  for (Index i = 0; i < m_; ++i) K_.valuePtr()[diagonal_[static_cast<std::size_t>(n_ + i)]] = -C[i];
  return ldl_.factorize(K_, K_);
}

bool KktSystem::solve(const Vector& r_x, const Vector& r_y, Vector& dx, Vector& dy) {
  rhs_.resize(n_ + m_);
  rhs_ << r_x, r_y;
  const double error = ldl_.solve(rhs_, z_);
  dx = z_.head(n_);
  dy = z_.tail(m_);
  return std::isfinite(error);
}

bool KktSystem::solve_without_pivoting(const Vector& r_x, const Vector& r_y, Vector& dx, Vector& dy) {
  rhs_.resize(n_ + m_);
  rhs_ << r_x, r_y;
  if (ldl_.is_inaccurate(ldl_.solve_without_pivoting(rhs_, z_))) return false;
  dx = z_.head(n_);
  dy = z_.tail(m_);
  return true;
}

}  // namespace pliant
