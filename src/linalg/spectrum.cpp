#include "linalg/spectrum.hpp"

#include "linalg/rounding.hpp"
#include "linalg/row_blocks.hpp"
#include "linalg/shifted_cholesky.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "parallel/parallel.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

using parallel::Scratch;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Largest order of a dense eigendecomposition.
constexpr Index kDenseOrder = 1000;
// Discs that reach this share of the smallest eigenvalue are good enough. Of large matrices less will do: factorisations
// could gain a factor of two and a half, and on sparse ones that fill up they took longer than the solve they were for.
constexpr double kGoodDiscs = 0.9, kGoodDiscsOfLarge = 0.4;
// A Krylov space is invariant when the next vector is this small a share of the matrix: rounding of products and of two
// orthogonalisations is some 1e-14 of it.
constexpr double kInvariant = 1e-12;
// Most multiplications spent on a Gram matrix, with and without a lower bound in view.
constexpr double kGramWorkLower = 2e12;
constexpr double kGramWorkUpper = 5e10;
// Memory for partial sums of matrices.
constexpr Index kPartialNumbers = Index{1} << 25;

// Rounds a nonnegative number that carries `operations` roundings upwards.
double rounded_up(double value, double operations) { return value * (1.0 + operations * kEpsilon); }

// Eigenvalues of a dense symmetric matrix (lower triangle read). The computed ones are those of a matrix within
// p(n) eps |S|_F with p(n) of the order of n; `formation_error` bounds what went wrong before.
EigenvalueBounds dense_eigenvalues(const Matrix& S, double formation_error) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(S, Eigen::EigenvaluesOnly);
  const Vector& values = solver.eigenvalues();
  const double norm = Matrix(S.selfadjointView<Eigen::Lower>()).norm();
  const double margin = formation_error + 8.0 * static_cast<double>(S.rows() + 4) * kEpsilon * norm;
  const double smallest = values.minCoeff();
  return {std::max(0.0, smallest - margin), values.maxCoeff() + margin, smallest};
}

// Discs |lambda - P_jj| <= r_j with r_j the off-diagonal sum of |P| over row j, moved outwards by rounding.
// A diagonal matrix gives its extreme entries exactly.
struct Gershgorin {
  double lower = kInfinity;
  double upper = -kInfinity;
  bool diagonal = true;
};

Gershgorin gershgorin(const DataMatrix& P) {
  const Index n = P.rows();
  Vector diagonal = Vector::Zero(n);
  Vector radius = Vector::Zero(n);
  Gershgorin g;
  // Halves from the row and from the column: discs of (P + P')/2.
  const auto visit = [&](Index i, Index j, double value) {
    if (i == j) {
      diagonal[i] = value;
    } else if (value != 0.0) {
      g.diagonal = false;
      radius[i] += 0.5 * std::abs(value);
      radius[j] += 0.5 * std::abs(value);
    }
  };
  for_each_entry(P, visit);
  for (Index j = 0; j < n; ++j) {
    const double slack =
        radius[j] == 0.0 ? 0.0 : kEpsilon * (2.0 * static_cast<double>(n) * radius[j] + std::abs(diagonal[j]));
    g.lower = std::min(g.lower, diagonal[j] - radius[j] - slack);
    g.upper = std::max(g.upper, diagonal[j] + radius[j] + slack);
  }
  return g;
}

// Smallest Ritz value of a few Lanczos steps with full reorthogonalisation: a Rayleigh quotient, so an estimate of
// the smallest eigenvalue from above.
struct RitzPair {
  double value = 0.0;
  Vector vector;
};

