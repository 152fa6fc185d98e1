#include "linalg/symmetric_eigen.hpp"

#include "linalg/lapack_lock.hpp"

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

}  // namespace

bool cholesky_in_place(Matrix& A) {
  const int n = static_cast<int>(A.rows());
  int info = 0;
  if (n > 0) {
    const LapackLock lock;
    dpotrf_("L", &n, A.data(), &n, &info);
  }
  return info == 0 && A.diagonal().allFinite();  // some kernels let NaN pass
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
