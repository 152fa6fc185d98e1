// One read of dense linear rows: products with x and, where wanted, norms.
//
// A few neighbouring threads share a row and read it 16 bytes at a time where it lies on such a border; each group has
// several rows under way. Which thread adds what depends on the width of a row alone, so that the bytes of a product do not
// depend on the number of blocks, nor on whether rows are listed or all of them are read: lists and wide rows are read where
// they are (ReadLinear), short rows that follow one another come through shared memory, in pieces that every thread helps to
// fetch ahead of their use (StreamLinear).
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

/// The same from shared memory.
template <class T, int kNumbers>
PLIANT_HD Pack<T, kNumbers> load_near(const T* from) {
#ifdef __CUDA_ARCH__
  return *reinterpret_cast<const Pack<T, kNumbers>*>(from);
#else
  return load_once<T, kNumbers>(from);
#endif
}

/// Sums of one lane for kRows rows: products with x and, where wanted, squares.
template <class T, int kPack, int kLanes, int kRows, bool kNorms, bool kNear>
struct LaneSums {
  static constexpr int kSums = kNorms ? 2 : 1;

  PLIANT_HD static void add(const T* const (&row)[kRows], const double* x, int width, int lane,
                            double (&parts)[kSums][kRows]) {
    PLIANT_UNROLL
    for (int s = 0; s < kSums; ++s) {
      PLIANT_UNROLL
      for (int k = 0; k < kRows; ++k) parts[s][k] = 0.0;
    }
    PLIANT_UNROLL_BY(2)
    for (int j = lane * kPack; j < width; j += kLanes * kPack) {
      Pack<T, kPack> entries[static_cast<size_t>(kRows)];
      PLIANT_UNROLL
      for (int k = 0; k < kRows; ++k) {
        entries[k] = kNear ? load_near<T, kPack>(row[k] + j) : load_once<T, kPack>(row[k] + j);
      }
      PLIANT_UNROLL
      for (int e = 0; e < kPack; ++e) {
        const double factor = x[j + e];
        PLIANT_UNROLL
        for (int k = 0; k < kRows; ++k) {
          const double entry = static_cast<double>(entries[k].numbers[e]);
          parts[0][k] = fma(entry, factor, parts[0][k]);
          if constexpr (kNorms) parts[kSums - 1][k] = fma(entry, entry, parts[kSums - 1][k]);
        }
      }
    }
  }
};

/// kLanes threads for a row, kPack numbers at a time, kRows rows under way; rows where they are.
template <class T, int kPack, int kLanes, int kRows, bool kNorms>
struct ReadLinear {
  const T* numbers;
  int64_t width;
  const double* x;
  Finish finish;
  Extremes* found;  ///< one for each block

  static constexpr int kGroups = kThreads / kLanes;
  static constexpr int64_t kTile = static_cast<int64_t>(kGroups) * kRows;  // rows a block has under way
  size_t shared_bytes() const { return sizeof(Extremes) * kThreads + sizeof(double) * static_cast<size_t>(width); }
  int64_t tile() const { return kTile; }

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
  using Sums = LaneSums<T, kPack, kLanes, kRows, kNorms, false>;

  template <class Block, class Lanes>
  PLIANT_HD void read(const Block& block, int group, const Lanes& lanes, const double* own_x,
                      Extremes* extremes) const {
    const int64_t count = finish.task.count;
    Extremes seen;
    for (int64_t begin = block.index() * kTile; begin < count; begin += block.count() * kTile) {
      const auto at = [&](int k) { return begin + static_cast<int64_t>(k) * kGroups + group; };
      const T* row[kRows];
      PLIANT_UNROLL
      for (int k = 0; k < kRows; ++k) {  // beyond the end the last row is read once more, and nothing is written
        row[k] = numbers + finish.row(at(k) < count ? at(k) : count - 1) * width;
      }
      lanes.template sum_rows<kRows, Sums::kSums>([&](int k) { return finish.beside(at(k)); },
                                                  [&](int lane, double(&parts)[Sums::kSums][kRows]) {
                                                    Sums::add(row, own_x, static_cast<int>(width), lane, parts);
                                                  },
                                                  [&](int k, const double(&totals)[Sums::kSums], const Beside& near) {
                                                    if (at(k) < count)
                                                      finish(at(k), totals[0],
                                                             kNorms ? sqrt(totals[Sums::kSums - 1]) : 0.0, near, seen);
                                                  });
    }
    lanes.each([&](int lane) { extremes[group * kLanes + lane] = seen; });
  }
};

/// All rows, one after the other, through shared memory: kStages pieces of `rows_of_piece` rows, all but one on their way.
template <class T, int kPack, int kLanes, int kRows, bool kNorms>
struct StreamLinear {
  const T* numbers;
  int64_t width;
  const double* x;
  Finish finish;
  Extremes* found;
  int rows_of_piece;  ///< a multiple of kStep

