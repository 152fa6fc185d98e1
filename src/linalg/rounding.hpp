// What floating-point sums may be wrong by.
//
// A sum of k products, in any order and with any number of fused operations, differs from the exact one by at most
// gamma(k) times the sum of the absolute values, gamma(k) = k u / (1 - k u) with u the unit roundoff (N. J. Higham).
// Terms that are 0 do not count. Sums of absolute values are computed, too; kInflation covers their own rounding as long
// as k u stays below kLongestSum u, beyond which nothing is known.
#pragma once

#include "pliant/types.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

inline constexpr double kUnitRoundoff = 0.5 * std::numeric_limits<double>::epsilon();
inline constexpr double kInflation = 1.0 + 0x1p-10;
inline constexpr double kLongestSum = 0x1p40;
// Roundings of the few operations beside a sum, and those of a pairwise sum: leaves of 64 and a tree.
inline constexpr double kAround = 16.0;
inline constexpr double kPairwise = 128.0;
// Times a computed sum of squares: at least the exact one, for any length in use.
inline constexpr double kSquaresMargin = 1.0 + 1e-12;
// Products below the normal range lose digits without telling; this many of the smallest normal numbers cover them all.
inline constexpr double kUnderflow = 0x1p60 * std::numeric_limits<double>::min();

/// The error of a sum of `operations` terms relative to the sum of their absolute values, the latter computed.
inline double gamma_of(double operations) {
  return operations < kLongestSum ? kInflation * operations * kUnitRoundoff : kInfinity;
}

/// gamma(operations) * size with nothing lost: NaN and overflow become infinity.
inline double rounding_error(double operations, double size) {
  const double error = gamma_of(operations) * size * kInflation + kUnderflow;
  return error >= 0.0 ? error : kInfinity;
}

inline double rounded_down(double value) { return std::nextafter(value, -kInfinity); }
inline double rounded_up(double value) { return std::nextafter(value, kInfinity); }

}  // namespace pliant
