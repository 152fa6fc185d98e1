// Smoothness constants of components, and the sampling that follows from them.
#include "engines/stochastic/component_sum.hpp"
#include "linalg/spectrum.hpp"
#include "linalg/sums.hpp"
#include "objective/generalized_linear.hpp"
#include "softplus/softplus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double kDrawn = 1e-200;  // components of a smaller probability are never drawn

constexpr const char* kNoStepSize =
    "there is no step size: the objective is not known to be strongly convex, the variables are unbounded, and a "
    "constraint has no bound of the form |grad a|^2 <= C0 + C1 |a|";

}  // namespace

std::string ComponentSum::obstacle(const Problem& problem) {
  bool curved = false;  // something to sample
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (!(t.weight > 0.0)) continue;
    const bool single = t.term->components() == 1 && !is_generalized_linear(*t.term);
    const double handed_over = single ? t.weight * t.term->strong_convexity() : 0.0;  // to the prox
    for (Index k = 0; k < t.term->components(); ++k) {
      const double L = t.weight * t.term->component_smoothness(k);
      if (!(L < kInfinity)) {
        return fmt::format("component {} of the {} term has no finite smoothness constant", k, t.term->kind());
      }
      curved = curved || L > handed_over * (1.0 + kRoundingOfBounds);
    }
  }
  bool bounded_growth = true;
  const auto look_at = [&](const ConstraintBatch& batch, const Doubles& prices) -> std::string {
    const RowConstants* constants = batch.size() > 0 ? batch.constants() : nullptr;
    if (batch.size() == 0) return {};
    if (constants == nullptr) {
      return fmt::format("needs the constants of every constraint, which {} constraints have not been given",
                         batch.family());
    }
    for (Index k = 0; k < batch.size(); ++k) {
      if (!(constants->smoothness[k] < kInfinity) || (batch.linear() && !(constants->growth_constant[k] < kInfinity))) {
        return fmt::format("row {} of the {} constraints has no finite smoothness constant", k, batch.family());
      }
      const bool counts = prices.empty() || prices[k] > 0.0;
      const double sum = constants->smoothness[k] + constants->growth_constant[k] + constants->growth_slope[k];
      curved = curved || (counts && sum > 0.0);
      bounded_growth = bounded_growth && std::isfinite(constants->growth_constant[k]);
    }
    return {};
  };
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const Doubles& prices = problem.caps(static_cast<Index>(b));
    if (std::string why = look_at(*problem.batches()[b], prices); !why.empty()) return why;
  }
  if (problem.has_equalities()) {
    if (std::string why = look_at(*problem.equality_batch(), {}); !why.empty()) return why;
  }
  if (!curved) return "nothing to sample, every component is linear";
  Vector start = Vector::Zero(problem.dimension());
  problem.prox().project(start);
  if (!bounded_growth && !(problem.strong_convexity() > 0.0) && !std::isfinite(problem.prox().domain_radius(start))) {
    return kNoStepSize;
  }
  return {};
}

// Rows without a global (C0, C1): |grad a(y)| <= |grad a(x)| + L_a |y - x| on a bounded domain.
void ComponentSum::bound_gradients_on_domain(ConstVectorRef x) {
  const double radius = reach_ * phi_.problem().prox().domain_radius(x);
  if (!std::isfinite(radius)) {
    throw InputError(fmt::format("{}: {}", who_, kNoStepSize));
  }
  phi_.system().values_and_gradient_norms(x, unused_, norms_);
  for (Index j = 0; j < growth_.size(); ++j) {
    if (std::isfinite(growth_[j])) continue;
    const double bound = norms_[j] + curvature_[j] * radius;
    growth_[j] = bound * bound;
    slope_growth_[j] = 0.0;
  }
}

double ComponentSum::global_smoothness(Index j) const {
  const double around = 0.25 + std::abs(shift(j)) / (4.0 * delta_);
  return ceiling(j) * (curvature_[j] + slope_growth_[j] * around + growth_[j] / (4.0 * delta_));
}

// In the ball a stays within [a - G r, a + G r + L_a r^2/2], G^2 = C0 + C1 |a| a bound of |grad a(x)|^2. With t = a +
// u: xi (sigma(t/delta) L_a + sigma'(t/delta)/delta |grad a|^2) at the worst t of the interval for each of the factors.
double ComponentSum::local_smoothness(Index j, double a, double radius) const {
  const double low = a - norms_[j] * radius;
  const double high = a + norms_[j] * radius + 0.5 * curvature_[j] * radius * radius;
  const double t_low = (low + shift(j)) / delta_, t_high = (high + shift(j)) / delta_;
  const double nearest = t_low > 0.0 ? t_low : std::min(t_high, 0.0);
  const double s = penalty::sigmoid(-std::abs(nearest));
  const double steepest = norms_[j] + curvature_[j] * radius;
  const double squared =
      std::min(steepest * steepest, growth_[j] + slope_growth_[j] * std::max(std::abs(low), std::abs(high)));
  return ceiling(j) * (penalty::sigmoid(t_high) * curvature_[j] + s * (1.0 - s) / delta_ * squared);
}

