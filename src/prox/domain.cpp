#include "prox/domain.hpp"

#include "pliant/constraints.hpp"
#include "pliant/regularizers.hpp"

#include <cmath>
#include <vector>

namespace pliant {
namespace {

// The identity, with a row of ones below it if asked for.
DataMatrix identity(Index n, bool sum_row) {
  std::vector<Index> starts{0}, columns;
  for (Index j = 0; j < n; ++j) {
    columns.push_back(j);
    starts.push_back(j + 1);
  }
  for (Index j = 0; sum_row && j < n; ++j) columns.push_back(j);
  if (sum_row) starts.push_back(2 * n);
  const std::vector<double> ones(columns.size(), 1.0);
  const Index rows = static_cast<Index>(starts.size()) - 1;
  return DataMatrix::csr(rows, n, Indices(std::move(starts)), Indices(std::move(columns)), Doubles(ones));
}

}  // namespace

BatchPtr domain_rows(const ProxTerm& prox) {
  const Index n = prox.dimension();
  if (const SeparableParameters* p = separable_parameters(prox)) {
    return p->lo.empty() ? nullptr : linear_range(p->lo, identity(n, false), p->hi);
  }
  if (prox.kind() == "simplex") {
    std::vector<double> lo(static_cast<std::size_t>(n + 1), 0.0), hi(static_cast<std::size_t>(n + 1), kInfinity);
    lo.back() = hi.back() = radius_parameter(prox);
    return linear_range(Doubles(std::move(lo)), identity(n, true), Doubles(std::move(hi)));
  }
  if (prox.kind() == "ball") {
    const double radius = radius_parameter(prox);
    const std::vector<double> curvature(static_cast<std::size_t>(n), 1.0 / radius);
    const std::vector<double> zero(static_cast<std::size_t>(n), 0.0);
    return quadratic_diagonal_le(Tensor({1, n}, Doubles(curvature)), Tensor({1, n}, Doubles(zero)),
                                 Doubles({-0.5 * radius}));
  }
  return nullptr;
}

RecessionBounds recession_bounds(const ProxTerm& prox) {
  const Index n = prox.dimension();
  RecessionBounds out{Vector::Constant(n, -kInfinity), Vector::Constant(n, kInfinity)};
  const SeparableParameters* p = separable_parameters(prox);
  const bool bounded = std::isfinite(prox.domain_radius(Vector::Zero(n)));
  for (Index j = 0; j < n; ++j) {
    if (bounded || (p != nullptr && !p->lo.empty() && std::isfinite(p->lo[j]))) out.lower[j] = 0.0;
    if (bounded || (p != nullptr && !p->hi.empty() && std::isfinite(p->hi[j]))) out.upper[j] = 0.0;
  }
  return out;
}

Vector dual_infeasibility(const ProxTerm& prox, ConstVectorRef x, ConstVectorRef g) {
  Vector r(x.size());
  prox.dual_infeasibility(x, g, r);
  return r;
}

double lower_model_estimate(const ProxTerm& prox, ConstVectorRef x, ConstVectorRef g, double mu) {
  return prox.lower_model_estimate(x, g, mu);
}

}  // namespace pliant
