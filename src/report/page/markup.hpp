// Text and numbers as they may stand in an HTML page.
#pragma once

#include "pliant/types.hpp"

#include <string>
#include <string_view>

namespace pliant::report {

/// Safe in element content and in quoted attributes: the five special characters as entities, control characters and
/// bytes that are no UTF-8 as U+FFFD.
std::string escape(std::string_view text);

/// `digits` significant digits, "3.1e-8"; infinities as symbols, NaN as "unknown".
std::string number(double value, int digits = 4);
/// Groups of three digits.
std::string count(Index value);
/// "0.031 s", "12.4 s".
std::string seconds(double value);
/// "1 row", "2 rows".
std::string plural(Index value, std::string_view noun);

/// The shortest JSON number with so many significant digits; null if it is not finite.
std::string json_number(double value, int digits);

}  // namespace pliant::report
