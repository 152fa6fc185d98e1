// The three ways to hold the matrices P_i of quadratic constraints.
//
// Each form offers the same serial operations on one constraint, so that QuadraticBatch is written once
// and compiled for each of them (no virtual call per constraint):
//   multiply        leaves what the other operations need of P_i x in `product` (scratch_per_row() numbers)
//   square          x'P_i x
//   add_product     out += w P_i x
//   add_curvature   H += w P_i (lower triangle)
//   pair            x'P_i x, x'P_i d, d'P_i d from one read
//   bounds          spectral bounds for the constants
//   quick_bound     an upper bound of lambda_max(P_i) at the price of reading P_i
//   add_absolute    out += w times what an entry of P_i x is computed from, given |x|
//   defect          d >= 0 with P_i + d I positive semidefinite, proved
//   validate        throws InputError for invalid or non-convex data
#pragma once

#include "constraints/quadratic_bounds.hpp"
#include "constraints/stacked_rows.hpp"
#include "linalg/rounding.hpp"
#include "parallel/parallel.hpp"
#include "pliant/array.hpp"
#include "pliant/batch_structure.hpp"
#include "pliant/rank_update_panel.hpp"

#include <string_view>
#include <vector>

namespace pliant {

/// The three products along a line x + t d.
struct PairProducts {
  double xx, xd, dd;
};

/// P_i dense: n x n numbers each.
struct DenseForm {
  static constexpr std::string_view kFamily = "quadratic";
  static constexpr std::string_view kFunction = "quadratic_le";
  static constexpr std::string_view kData = "P";
  static constexpr std::string_view kField = "P";  // in files
  static constexpr QuadraticRows::Form kForm = QuadraticRows::Form::whole;

  Index n;
  Doubles data;

  Index numbers_per_row() const { return n * n; }
  std::vector<Index> shape(Index m) const { return {m, n, n}; }
  Index scratch_per_row() const { return n; }
  Index workspace_order() const { return n; }

  void multiply(const double* x, Rows rows, double* product) const {
    multiply_stacked(data.data(), n, n, rows, x, product);
  }
  double square(Index, const double* x, const double* product) const {
    return ConstVectorMap(x, n).dot(ConstVectorMap(product, n));
  }
  void add_product(Index, double w, const double*, const double* product, double* out) const {
    VectorMap(out, n) += w * ConstVectorMap(product, n);
  }
  void add_curvature(Index i, double w, MatrixRef H, RankUpdatePanel&) const {
    const Eigen::Map<const Matrix> P(matrix(i), n, n);
    for (Index j = 0; j < n; ++j) H.col(j).tail(n - j) += w * P.col(j).tail(n - j);
  }
  // The mean of x'Pd and d'Px is the exact slope even if P is symmetric up to rounding only.
  PairProducts pair(Index i, const double* x, const double* d) const {
    VectorMap u(parallel::scratch(parallel::Scratch::block, 2 * n), n);
    VectorMap v(u.data() + n, n);
    multiply_pair(matrix(i), n, n, x, d, u.data(), v.data());
    const ConstVectorMap point(x, n), direction(d, n);
    return {point.dot(u), 0.5 * (point.dot(v) + direction.dot(u)), direction.dot(v)};
  }
  QuadraticBounds bounds(Index i, const double* q, QuadraticWorkspace& work) const {
    return dense_bounds(matrix(i), q, n, work);
  }
  double quick_bound(Index i) const { return ConstVectorMap(matrix(i), n * n).norm() * kSquaresMargin; }
  // Px stands for the gradient of 1/2 x'Px, which is (P + P')x/2: what asymmetry adds counts in units of the roundoff.
  void add_absolute(Index i, double w, const double* size_of_x, double* out) const {
    const RowMajorMap P(matrix(i), n, n);
    const ConstVectorMap x(size_of_x, n);
    for (Index j = 0; j < n; ++j) {
      const auto row = P.row(j).transpose();
      const auto column = P.col(j);
      out[j] += w * (row.cwiseAbs().dot(x) + (row - column).cwiseAbs().dot(x) * (0.5 / kUnitRoundoff));
    }
  }
  double defect(Index i, QuadraticWorkspace& work) const { return proven_defect(matrix(i), n, work); }
  void validate(Index m, std::string_view label) const;

  const double* matrix(Index i) const { return data.data() + i * n * n; }
};

/// P_i = B_i'B_i with B_i of `rank` rows.
struct LowRankForm {
  static constexpr std::string_view kFamily = "quadratic_lowrank";
  static constexpr std::string_view kFunction = "quadratic_lowrank_le";
  static constexpr std::string_view kData = "factor";
  static constexpr std::string_view kField = "factors";  // in files
  static constexpr QuadraticRows::Form kForm = QuadraticRows::Form::factored;

