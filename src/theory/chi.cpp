// chi = max over sets J of independent rows of |M_{:,J} M_{JJ}^{-1}|, M = A Q^{-1} A': exactly for few rows, and bounds.
#include "linalg/singular_values.hpp"
#include "theory/checks.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <functional>
#include <vector>

namespace pliant::theory {

namespace {

/// chi_exact goes through no more sets of rows than this: a few seconds.
constexpr double kLargestEnumeration = 262144.0;
/// A row whose part outside of the span of the others is below this, relatively, is dependent on them: what rounding
/// leaves of a dependent row is a few times 1e-16.
constexpr double kDependent = 1e-13;
/// Singular values are computed to a few units of rounding of the largest; so many are taken off the smallest.
constexpr double kSingularRounding = 8.0 * std::numeric_limits<double>::epsilon();
/// Asymmetry of Q that rounding explains, relatively to its largest entry.
constexpr double kAsymmetry = 1e-12;

void check_rows(const ConstMatrixRef& A) {
  if (A.rows() == 0 || A.cols() == 0) throw InputError("A: expected at least one row and one column");
  if (!A.allFinite()) throw InputError("A: expected finite numbers");
}

/// A L^{-T} with Q = L L': the rows of A Q^{-1/2} up to a rotation, which changes no product of them.
Matrix whitened_rows(const ConstMatrixRef& A, const ConstMatrixRef& Q) {
  check_rows(A);
  if (Q.rows() != A.cols() || Q.cols() != A.cols()) {
    throw InputError(fmt::format("Q: expected {} x {} numbers, got {} x {}", A.cols(), A.cols(), Q.rows(), Q.cols()));
  }
  if (!Q.allFinite()) throw InputError("Q: expected finite numbers");
  if ((Q - Q.transpose()).cwiseAbs().maxCoeff() > kAsymmetry * Q.cwiseAbs().maxCoeff()) {
    throw InputError("Q: expected a symmetric matrix");
  }
  const Matrix hessian = Q;
  const Eigen::LLT<Matrix> factor(hessian);
  if (factor.info() != Eigen::Success) throw InputError("Q: expected a positive definite matrix");
  return factor.matrixL().solve(A.transpose()).transpose();
}

/// Depth-first search through all sets J of independent rows R_J = L V' (L lower triangular, V'V = I), with a measure
/// of each. A set with a dependent row is left with everything that contains it.
class IndependentRows {
 public:
  /// (R V, L) of a set, R V with all rows of R: R R_J^+ = (R V) L^{-1}.
  using Measure = std::function<double(const Matrix& projected, const Matrix& triangle)>;

  IndependentRows(const Matrix& rows, Measure measure) : rows_(rows), measure_(std::move(measure)) {
    const Index depth = std::min(rows.rows(), rows.cols());
    double binomial = 1.0, sets = 0.0;
    for (Index k = 1; k <= depth; ++k) {
      binomial *= as_double(rows.rows() - k + 1) / as_double(k);
      sets += binomial;
    }
    if (sets > kLargestEnumeration) {
      throw InputError(
          fmt::format("A: {} rows in {} variables have up to {:.3g} sets of independent rows, more than {:.0f}; "
                      "chi_bound gives an upper bound",
                      rows.rows(), rows.cols(), sets, kLargestEnumeration));
    }
    basis_ = Matrix::Zero(rows.cols(), depth);
    projected_ = Matrix::Zero(rows.rows(), depth);
    triangle_ = Matrix::Zero(depth, depth);
  }

  double largest() {
    search(0, 0);
    return largest_;
  }

 private:
  void search(Index first, Index size) {
    for (Index i = first; i < rows_.rows() && size < basis_.cols(); ++i) {
      if (!append(i, size)) continue;
      const Index k = size + 1;
      largest_ = std::max(largest_, measure_(projected_.leftCols(k), triangle_.topLeftCorner(k, k)));
      search(i + 1, k);
    }
  }

  /// Row i as the next of the set, orthogonalised twice; false if it depends on the others.
  bool append(Index i, Index size) {
    const Vector row = rows_.row(i);
    const auto V = basis_.leftCols(size);
    Vector part = V.transpose() * row;
    Vector rest = row - V * part;
    const Vector correction = V.transpose() * rest;
    rest -= V * correction;
    part += correction;
    const double length = rest.norm();
    if (!(length > kDependent * row.norm())) return false;
    basis_.col(size) = rest / length;
    projected_.col(size) = rows_ * basis_.col(size);
    triangle_.row(size).head(size) = part.transpose();
    triangle_(size, size) = length;
    return true;
  }