RitzPair smallest_ritz_pair(const DataMatrix& P, bool vector_wanted) {
  const Index n = P.rows();
  const Index steps = std::min<Index>(n, 60);
  Matrix basis(n, steps);
  Vector alpha(steps), beta(steps), next(n);
  Vector v(n);
  for (Index j = 0; j < n; ++j) v[j] = 1.0 + 0.5 * std::sin(1.7 * static_cast<double>(j) * static_cast<double>(j + 1));
  v.normalize();
  Index used = 0;
  double largest = 0.0;
  for (Index k = 0; k < steps; ++k) {
    basis.col(k) = v;
    used = k + 1;
    P.multiply(v.data(), Rows::range(0, n), next.data());
    alpha[k] = v.dot(next);
    for (int repeat = 0; repeat < 2; ++repeat) {
      next -= basis.leftCols(used) * (basis.leftCols(used).transpose() * next).eval();
    }
    beta[k] = next.norm();
    // Measured against the whole matrix: on a null space alpha is 0 as well, and what is left of next is rounding.
    largest = std::max({largest, std::abs(alpha[k]), beta[k]});
    if (!(beta[k] > kInvariant * largest)) break;
    v = next / beta[k];
  }
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(alpha.head(used), beta.head(std::max<Index>(used - 1, 0)),
                                vector_wanted ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  RitzPair out{solver.eigenvalues()[0], {}};
  if (vector_wanted) out.vector = basis.leftCols(used) * solver.eigenvectors().col(0);
  return out;
}

// A factorisation of S - tI that runs to its end proves lambda_min >= t minus its rounding (shifted_cholesky.hpp); one
// of S + tI with a small t > 0 proves that S lacks no more than about t.
double defect_by_factorisations(const ShiftedCholesky& cholesky) {
  constexpr double kGrowth = 16.0;
  constexpr int kTrials = 6;
  double shift = 2.0 * cholesky.margin(0.0);
  if (const auto bound = cholesky.prove(shift); bound && *bound >= 0.0) return 0.0;
  for (int trial = 0; trial < kTrials; ++trial, shift *= kGrowth) {
    if (const auto bound = cholesky.prove(-shift)) return std::max(0.0, -*bound);
  }
  return kInfinity;
}

// Upper bounds of |A|_2^2 that need one read: the squared Frobenius norm and |A|_1 |A|_inf.
double squared_norm_upper(const DataMatrix& A) {
  Vector column_sums = Vector::Zero(A.cols());
  double frobenius = 0.0, row_sum = 0.0, largest_row = 0.0;
  Index current = -1;
  for_each_entry(A, [&](Index i, Index j, double value) {
    if (i != current) row_sum = 0.0;
    current = i;
    row_sum += std::abs(value);
    largest_row = std::max(largest_row, row_sum);
    column_sums[j] += std::abs(value);
    frobenius += value * value;
  });
  const double operations = static_cast<double>(A.nonzeros() + 4);
  return rounded_up(std::min(frobenius, largest_row * column_sums.maxCoeff()), operations);
}

double gram_work(const DataMatrix& A) {
  if (!A.is_sparse()) return static_cast<double>(A.nonzeros()) * static_cast<double>(A.cols());
  double work = 0.0;
  for (Index i = 0; i < A.rows(); ++i) {
    const double entries = static_cast<double>(A.starts()[i + 1] - A.starts()[i]);
    work += entries * entries;
  }
  return work;
}

parallel::Chunks gram_chunks(const DataMatrix& A) {
  constexpr Index kMostChunks = 16;
  const Index affordable = kPartialNumbers / std::max<Index>(A.cols() * A.cols(), 1);
  return parallel::make_chunks(A.rows(), A.bytes(), std::clamp<Index>(affordable, 1, kMostChunks));
}

// A'A has the eigenvalues of A A' and zeros: the cheaper form where A is wide. Each entry is one inner product.
EigenvalueBounds wide_gram_eigenvalues(const DataMatrix& A) {
  const Index rows = A.rows();
  Matrix G(rows, rows);
  for (Index i = 0; i < rows; ++i) A.multiply(A.row(i).data(), Rows::range(0, rows), G.col(i).data());
  const double error = static_cast<double>(A.cols() + 2) * kEpsilon * G.trace();
  EigenvalueBounds bounds = dense_eigenvalues(G, error);
  bounds.lower = 0.0;
  bounds.smallest = 0.0;
  return bounds;
}

}  // namespace

void add_gram_parallel(const DataMatrix& A, const BlockWeights& weights, MatrixRef H) {
  const Index n = A.cols();
  const Index block = rows_per_block(A, 2);
  const auto add_rows = [&](Index begin, Index end, MatrixRef out) {
    double* w = parallel::scratch(Scratch::weights, block);
    for_blocks(begin, end, block, [&](Rows rows) {
      weights(rows, w);
      A.add_gram(rows, w, out);
    });
  };
  const parallel::Chunks chunks = gram_chunks(A);
  if (chunks.count == 1) {
    add_rows(0, A.rows(), H);
    return;
  }
  Matrix sum = Matrix::Zero(n, n);
  const auto add_chunk = [&](Index, Index begin, Index end, double* partial) {
    add_rows(begin, end, Eigen::Map<Matrix>(partial, n, n));
  };
  parallel::reduce_chunks(chunks, n * n, std::ref(add_chunk), sum.data());
  H.triangularView<Eigen::Lower>() += sum;
}

double squared_norm_bound(const DataMatrix& A, Index i) {
  double norm = 0.0;
  A.squared_norms(Rows::range(i, 1), &norm);
  return rounded_up(norm, static_cast<double>(A.cols() + 4));
}

