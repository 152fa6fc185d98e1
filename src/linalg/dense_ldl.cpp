#include "linalg/dense_ldl.hpp"

#include "linalg/ldl_analysis.hpp"
#include "parallel/stop.hpp"

#include <algorithm>
#include <cmath>

extern "C" {
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dtrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
}

namespace pliant {
namespace {

// Columns factorised at a time: wide enough for BLAS, narrow enough for the plain loops inside.
constexpr Index kPanel = 48;
// Columns of the rest updated at a time: what lies above the diagonal is computed in vain.
constexpr Index kUpdate = 128;

// The pivots of one panel by plain loops.
bool factorize_panel(double* block, Index ld, Index columns, const double* signs, double* pivots) {
  for (Index j = 0; j < columns; ++j) {
    double* column = block + j * ld;
    if (!std::isfinite(column[j])) return false;
    const double pivot = guarded_pivot(column[j], signs[j]);
    pivots[j] = pivot;
    for (Index k = j + 1; k < columns; ++k) {
      const double multiple = column[k] / pivot;
      double* other = block + k * ld;
      for (Index i = k; i < columns; ++i) other[i] -= multiple * column[i];
    }
    for (Index i = j + 1; i < columns; ++i) column[i] /= pivot;
  }
  return true;
}

}  // namespace

void multiply_transposed(Index m, Index n, Index k, double alpha, const double* A, Index lda, const double* B,
                         Index ldb, double beta, double* C, Index ldc) {
  const int m_ = static_cast<int>(m), n_ = static_cast<int>(n), k_ = static_cast<int>(k);
  const int lda_ = static_cast<int>(lda), ldb_ = static_cast<int>(ldb), ldc_ = static_cast<int>(ldc);
  dgemm_("N", "T", &m_, &n_, &k_, &alpha, A, &lda_, B, &ldb_, &beta, C, &ldc_);
}

bool factorize_block(double* block, Index rows, Index columns, const double* signs, double* pivots, Vector& work) {
  const int ld = static_cast<int>(rows);
  for (Index begin = 0; begin < columns; begin += kPanel) {
    if (begin > 0) parallel::poll();
    const Index width = std::min(kPanel, columns - begin), end = begin + width;
    double* diagonal = block + begin * rows + begin;
    if (!factorize_panel(diagonal, rows, width, signs + begin, pivots + begin)) return false;
    const Index below = rows - end;
    if (below == 0) continue;
    // Rows below solve X D L' = B; first Y = X D, of which the columns that follow need a copy.
    double* under = diagonal + width;
    const int below_ = static_cast<int>(below), width_ = static_cast<int>(width);
    const double one = 1.0;
    dtrsm_("R", "L", "T", "U", &below_, &width_, &one, diagonal, &ld, under, &ld);
    const Index rest = columns - end;
    if (work.size() < rest * width) work.resize(rest * width);
    for (Index j = 0; j < width; ++j) {
      std::copy_n(under + j * rows, rest, work.data() + j * rest);
      const double pivot = pivots[begin + j];
      for (Index i = 0; i < below; ++i) under[j * rows + i] /= pivot;
    }
    for (Index c = 0; c < rest; c += kUpdate) {
      const Index count = std::min(kUpdate, rest - c);
      multiply_transposed(below - c, count, width, -1.0, under + c, rows, work.data() + c, rest, 1.0,
                          block + (end + c) * rows + end + c, rows);
    }
  }
  return true;
}

}  // namespace pliant
