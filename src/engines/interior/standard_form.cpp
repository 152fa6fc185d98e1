#include "engines/interior/standard_form.hpp"

#include "constraints/linear.hpp"
#include "linalg/shifted_cholesky.hpp"
#include "objective/generalized_linear.hpp"
#include "objective/linear.hpp"
#include "objective/quadratic.hpp"
#include "objective/quadratic_objective.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

namespace pliant {
namespace {

using Entry = Eigen::Triplet<double, int>;

// Entries times this must stay within 32 bits: a factor has more of them than its matrix.
constexpr Index kRoomForFill = 4;

SparseMatrix assemble(Index rows, Index cols, const std::vector<Entry>& entries) {
  SparseMatrix out(static_cast<int>(rows), static_cast<int>(cols));
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

void append(const DataMatrix& G, Index first_row, std::vector<Entry>& entries) {
  for_each_entry(G, [&](Index i, Index j, double value) {
    if (value != 0.0) entries.emplace_back(static_cast<int>(first_row + i), static_cast<int>(j), value);
  });
}

SparseMatrix sparse(const DataMatrix& G) {
  std::vector<Entry> entries;
  append(G, 0, entries);
  return assemble(G.rows(), G.cols(), entries);
}

Eigen::Map<const Vector> view(const Doubles& values) { return {values.data(), values.size()}; }

// Weighted terms into P, q and the constant.
void add_term(const ObjectiveTerm& term, double weight, StandardForm& form) {
  const TermStructure given = term.structure();
  if (given.linear) {
    form.q += weight * view(*given.linear.c);
    form.constant += weight * given.linear.constant;
  } else if (given.quadratic) {
    form.q += weight * view(*given.quadratic.q);
    form.P += weight * sparse(*given.quadratic.P);
  } else if (const LossSum* squares = given.squares()) {
    const double share = weight / static_cast<double>(squares->A().rows());
    const SparseMatrix A = sparse(squares->A());
    form.P += share * SparseMatrix(A.transpose() * A);
    form.q -= share * (A.transpose() * view(squares->targets()));
    form.constant += 0.5 * share * view(squares->targets()).squaredNorm();
  }
}

Index stored_entries(const Problem& problem) {
  Index count = problem.has_equalities() ? problem.equality_matrix().nonzeros() : 0;
  for (const BatchPtr& batch : problem.batches()) {
    if (const auto* linear = batch->linear_rows()) count += linear->matrix().nonzeros();
  }
  return count;
}

}  // namespace

double StandardForm::objective(const Vector& x) const {
  return 0.5 * x.dot(P * x) + q.dot(x) + constant + (l1.size() > 0 ? l1.dot(x.cwiseAbs()) : 0.0);
}

std::string standard_form_obstacle(const Problem& problem, GroupNorms groups) {
  if (!has_quadratic_objective(problem)) return "sparse linear algebra takes linear and quadratic objectives only";
  for (const BatchPtr& batch : problem.batches()) {
    if (batch->linear_rows() == nullptr) {
      return fmt::format("sparse linear algebra takes linear constraints only, not {}", batch->family());
    }
  }
  const bool norms = groups == GroupNorms::left_out && group_parameters(problem.prox()) != nullptr;
  if (separable_parameters(problem.prox()) == nullptr && problem.prox().kind() != "simplex" && !norms) {
    return fmt::format("the term {} is not supported there", problem.prox().kind());
  }
  if (stored_entries(problem) > std::numeric_limits<int>::max() / kRoomForFill) {
    return "more nonzeros than its 32-bit factorisations can count";
  }
  return {};
}

StandardForm standard_form(const Problem& problem) {
  const Index n = problem.dimension();
  StandardForm form;
  form.P = SparseMatrix(static_cast<int>(n), static_cast<int>(n));
  form.q = Vector::Zero(n);
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.weight != 0.0) add_term(*t.term, t.weight, form);
  }
  form.lower = Vector::Constant(n, -kInfinity);
  form.upper = Vector::Constant(n, kInfinity);
  if (const SeparableParameters* psi = separable_parameters(problem.prox())) {
    if (!psi->lo.empty()) form.lower = view(psi->lo);
    if (!psi->hi.empty()) form.upper = view(psi->hi);
    if (psi->l1 > 0.0) form.l1 = Vector::Constant(n, psi->l1);
    if (psi->l2 > 0.0) {
      SparseMatrix identity(static_cast<int>(n), static_cast<int>(n));
      identity.setIdentity();
      form.P += psi->l2 * identity;
    }
  }
  const bool simplex = problem.prox().kind() == "simplex";
  if (simplex) form.lower.setZero();

  Index rows = (problem.has_equalities() ? problem.equality_matrix().rows() : 0) + (simplex ? 1 : 0);
  for (const BatchPtr& batch : problem.batches()) rows += batch->dual_size();
  form.lo = Vector::Constant(rows, -kInfinity);
  form.hi = Vector::Constant(rows, kInfinity);
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(stored_entries(problem)));
  Index first = 0;
  for (const BatchPtr& batch : problem.batches()) {
    const auto& linear = *batch->linear_rows();
    const Index count = linear.matrix().rows();
    append(linear.matrix(), first, entries);
    form.hi.segment(first, count) = view(linear.upper());
    if (linear.two_sided()) form.lo.segment(first, count) = view(linear.lower());
    first += count;
  }
  if (problem.has_equalities()) {
    append(problem.equality_matrix(), first, entries);
    const Index count = problem.equality_matrix().rows();
    form.lo.segment(first, count) = form.hi.segment(first, count) = view(problem.equality_rhs());
    first += count;
  }
  if (simplex) {
    for (Index j = 0; j < n; ++j) entries.emplace_back(static_cast<int>(first), static_cast<int>(j), 1.0);
    form.lo[first] = form.hi[first] = radius_parameter(problem.prox());
  }
  form.A = assemble(rows, n, entries);
  return form;
}

}  // namespace pliant
