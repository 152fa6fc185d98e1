#include "engines/conic/semidefinite_dual.hpp"

#include "engines/conic/conic_problem.hpp"
#include "linalg/shifted_cholesky.hpp"
#include "pliant/objectives.hpp"

#include <algorithm>
#include <utility>

namespace pliant {
namespace {

// f(row, column, value) for the one entry of every row of G that is not 0.
template <class F>
void for_each_place(const ConicConstraint& conic, const F& f) {
  for_each_entry(conic.G, [&](Index row, Index column, double value) {
    if (value != 0.0) f(row, column, value);
  });
}

// One entry in every row, and in every column of all matrices together.
bool is_scaled_permutation(const Problem& problem) {
  std::vector<bool> seen(static_cast<std::size_t>(problem.dimension()), false);
  Index entries = 0, rows = 0;
  bool once = true;
  for (const ConicConstraint& conic : problem.conic()) {
    rows += conic.G.rows();
    if (conic.G.nonzeros() > 2 * conic.G.rows() && conic.G.is_sparse()) return false;  // before it is read
    Index last = -1;
    for_each_place(conic, [&](Index row, Index column, double) {
      once = once && row != last && !seen[static_cast<std::size_t>(column)];
      seen[static_cast<std::size_t>(column)] = true;
      last = row;
      ++entries;
    });
  }
  return once && entries == rows && entries == problem.dimension();
}

bool is_matrix_cone(const Cone& cone) {
  return cone.kind == ConeKind::semidefinite || cone.kind == ConeKind::nonnegative;
}

// Of the linear objective.
Vector costs(const Problem& problem) {
  Vector out = Vector::Zero(problem.dimension());
  problem.add_smooth_gradient(Vector(out), out);
  return out;
}

Problem dual_program(const Problem& problem) {
  const DataMatrix& E = problem.equality_matrix();
  std::vector<std::vector<std::pair<Index, double>>> columns(static_cast<std::size_t>(problem.dimension()));
  for_each_entry(E, [&](Index i, Index j, double value) {
    if (value != 0.0) columns[static_cast<std::size_t>(j)].emplace_back(i, value);
  });
  const Vector c = costs(problem);
  Vector cost = Eigen::Map<const Vector>(problem.equality_rhs().data(), E.rows());
  Problem out(E.rows());
  for (const ConicConstraint& conic : problem.conic()) {
    std::vector<Index> starts{0}, indices;
    std::vector<double> values, h;
    for_each_place(conic, [&](Index row, Index j, double g) {
      for (const auto& [i, value] : columns[static_cast<std::size_t>(j)]) {
        indices.push_back(i);
        values.push_back(value / g);
        cost[i] -= values.back() * conic.h[row];
      }
      starts.push_back(static_cast<Index>(indices.size()));
      h.push_back(-c[j] / g);
    });
    out.subject_to(ConicConstraint{
        DataMatrix::csr(conic.G.rows(), E.rows(), std::move(starts), std::move(indices), std::move(values)),
        Doubles(std::move(h)), conic.cones});
  }
  out.minimize(linear(to_array(cost)));
  return out;
}

}  // namespace

bool SemidefiniteDual::applies(const Problem& problem) {
  if (!has_semidefinite_cones(problem) || !problem.has_equalities() || !problem.batches().empty() ||
      problem.has_prox()) {
    return false;
  }
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.term->kind() != "linear") return false;
  }
  for (const ConicConstraint& conic : problem.conic()) {
    if (!std::all_of(conic.cones.begin(), conic.cones.end(), is_matrix_cone)) return false;
  }
  return is_scaled_permutation(problem);
}

SemidefiniteDual::SemidefiniteDual(const Problem& problem)
    : problem_(problem), program_(dual_program(problem)), largest_cost_(costs(problem).lpNorm<Eigen::Infinity>()) {}

Vector SemidefiniteDual::x(const std::vector<Vector>& s) const {
  Vector out(problem_.dimension());
  for (std::size_t k = 0; k < s.size(); ++k) {
    const ConicConstraint& conic = problem_.conic()[k];
    for_each_place(conic, [&](Index row, Index j, double g) { out[j] = (conic.h[row] - s[k][row]) / g; });
  }
  return out;
}

std::vector<Vector> SemidefiniteDual::cone_multipliers(const Vector& nu) const {
  std::vector<Vector> out;
  for (const ConicConstraint& conic : program_.conic()) {
    Vector z = Eigen::Map<const Vector>(conic.h.data(), conic.G.rows());
    for_each_entry(conic.G, [&](Index row, Index i, double value) { z[row] -= value * nu[i]; });
    out.push_back(std::move(z));
  }
  return out;
}

}  // namespace pliant
