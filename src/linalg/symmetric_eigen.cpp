#include "linalg/symmetric_eigen.hpp"

#include "linalg/lapack_lock.hpp"
#include "linalg/lower_tiles.hpp"

#include <algorithm>
#include <limits>
#include <vector>

extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info);
}

namespace pliant {
namespace {

// Eigenvalues of A; A becomes the eigenvectors if `vectors`, else rubbish. NaN if LAPACK fails.
Vector eigen_in_place(Matrix& A, bool vectors) {
  const int n = static_cast<int>(A.rows());
  Vector values(n);
  if (n == 0) return values;
  if (!A.allFinite()) return Vector::Constant(n, std::numeric_limits<double>::quiet_NaN());
  const LapackLock lock;
  const char job = vectors ? 'V' : 'N';
  int info = 0, iwork_size = -1, work_size = -1;
  double work_wanted = 0.0;
  int iwork_wanted = 0;
  dsyevd_(&job, "L", &n, A.data(), &n, values.data(), &work_wanted, &work_size, &iwork_wanted, &iwork_size, &info);
  std::vector<double> work(static_cast<std::size_t>(work_wanted));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_wanted));
  work_size = static_cast<int>(work.size());
  iwork_size = static_cast<int>(iwork.size());
  dsyevd_(&job, "L", &n, A.data(), &n, values.data(), work.data(), &work_size, iwork.data(), &iwork_size, &info);
  if (info != 0) values.setConstant(std::numeric_limits<double>::quiet_NaN());
  return values;
}

// LAPACK serves small matrices best; of larger ones the threads share out what is not on the diagonal.
constexpr Index kLeastBlocked = 384;
constexpr Index kBlock = 96;

bool factor_block(Matrix& A, Index begin, Index size) {
  const int n = static_cast<int>(size), stride = static_cast<int>(A.rows());
  int info = 0;
  {
    const LapackLock lock;
    dpotrf_("L", &n, &A(begin, begin), &stride, &info);
  }
  return info == 0 && A.diagonal().segment(begin, size).allFinite();  // some kernels let NaN pass
}

// With the factor of a diagonal block: the columns below it, and what they leave of the rest.
void eliminate_below(Matrix& A, Index begin, Index size) {
  const Index first = begin + size, rest = A.rows() - first;
  if (rest == 0) return;
  const auto corner = A.block(begin, begin, size, size).triangularView<Eigen::Lower>();
  auto below = A.block(first, begin, rest, size);
  const Index bytes = rest * size * static_cast<Index>(sizeof(double));
  const Index blocks = (rest + kBlock - 1) / kBlock;
  parallel::for_chunks(parallel::make_chunks(blocks, blocks * bytes, blocks), [&](Index, Index from, Index to) {
    for (Index k = from; k < to; ++k) {
      auto part = below.middleRows(k * kBlock, std::min(kBlock, rest - k * kBlock));
      corner.transpose().solveInPlace<Eigen::OnTheRight>(part);
    }
  });
  auto left = A.bottomRightCorner(rest, rest);
  for_lower_tiles(rest, kBlock, blocks * bytes, [&](Index i, Index j, Index height, Index width) {
    if (i == j) {
      left.block(i, i, height, height).selfadjointView<Eigen::Lower>().rankUpdate(below.middleRows(i, height), -1.0);
    } else {
      left.block(i, j, height, width).noalias() -= below.middleRows(i, height) * below.middleRows(j, width).transpose();
    }
  });
}

}  // namespace

bool cholesky_in_place(Matrix& A) {
  const Index n = A.rows();
  if (n < kLeastBlocked) return n == 0 || factor_block(A, 0, n);
  for (Index j = 0; j < n; j += kBlock) {
    const Index width = std::min(kBlock, n - j);
    if (!factor_block(A, j, width)) return false;
    eliminate_below(A, j, width);
  }
  return true;
}

SymmetricEigen symmetric_eigen(const Matrix& A) {
  SymmetricEigen out;
  out.vectors = A;
  out.values = eigen_in_place(out.vectors, true);
  return out;
}

double smallest_eigenvalue(Matrix A) {
  const Vector values = eigen_in_place(A, false);
  return values.size() > 0 ? values[0] : kInfinity;
}

}  // namespace pliant
