// Questions about all rows that what is known of them answers, chunk by chunk: nothing of the data is read.
//
// A block takes 1024 rows, a thread four neighbours among them. Rows that are looked for are counted first and written in a
// second round, once it is known where the rows of a chunk belong: ascending, whoever runs first.
#pragma once

#include "cuda/knowledge.hpp"
#include "cuda/pliant_cuda.h"

namespace pliant::cuda {

constexpr int kChunk = 1024;  // kSumChunk
constexpr int kOwn = kChunk / kThreads;

/// Which rows are looked for.
struct Wanted {
  enum class Kind : int32_t { doubtful, near, above, negative };
  Kind kind;
  Known known;
  const double* reach;
  int32_t points;
  int32_t point;  ///< near: of the reading
  double threshold;

  PLIANT_HD bool operator()(int64_t i) const {
    switch (kind) {
      case Kind::doubtful:
        return !(known.bound(i, reach, points) <= threshold);
      case Kind::near:
        return known.point_of[i] == point && known.distance(i) > threshold;
      case Kind::above:
        return !(known.bound(i, reach, points) < threshold);
      case Kind::negative:
        return known.bound(i, reach, points) < threshold;
    }
    return false;
  }
  /// What is told of a row that was found.
  PLIANT_HD double value(int64_t i) const {
    return kind == Kind::near ? known.values[i] : known.bound(i, reach, points);
  }
  PLIANT_HD double beside(int64_t i) const { return known.distance(i); }
};

/// counts[c] = rows of chunk c that are wanted.
template <class W>
struct CountWanted {
  W wanted;
  int64_t rows;
  int32_t* counts;

  static size_t shared_bytes() { return sizeof(int32_t) * kThreads; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    auto* own = reinterpret_cast<int32_t*>(block.shared());
    const int64_t chunks = (rows + kChunk - 1) / kChunk;
    for (int64_t c = block.index(); c < chunks; c += block.count()) {
      block.for_threads([&](int t) {
        int32_t count = 0;
        PLIANT_UNROLL
        for (int k = 0; k < kOwn; ++k) {  // neighbours for neighbours: nobody asks for the order here
          const int64_t i = c * kChunk + static_cast<int64_t>(k) * kThreads + t;
          if (i < rows && wanted(i)) ++count;
        }
        own[t] = count;
      });
      fold(block, own, [](int32_t& u, int32_t v) { u += v; });
      block.for_threads([&](int t) {
        if (t == 0) counts[c] = own[0];
      });
    }
  }
};

/// A chunk with wanted rows, and where they belong.
struct Place {
  int64_t chunk, offset;
};

template <class W>
struct WriteWanted {
  W wanted;
  int64_t rows;
  const Place* places;  ///< one for each block
  int64_t* list;
  double* values;  ///< null: the list alone
  double* beside;

  static size_t shared_bytes() { return 2 * sizeof(int32_t) * kThreads; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    auto* before = reinterpret_cast<int32_t*>(block.shared());
    auto* next = before + kThreads;
    const Place place = places[block.index()];
    const auto row = [&](int t, int k) { return place.chunk * kChunk + static_cast<int64_t>(t) * kOwn + k; };
    block.for_threads([&](int t) {
      before[t] = 0;
      for (int k = 0; k < kOwn; ++k) before[t] += row(t, k) < rows && wanted(row(t, k)) ? 1 : 0;
    });
    for (int reach = 1; reach < kThreads; reach *= 2) {  // sums of all threads up to this one
      block.for_threads([&](int t) { next[t] = before[t] + (t >= reach ? before[t - reach] : 0); });
      auto* const swapped = before;
      before = next;
      next = swapped;
    }
    block.for_threads([&](int t) {
      int64_t at = place.offset + (t > 0 ? before[t - 1] : 0);
      for (int k = 0; k < kOwn; ++k) {
        const int64_t i = row(t, k);
        if (i >= rows || !wanted(i)) continue;
        list[at] = i;
        if (values != nullptr) {
          values[at] = wanted.value(i);
          beside[at] = wanted.beside(i);
        }
        ++at;
      }
    });
  }
};

/// bounds_i, with better values where they are known.
struct WriteBounds {
  Known known;
  const double* reach;
  int32_t points;
  int64_t rows;
  double* out;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    for_numbers(block, rows, [&](int64_t i) { out[i] = known.bound(i, reach, points); });
  }
};

