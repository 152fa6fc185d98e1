// One read of dense linear rows: products with x and, where wanted, norms.
//
// A few neighbouring threads share a row and read it 16 bytes at a time where it lies on such a border; each group has
// several rows under way. Which thread adds what depends on the width of a row alone, so that the bytes of a product do not
// depend on the number of blocks.
#pragma once

#include "cuda/knowledge.hpp"

#include <cstring>

namespace pliant::cuda {

template <class T, int kNumbers>
struct alignas(sizeof(T) * kNumbers) Pack {
  T numbers[kNumbers];
};

/// Reads without a place in the caches: every number is needed once.
template <class T, int kNumbers>
PLIANT_HD Pack<T, kNumbers> load_once(const T* from) {
#ifdef __CUDA_ARCH__
  constexpr int kBytes = static_cast<int>(sizeof(T)) * kNumbers;
  Pack<T, kNumbers> out;
  if constexpr (kBytes == 16) {
    const int4 raw = __ldcs(reinterpret_cast<const int4*>(from));
    memcpy(&out, &raw, sizeof out);
  } else if constexpr (kBytes == 8) {
    const int2 raw = __ldcs(reinterpret_cast<const int2*>(from));
    memcpy(&out, &raw, sizeof out);
  } else {
    const int raw = __ldcs(reinterpret_cast<const int*>(from));
    memcpy(&out, &raw, sizeof out);
  }
  return out;
#else
  Pack<T, kNumbers> out;
  std::memcpy(&out, from, sizeof out);
  return out;
#endif
}

/// kLanes threads for a row, kPack numbers at a time, kRows rows under way.
template <class T, int kPack, int kLanes, int kRows, bool kNorms>
struct ReadLinear {
  const T* numbers;
  int64_t width;
  const double* x;
  Finish finish;
  Extremes* found;  ///< one for each block

  static size_t shared_bytes(int64_t width) {
    return sizeof(Extremes) * kThreads + sizeof(double) * static_cast<size_t>(width);
  }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    Extremes* extremes = reinterpret_cast<Extremes*>(block.shared());
    double* own_x = reinterpret_cast<double*>(extremes + kThreads);
    block.for_threads([&](int t) {
      for (int64_t j = t; j < width; j += kThreads) own_x[j] = x[j];
      extremes[t] = Extremes();
    });
    block.template for_groups<kLanes>(
        [&](int group, const auto& lanes) { read(block, group, lanes, own_x, extremes); });
    reduce_extremes(block, extremes, found);
  }

 private:
  static constexpr int kGroups = kThreads / kLanes;
  static constexpr int kSums = kNorms ? 2 * kRows : kRows;

  template <class Block, class Lanes>
  PLIANT_HD void read(const Block& block, int group, const Lanes& lanes, const double* own_x,
                      Extremes* extremes) const {
    const int64_t count = finish.task.count, tile = static_cast<int64_t>(kGroups) * kRows;
    Extremes seen;
    for (int64_t begin = block.index() * tile; begin < count; begin += block.count() * tile) {
      const T* row[kRows];
      PLIANT_UNROLL
      for (int k = 0; k < kRows; ++k) {  // beyond the end the last row is read once more, and nothing is written
        const int64_t at = begin + static_cast<int64_t>(k) * kGroups + group;
        row[k] = numbers + finish.row(at < count ? at : count - 1) * width;
      }
      double sums[kSums];
      lanes.sum([&](int lane, double(&parts)[kSums]) { products(row, own_x, lane, parts); }, sums);
      lanes.each([&](int lane) {
        PLIANT_UNROLL
        for (int k = 0; k < kRows; ++k) {
          const int64_t at = begin + static_cast<int64_t>(k) * kGroups + group;
          if (k % kLanes == lane && at < count) finish(at, sums[k], kNorms ? sqrt(sums[kSums - kRows + k]) : 0.0, seen);
        }
      });
    }
    lanes.each([&](int lane) { extremes[group * kLanes + lane] = seen; });
  }

  PLIANT_HD void products(const T* const (&row)[kRows], const double* own_x, int lane, double (&parts)[kSums]) const {
    PLIANT_UNROLL
    for (int k = 0; k < kSums; ++k) parts[k] = 0.0;
    for (int64_t j = static_cast<int64_t>(lane) * kPack; j < width; j += static_cast<int64_t>(kLanes) * kPack) {
      Pack<T, kPack> entries[static_cast<size_t>(kRows)];
      PLIANT_UNROLL
      for (int k = 0; k < kRows; ++k) entries[k] = load_once<T, kPack>(row[k] + j);
      PLIANT_UNROLL
      for (int e = 0; e < kPack; ++e) {
        const double factor = own_x[j + e];
        PLIANT_UNROLL
        for (int k = 0; k < kRows; ++k) {
          const double entry = static_cast<double>(entries[k].numbers[e]);
          parts[k] = fma(entry, factor, parts[k]);
          if constexpr (kNorms) parts[kRows + k] = fma(entry, entry, parts[kRows + k]);
        }
      }
    }
  }
};

/// What sides of rows are like.
struct SideSurvey {
  double largest = 0.0;  ///< of the finite ones
  int64_t infinite = 0, invalid = 0;

  PLIANT_HD void see(double side) {
    const double size = fabs(side);
    if (size != size) {
      ++invalid;
    } else if (size > kLargestNumber) {
      ++infinite;
    } else if (size > largest) {
      largest = size;
    }
  }
  PLIANT_HD void add(const SideSurvey& other) {
    if (other.largest > largest) largest = other.largest;
    infinite += other.infinite;
    invalid += other.invalid;
  }
};

struct SurveySides {
  const double* sides;
  int64_t count;
  SideSurvey* out;  ///< one for each block

  static size_t shared_bytes() { return sizeof(SideSurvey) * kThreads; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    auto* own = reinterpret_cast<SideSurvey*>(block.shared());
    block.for_threads([&](int t) {
      SideSurvey seen;
      for (int64_t i = block.index() * kThreads + t; i < count; i += block.count() * kThreads) seen.see(sides[i]);
      own[t] = seen;
    });
    for (int reach = kThreads / 2; reach > 0; reach /= 2) {
      block.for_threads([&](int t) {
        if (t < reach) own[t].add(own[t + reach]);
      });
    }
    block.for_threads([&](int t) {
      if (t == 0) out[block.index()] = own[0];
    });
  }
};

/// Listed rows side by side, as doubles, with their sides.
template <class T>
struct GatherLinear {
  const T* numbers;
  int64_t width;
  const int64_t* list;  ///< stored rows
  int64_t count;
  double* out;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    block.for_threads([&](int t) {
      const int64_t all = count * width, step = block.count() * kThreads;
      for (int64_t p = block.index() * kThreads + t; p < all; p += step) {
        out[p] = static_cast<double>(numbers[list[p / width] * width + p % width]);
      }
    });
  }
};

/// out_k = from[list[k]]
struct GatherNumbers {
  const double* from;
  const int64_t* list;
  int64_t count;
  double* out;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    block.for_threads([&](int t) {
      for (int64_t k = block.index() * kThreads + t; k < count; k += block.count() * kThreads) out[k] = from[list[k]];
    });
  }
};

}  // namespace pliant::cuda
