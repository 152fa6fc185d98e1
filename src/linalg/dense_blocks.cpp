#include "linalg/dense_blocks.hpp"

#include "linalg/lapack_lock.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "parallel/parallel.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <random>

extern "C" void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info);

namespace pliant {
namespace {

constexpr Index kMostChunks = 16;
// Up to this order all eigenvalues are computed.
constexpr Index kSmallOrder = 160;
constexpr Index kLanczosSteps = 50;
constexpr double kLanczosAccuracy = 1e-3;

// v <- L^-1 D L^-T v
void apply(const Matrix& factor, const Matrix& D, Vector& v) {
  const auto L = factor.triangularView<Eigen::Lower>();
  L.transpose().solveInPlace(v);
  v = (D * v).eval();
  L.solveInPlace(v);
}

double lanczos(const Matrix& factor, const Matrix& D) {
  const Index n = D.rows();
  std::mt19937_64 generator(1);  // the same start every time
  Matrix basis(n, kLanczosSteps + 1);
  for (Index i = 0; i < n; ++i) basis(i, 0) = static_cast<double>(generator() >> 11) * 0x1p-53 - 0.5;
  basis.col(0).normalize();
  Matrix T = Matrix::Zero(kLanczosSteps, kLanczosSteps);
  Vector w(n);
  double bound = -kInfinity;
  for (Index k = 0; k < kLanczosSteps; ++k) {
    w = basis.col(k);
    apply(factor, D, w);
    T(k, k) = basis.col(k).dot(w);
    // Twice is enough to stay orthogonal.
    for (int round = 0; round < 2; ++round) {
      const Vector along = basis.leftCols(k + 1).transpose() * w;
      w -= basis.leftCols(k + 1) * along;
    }
    const double beta = w.norm();
    const bool last = k + 1 == kLanczosSteps || k + 1 == n || !(beta > 1e-14 * std::abs(T(k, k)));
    if (last || k % 5 == 4) {
      const SymmetricEigen ritz = symmetric_eigen(T.topLeftCorner(k + 1, k + 1));
      const double residual = beta * std::abs(ritz.vectors(k, 0));
      bound = ritz.values[0] - residual;
      if (last || residual <= kLanczosAccuracy * std::abs(ritz.values[0])) break;
    }
    T(k + 1, k) = T(k, k + 1) = beta;
    basis.col(k + 1) = w / beta;
  }
  return bound;
}

}  // namespace

void multiply(const Matrix& A, const Matrix& B, Matrix& out) {
  out.resize(A.rows(), B.cols());
  const Index bytes = A.rows() * A.cols() * B.cols();  // work counts here, not memory
  parallel::for_chunks(parallel::make_chunks(B.cols(), bytes, kMostChunks), [&](Index, Index begin, Index end) {
    out.middleCols(begin, end - begin).noalias() = A * B.middleCols(begin, end - begin);
  });
}

void symmetrize(Matrix& A) {
  for (Index j = 0; j < A.cols(); ++j) {
    for (Index i = j + 1; i < A.rows(); ++i) A(i, j) = A(j, i) = 0.5 * (A(i, j) + A(j, i));
  }
}

Matrix inverse_from_cholesky(const Matrix& factor) {
  Matrix out = factor;
  const int n = static_cast<int>(out.rows());
  int info = 0;
  if (n > 0) {
    const LapackLock lock;
    dpotri_("L", &n, out.data(), &n, &info);
  }
  for (Index j = 0; j < out.cols(); ++j) {
    for (Index i = j + 1; i < out.rows(); ++i) out(j, i) = out(i, j);
  }
  return out;
}

double smallest_relative_eigenvalue(const Matrix& factor, const Matrix& D) {
  if (D.rows() > kSmallOrder) return lanczos(factor, D);
  Matrix Z = D;
  const auto L = factor.triangularView<Eigen::Lower>();
  L.solveInPlace(Z);
  Z.transposeInPlace();
  L.solveInPlace(Z);
  symmetrize(Z);
  return smallest_eigenvalue(std::move(Z));
}

}  // namespace pliant
