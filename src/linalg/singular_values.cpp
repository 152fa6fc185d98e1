#include "linalg/singular_values.hpp"

#include "linalg/lapack_lock.hpp"

#include <limits>
#include <vector>

extern "C" {
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork, int* info);
}

namespace pliant {

SingularValues singular_values(Matrix A) {
  const int n = static_cast<int>(A.rows());
  SingularValues out{Vector(n), Matrix(n, n), Matrix(n, n)};
  if (n == 0) return out;
  int info = A.allFinite() ? 0 : 1, work_size = -1;
  if (info == 0) {
    double wanted = 0.0;
    std::vector<int> iwork(static_cast<std::size_t>(8 * n));
    const LapackLock lock;
    const auto call = [&](double* work) {
      dgesdd_("A", &n, &n, A.data(), &n, out.values.data(), out.left.data(), &n, out.right.data(), &n, work, &work_size,
              iwork.data(), &info);
    };
    call(&wanted);
    std::vector<double> work(static_cast<std::size_t>(wanted));
    work_size = static_cast<int>(work.size());
    call(work.data());
  }
  if (info != 0) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    out.values.setConstant(kNan);
    out.left.setConstant(kNan);
    out.right.setConstant(kNan);
  }
  return out;
}

}  // namespace pliant
