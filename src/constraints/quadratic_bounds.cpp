#include "constraints/quadratic_bounds.hpp"

#include "constraints/stacked_rows.hpp"
#include "linalg/rounding.hpp"
#include "parallel/parallel.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pliant {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
// Steps of the power method behind the trial bound of the largest eigenvalue.
constexpr int kPowerSteps = 20;
// Trial bounds relative to the power method's estimate; the next is tried if one is refuted.
constexpr double kTrialFactors[] = {1.05, 1.2, 1.5};
// Covers the rounding of triangular solves whose condition number is below 1 / sqrt(eps).
constexpr double kSolveMargin = 1.0 + 1e-6;
// Pivots this much above the rounding level are certainly not zero.
constexpr double kSurePivot = 1e3;
// q lies in a proper subspace up to rounding only; this margin covers what such a q adds far away.
constexpr double kSubspaceMargin = 1.0 + 1e-3;
// q counts as B'z if it is so up to this relative error, and never beyond the second one.
constexpr double kRangeTolerance = 1e-12;
constexpr double kMaxRangeTolerance = 1e-10;

using Square = Eigen::Map<const Matrix>;  // symmetric, so the storage order does not matter

/// Cholesky of the matrix in work.matrix, in place; false if it is not positive definite.
bool factorize(QuadraticWorkspace& work) {
  Eigen::Ref<Matrix> in_place = work.matrix;
  return Eigen::LLT<Eigen::Ref<Matrix>>(in_place).info() == Eigen::Success;
}

// lambda_max(P) <= min(|P|_F, max_i sum_j |P_ij|). The power method suggests a smaller tau, and a
// Cholesky factorisation of tau I - P proves lambda_max(P) <= tau; its rounding errors are below
// n^2 eps tau, and an asymmetry that validation lets pass moves eigenvalues by less than 1e-12 n tau.
double largest_eigenvalue_bound(const double* data, Index n, QuadraticWorkspace& work) {
  const Square P(data, n, n);
  const double size = static_cast<double>(n);
  const double margin = 1.0 + size * (1e-12 + 4.0 * size * kEps);
  Index start = 0;
  const double largest_sum = P.cwiseAbs().colwise().sum().maxCoeff(&start);
  const double cap = std::min(P.norm(), largest_sum);
  if (cap == 0.0) return 0.0;

  work.vector = P.col(start);
  double estimate = work.vector.norm();
  for (int step = 0; step < kPowerSteps && estimate > 0.0; ++step) {
    work.other = work.vector / estimate;
    work.vector.noalias() = P * work.other;
    estimate = work.vector.norm();
  }
  for (const double factor : kTrialFactors) {
    const double trial = factor * estimate;
    if (trial >= cap) break;
    work.matrix = -P;
    work.matrix.diagonal().array() += trial;
    if (factorize(work)) return trial * margin;
  }
  return cap * margin;
}

// Cholesky factorisation P = L L' with the largest remaining diagonal entry as the next pivot, until only
// rounding errors remain; L has as many columns as P has rank. If q = L y, found by elimination along with
// P, then 1/2 x'Px + q'x = 1/2 |L'x|^2 + y'L'x >= -1/2 |y|^2. Rounding errors of P move its range by about
// eps times the ratio of its pivots.
double singular_depth(const double* P, const double* q, Index n, QuadraticWorkspace& work) {
  const double zero = convexity_tolerance(P, n);
  Matrix& rest = work.matrix;
  Vector& q_rest = work.vector;
  rest = Square(P, n, n);
  q_rest = ConstVectorMap(q, n);
  double depth = 0.0;
  double pivot_ratio = 1.0;
  const double first_pivot = rest.diagonal().maxCoeff();
  Index rank = 0;
  for (; rank < n; ++rank) {
    Index next = 0;
    const double pivot = rest.diagonal().tail(n - rank).maxCoeff(&next);
    if (pivot <= kSurePivot * zero) break;
    next += rank;
    rest.row(rank).swap(rest.row(next));
    rest.col(rank).swap(rest.col(next));
    std::swap(q_rest[rank], q_rest[next]);
    pivot_ratio = first_pivot / pivot;
    depth += 0.5 * q_rest[rank] * q_rest[rank] / (pivot - zero);
    const Index left = n - rank - 1;
    auto column = work.other.head(left);
    column = rest.col(rank).tail(left);
    q_rest.tail(left) -= q_rest[rank] / pivot * column;
    rest.bottomRightCorner(left, left).noalias() -= column * (column.transpose() / pivot);
  }
  const Index left = n - rank;
  if ((rest.diagonal().tail(left).array().abs() > zero).any()) return kInfinity;
  const double rounding = std::min(64.0 * static_cast<double>(n) * kEps * pivot_ratio, kMaxRangeTolerance);
  const bool in_range =
      (q_rest.tail(left).array().abs() <= rounding * ConstVectorMap(q, n).cwiseAbs().maxCoeff()).all();
  return in_range ? depth * kSubspaceMargin : kInfinity;
}

// If M = P - shift I has a Cholesky factor LL', with a shift above the rounding error of the
// factorisation, then LL' <= P and q'P^-1 q <= |L^-1 q|^2.
double dense_depth(const double* data, const double* q_data, Index n, QuadraticWorkspace& work) {
  const ConstVectorMap q(q_data, n);
  if ((q.array() == 0.0).all()) return 0.0;
  const Square P(data, n, n);
  work.matrix = P;
  work.matrix.diagonal().array() -= 4.0 * static_cast<double>(n + 2) * kEps * P.trace();
  if (!factorize(work)) return singular_depth(data, q_data, n, work);
  work.vector = q;
  work.matrix.triangularView<Eigen::Lower>().solveInPlace(work.vector);
  return 0.5 * work.vector.squaredNorm() * kSolveMargin;
}

}  // namespace

