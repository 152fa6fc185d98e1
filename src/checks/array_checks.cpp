#include "checks/array_checks.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {

void expect_entries(std::string_view what, Index expected, Index got) {
  if (expected != got) throw InputError(fmt::format("{}: expected {} entries, got {}", what, expected, got));
}

void expect_finite(std::string_view what, const Doubles& values) {
  for (Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw InputError(fmt::format("{}: entry {} is {}, expected a finite number", what, i, values[i]));
    }
  }
}

void expect_nonnegative(std::string_view what, double value) {
  if (!std::isfinite(value) || value < 0.0) {
    throw InputError(fmt::format("{} must be a finite number >= 0, got {}", what, value));
  }
}

void expect_positive(std::string_view what, double value) {
  if (!std::isfinite(value) || value <= 0.0) {
    throw InputError(fmt::format("{} must be a finite number > 0, got {}", what, value));
  }
}

}  // namespace pliant
