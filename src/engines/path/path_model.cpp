#include "engines/path/path_model.hpp"

#include "linalg/dense_limit.hpp"
#include "objective/quadratic_objective.hpp"
#include "pliant/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// A box this many times wider than x is judged as none (certify/estimate.hpp): no residual is small enough for it.
constexpr double kWide = 1e4;

// The simplex is x >= 0 with one equality; norms of groups are no rows (group_path.hpp).
SeparableParameters separable_part(const ProxTerm& prox) {
  if (const SeparableParameters* psi = separable_parameters(prox)) return *psi;
  if (group_parameters(prox) != nullptr) return {};
  SeparableParameters simplex;
  const auto n = static_cast<std::size_t>(prox.dimension());
  simplex.lo = Doubles(std::vector<double>(n, 0.0));
  simplex.hi = Doubles(std::vector<double>(n, kInfinity));
  return simplex;
}

bool has_linear_rows(const Problem& p) {
  return std::all_of(p.batches().begin(), p.batches().end(), [](const auto& b) { return b->linear(); });
}

}  // namespace

std::string PathModel::obstacle(const Problem& problem) {
  if (problem.constraints() == 0) return "no constraints to follow";
  return obstacle_beside_rows(problem);
}

std::string PathModel::obstacle_beside_rows(const Problem& problem) {
  if (problem.dimension() > kLargestDense) {
    return fmt::format("{} variables, but its dense linear algebra takes {} at most", problem.dimension(),
                       kLargestDense);
  }
  const bool groups = group_parameters(problem.prox()) != nullptr;
  if (groups && !(has_quadratic_objective(problem) && has_linear_rows(problem) && !problem.has_soft_rows())) {
    return "norms of groups are taken beside linear rows that are not soft and linear or quadratic objectives only";
  }
  if (separable_parameters(problem.prox()) == nullptr && problem.prox().kind() != "simplex" && !groups) {
    return fmt::format("the term {} is not supported there", problem.prox().kind());
  }
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.term->kind() == kLossesInShards) return "losses in shards give gradients alone";
  }
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    if (!batch.has_hessian()) {
      return fmt::format("constraint batch {} ({}) gives no second derivatives", b, batch.family());
    }
  }
  return {};
}

PathModel::PathModel(const Problem& p)
    : problem(p), coordinates(separable_part(p.prox()), p.dimension()), mu(p.strong_convexity()) {
  const Index n = dimension();
  const SeparableParameters psi = separable_part(p.prox());
  l2 = psi.l2;
  lower = Vector::Constant(n, -kInfinity);
  upper = Vector::Constant(n, kInfinity);
  if (!psi.lo.empty()) lower = Eigen::Map<const Vector>(psi.lo.data(), n);
  if (!psi.hi.empty()) upper = Eigen::Map<const Vector>(psi.hi.data(), n);

  const bool simplex = p.prox().kind() == "simplex";
  const Index own = own_equalities();
  std::vector<Index> fixed;
  for (Index j = 0; j < n; ++j) {
    if (is_fixed(psi, j)) fixed.push_back(j);
  }
  E = Matrix::Zero(own + (simplex ? 1 : 0) + static_cast<Index>(fixed.size()), n);
  e = Vector::Zero(E.rows());
  if (own > 0) {
    for (Index i = 0; i < own; ++i) {
      Vector row = Vector::Zero(n);
      p.equality_matrix().axpy(i, 1.0, row.data());
      E.row(i) = row;
      e[i] = p.equality_rhs()[i];
    }
  }
  for (std::size_t k = 0; k < fixed.size(); ++k) {
    const Index row = own + static_cast<Index>(k);
    E(row, fixed[k]) = 1.0;
    e[row] = psi.lo[fixed[k]];
  }
  if (simplex) {  // no variable is fixed then
    E.bottomRows(1).setOnes();
    e[own] = radius_parameter(p.prox());
    upper.setConstant(e[own]);
  }

  quadratic = has_quadratic_objective(p);
  linear_rows = has_linear_rows(p);
  if (!quadratic) return;
  const Vector origin = Vector::Zero(n);
  q = Vector::Zero(n);
  p.add_smooth_gradient(origin, q);
  Matrix lower_triangle = Matrix::Zero(n, n);
  p.add_smooth_hessian(origin, lower_triangle);
  P = lower_triangle.selfadjointView<Eigen::Lower>();
  P.diagonal().array() += l2;
}

double PathModel::certified_gap(const Vector& x, const Vector& lambda, const Vector& a, Index constraints,
                                const Vector& caps, const Vector& r) const {
  const double w = coordinates.l1_weight();
  double gap = 0.0;
  for (Index i = 0; i < constraints; ++i) {
    const bool soft = i < caps.size() && caps[i] < kInfinity;
    gap += soft ? caps[i] * std::max(a[i], 0.0) - lambda[i] * a[i] : std::abs(lambda[i] * a[i]);
  }
  for (Index i = constraints; i < a.size(); ++i) gap += w * std::max(a[i], 0.0) - lambda[i] * a[i];
  if (mu > 0.0) return gap + r.squaredNorm() / (2.0 * mu);
  for (Index j = 0; j < x.size(); ++j) {
    const double reach = std::max(upper[j] - x[j], x[j] - lower[j]), size = 1.0 + std::abs(x[j]);
    gap += std::abs(r[j]) * (reach <= kWide * size ? reach : size);
  }
  return gap;
}

Index PathModel::own_equalities() const { return problem.has_equalities() ? problem.equality_matrix().rows() : 0; }

}  // namespace pliant
