#include "linalg/tall_qr.hpp"

#include "linalg/lapack_lock.hpp"

#include <utility>
#include <vector>

extern "C" {
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void dormqr_(const char* side, const char* trans, const int* m, const int* n, const int* k, const double* a,
             const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* lwork, int* info);
}

namespace pliant {
namespace {

// LAPACK is asked for the length of its workspace first.
template <class Call>
void with_workspace(const Call& call) {
  double wanted = 0.0;
  call(&wanted, -1);
  std::vector<double> work(static_cast<std::size_t>(wanted));
  call(work.data(), static_cast<int>(work.size()));
}

}  // namespace

bool TallQr::factorize(Matrix B) {
  factor_ = std::move(B);
  const int m = static_cast<int>(factor_.rows()), n = static_cast<int>(factor_.cols());
  tau_.resize(n);
  if (m < n || !factor_.allFinite()) return false;
  if (n == 0) return true;
  int info = 0;
  const LapackLock lock;
  with_workspace([&](double* work, int size) { dgeqrf_(&m, &n, factor_.data(), &m, tau_.data(), work, &size, &info); });
  return info == 0 && factor_.diagonal().cwiseAbs().minCoeff() > 0.0;
}

void TallQr::multiply(const char* transposed, Vector& v) const {
  const int m = static_cast<int>(factor_.rows()), n = static_cast<int>(factor_.cols()), one = 1;
  if (n == 0) return;
  int info = 0;
  const LapackLock lock;
  with_workspace([&](double* work, int size) {
    dormqr_("L", transposed, &m, &one, &n, factor_.data(), &m, tau_.data(), v.data(), &m, work, &size, &info);
  });
}

void TallQr::solve(Vector& v) const { factor_.topRows(columns()).triangularView<Eigen::Upper>().solveInPlace(v); }

void TallQr::solve_transposed(Vector& v) const {
  factor_.topRows(columns()).triangularView<Eigen::Upper>().transpose().solveInPlace(v);
}

}  // namespace pliant
