// What a device keeps of soft rows (rows/soft_table.hpp), as plain pointers for kernels: kinks and prices of a row from its
// target, the side of them it is frozen to, and how far x may go before that is in doubt.
#pragma once

#include "cuda/block.hpp"
#include "cuda/pliant_cuda.h"

namespace pliant::cuda {

/// SoftState
enum class SoftSide : uint8_t { below, between, above };

/// SoftRow
struct SoftKinks {
  double lower, upper, below, above;

  PLIANT_HD SoftSide side(double z) const {
    if (z > upper && above > 0.0) return SoftSide::above;
    return z < lower && below > 0.0 ? SoftSide::below : SoftSide::between;
  }
  PLIANT_HD double slope(SoftSide s) const {
    return s == SoftSide::above ? above : (s == SoftSide::below ? -below : 0.0);
  }
  /// Of the linear function that the row is frozen to.
  PLIANT_HD double constant(SoftSide s) const {
    return s == SoftSide::above ? above * -upper : (s == SoftSide::below ? below * lower : 0.0);
  }
  /// From the nearest kink; infinite without any.
  PLIANT_HD double distance(double z) const {
    double nearest = kInfinite;
    if (above > 0.0) nearest = fabs(z - upper);
    if (below > 0.0 && !(fabs(z - lower) >= nearest)) nearest = fabs(z - lower);
    return nearest;
  }
};

/// Prices of all rows.
struct SoftPrices {
  pliant_cuda_prices all;
  const double* targets;
  const double* weights;  ///< null: 1

  PLIANT_HD SoftKinks row(double target, double weight) const {
    const double below = all.below * weight, above = all.above * weight;
    if (all.labels == 0) return {target - all.half_width, target + all.half_width, below, above};
    if (target > 0.0) return {target, kInfinite, below, 0.0};
    return {-kInfinite, target, 0.0, above};
  }
};

/// Length of the path of x at which a row may leave the side it is frozen to; infinite: never, or somebody else has the row.
constexpr double kWrongSide = -1.0;
struct SoftKept {
  double* keys;
  uint8_t* sides;
};

/// Rows by their keys (chunk_kernels.hpp).
struct SoftWanted {
  enum class Kind : int32_t { up_to, doubtful, wrong };
  Kind kind;
  SoftKept kept;
  double length, certain;
  uint64_t apart = 1;  ///< up_to: one in so many

  /// Spreads numbers that follow each other (splitmix64).
  PLIANT_HD static uint64_t mixed(uint64_t z) {
    z = (z + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  PLIANT_HD bool operator()(int64_t i) const {
    const double key = kept.keys[i];
    switch (kind) {
      case Kind::up_to:
        return key <= length && (apart == 1 || mixed(static_cast<uint64_t>(i)) % apart == 0);
      case Kind::doubtful:
        return !(key * certain > length);
      case Kind::wrong:
        return key < 0.0;
    }
    return false;
  }
  PLIANT_HD double value(int64_t i) const { return kept.keys[i]; }
  PLIANT_HD double beside(int64_t i) const { return static_cast<double>(kept.sides[i]); }
};

/// The square of |units g| may have lost digits below this (soft_table.cpp).
constexpr double kLeastSquare = 1e-290, kLeastNormal = std::numeric_limits<double>::min();

/// |units g| from the sum of its squares, or from entries divided by the largest.
template <class T>
PLIANT_HD double norm_in_units(const T* row, int64_t width, const double* units, double square) {
  if (!(square < kLeastSquare)) return sqrt(square);
  double largest = 0.0, sum = 0.0;
  for (int64_t j = 0; j < width; ++j) {
    const double entry = fabs(units[j] * static_cast<double>(row[j]));
    if (entry > largest) largest = entry;
  }
  if (largest == 0.0) return 0.0;
  for (int64_t j = 0; j < width; ++j) {
    const double entry = units[j] * static_cast<double>(row[j]) / largest;
    sum = fma(entry, entry, sum);
  }
  return largest * sqrt(sum);
}

}  // namespace pliant::cuda
