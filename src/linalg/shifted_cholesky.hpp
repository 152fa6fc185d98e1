// Proofs of lambda_min(P) >= t by a Cholesky factorisation of P - tI that runs to its end.
//
// If the floating-point factorisation of a symmetric S succeeds, S + E is positive semidefinite with
// |E|_2 <= gamma trace(S), gamma = (k + 1) eps and k the longest row of the factor (S. M. Rump,
// "Verification of positive definiteness", BIT 46, 2006). So lambda_min(P) >= t - (k + 3) eps trace(P - tI).
#pragma once

#include "pliant/data_matrix.hpp"
#include "pliant/types.hpp"

#include <Eigen/SparseCore>

#include <optional>

namespace pliant {

/// f(i, j, value) for every stored entry, row after row.
template <class F>
void for_each_entry(const DataMatrix& M, const F& f) {
  for (Index i = 0; i < M.rows(); ++i) {
    if (M.is_sparse()) {
      for (Index p = M.starts()[i]; p < M.starts()[i + 1]; ++p) f(i, M.columns()[p], M.values()[p]);
    } else {
      for (Index j = 0; j < M.cols(); ++j) f(i, j, M.values()[i * M.cols() + j]);
    }
  }
}

/// Entry (i, j), 0 where none is stored.
double entry_of(const DataMatrix& M, Index i, Index j);

/// (P + P')/2 as a dense matrix.
Matrix symmetric_part(const DataMatrix& P);

class ShiftedCholesky {
 public:
  explicit ShiftedCholesky(const DataMatrix& P);

  /// False if a factorisation would cost too much; then prove() must not be called.
  bool affordable() const { return affordable_; }
  /// A proven lower bound of lambda_min near t, or nothing if the factorisation breaks down.
  std::optional<double> prove(double t) const;
  /// Rounding allowance of prove() at shift t.
  double margin(double t) const;

 private:
  using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  /// Fills longest_row_ and returns the work of the factorisation, infinite once it is hopeless.
  double sparse_work();

  Index n_;
  bool affordable_ = false;
  bool use_sparse_ = false;
  Index longest_row_ = 0;
  double trace_ = 0.0;
  Sparse sparse_;  // permuted for little fill
  Matrix dense_;
};

struct LowerBoundSearch {
  double proven = 0.0;    ///< best proven lower bound, 0 if none is positive
  double estimate = 0.0;  ///< of the smallest eigenvalue
};

/// Tries shifts below `ritz` (an upper estimate of lambda_min); `gershgorin` bounds it from below.
LowerBoundSearch search_lower_bound(const ShiftedCholesky& cholesky, double ritz, double gershgorin);

}  // namespace pliant