/// sum_chunk (rows/row_sums.hpp) of every chunk, counted from row -offset.
struct SumChunks {
  Known known;
  const double* reach;
  int32_t points;
  int64_t rows, offset;
  double active_threshold;
  const int64_t* better;  ///< rows known better, ascending, and their values
  const double* better_values;
  int64_t better_count;
  pliant_cuda_sums* chunks;

  static size_t shared_bytes() { return sizeof(pliant_cuda_sums) * kThreads; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    auto* own = reinterpret_cast<pliant_cuda_sums*>(block.shared());
    const int64_t count = (offset + rows + kChunk - 1) / kChunk - offset / kChunk;
    for (int64_t c = block.index(); c < count; c += block.count()) {
      const int64_t begin = (offset / kChunk + c) * kChunk - offset;
      // First the largest, by which the squares are divided, then the sums.
      block.for_threads([&](int t) { own[t] = survey(begin, t); });
      fold(block, own, [](pliant_cuda_sums& u, const pliant_cuda_sums& v) {
        u.largest = v.largest > u.largest ? v.largest : u.largest;
        u.rows += v.rows;
        u.active += v.active;
        u.bounded += v.bounded;
        u.finite = u.finite != 0 && v.finite != 0 ? 1 : 0;
      });
      const double scale = own[0].largest > 0.0 ? own[0].largest : 0.0;
      if (scale > 0.0) {
        block.for_threads([&](int t) { add_positive(begin, t, scale, own[t]); });
        fold(block, own, [](pliant_cuda_sums& u, const pliant_cuda_sums& v) {
          u.l1 += v.l1;
          u.squares += v.squares;
        });
      }
      block.for_threads([&](int t) {
        if (t != 0) return;
        own[0].scale = scale;
        chunks[c] = own[0];
      });
    }
  }

 private:
  PLIANT_HD double value(int64_t i) const {
    int64_t low = 0, high = better_count;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (better[middle] < i) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < better_count && better[low] == i ? better_values[low] : known.bound(i, reach, points);
  }
  /// Rows of thread t in the chunk from `begin` on; the first chunk of all may begin before row 0.
  template <class F>
  PLIANT_HD void for_own(int64_t begin, int t, const F& f) const {
    for (int k = 0; k < kOwn; ++k) {
      const int64_t i = begin + static_cast<int64_t>(t) * kOwn + k;
      if (i >= 0 && i < rows) f(i);
    }
  }
  PLIANT_HD pliant_cuda_sums survey(int64_t begin, int t) const {
    pliant_cuda_sums out{-kInfinite, 0.0, 0.0, 0.0, 0, 0, 0, 1};
    for_own(begin, t, [&](int64_t i) {
      const double v = value(i);
      ++out.rows;
      if (!(v >= -kLargestNumber && v <= kLargestNumber)) out.finite = 0;
      if (v > out.largest) out.largest = v;
      if (v >= active_threshold) ++out.active;
      const int32_t point = points > 0 ? known.point_of[i] : -1;
      if (point < 0 || reach[point] > 0.0) ++out.bounded;
    });
    return out;
  }
  PLIANT_HD void add_positive(int64_t begin, int t, double scale, pliant_cuda_sums& out) const {
    for_own(begin, t, [&](int64_t i) {
      const double v = value(i);
      if (!(v > 0.0)) return;
      out.l1 += v;
      out.squares += (v / scale) * (v / scale);
    });
  }
};

}  // namespace pliant::cuda
