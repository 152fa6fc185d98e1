#include "prox/simplex.hpp"

#include "linalg/sums.hpp"
#include "parallel/parallel.hpp"
#include "pliant/regularizers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace pliant {
namespace {

using parallel::Scratch;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The theta with sum_j max(0, u_j - theta) = total > 0, measured from the largest u_j so that big common offsets do
// not cost digits. Overwrites u with u - max u in descending order.
double threshold_below_top(double* u, Index n, double total) {
  std::sort(u, u + n, std::greater<>());
  const double top = u[0];
  double sum = 0.0;
  double theta = 0.0;
  for (Index k = 0; k < n; ++k) {
    u[k] -= top;
    sum += u[k];
    const double candidate = (sum - total) / static_cast<double>(k + 1);
    if (u[k] <= candidate) break;
    theta = candidate;
  }
  return theta;
}

}  // namespace

double SimplexProx::domain_violation(ConstVectorRef x) const {
  const double excess = std::abs(pairwise_sum(x) - radius_);
  if (std::isnan(excess)) return excess;
  return std::max({0.0, excess, -x.minCoeff()});
}

// y_j = max(0, v_j - theta), theta such that the sum is R.
void SimplexProx::prox(ConstVectorRef v, double, VectorRef out) const {
  if (!v.allFinite()) {
    out.setConstant(kNaN);  // sorting needs numbers
    return;
  }
  // A projected point stays as it is: rounding would turn its zeros into tiny numbers.
  if (domain_violation(v) <= static_cast<double>(n_) * kEpsilon * radius_ && v.minCoeff() >= 0.0) {
    out = v;
    return;
  }
  const double top = v.maxCoeff();
  double* sorted = parallel::scratch(Scratch::kernel, n_);
  std::copy_n(v.data(), n_, sorted);
  const double theta = threshold_below_top(sorted, n_, radius_);
  for (Index j = 0; j < n_; ++j) out[j] = std::max(0.0, (v[j] - top) - theta);
}

// The normal cone at x is {nu 1 - s : s >= 0, s_j = 0 where x_j > 0}, so r_j = g_j + nu on the support and
// min(0, g_j + nu) off it. The best nu is minus the mean of g over the support and those other j with g_j + nu < 0,
// which are found in ascending order of g_j.
void SimplexProx::residual(ConstVectorRef x, ConstVectorRef g, VectorRef r) const {
  if (!g.allFinite()) {
    r.setConstant(kNaN);
    return;
  }
  double* off_support = parallel::scratch(Scratch::kernel, n_);
  Index off = 0;
  double sum = 0.0;
  for (Index j = 0; j < n_; ++j) {
    if (x[j] > 0.0) {
      sum += g[j];
    } else {
      off_support[off++] = g[j];
    }
  }
  Index count = n_ - off;
  std::sort(off_support, off_support + off);
  for (Index k = 0; k < off; ++k) {
    if (count > 0 && off_support[k] * static_cast<double>(count) >= sum) break;
    sum += off_support[k];
    ++count;
  }
  const double nu = -sum / static_cast<double>(count);
  for (Index j = 0; j < n_; ++j) r[j] = x[j] > 0.0 ? g[j] + nu : std::min(0.0, g[j] + nu);
}

// Weak duality in sum y = R: for every nu
//   min >= sum_j min_{y >= 0} [d_j (y - x_j) + mu/2 (y - x_j)^2] + nu (sum x - R),   d_j = g_j + nu,
// with equality where sum_j max(0, u_j - nu) = mu R, u = mu x - g. An inexact nu only weakens the bound, so no division
// by a tiny mu can make it wrong. mu = 0: nu = -min g gives R min g - g'x, a bound for every mu.
double SimplexProx::lower_model(ConstVectorRef x, ConstVectorRef g, double mu) const {
  if (!x.allFinite() || !g.allFinite()) return -kInfinity;
  const double linear = radius_ * g.minCoeff() - pairwise_sum(0, n_, [&](Index j) { return g[j] * x[j]; });
  if (mu == 0.0) return linear;
  double* u = parallel::scratch(Scratch::kernel, n_);
  for (Index j = 0; j < n_; ++j) u[j] = mu * x[j] - g[j];
  const double top = *std::max_element(u, u + n_);
  const double nu = top + threshold_below_top(u, n_, mu * radius_);
  const double separable = pairwise_sum(0, n_, [&](Index j) {
    const double d = g[j] + nu;
    return d <= mu * x[j] ? -0.5 * d * (d / mu) : (0.5 * mu * x[j] - d) * x[j];
  });
  return std::max(linear, separable + nu * (pairwise_sum(x) - radius_));
}

// The farthest point is a vertex R e_j: |R e_j - x|^2 = |x|^2 - 2 R x_j + R^2.
double SimplexProx::domain_radius(ConstVectorRef x) const {
  return std::sqrt(std::max(0.0, x.squaredNorm() + radius_ * (radius_ - 2.0 * x.minCoeff())));
}

ProxPtr simplex(Index n, double radius) { return std::make_shared<SimplexProx>(n, radius); }

}  // namespace pliant
