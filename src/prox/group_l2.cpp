#include "prox/group_l2.hpp"

#include "checks/array_checks.hpp"
#include "linalg/sums.hpp"
#include "parallel/parallel.hpp"
#include "prox/bounded_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using parallel::Scratch;

// norms[g] = |entry(j)|_2 over the variables j of group g.
template <class Entry>
double* group_norms(const GroupParameters& p, Scratch slot, const Entry& entry) {
  double* norms = parallel::scratch(slot, p.weights.size());
  std::fill_n(norms, p.weights.size(), 0.0);
  for (Index j = 0; j < p.groups.size(); ++j) {
    const double t = entry(j);
    norms[p.groups[j]] += t * t;
  }
  for (Index g = 0; g < p.weights.size(); ++g) norms[g] = std::sqrt(norms[g]);
  return norms;
}

// The model with weights scale * w. mu > 0: y_g = s u_g/mu with u = mu x - g and s = max(0, 1 - w_g/|u_g|); the step
// is written as y - x = -s g/mu - (1 - s) x, free of cancellation. mu = 0: y = 0 if |g_g| <= w_g, else unbounded.
ScaledModel group_model(const GroupParameters& p, ConstVectorRef x, ConstVectorRef g, double mu, double scale) {
  const double* sizes = group_norms(p, Scratch::values, [&](Index j) { return mu * x[j] - g[j]; });
  if (mu == 0.0) {
    for (Index k = 0; k < p.weights.size(); ++k) {
      if (!(sizes[k] <= scale * p.weights[k])) return {-kInfinity, kInfinity};
    }
    return {-pairwise_sum(0, p.groups.size(), [&](Index j) { return g[j] * x[j]; }), 0.0};
  }
  const auto step = [&](Index j) {
    const double size = sizes[p.groups[j]];
    const double w = scale * p.weights[p.groups[j]];
    const double lost = size <= w ? 1.0 : w / size;
    return -(1.0 - lost) * (g[j] / mu) - lost * x[j];
  };
  const double* y_norms = group_norms(p, Scratch::weights, [&](Index j) { return x[j] + step(j); });
  ScaledModel result;
  result.psi = pairwise_sum(0, p.weights.size(), [&](Index k) { return p.weights[k] * y_norms[k]; });
  result.minimum = scale * result.psi + pairwise_sum(0, p.groups.size(), [&](Index j) {
                     const double d = step(j);
                     return (g[j] + 0.5 * mu * d) * d;
                   });
  if (!std::isfinite(result.minimum)) result.minimum = -kInfinity;  // overflow: give up the bound
  return result;
}

}  // namespace

GroupL2Prox::GroupL2Prox(GroupParameters parameters) : parameters_(std::move(parameters)) {
  if (parameters_.groups.empty()) throw InputError("group_l2: groups is empty");
  for (Index j = 0; j < dimension(); ++j) {
    if (group(j) < 0 || group(j) >= count()) {
      throw InputError(fmt::format("group_l2: groups: entry {} is {}, but there are {} weights", j, group(j), count()));
    }
  }
}

double GroupL2Prox::value(ConstVectorRef x) const {
  const double* norms = group_norms(parameters_, Scratch::values, [&](Index j) { return x[j]; });
  return pairwise_sum(0, count(), [&](Index k) { return weight(k) * norms[k]; });
}

// y_g = max(0, 1 - step w_g/|v_g|) v_g
void GroupL2Prox::prox(ConstVectorRef v, double step, VectorRef out) const {
  const double* norms = group_norms(parameters_, Scratch::values, [&](Index j) { return v[j]; });
  for (Index j = 0; j < dimension(); ++j) {
    const double norm = norms[group(j)];
    const double threshold = step * weight(group(j));
    out[j] = norm <= threshold ? 0.0 : (1.0 - threshold / norm) * v[j];
  }
}

// x_g != 0: g_g + w_g x_g/|x_g|. x_g = 0: the subdifferential is the ball of radius w_g, so g_g shrinks by w_g.
void GroupL2Prox::residual(ConstVectorRef x, ConstVectorRef g, VectorRef r) const {
  const double* x_norms = group_norms(parameters_, Scratch::values, [&](Index j) { return x[j]; });
  const double* g_norms = group_norms(parameters_, Scratch::weights, [&](Index j) { return g[j]; });
  for (Index j = 0; j < dimension(); ++j) {
    const Index k = group(j);
    if (x_norms[k] != 0.0) {
      r[j] = g[j] + weight(k) * (x[j] / x_norms[k]);
    } else {
      r[j] = g_norms[k] <= weight(k) ? 0.0 : (1.0 - weight(k) / g_norms[k]) * g[j];
    }
  }
}

double GroupL2Prox::lower_model(ConstVectorRef x, ConstVectorRef g, double mu) const {
  return group_model(parameters_, x, g, mu, 1.0).minimum;
}

double GroupL2Prox::lower_model_bounded(ConstVectorRef x, ConstVectorRef g, double mu, double psi_max) const {
  double tau_min = 0.0;
  if (mu == 0.0) {
    const double* norms = group_norms(parameters_, Scratch::values, [&](Index j) { return g[j]; });
    for (Index k = 0; k < count(); ++k) {
      if (norms[k] <= weight(k)) continue;
      if (weight(k) == 0.0) return -kInfinity;
      tau_min = std::max(tau_min, norms[k] / weight(k) * (1.0 + 1e-15) - 1.0);
    }
  }
  const auto model = [&](double scale) { return group_model(parameters_, x, g, mu, scale); };
  return std::max(lower_model(x, g, mu), best_dual_bound(model, tau_min, std::max(psi_max, 0.0)));
}

// dom psi is everything: -radius |g|_1 - g'x.
double GroupL2Prox::linear_minimum(ConstVectorRef x, ConstVectorRef g, double radius) const {
  if (g.isZero(0.0)) return 0.0;
  const double value = -radius * g.lpNorm<1>() - g.dot(x);
  return std::isnan(value) ? -kInfinity : value;
}

// |x_g + t d_g| <= |x_g| + t |d_g|
Growth GroupL2Prox::growth(ConstVectorRef, ConstVectorRef d) const { return {value(d), 0.0}; }

void GroupL2Prox::validate() const {
  for (Index k = 0; k < count(); ++k) expect_nonnegative(fmt::format("group_l2: weights: entry {}", k), weight(k));
}

ProxPtr group_l2(Indices groups, Doubles weights) {
  return std::make_shared<GroupL2Prox>(GroupParameters{std::move(groups), std::move(weights)});
}

}  // namespace pliant
