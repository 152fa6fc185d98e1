// What else is done with soft rows on a device: checks of listed rows, looks at keys.
#pragma once

#include "cuda/linear_kernel.hpp"
#include "cuda/soft_rows.hpp"

namespace pliant::cuda {

/// Reads listed rows at another x, after it has gone `moved` in all: new keys where they are still on their sides, or the mark
/// that they are not.
template <class T>
struct CheckSoft {
  const T* numbers;
  int64_t width;
  const double* x;
  const double* units;
  SoftPrices prices;
  SoftKept kept;
  double moved;
  const int64_t* list;
  int64_t count;

  static constexpr int kLanes = 8;
  static constexpr int kGroups = kThreads / kLanes;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    block.template for_groups<kLanes>([&](int group, const auto& lanes) {
      for (int64_t begin = block.index() * kGroups; begin < count; begin += block.count() * kGroups) {
        const int64_t k = begin + group, i = list[k < count ? k : count - 1];  // beyond the end nothing is written
        const T* const row = numbers + i * width;
        lanes.template sum_rows<1, 2>([](int) { return 0; },
                                      [&](int lane, double(&parts)[2][1]) {
                                        const T* const rows_here[1] = {row};
                                        add(rows_here[0], lane, parts);
                                      },
                                      [&](int, const double(&totals)[2], int) {
                                        if (k < count) judge(i, row, totals[0], totals[1]);
                                      });
      }
    });
  }

 private:
  PLIANT_HD void add(const T* row, int lane, double (&parts)[2][1]) const {
    parts[0][0] = parts[1][0] = 0.0;
    for (int64_t j = lane; j < width; j += kLanes) {
      const double entry = static_cast<double>(row[j]), scaled = entry * units[j];
      parts[0][0] = fma(entry, x[j], parts[0][0]);
      parts[1][0] = fma(scaled, scaled, parts[1][0]);
    }
  }
  PLIANT_HD void judge(int64_t i, const T* entries, double z, double square) const {
    const SoftKinks row = prices.row(prices.targets[i], prices.weights != nullptr ? prices.weights[i] : 1.0);
    const bool right = static_cast<uint8_t>(row.side(z)) == kept.sides[i];
    kept.keys[i] = right ? moved + row.distance(z) / norm_in_units(entries, width, units, square) : kWrongSide;
  }
};

/// The least key that is no mark, one for each block.
struct LeastKey {
  const double* keys;
  int64_t count;
  double* out;

  static size_t shared_bytes() { return sizeof(double) * kThreads; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    survey(
        block, count, double{kInfinite},
        [&](double& least, int64_t i) {
          if (keys[i] >= 0.0 && keys[i] < least) least = keys[i];
        },
        KeepLess(), out);
  }
};

/// out_k = keys[k stride]
struct SampleKeys {
  const double* keys;
  int64_t stride, count;
  double* out;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    for_numbers(block, count, [&](int64_t k) { out[k] = keys[k * stride]; });
  }
};

/// Listed rows are somebody else's from here on.
struct TakeAway {
  double* keys;
  const int64_t* list;
  int64_t count;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    for_numbers(block, count, [&](int64_t k) { keys[list[k]] = kInfinite; });
  }
};

/// The first label that is neither 1 nor -1, one for each block.
struct FirstWrongLabel {
  const double* labels;
  int64_t count;
  int64_t* out;

  static size_t shared_bytes() { return sizeof(int64_t) * kThreads; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    survey(
        block, count, int64_t{kNoRow},
        [&](int64_t& first, int64_t i) {
          if (first == kNoRow && labels[i] != 1.0 && labels[i] != -1.0) first = i;
        },
        KeepLess(), out);
  }
};

}  // namespace pliant::cuda