  Index n;
  Index rank;
  Doubles data;

  Index numbers_per_row() const { return rank * n; }
  std::vector<Index> shape(Index m) const { return {m, rank, n}; }
  Index scratch_per_row() const { return rank; }
  Index workspace_order() const { return rank; }

  void multiply(const double* x, Rows rows, double* product) const {
    multiply_stacked(data.data(), rank, n, rows, x, product);
  }
  double square(Index, const double*, const double* product) const {
    return ConstVectorMap(product, rank).squaredNorm();
  }
  void add_product(Index i, double w, const double*, const double* product, double* out) const {
    VectorMap(out, n).noalias() += RowMajorMap(factor(i), rank, n).transpose() * (w * ConstVectorMap(product, rank));
  }
  void add_curvature(Index i, double w, MatrixRef, RankUpdatePanel& panel) const {
    for (Index j = 0; j < rank; ++j) {
      panel.column() = ConstVectorMap(factor(i) + j * n, n);
      panel.push(w);
    }
  }
  PairProducts pair(Index i, const double* x, const double* d) const {
    VectorMap u(parallel::scratch(parallel::Scratch::block, 2 * rank), rank);
    VectorMap v(u.data() + rank, rank);
    multiply_pair(factor(i), rank, n, x, d, u.data(), v.data());
    return {u.squaredNorm(), u.dot(v), v.squaredNorm()};
  }
  QuadraticBounds bounds(Index i, const double* q, QuadraticWorkspace& work) const {
    return lowrank_bounds(factor(i), q, rank, n, work);
  }
  double quick_bound(Index i) const { return ConstVectorMap(factor(i), rank * n).squaredNorm() * kSquaresMargin; }
  void add_absolute(Index i, double w, const double* size_of_x, double* out) const {
    const RowMajorMap B(factor(i), rank, n);
    for (Index j = 0; j < rank; ++j) {
      const double inner = B.row(j).cwiseAbs().dot(ConstVectorMap(size_of_x, n));
      VectorMap(out, n) += (w * inner) * B.row(j).cwiseAbs().transpose();
    }
  }
  double defect(Index, QuadraticWorkspace&) const { return 0.0; }
  void validate(Index m, std::string_view label) const;

  const double* factor(Index i) const { return data.data() + i * rank * n; }
};

/// P_i = diag(D_i).
struct DiagonalForm {
  static constexpr std::string_view kFamily = "quadratic_diagonal";
  static constexpr std::string_view kFunction = "quadratic_diagonal_le";
  static constexpr std::string_view kData = "diagonal";
  static constexpr std::string_view kField = "diagonals";  // in files
  static constexpr QuadraticRows::Form kForm = QuadraticRows::Form::diagonal;

  Index n;
  Doubles data;

  Index numbers_per_row() const { return n; }
  std::vector<Index> shape(Index m) const { return {m, n}; }
  Index scratch_per_row() const { return 0; }
  Index workspace_order() const { return 0; }

  void multiply(const double*, Rows, double*) const {}
  double square(Index i, const double* x, const double*) const {
    return (diagonal(i).array() * ConstVectorMap(x, n).array().square()).sum();
  }
  void add_product(Index i, double w, const double* x, const double*, double* out) const {
    VectorMap(out, n).array() += w * diagonal(i).array() * ConstVectorMap(x, n).array();
  }
  void add_curvature(Index i, double w, MatrixRef H, RankUpdatePanel&) const { H.diagonal() += w * diagonal(i); }
  PairProducts pair(Index i, const double* x, const double* d) const {
    const ConstVectorMap point(x, n), direction(d, n);
    const auto scale = diagonal(i).array();
    return {(scale * point.array().square()).sum(), (scale * point.array() * direction.array()).sum(),
            (scale * direction.array().square()).sum()};
  }
  QuadraticBounds bounds(Index i, const double* q, QuadraticWorkspace&) const {
    return diagonal_bounds(data.data() + i * n, q, n);
  }
  double quick_bound(Index i) const { return diagonal(i).maxCoeff(); }
  void add_absolute(Index i, double w, const double* size_of_x, double* out) const {
    VectorMap(out, n).array() += w * diagonal(i).array().abs() * ConstVectorMap(size_of_x, n).array();
  }
  double defect(Index i, QuadraticWorkspace&) const { return std::max(0.0, -diagonal(i).minCoeff()); }
  void validate(Index m, std::string_view label) const;

  ConstVectorMap diagonal(Index i) const { return {data.data() + i * n, n}; }
};

}  // namespace pliant
