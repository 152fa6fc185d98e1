// Checks of parameters: one clear line that names the parameter, what was expected and what was given.
#pragma once

#include "pliant/theory.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace pliant::theory {

[[noreturn]] inline void reject(std::string_view name, std::string_view expected, double value) {
  throw InputError(fmt::format("{}: expected {}, got {}", name, expected, value));
}

// Each condition is written so that NaN fails it.
inline void require_finite(std::string_view name, double value) {
  if (!std::isfinite(value)) reject(name, "a finite number", value);
}
inline void require_nonnegative(std::string_view name, double value) {
  if (!(std::isfinite(value) && value >= 0.0)) reject(name, "a number >= 0", value);
}
inline void require_positive(std::string_view name, double value) {
  if (!(std::isfinite(value) && value > 0.0)) reject(name, "a number > 0", value);
}
/// A bound may be infinite: "nothing is known".
inline void require_bound(std::string_view name, double value) {
  if (!(value >= 0.0)) reject(name, "a number >= 0", value);
}
inline void require_count(std::string_view name, Index value, Index least = 0) {
  if (value < least) throw InputError(fmt::format("{}: expected a count >= {}, got {}", name, least, value));
}

inline void check(const Penalty& penalty) {
  require_nonnegative("xi", penalty.xi);
  require_nonnegative("delta", penalty.delta);
  require_count("m", penalty.m);
}
/// Infinite C0 is legal: no growth condition holds.
inline void check(const ConstraintConstants& constants) {
  require_nonnegative("La", constants.La);
  require_bound("C0", constants.C0);
  require_nonnegative("C1", constants.C1);
}
inline void check_threshold(double xi, double xi_bar) {
  require_nonnegative("xi_bar", xi_bar);
  if (!(std::isfinite(xi) && xi >= xi_bar)) reject("xi", fmt::format("a number >= xi_bar = {}", xi_bar), xi);
}

/// sigma(-t) for t >= 0, without overflow.
inline double sigmoid_of_minus(double t) {
  const double e = std::exp(-t);
  return e / (1.0 + e);
}

inline double as_double(Index count) { return static_cast<double>(count); }

}  // namespace pliant::theory
