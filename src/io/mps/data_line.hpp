// The data lines of MPS: fields by white space (free layout) or by position (fixed layout).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace pliant::io {

/// A data line: code (ROWS, BOUNDS), head (column or vector name) and one or two pairs of name and number.
struct DataLine {
  struct Pair {
    std::string_view name, number;
  };
  std::string_view code, head;
  std::array<Pair, 2> pair;
  int pairs = 0;
};

/// The fixed layout: fields in columns 2-3, 5-12, 15-22, 25-36, 40-47 and 50-61, counted from 1. Null if something
/// stands between them.
std::optional<DataLine> split_fixed(std::string_view line);

/// Numbers of at least this magnitude mean infinity where a bound or a side is expected.
inline constexpr double kMpsInfinity = 1e20;
inline constexpr std::size_t kLongestName = 255;
/// What stands in place of a row where the integer columns begin and end.
inline constexpr std::string_view kMarker = "'MARKER'";

}  // namespace pliant::io
