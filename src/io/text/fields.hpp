// Fields of text files: words between blanks, and numbers.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace pliant::io {

/// The text without the blanks around it.
std::string_view trim(std::string_view text);

/// Up to six fields between blanks; `count` may be larger: such a line has too many.
struct Tokens {
  static constexpr int kMost = 6;
  std::array<std::string_view, kMost> token;
  int count = 0;
};
Tokens split(std::string_view line);

/// A finite number or an infinity; D and d count as exponents, as Fortran writes them. Null if it is none.
std::optional<double> parse_number(std::string_view text);

}  // namespace pliant::io
