#include "engines/interior/equilibration.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr int kRounds = 15;
constexpr double kLeastCost = 1e-8;

// Largest entries of the columns and rows of |S|, joined to those known already.
void largest_entries(const SparseMatrix& S, Vector& columns, Vector* rows) {
  for (int j = 0; j < S.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(S, j); it; ++it) {
      const double size = std::abs(it.value());
      columns[j] = std::max(columns[j], size);
      if (rows != nullptr) (*rows)[it.row()] = std::max((*rows)[it.row()], size);
    }
  }
}

double inverse_root(double size) { return size > 0.0 ? 1.0 / std::sqrt(size) : 1.0; }

void scale(SparseMatrix& S, const Vector& rows, const Vector& columns) {
  for (int j = 0; j < S.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(S, j); it; ++it) it.valueRef() *= rows[it.row()] * columns[j];
  }
}

double largest(const SparseMatrix& S) {
  return S.nonZeros() > 0 ? Eigen::Map<const Vector>(S.valuePtr(), S.nonZeros()).lpNorm<Eigen::Infinity>() : 0.0;
}

}  // namespace

Equilibration equilibrate(StandardForm& form) {
  const Index n = form.variables();
  const Index m = form.rows();
  Equilibration out;
  out.columns = Vector::Ones(n);
  out.rows = Vector::Ones(m);
  for (int round = 0; round < kRounds; ++round) {
    Vector columns = Vector::Zero(n);
    Vector rows = Vector::Zero(m);
    largest_entries(form.P, columns, nullptr);
    largest_entries(form.A, columns, &rows);
    columns = columns.unaryExpr(&inverse_root);
    rows = rows.unaryExpr(&inverse_root);
    scale(form.P, columns, columns);
    scale(form.A, rows, columns);
    out.columns.array() *= columns.array();
    out.rows.array() *= rows.array();
  }
  form.q.array() *= out.columns.array();
  if (form.l1.size() > 0) form.l1.array() *= out.columns.array();
  form.lo.array() *= out.rows.array();
  form.hi.array() *= out.rows.array();
  form.lower.array() /= out.columns.array();
  form.upper.array() /= out.columns.array();

  out.cost = 1.0 / std::max({form.q.lpNorm<Eigen::Infinity>(), largest(form.P), kLeastCost});
  form.P *= out.cost;
  form.q *= out.cost;
  if (form.l1.size() > 0) form.l1 *= out.cost;
  form.constant *= out.cost;
  return out;
}

}  // namespace pliant
