// The lower model over a sublevel set of psi, by Lagrangian duality.
//
//   min { m(y) + psi(y) : psi(y) <= psi_max }  >=  D(tau) = min_y m(y) + (1 + tau) psi(y) - tau psi_max
//
// for every tau >= 0, m(y) = g'(y-x) + mu/2 |y-x|^2. D is concave with derivative psi(y_tau) - psi_max, and psi(y_tau)
// falls as tau grows: bisection finds the best tau, and any tau gives a valid bound, so rounding does no harm.
#pragma once

#include "pliant/types.hpp"

#include <algorithm>

namespace pliant {

/// Minimum of m + scale * psi and the value psi(y) at its minimiser.
struct ScaledModel {
  double minimum = 0.0;
  double psi = 0.0;
};

/// max_tau D(tau) from `tau_min` on, where the model is bounded below; `model(scale)` returns a ScaledModel.
template <class Model>
double best_dual_bound(const Model& model, double tau_min, double psi_max) {
  double best = -kInfinity;
  // True if the optimal tau is not larger than this one.
  const auto enough = [&](double tau) {
    const ScaledModel at = model(1.0 + tau);
    best = std::max(best, at.minimum - tau * psi_max);
    return at.psi <= psi_max;
  };
  if (enough(tau_min)) return best;
  double low = tau_min;
  double width = 1.0 + tau_min;
  int doublings = 0;
  while (!enough(low + width) && doublings < 60) {
    low += width;
    width *= 2.0;
    ++doublings;
  }
  for (int step = 0; step < 50; ++step) {
    width *= 0.5;
    if (!enough(low + width)) low += width;
  }
  return best;
}

}  // namespace pliant
