#include "engines/interior/equilibration.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr int kRounds = 15;  // each takes the square root of what is left of the spread

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

void scale(SparseMatrix& S, const Vector& rows, const Vector& columns) {
  for (int j = 0; j < S.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(S, j); it; ++it) it.valueRef() *= rows[it.row()] * columns[j];
  }
}

double largest(const SparseMatrix& S) {
  return S.nonZeros() > 0 ? Eigen::Map<const Vector>(S.valuePtr(), S.nonZeros()).lpNorm<Eigen::Infinity>() : 0.0;
}

// Factors 1/sqrt(size), with the product of all factors so far kept within the limits.
Vector factors(const Vector& sizes, const Vector& so_far, const EquilibrationRules& rules) {
  Vector out(sizes.size());
  const bool limited = rules.least > 0.0 || rules.largest < kInfinity;
  for (Index i = 0; i < sizes.size(); ++i) {
    const double f = sizes[i] > 0.0 ? 1.0 / std::sqrt(sizes[i]) : 1.0;
    out[i] = limited ? std::clamp(so_far[i] * f, rules.least, rules.largest) / so_far[i] : f;
  }
  return out;
}

}  // namespace

Equilibration equilibrate(QuadraticCost& objective, SparseMatrix& A, const std::vector<RowGroup>& groups,
                          const EquilibrationRules& rules) {
  Equilibration out;
  out.columns = Vector::Ones(A.cols());
  out.rows = Vector::Ones(A.rows());
  for (int round = 0; round < kRounds; ++round) {
    Vector columns = Vector::Zero(A.cols()), rows = Vector::Zero(A.rows());
    largest_entries(objective.P, columns, nullptr);
    largest_entries(A, columns, &rows);
    for (const RowGroup& g : groups) {
      if (g.count > 0) rows.segment(g.first, g.count).setConstant(rows.segment(g.first, g.count).maxCoeff());
    }
    columns = factors(columns, out.columns, rules);
    rows = factors(rows, out.rows, rules);
    scale(objective.P, columns, columns);
    scale(A, rows, columns);
    out.columns.array() *= columns.array();
    out.rows.array() *= rows.array();
  }
  objective.q.array() *= out.columns.array();
  return out;
}

void scale_cost(QuadraticCost& objective, const EquilibrationRules& rules, Equilibration& out) {
  const double q = objective.q.size() > 0 ? objective.q.lpNorm<Eigen::Infinity>() : 0.0;
  const double size = std::max(q, largest(objective.P));
  out.cost = size > 0.0 ? std::clamp(1.0 / size, rules.least_cost, rules.largest_cost) : rules.cost_of_nothing;
  objective.P *= out.cost;
  objective.q *= out.cost;
  objective.constant *= out.cost / out.size;
}

Equilibration equilibrate(StandardForm& form) {
  const EquilibrationRules rules;
  Equilibration out = equilibrate(form, form.A, {}, rules);
  if (form.l1.size() > 0) form.l1.array() *= out.columns.array();
  form.lo.array() *= out.rows.array();
  form.hi.array() *= out.rows.array();
  form.lower.array() /= out.columns.array();
  form.upper.array() /= out.columns.array();
  scale_cost(form, rules, out);
  if (form.l1.size() > 0) form.l1 *= out.cost;
  return out;
}

Equilibration unit_columns(const Vector& squared_lengths) {
  Equilibration out;
  out.columns = (squared_lengths.array() > 0.0).select(squared_lengths.cwiseSqrt().cwiseInverse(), 1.0);
  return out;
}

}  // namespace pliant
