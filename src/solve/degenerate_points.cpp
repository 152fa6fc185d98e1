#include "solve/degenerate_points.hpp"

#include "constraints/rank_one.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Of points divided by their spread: sums of squares do not tell less from 0.
constexpr double kThinnest = 1e-7;

bool encloses_points(const Problem& problem) {
  const auto& terms = problem.terms();
  const auto& batches = problem.batches();
  return !batches.empty() && !problem.has_prox() && !problem.has_equalities() && problem.conic().empty() &&
         std::any_of(terms.begin(), terms.end(), [](const auto& t) { return t.term->kind() == "log_det"; }) &&
         std::all_of(batches.begin(), batches.end(),
                     [](const BatchPtr& b) { return b->structure().rank_one != nullptr; });
}

// Sum of q q'/|q|^2.
Matrix moments(const Problem& problem) {
  const Vector origin = Vector::Zero(problem.dimension());
  Vector sum = Vector::Zero(problem.dimension());
  for (const BatchPtr& batch : problem.batches()) {
    const Rows all = Rows::range(0, batch->size());
    Vector unused(batch->size()), weights(batch->size());
    batch->values_and_gradient_norms(origin, all, unused, weights);  // |q|^2
    weights = weights.unaryExpr([](double size) { return size > 0.0 ? 1.0 / size : 0.0; });
    batch->add_weighted_gradient(origin, all, weights, sum);
  }
  return smat(sum);
}

// How thin the points are in their thinnest direction, each coordinate in units of its own spread.
double thickness(Matrix M) {
  const Vector spread = M.diagonal().cwiseSqrt();
  if (!(spread.minCoeff() > 0.0)) return 0.0;
  M = spread.cwiseInverse().asDiagonal() * M * spread.cwiseInverse().asDiagonal();
  return std::sqrt(std::max(0.0, smallest_eigenvalue(std::move(M))));
}

}  // namespace

std::string degenerate_points(const Problem& problem) {
  if (!encloses_points(problem)) return {};
  const RankOneBatch& first = *problem.batches().front()->structure().rank_one;
  const Index count = problem.constraints(), needed = first.order();
  if (count < needed) {
    return fmt::format("{} points are fewer than the {} that span the space: no ellipsoid around them is the smallest",
                       count, needed);
  }
  if (!(thickness(moments(problem)) < kThinnest)) return {};
  return fmt::format(
      "the points lie in a hyperplane{}, or so near one that rounding hides the difference: no ellipsoid "
      "around them is the smallest",
      first.lifted() ? "" : " through the origin");
}

}  // namespace pliant
