#include "engines/conic/semidefinite_form.hpp"

#include "cones/cone_checks.hpp"
#include "engines/conic/conic_problem.hpp"
#include "engines/conic/semidefinite_dual.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

// The Newton matrix is dense over the variables, blocks are dense; beyond this their factorisations take hours.
constexpr Index kMostVariables = 20000;
constexpr Index kLargestOrder = 20000;

// f(column, value) for the entries of a row that are not 0.
template <class F>
void for_each_entry(const DataMatrix& G, Index row, const F& f) {
  if (G.is_sparse()) {
    for (Index p = G.starts()[row]; p < G.starts()[row + 1]; ++p) {
      if (G.values()[p] != 0.0) f(G.columns()[p], G.values()[p]);
    }
    return;
  }
  for (Index j = 0; j < G.cols(); ++j) {
    const double value = G.values()[row * G.cols() + j];
    if (value != 0.0) f(j, value);
  }
}

bool is_diagonal(const Cone& cone) { return cone.kind == ConeKind::nonnegative || cone.rows == 1; }

// F_i = -scale_i smat(column i of G), F0 = -smat(h).
SemidefiniteBlock make_block(const ConicConstraint& conic, Index index, const Cone& cone, Index begin,
                             const Vector& scale) {
  SemidefiniteBlock out;
  out.order = matrix_order(cone);
  out.conic = index;
  out.first_row = begin;
  out.F0 = -smat(Eigen::Map<const Vector>(conic.h.data() + begin, cone.rows));
  std::vector<Index> count(static_cast<std::size_t>(scale.size()), 0);
  for (Index k = 0; k < cone.rows; ++k) {
    for_each_entry(conic.G, begin + k, [&](Index i, double) { ++count[static_cast<std::size_t>(i)]; });
  }
  for (Index i = 0; i < scale.size(); ++i) {
    if (count[static_cast<std::size_t>(i)] > 0) out.variables.push_back(i);
  }
  std::stable_sort(out.variables.begin(), out.variables.end(), [&](Index i, Index j) {
    return count[static_cast<std::size_t>(i)] > count[static_cast<std::size_t>(j)];
  });
  std::vector<Index> next(count.size(), 0);
  out.starts.push_back(0);
  for (const Index i : out.variables) {
    next[static_cast<std::size_t>(i)] = out.starts.back();
    out.starts.push_back(out.starts.back() + count[static_cast<std::size_t>(i)]);
  }
  out.entries.resize(static_cast<std::size_t>(out.starts.back()));
  for_each_svec_entry(out.order, [&](Index k, Index row, Index column) {
    for_each_entry(conic.G, begin + k, [&](Index i, double value) {
      out.entries[static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++)] = {
          row, column, -value * scale[i] / svec_scale(row, column)};
    });
  });
  return out;
}

// |F_i|^2 over all cones.
Vector squared_lengths(const Problem& problem) {
  Vector squares = Vector::Zero(problem.dimension());
  for (const ConicConstraint& conic : problem.conic()) {
    for (Index row = 0; row < conic.G.rows(); ++row) {
      for_each_entry(conic.G, row, [&](Index i, double value) { squares[i] += value * value; });
    }
  }
  return squares;
}

}  // namespace

void SemidefiniteBlock::add_combination(const Vector& x, Matrix& out) const {
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const double weight = x[variables[k]];
    if (weight == 0.0) continue;
    for (Index p = starts[k]; p < starts[k + 1]; ++p) {
      const Entry& e = entries[static_cast<std::size_t>(p)];
      out(e.row, e.column) += weight * e.value;
      if (e.row != e.column) out(e.column, e.row) += weight * e.value;
    }
  }
}

void SemidefiniteBlock::add_products(const Matrix& Y, Vector& out) const {
  for (std::size_t k = 0; k < variables.size(); ++k) {
    double diagonal = 0.0, below = 0.0;
    for (Index p = starts[k]; p < starts[k + 1]; ++p) {
      const Entry& e = entries[static_cast<std::size_t>(p)];
      (e.row == e.column ? diagonal : below) += e.value * Y(e.row, e.column);
    }
    out[variables[k]] += diagonal + 2.0 * below;
  }
}

Vector SemidefiniteForm::rows_times(const Vector& x) const {
  Vector out(b.size());
  A.multiply(x.data(), Rows::range(0, out.size()), out.data());
  return out;
}

void SemidefiniteForm::add_rows_transposed(const Vector& y, Vector& out) const {
  A.add_transposed(Rows::range(0, y.size()), y.data(), out.data());
}

Index SemidefiniteForm::rank() const {
  return std::accumulate(blocks.begin(), blocks.end(), b.size(),
                         [](Index sum, const SemidefiniteBlock& block) { return sum + block.order; });
}

std::string semidefinite_obstacle(const Problem& problem) {
  if (problem.conic().empty()) return "no conic constraints";
  if (!problem.batches().empty()) return "conic constraints beside other constraints";
  if (problem.has_equalities()) return "conic constraints beside equalities";
  if (problem.has_prox()) return fmt::format("conic constraints beside the term {}", problem.prox().kind());
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.term->kind() != "linear") return fmt::format("conic constraints and the term {}", t.term->kind());
  }
  if (problem.dimension() > kMostVariables) {
    return fmt::format("conic constraints with more than {} variables", kMostVariables);
  }
  for (const ConicConstraint& conic : problem.conic()) {
    for (const Cone& cone : conic.cones) {
      if (cone.kind == ConeKind::nonnegative) continue;
      if (cone.kind != ConeKind::semidefinite) return fmt::format("{} cones", to_string(cone.kind));
      if (matrix_order(cone) > kLargestOrder) {
        return fmt::format("a matrix of order {}, more than {}", matrix_order(cone), kLargestOrder);
      }
    }
  }
  return {};
}

bool is_semidefinite_program(const Problem& problem) {
  if (SemidefiniteDual::applies(problem)) return semidefinite_obstacle(SemidefiniteDual(problem).program()).empty();
  return has_semidefinite_cones(problem) && semidefinite_obstacle(problem).empty();
}

SemidefiniteForm semidefinite_form(const Problem& problem) {
  SemidefiniteForm out;
  const Index n = problem.dimension();
  const Vector origin = Vector::Zero(n);
  out.scaling = unit_columns(squared_lengths(problem));
  const Vector& scale = out.scaling.columns;
  out.c = Vector::Zero(n);
  out.constant = problem.add_smooth_gradient(origin, out.c);
  out.c.array() *= scale.array();
  std::vector<Index> starts{0}, columns;
  std::vector<double> values, b;
  for (std::size_t k = 0; k < problem.conic().size(); ++k) {
    const ConicConstraint& conic = problem.conic()[k];
    for_each_cone(conic, [&](const Cone& cone, Index begin) {
      if (!is_diagonal(cone)) {
        out.blocks.push_back(make_block(conic, static_cast<Index>(k), cone, begin, scale));
        return;
      }
      for (Index row = begin; row < begin + cone.rows; ++row) {
        for_each_entry(conic.G, row, [&](Index i, double value) {
          columns.push_back(i);
          values.push_back(-value * scale[i]);
        });
        starts.push_back(static_cast<Index>(columns.size()));
        b.push_back(-conic.h[row]);
        out.rows.push_back({static_cast<Index>(k), row});
      }
    });
  }
  out.b = Eigen::Map<const Vector>(b.data(), static_cast<Index>(b.size()));
  out.A = DataMatrix::csr(out.b.size(), n, std::move(starts), std::move(columns), std::move(values));
  return out;
}

}  // namespace pliant
