#include "engines/conic/conic_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr int kRounds = 15;
constexpr double kLeast = 1e-4, kLargest = 1e4;  // factors beyond these would only hide what rounding took

void largest_entries(const SparseMatrix& S, Vector& columns, Vector* rows) {
  for (int j = 0; j < S.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(S, j); it; ++it) {
      const double size = std::abs(it.value());
      columns[j] = std::max(columns[j], size);
      if (rows != nullptr) (*rows)[it.row()] = std::max((*rows)[it.row()], size);
    }
  }
}

void scale(SparseMatrix& S, const Vector& rows, const Vector& columns) {
  for (int j = 0; j < S.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(S, j); it; ++it) it.valueRef() *= rows[it.row()] * columns[j];
  }
}

// One factor for the rows of a cone: that of its largest entry.
void join_rows(const std::vector<Cone>& cones, Vector& rows) {
  Index first = 0;
  for (const Cone& cone : cones) {
    const bool separate = cone.kind == ConeKind::zero || cone.kind == ConeKind::nonnegative;
    if (!separate && cone.rows > 0)
      rows.segment(first, cone.rows).setConstant(rows.segment(first, cone.rows).maxCoeff());
    first += cone.rows;
  }
}

// Factors 1/sqrt(size), with the product of all factors so far kept within the limits.
Vector factors(const Vector& sizes, const Vector& so_far) {
  Vector out(sizes.size());
  for (Index i = 0; i < sizes.size(); ++i) {
    const double f = sizes[i] > 0.0 ? 1.0 / std::sqrt(sizes[i]) : 1.0;
    out[i] = std::clamp(so_far[i] * f, kLeast, kLargest) / so_far[i];
  }
  return out;
}

}  // namespace

ConicScaling scale_conic(ConicForm& form) {
  const Index n = form.variables(), m = form.rows();
  ConicScaling out;
  out.columns = Vector::Ones(n);
  out.rows = Vector::Ones(m);
  for (int round = 0; round < kRounds; ++round) {
    Vector columns = Vector::Zero(n), rows = Vector::Zero(m);
    largest_entries(form.P, columns, nullptr);
    largest_entries(form.G, columns, &rows);
    join_rows(form.cones, rows);
    columns = factors(columns, out.columns);
    rows = factors(rows, out.rows);
    scale(form.P, columns, columns);
    scale(form.G, rows, columns);
    out.columns.array() *= columns.array();
    out.rows.array() *= rows.array();
  }
  form.q.array() *= out.columns.array();
  form.h.array() *= out.rows.array();
  out.size = m > 0 ? std::max(1.0, form.h.lpNorm<Eigen::Infinity>()) : 1.0;
  form.h /= out.size;
  form.P *= out.size;
  const double q = n > 0 ? form.q.lpNorm<Eigen::Infinity>() : 0.0;
  const double P = form.P.nonZeros() > 0
                       ? Eigen::Map<const Vector>(form.P.valuePtr(), form.P.nonZeros()).lpNorm<Eigen::Infinity>()
                       : 0.0;
  out.cost = std::max(q, P) > 0.0 ? std::clamp(1.0 / std::max(q, P), kLeast, kLargest) : 1.0;
  form.P *= out.cost;
  form.q *= out.cost;
  form.constant *= out.cost / out.size;
  return out;
}

}  // namespace pliant