  static constexpr int kStages = 2;
  static constexpr int kGroups = kThreads / kLanes;
  static constexpr int kStep = kGroups * kRows;
  size_t shared_bytes() const {
    return kStages * piece_bytes() + sizeof(Extremes) * kThreads + sizeof(double) * static_cast<size_t>(width);
  }
  int64_t tile() const { return rows_of_piece; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    unsigned char* pieces = block.shared();
    Extremes* extremes = reinterpret_cast<Extremes*>(pieces + kStages * piece_bytes());
    double* own_x = reinterpret_cast<double*>(extremes + kThreads);
    const int64_t count = finish.task.count, all = (count + rows_of_piece - 1) / rows_of_piece;
    const auto fetch = [&](int64_t piece, int stage) {
      if (piece < all) {
        const int64_t first = piece * rows_of_piece, left = count - first;
        const int rows = left < rows_of_piece ? static_cast<int>(left) : rows_of_piece;
        unsigned char* const to = pieces + static_cast<size_t>(stage) * piece_bytes();
        block.begin_copy(to, bytes_of(numbers + first * width),
                         rows * static_cast<int>(width * static_cast<int64_t>(sizeof(T))));
        if (finish.one_sided()) {
          constexpr int kBytes = static_cast<int>(sizeof(double));
          double* const beside = reinterpret_cast<double*>(to + numbers_bytes());
          block.begin_copy(bytes_of(beside), bytes_of(finish.sides.upper + first), rows * kBytes);
          if (!kNorms) {
            block.begin_copy(bytes_of(beside + rows_of_piece), bytes_of(finish.task.out.norms + first), rows * kBytes);
          }
        }
      }
      block.end_copy();
    };
    for (int s = 0; s < kStages - 1; ++s) fetch(block.index() + s * block.count(), s);
    block.for_threads([&](int t) {
      for (int64_t j = t; j < width; j += kThreads) own_x[j] = x[j];
      extremes[t] = Extremes();
    });
    int stage = 0;
    for (int64_t piece = block.index(); piece < all; piece += block.count()) {
      fetch(piece + (kStages - 1) * block.count(), (stage + kStages - 1) % kStages);
      block.template await_copies<kStages - 1>();
      const unsigned char* here = pieces + static_cast<size_t>(stage) * piece_bytes();
      block.template for_groups<kLanes>(
          [&](int group, const auto& lanes) { read(here, piece * rows_of_piece, group, lanes, own_x, extremes); });
      stage = (stage + 1) % kStages;
    }
    reduce_extremes(block, extremes, found);
  }

 private:
  using Sums = LaneSums<T, kPack, kLanes, kRows, kNorms, true>;

  template <class N>
  PLIANT_HD static unsigned char* bytes_of(N* data) {
    return reinterpret_cast<unsigned char*>(data);
  }
  template <class N>
  PLIANT_HD static const unsigned char* bytes_of(const N* data) {
    return reinterpret_cast<const unsigned char*>(data);
  }
  /// A piece: numbers of the rows, then upper sides and norms.
  PLIANT_HD size_t numbers_bytes() const {
    return static_cast<size_t>(rows_of_piece) * static_cast<size_t>(width) * sizeof(T);
  }
  PLIANT_HD size_t piece_bytes() const {
    return numbers_bytes() + (kNorms ? 1 : 2) * static_cast<size_t>(rows_of_piece) * sizeof(double);
  }
  PLIANT_HD Beside near(const double* beside, int at) const {
    return {beside[at], kNorms ? 0.0 : beside[rows_of_piece + at]};
  }

  template <class Lanes>
  PLIANT_HD void read(const unsigned char* piece, int64_t first, int group, const Lanes& lanes, const double* own_x,
                      Extremes* extremes) const {
    const T* rows = reinterpret_cast<const T*>(piece);
    const double* beside = reinterpret_cast<const double*>(piece + numbers_bytes());
    const int64_t count = finish.task.count;
    Extremes seen;
    for (int begin = 0; begin < rows_of_piece; begin += kStep) {
      const auto at = [&](int k) { return begin + k * kGroups + group; };
      const T* row[kRows];
      PLIANT_UNROLL
      for (int k = 0; k < kRows; ++k) row[k] = rows + static_cast<int64_t>(at(k)) * width;  // perhaps of an older piece
      lanes.template sum_rows<kRows, Sums::kSums>([&](int k) { return near(beside, at(k)); },
                                                  [&](int lane, double(&parts)[Sums::kSums][kRows]) {
                                                    Sums::add(row, own_x, static_cast<int>(width), lane, parts);
                                                  },
                                                  [&](int k, const double(&totals)[Sums::kSums], const Beside& of_row) {
                                                    const int64_t i = first + at(k);
                                                    if (i < count)
                                                      finish(i, totals[0], kNorms ? sqrt(totals[Sums::kSums - 1]) : 0.0,
                                                             of_row, seen);
                                                  });
    }
    lanes.each([&](int lane) { extremes[group * kLanes + lane].add(seen); });
  }
};

/// What sides of rows are like.
struct SideSurvey {
  double largest = 0.0;  ///< of the finite ones
  int64_t infinite = 0, invalid = 0, negative = 0;

  PLIANT_HD void see(double side) {
    const double size = fabs(side);
    if (side < 0.0) ++negative;
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
    negative += other.negative;
  }
};

struct SurveySides {
  const double* sides;
  int64_t count;
  SideSurvey* out;  ///< one for each block

  static size_t shared_bytes() { return sizeof(SideSurvey) * kThreads; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    survey(
        block, count, SideSurvey{}, [&](SideSurvey& seen, int64_t i) { seen.see(sides[i]); },
        [](SideSurvey& u, const SideSurvey& v) { u.add(v); }, out);
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
    for_numbers(block, count * width,
                [&](int64_t p) { out[p] = static_cast<double>(numbers[list[p / width] * width + p % width]); });
  }
};

struct WidenNumbers {
  const float* from;
  int64_t count;
  double* out;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    for_numbers(block, count, [&](int64_t i) { out[i] = static_cast<double>(from[i]); });
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
    for_numbers(block, count, [&](int64_t k) { out[k] = from[list[k]]; });
  }
};

}  // namespace pliant::cuda