void ComponentSum::refresh(ConstVectorRef x, double uniform_share) {
  if (!growth_.allFinite()) bound_gradients_on_domain(x);
  if (global_ && xi_ == phi_.xi && delta_ == phi_.delta && share_ == uniform_share &&
      shift_.size() == phi_.shift.size() && shift_ == phi_.shift) {
    return;
  }
  global_ = true;
  xi_ = phi_.xi;
  delta_ = phi_.delta;
  shift_ = phi_.shift;
  for (Index j = 0; j < growth_.size(); ++j) smoothness_[objective_ + j] = global_smoothness(j);
  sample(uniform_share);
}

double ComponentSum::refresh_around(ConstVectorRef x, ConstVectorRef a, double radius, double uniform_share) {
  global_ = false;
  xi_ = phi_.xi;
  delta_ = phi_.delta;
  for (const Group& g : groups_) {
    if (g.batch == nullptr) continue;
    auto norms = norms_.segment(g.system_begin, g.count);
    if (g.batch->linear()) {
      norms = growth_.segment(g.system_begin, g.count).cwiseSqrt();
      continue;
    }
    g.batch->values_and_gradient_norms(x, Rows::range(0, g.count), unused_.segment(g.system_begin, g.count), norms);
    phi_.system().charge_components(g.count, g.bytes * static_cast<double>(g.count));
  }
  // Objective components have the same constants everywhere, and no penalty notices a way that moves (a + u)/delta by a
  // hundredth.
  constexpr double kUnnoticed = 0.01;
  const double steepest = norms_.size() > 0 ? norms_.maxCoeff() : 0.0;
  const double most_curved = norms_.size() > 0 ? curvature_.maxCoeff() : 0.0;
  radius =
      std::max(radius, std::min(kUnnoticed * delta_ / steepest, std::sqrt(2.0 * kUnnoticed * delta_ / most_curved)));
  for (Index j = 0; j < growth_.size(); ++j) {
    smoothness_[objective_ + j] = std::min(global_smoothness(j), local_smoothness(j, a[j], radius));
  }
  // Every penalty is flat to the last digit here, or so nearly that 1/L and what it multiplies would overflow: take
  // what holds everywhere.
  constexpr double kFlat = 1e-150;
  if (!(pairwise_sum(smoothness_) > kFlat)) {
    for (Index j = 0; j < growth_.size(); ++j) smoothness_[objective_ + j] = global_smoothness(j);
  }
  sample(uniform_share);
  return radius;
}

void ComponentSum::sample(double uniform_share) {
  share_ = uniform_share;
  total_ = pairwise_sum(smoothness_);
  if (!(total_ > 0.0 && total_ < kInfinity)) {
    throw InputError(fmt::format("{}: {}", who_,
                                 total_ == 0.0 ? "nothing to sample, every component is linear"
                                               : "the smoothness constants of the components overflow"));
  }
  const double even = uniform_share / static_cast<double>(sampled_);
  const Vector weights =
      (smoothness_.array() > 0.0).select((1.0 - uniform_share) / total_ * smoothness_.array() + even, 0.0);
  sampler_ = AliasTable(weights);
  step_ = touched_ = 0.0;
  for (const Group& g : groups_) {
    const bool sparse = g.kind < Kind::term && g.matrix->is_sparse();
    double drawn = 0.0;
    for (Index k = 0; k < g.count; ++k) {
      drawn += sampler_.probability(g.begin + k) * (sparse ? static_cast<double>(row(g, k).count) : 1.0);
    }
    touched_ += sparse ? drawn : drawn * static_cast<double>(snapshot_.size());
  }
  for (Index i = 0; i < size(); ++i) {
    // Denormal probabilities would round this; they belong to components that are never drawn.
    if (sampler_.probability(i) > kDrawn) step_ = std::max(step_, smoothness_[i] / sampler_.probability(i));
  }
}

// Terms know their own smoothness. Linear rows g_j with h_j'' <= d_j: the sum has at most d_max lambda_max(G'G), where
// d_j adds up both sides of a row.
double ComponentSum::sum_smoothness() {
  double total = 0.0;
  Vector by_row;
  for (Group& g : groups_) {
    const double sum = pairwise_sum(smoothness_.segment(g.begin, g.count));
    if (g.term != nullptr) {
      total += std::min(sum, std::max(0.0, g.weight * g.term->smoothness() - g.ridge));
      continue;
    }
    if (g.linear == nullptr) {
      total += sum;
      continue;
    }
    if (!g.gram) g.gram = gram_eigenvalues(*g.matrix, false).upper;
    by_row.setZero(g.matrix->rows());
    for (Index k = 0; k < g.count; ++k) {
      const double squared = growth_[g.system_begin + k];  // |g_j|^2
      if (squared > 0.0) by_row[g.linear->side(k).row] += smoothness_[g.begin + k] / squared;
    }
    total += std::min(sum, *g.gram * (by_row.size() > 0 ? by_row.maxCoeff() : 0.0));
  }
  return std::min(total, total_);
}

}  // namespace pliant