QuadraticWorkspace::QuadraticWorkspace(Index order) : matrix(order, order), vector(order), other(order), eigen(order) {}

QuadraticBounds dense_bounds(const double* P, const double* q, Index n, QuadraticWorkspace& work) {
  const double largest = largest_eigenvalue_bound(P, n, work);
  return {largest, largest == 0.0 ? 0.0 : dense_depth(P, q, n, work)};
}

// lambda_max(B'B) = lambda_max(BB'). If q = B'z, then 1/2 |Bx|^2 + z'Bx >= -1/2 |z|^2 whatever z is;
// z = (BB')^+ B q is the smallest one, refined once.
QuadraticBounds lowrank_bounds(const double* data, const double* q_data, Index k, Index n, QuadraticWorkspace& work) {
  const RowMajorMap B(data, k, n);
  const ConstVectorMap q(q_data, n);
  work.matrix.noalias() = B.lazyProduct(B.transpose());
  work.eigen.compute(work.matrix);
  const Vector& eigenvalues = work.eigen.eigenvalues();
  const double largest = std::max(0.0, eigenvalues[k - 1]);
  QuadraticBounds bounds{largest * (1.0 + 1e-10), 0.0};
  if (largest == 0.0 || (q.array() == 0.0).all()) return bounds;

  const Matrix& directions = work.eigen.eigenvectors();
  const double cut = static_cast<double>(k) * 8.0 * kEps * largest;
  VectorMap residual(parallel::scratch(parallel::Scratch::block, n), n);
  residual = q;
  work.vector.setZero();
  for (int round = 0; round < 2; ++round) {
    work.other.noalias() = B * residual;
    for (Index j = 0; j < k; ++j) {
      if (eigenvalues[j] <= cut) continue;
      work.vector += directions.col(j).dot(work.other) / eigenvalues[j] * directions.col(j);
    }
    residual = q;
    residual.noalias() -= B.transpose() * work.vector;
  }
  const bool in_range = residual.norm() <= kRangeTolerance * q.norm();
  bounds.depth = in_range ? 0.5 * work.vector.squaredNorm() * kSubspaceMargin : kInfinity;
  return bounds;
}

QuadraticBounds diagonal_bounds(const double* D, const double* q, Index n) {
  QuadraticBounds bounds;
  for (Index j = 0; j < n; ++j) {
    bounds.largest_eigenvalue = std::max(bounds.largest_eigenvalue, D[j]);
    if (q[j] != 0.0) bounds.depth += D[j] > 0.0 ? 0.5 * q[j] * q[j] / D[j] : kInfinity;
  }
  bounds.largest_eigenvalue *= 1.0 + 4.0 * kEps;
  bounds.depth *= 1.0 + 4.0 * static_cast<double>(n) * kEps;
  return bounds;
}

double convexity_tolerance(const double* P, Index n) {
  const double scale = std::max(0.0, Square(P, n, n).diagonal().maxCoeff());
  return 64.0 * static_cast<double>(n) * kEps * scale;
}

// A Cholesky factorisation of S + tI that runs to its end proves lambda_min(S) >= -t - gamma_{n+1} tr(S + tI) (S. M.
// Rump); one more rounding is that of S. First with t < 0 so large that nothing is left, then with smaller and smaller
// doubt.
double proven_defect(const double* data, Index n, QuadraticWorkspace& work) {
  constexpr double kGrowth = 16.0;
  constexpr int kTrials = 6;
  const Square P(data, n, n);
  if (P.isDiagonal(0.0)) return std::max(0.0, -P.diagonal().minCoeff());
  const double size = static_cast<double>(n);
  const double trace = P.diagonal().cwiseAbs().sum();
  const double once = gamma_of(size + 4.0) * kInflation;
  const auto succeeds = [&](double shift) {
    work.matrix = 0.5 * (P + P.transpose());
    work.matrix.diagonal().array() += shift;
    return factorize(work) && work.matrix.diagonal().allFinite();
  };
  double shift = 2.0 * once * trace;
  if (succeeds(-shift)) return 0.0;
  for (int trial = 0; trial < kTrials; ++trial, shift *= kGrowth) {
    if (succeeds(shift)) return (shift + once * (trace + size * shift)) * kInflation;
  }
  return kInfinity;
}

bool is_convex(const double* data, Index n, QuadraticWorkspace& work) {
  const Square P(data, n, n);
  if (P.diagonal().minCoeff() < 0.0) return false;
  const double tolerance = convexity_tolerance(data, n);
  work.matrix = P;
  work.matrix.diagonal().array() += tolerance;
  // Eigenvalues cost ten times as much: only where the factorisation leaves a doubt.
  return factorize(work) || P.isZero(0.0) || smallest_eigenvalue(data, n, work) >= -tolerance;
}

double smallest_eigenvalue(const double* P, Index n, QuadraticWorkspace& work) {
  work.matrix = Square(P, n, n);
  work.eigen.compute(work.matrix, Eigen::EigenvaluesOnly);
  return work.eigen.eigenvalues()[0];
}

}  // namespace pliant
