// What else is done with soft rows on a device: sums of chunks, checks of listed rows, looks at keys.
#pragma once

#include "cuda/linear_kernel.hpp"
#include "cuda/soft_rows.hpp"

namespace pliant::cuda {

/// out_g = sum of entries g kAdded, ... of `parts`, each of so many numbers, one after the other.
struct AddSums {
  const double* parts;
  int64_t count, numbers;
  double* out;

  static constexpr int64_t kAdded = 64;
  static int64_t groups(int64_t count) { return (count + kAdded - 1) / kAdded; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    block.for_threads([&](int t) {
      const int64_t all = groups_of() * numbers;
      for (int64_t p = block.index() * kThreads + t; p < all; p += block.count() * kThreads) {
        const int64_t begin = p / numbers * kAdded, last = begin + kAdded < count ? begin + kAdded : count;
        double sum = 0.0;
        PLIANT_UNROLL_BY(8)
        for (int64_t k = begin; k < last; ++k) sum += parts[k * numbers + p % numbers];
        out[p] = sum;
      }
    });
  }

 private:
  PLIANT_HD int64_t groups_of() const { return (count + kAdded - 1) / kAdded; }
};

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
    auto* own = reinterpret_cast<double*>(block.shared());
    block.for_threads([&](int t) {
      double least = kInfinite;
      for (int64_t i = block.index() * kThreads + t; i < count; i += block.count() * kThreads) {
        if (keys[i] >= 0.0 && keys[i] < least) least = keys[i];
      }
      own[t] = least;
    });
    PLIANT_UNROLL
    for (int reach = kThreads / 2; reach > 0; reach /= 2) {
      block.for_threads([&](int t) {
        if (t < reach && own[t + reach] < own[t]) own[t] = own[t + reach];
      });
    }
    block.for_threads([&](int t) {
      if (t == 0) out[block.index()] = own[0];
    });
  }
};

/// out_k = keys[k stride]
struct SampleKeys {
  const double* keys;
  int64_t stride, count;
  double* out;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    block.for_threads([&](int t) {
      for (int64_t k = block.index() * kThreads + t; k < count; k += block.count() * kThreads) {
        out[k] = keys[k * stride];
      }
    });
  }
};

/// Listed rows are somebody else's from here on.
struct TakeAway {
  double* keys;
  const int64_t* list;
  int64_t count;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    block.for_threads([&](int t) {
      for (int64_t k = block.index() * kThreads + t; k < count; k += block.count() * kThreads) {
        keys[list[k]] = kInfinite;
      }
    });
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
    auto* own = reinterpret_cast<int64_t*>(block.shared());
    block.for_threads([&](int t) {
      own[t] = kNoRow;
      for (int64_t i = block.index() * kThreads + t; i < count && own[t] == kNoRow; i += block.count() * kThreads) {
        if (labels[i] != 1.0 && labels[i] != -1.0) own[t] = i;
      }
    });
    PLIANT_UNROLL
    for (int reach = kThreads / 2; reach > 0; reach /= 2) {
      block.for_threads([&](int t) {
        if (t < reach && own[t + reach] < own[t]) own[t] = own[t + reach];
      });
    }
    block.for_threads([&](int t) {
      if (t == 0) out[block.index()] = own[0];
    });
  }
};

}  // namespace pliant::cuda
