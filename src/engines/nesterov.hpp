// The recursion behind accelerated methods.
#pragma once

#include <cmath>

namespace pliant {

/// a+ with a+^2 = (1 - a+) a^2 + q a+.
inline double next_alpha(double alpha, double q) {
  const double b = alpha * alpha - q;
  return 0.5 * (-b + std::sqrt(b * b + 4.0 * alpha * alpha));
}

/// The momentum beta = a (1 - a) / (a^2 + a+) that goes with a step from a to a+.
inline double momentum(double alpha, double next) { return alpha * (1.0 - alpha) / (alpha * alpha + next); }

}  // namespace pliant