  const Matrix& rows_;
  Measure measure_;
  Matrix basis_;
  Matrix projected_;
  Matrix triangle_;
  double largest_ = 0.0;
};

double largest_singular_value(const Matrix& X) {
  const Matrix gram = X.transpose() * X;
  return std::sqrt(Eigen::SelfAdjointEigenSolver<Matrix>(gram, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff());
}

/// (R V) L^{-1}
Matrix oblique_projection(const Matrix& projected, const Matrix& triangle) {
  return triangle.transpose().triangularView<Eigen::Upper>().solve(projected.transpose()).transpose();
}

/// max over J of |R_J^+|_2 = |L^{-1}|_2.
double largest_pseudoinverse(const Matrix& rows) {
  return IndependentRows(rows,
                         [](const Matrix&, const Matrix& triangle) {
                           const Matrix inverse = triangle.triangularView<Eigen::Lower>().solve(
                               Matrix::Identity(triangle.rows(), triangle.cols()));
                           return largest_singular_value(inverse);
                         })
      .largest();
}

/// |R|_2/sigma_min(R), infinite if the rows are dependent to rounding: |R R_J^+| <= |R|/sigma_min(R_J) and a set of rows
/// has no smaller singular value than all of them.
double condition_number(const Matrix& rows) {
  const Index m = rows.rows(), n = rows.cols();
  if (m > n) return kInfinity;
  Matrix square = Matrix::Zero(n, n);  // rows of zeros add singular values 0, which come last
  square.topRows(m) = rows;
  const Vector singular = singular_values(std::move(square)).values;
  const double least = singular[m - 1] - kSingularRounding * as_double(n) * singular[0];
  return least > 0.0 ? singular[0] / least : kInfinity;
}

/// With rows of unit length, D R: P = D^{-1} P_D D, so that chi <= max|r_i|/min|r_i| times the condition number of D R.
double scaled_condition_number(const Matrix& rows) {
  const Vector lengths = rows.rowwise().norm();
  if (!(lengths.minCoeff() > 0.0)) return kInfinity;
  return lengths.maxCoeff() / lengths.minCoeff() * condition_number(lengths.cwiseInverse().asDiagonal() * rows);
}

/// The largest power of two of which all entries are whole multiples.
double common_unit(const ConstMatrixRef& A) {
  int least = std::numeric_limits<int>::max();
  for (const double a : A.reshaped()) {
    if (a == 0.0) continue;
    int exponent = 0;
    const auto mantissa =
        static_cast<std::int64_t>(std::ldexp(std::frexp(a, &exponent), std::numeric_limits<double>::digits));
    int zeros = 0;
    while ((mantissa >> zeros) % 2 == 0) ++zeros;
    least = std::min(least, exponent - std::numeric_limits<double>::digits + zeros);
  }
  return least == std::numeric_limits<int>::max() ? 1.0 : std::ldexp(1.0, least);
}

/// Integer rows A, R = A Q^{-1/2}, Q <= L I, rank at most r: |R R_J^+|^2 <= |R|^2 L tr((A_J A_J')^{-1}), and each of the
/// at most r diagonal entries is a ratio of Gram determinants, the lower a whole number >= 1 and the upper at most the
/// product of r - 1 squared row norms (Hadamard).
double hadamard_bound(const ConstMatrixRef& A, const ConstMatrixRef& Q, const Matrix& rows) {
  const double unit = common_unit(A);
  Vector lengths = A.rowwise().norm() / unit;
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  const Index rank = std::min(A.rows(), A.cols());
  const Matrix hessian = Q;
  const double L = Eigen::SelfAdjointEigenSolver<Matrix>(hessian, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
  double bound = largest_singular_value(rows) / unit * std::sqrt(L * as_double(rank));
  for (Index i = 0; i + 1 < rank; ++i) bound *= std::max(1.0, lengths[i]);
  return std::isfinite(bound) ? bound : kInfinity;
}

}  // namespace

double chi_exact(const ConstMatrixRef& A, const ConstMatrixRef& Q, Norm norm) {
  const Matrix rows = whitened_rows(A, Q);
  return IndependentRows(rows,
                         [norm](const Matrix& projected, const Matrix& triangle) {
                           const Matrix P = oblique_projection(projected, triangle);
                           return norm == Norm::two ? largest_singular_value(P)
                                                    : P.cwiseAbs().rowwise().sum().maxCoeff();
                         })
      .largest();
}

double chi_bound(const ConstMatrixRef& A, const ConstMatrixRef& Q) {
  const Matrix rows = whitened_rows(A, Q);
  return std::min({condition_number(rows), scaled_condition_number(rows), hadamard_bound(A, Q, rows)});
}

// By Cramer's rule the entries of A_{:,K} A_{JK}^{-1} are ratios of minors, the lower one a whole number; for a diagonal
// Q, M_{:,J} M_{JJ}^{-1} is a convex combination of these matrices, with the identity in its rows J.
double chi_bound_minors(Index m, Index rank, double largest_minor) {
  require_count("m", m, 1);
  require_count("rank", rank, 1);
  if (rank > m) throw InputError(fmt::format("rank: expected a count <= m = {}, got {}", m, rank));
  if (!(std::isfinite(largest_minor) && largest_minor >= 1.0)) reject("largest_minor", "a number >= 1", largest_minor);
  // The largest k + (m - k) k minor^2 over sets of k <= rank rows: it rises up to k = m/2 or one more.
  double largest = 0.0;
  for (const Index size : {m / 2, m / 2 + 1, rank}) {
    const double k = as_double(std::min(size, rank));
    largest = std::max(largest, k + (as_double(m) - k) * k * largest_minor * largest_minor);
  }
  return std::sqrt(largest);
}

// x = argmin {x'Qx : A_J x = v} has mu |x|^2 <= x'Qx <= L |A_J^+ v|^2.
double chi_varying(const ConstMatrixRef& A, double mu, double L) {
  check_rows(A);
  require_positive("mu", mu);
  if (!(std::isfinite(L) && L >= mu)) reject("L", fmt::format("a number >= mu = {}", mu), L);
  const Matrix rows = A;
  return std::sqrt(L / mu) * largest_singular_value(rows.rows() < rows.cols() ? rows.transpose() : rows) *
         largest_pseudoinverse(rows);
}

}  // namespace pliant::theory