EigenvalueBounds symmetric_eigenvalues(const DataMatrix& P) {
  const Gershgorin discs = gershgorin(P);
  if (discs.diagonal) return {std::max(0.0, discs.lower), discs.upper, discs.lower, std::max(0.0, -discs.lower)};
  const Index n = P.rows();
  const bool small = n <= kDenseOrder;
  EigenvalueBounds bounds;
  if (small) {
    const Matrix S = symmetric_part(P);
    bounds = dense_eigenvalues(S, 2.0 * kEpsilon * S.norm());
  } else {
    const double norm_squared = squared_norm_upper(P);
    bounds = {0.0, std::sqrt(norm_squared) * (1.0 + kEpsilon), smallest_ritz_pair(P, false).value};
  }
  bounds.upper = std::min(bounds.upper, discs.upper);
  const double eigenvalue = bounds.lower;
  bounds.lower = std::max(0.0, discs.lower);
  bounds.defect = discs.lower >= 0.0 ? 0.0 : kInfinity;
  if (bounds.lower > 0.0 && bounds.lower > (small ? kGoodDiscs : kGoodDiscsOfLarge) * bounds.smallest) return bounds;
  const ShiftedCholesky cholesky(P);
  if (!cholesky.affordable()) return bounds;
  if (small) {
    // Computed eigenvalues suggest, a factorisation proves.
    const auto proved = eigenvalue > 0.0 ? cholesky.prove(eigenvalue) : std::nullopt;
    bounds.lower = std::max(bounds.lower, proved.value_or(0.0));
  } else {
    const LowerBoundSearch found = search_lower_bound(cholesky, bounds.smallest, discs.lower);
    bounds.lower = std::max(bounds.lower, found.proven);
    bounds.smallest = std::min(bounds.smallest, found.estimate);
  }
  bounds.defect = bounds.lower > 0.0 ? 0.0 : std::min(bounds.defect, defect_by_factorisations(cholesky));
  return bounds;
}

// In the plane of two unit vectors the most negative curvature is that of the 2 x 2 block.
double proven_negative_curvature(const DataMatrix& P) {
  const Index n = P.rows();
  Vector diagonal = Vector::Zero(n);
  for_each_entry(P, [&](Index i, Index j, double value) {
    if (i == j) diagonal[i] = value;
  });
  double lowest = std::min(0.0, diagonal.minCoeff());
  for_each_entry(P, [&](Index i, Index j, double value) {
    if (i == j) return;
    const double a = diagonal[i], b = diagonal[j];
    const double beside = 0.5 * (value + entry_of(P, j, i));
    const double block = 0.5 * (a + b) - std::hypot(0.5 * (a - b), beside);
    const double rounding = 16.0 * kEpsilon * (std::abs(a) + std::abs(b) + 2.0 * std::abs(beside));
    lowest = std::min(lowest, block + rounding);
  });
  Vector v;
  if (n <= kDenseOrder) {
    const Matrix S = symmetric_part(P);
    // Vectors cost five times as much as values, and no value that is rounding has a vector worth looking at.
    if (smallest_eigenvalue(S) > -static_cast<double>(n) * kEpsilon * S.norm()) return lowest;
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(S);
    v = solver.eigenvectors().col(0);
  } else {
    v = smallest_ritz_pair(P, true).vector;
  }
  double value = 0.0, size = 0.0;
  for_each_entry(P, [&](Index i, Index j, double entry) {
    value += v[i] * entry * v[j];
    size += std::abs(v[i] * entry * v[j]);
  });
  const double most = value + rounding_error(static_cast<double>(P.nonzeros() + 4), size);
  return most < 0.0 ? std::min(lowest, most / (kInflation * v.squaredNorm())) : lowest;
}

EigenvalueBounds gram_eigenvalues(const DataMatrix& A, bool lower_wanted) {
  if (A.rows() < A.cols() && A.rows() <= kDenseOrder) return wide_gram_eigenvalues(A);
  const double limit = lower_wanted ? kGramWorkLower : kGramWorkUpper;
  if (A.cols() > kDenseOrder || gram_work(A) > limit) return {0.0, squared_norm_upper(A), 0.0};
  Matrix G = Matrix::Zero(A.cols(), A.cols());
  add_gram_parallel(
      A, [](Rows rows, double* w) { std::fill_n(w, rows.size(), 1.0); }, G);
  // An entry is a sum over the rows of a chunk, then over the tree of at most 2^10 chunks.
  const parallel::Chunks chunks = gram_chunks(A);
  const double additions = static_cast<double>(A.rows() / chunks.count + 16);
  const double error = additions * kEpsilon * G.trace();
  EigenvalueBounds bounds = dense_eigenvalues(G, error);
  if (bounds.lower > 0.0) {
    // Computed eigenvalues suggest, a factorisation proves (S. M. Rump).
    G.diagonal().array() -= bounds.lower;
    const double margin = static_cast<double>(G.rows() + 3) * kEpsilon * (G.trace() + bounds.lower) + error;
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(G);
    const bool proved = factor.info() == Eigen::Success && G.diagonal().allFinite();
    bounds.lower = proved ? std::max(0.0, bounds.lower - margin) : 0.0;
  }
  return bounds;
}

}  // namespace pliant
