#include "penalty/initial_penalty.hpp"

#include "linalg/sums.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

// At a solution sum lambda_i grad a_i = -grad F, so |grad F| / |grad a| is the natural size of the
// multipliers. Where grad F(x0) says nothing (x0 minimises F) the gradient at the distance of the
// feasible set, mu v / |grad a|, takes its place. delta starts at the mean size of the constraints.
InitialPenalty initial_penalty(const Problem& problem, ConstraintSystem& system, const Settings& settings,
                               ConstVectorRef x0) {
  InitialPenalty guess;
  const Index m = system.size();
  if (m > 0) {
    Vector a(m);
    guess.norms.resize(m);
    system.values_and_gradient_norms(x0, a, guess.norms);
    const double mean_norm = pairwise_sum(guess.norms) / static_cast<double>(m);
    const double mean_value = pairwise_sum(0, m, [&](Index i) { return std::abs(a[i]); }) / static_cast<double>(m);
    Vector gradient = Vector::Zero(x0.size());
    Vector residual(x0.size());
    problem.add_smooth_gradient(x0, gradient);
    problem.prox().residual(x0, gradient, residual);
    const double violation = std::max(0.0, a.maxCoeff());
    const double typical = mean_norm > 0.0 ? mean_norm : 1.0;
    const double force = residual.norm() + problem.strong_convexity() * violation / typical;
    if (force > 0.0 && std::isfinite(force)) guess.xi = 2.0 * force / typical;
    if (mean_value > 0.0 && std::isfinite(mean_value)) guess.delta = mean_value;
  }
  guess.xi = settings.xi.value_or(guess.xi);
  guess.delta = settings.delta.value_or(guess.delta);
  return guess;
}

}  // namespace pliant
