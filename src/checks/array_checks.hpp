// Checks of vectors handed in by users, with messages that name the field.
#pragma once

#include "pliant/array.hpp"
#include "pliant/types.hpp"

#include <string_view>

namespace pliant {

/// Throws "`what`: expected 1000 entries, got 999".
void expect_entries(std::string_view what, Index expected, Index got);
/// Throws "`what`: entry 3 is nan, expected a finite number".
void expect_finite(std::string_view what, const Doubles& values);
/// Throws "`what` must be a finite number >= 0, got -1".
void expect_nonnegative(std::string_view what, double value);
/// The same with > 0.
void expect_positive(std::string_view what, double value);

}  // namespace pliant
