// One read of dense soft rows: every row is frozen to the side of its kinks it is on, and the linear functions that rows are
// frozen to are added up in the same read.
//
// A block takes chunks of 1024 rows, piece by piece through shared memory as StreamLinear does. In each piece groups of
// neighbouring threads find products and norms, then every thread has a row of its own to turn into side, key and slope, then
// columns of its own to add slope times row. Who adds what depends on the width of a row alone, and what chunks sum up to is
// added in a fixed tree: the bytes of the sums do not depend on the number of blocks.
#pragma once

#include "cuda/linear_kernel.hpp"
#include "cuda/soft_rows.hpp"

namespace pliant::cuda {

/// Products with x and squares in units, of one lane for kRows rows.
template <class T, int kPack, int kLanes, int kRows>
struct SoftLaneSums {
  PLIANT_HD static void add(const T* const (&row)[kRows], const double* x, const double* units, int width, int lane,
                            double (&parts)[2][kRows]) {
    PLIANT_UNROLL
    for (int k = 0; k < kRows; ++k) parts[0][k] = parts[1][k] = 0.0;
    PLIANT_UNROLL_BY(2)
    for (int j = lane * kPack; j < width; j += kLanes * kPack) {
      Pack<T, kPack> entries[static_cast<size_t>(kRows)];
      PLIANT_UNROLL
      for (int k = 0; k < kRows; ++k) entries[k] = load_near<T, kPack>(row[k] + j);
      PLIANT_UNROLL
      for (int e = 0; e < kPack; ++e) {
        const double factor = x[j + e], unit = units[j + e];
        PLIANT_UNROLL
        for (int k = 0; k < kRows; ++k) {
          const double entry = static_cast<double>(entries[k].numbers[e]), scaled = entry * unit;
          parts[0][k] = fma(entry, factor, parts[0][k]);
          parts[1][k] = fma(scaled, scaled, parts[1][k]);
        }
      }
    }
  }
};

/// Where the numbers of a sum lie: SoftReadLayout.
struct SoftLayout {
  int64_t width;
  PLIANT_HD int64_t constant() const { return width; }
  PLIANT_HD int64_t sizes() const { return width + 1; }
  PLIANT_HD int64_t constant_size() const { return 2 * width + 1; }
  PLIANT_HD int64_t within() const { return 2 * width + 2; }
  PLIANT_HD int64_t numbers() const { return 2 * width + 3; }
};

/// kLanes threads for a row, kPack numbers at a time.
template <class T, int kPack, int kLanes>
struct ReadSoft {
  const T* numbers;
  int64_t rows, width;
  const double* x;
  const double* units;
  SoftPrices prices;
  SoftKept kept;
  double reach;       ///< rows so near to a kink, in z, are counted
  double* sums;       ///< of each chunk: SoftLayout
  int64_t* invalid;   ///< of each block: the first row with a norm that is not finite
  int rows_of_piece;  ///< a multiple of kStep that divides kChunk, kThreads at most
  bool wide_border;   ///< numbers and targets begin at multiples of 16 bytes

  static constexpr int kStages = 2;
  static constexpr int kRows = kLanes == 32 ? 1 : 2;
  static constexpr int kGroups = kThreads / kLanes;
  static constexpr int kStep = kGroups * kRows;
  static constexpr int kOwnColumns = kLanes == 32 ? PLIANT_CUDA_WIDEST_SOFT / kThreads : 1;
  static constexpr int kColumns = kThreads * kOwnColumns;

  size_t shared_bytes() const {
    return kStages * piece_bytes() + sizeof(double) * static_cast<size_t>(2 * width + 3 * rows_of_piece) +
           sizeof(double) * (2 * kColumns + 3 * kThreads) + sizeof(int64_t) * kThreads;
  }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    const Shared shared = parts_of(block.shared());
    const int64_t of_chunk = kChunkRows / rows_of_piece, chunks = (rows + kChunkRows - 1) / kChunkRows;
    // The q-th piece of this block.
    const auto chunk_of = [&](int64_t q) { return block.index() + q / of_chunk * block.count(); };
    const auto first_of = [&](int64_t q) { return chunk_of(q) * kChunkRows + q % of_chunk * rows_of_piece; };
    fetch(block, first_of(0), block.shared());
    block.for_threads([&](int t) {
      for (int64_t j = t; j < width; j += kThreads) {
        shared.x[j] = x[j];
        shared.units[j] = units[j];
      }
      clear(shared, t);
      shared.invalid[t] = kNoRow;
    });
    for (int64_t q = 0; chunk_of(q) < chunks; ++q) {
      fetch(block, first_of(q + 1), block.shared() + static_cast<size_t>((q + 1) % kStages) * piece_bytes());
      block.template await_copies<kStages - 1>();
      const unsigned char* const piece = block.shared() + static_cast<size_t>(q % kStages) * piece_bytes();
      const int64_t first = first_of(q), left = rows - first;
      const int here = left < rows_of_piece ? static_cast<int>(left) : rows_of_piece;
      if (here > 0) {
        block.template for_groups<kLanes>([&](int group, const auto& lanes) { multiply(piece, group, lanes, shared); });
        block.for_threads([&](int t) { freeze(piece, first, here, t, shared); });
        block.for_threads([&](int t) { add(piece, here, t, shared); });
      }
      if ((q + 1) % of_chunk == 0) write(block, chunk_of(q), shared);
    }
    PLIANT_UNROLL
    for (int reach_of = kThreads / 2; reach_of > 0; reach_of /= 2) {
      block.for_threads([&](int t) {
        if (t < reach_of && shared.invalid[t + reach_of] < shared.invalid[t]) {
          shared.invalid[t] = shared.invalid[t + reach_of];
        }
      });
    }
    block.for_threads([&](int t) {
      if (t == 0) invalid[block.index()] = shared.invalid[0];
    });
  }

 private:
  static constexpr int kChunkRows = 1024;  // kSumChunk

  struct Shared {
    double *x, *units;
    double *z, *slopes, *squares;  // of the rows of a piece
    double *gradient, *sizes;      // of columns, or of columns in several stripes of rows
    double* own;                   // of each thread: constant, its size, rows within reach
    int64_t* invalid;
  };
  PLIANT_HD Shared parts_of(unsigned char* memory) const {
    Shared out;
    out.x = reinterpret_cast<double*>(memory + kStages * piece_bytes());
    out.units = out.x + width;
    out.z = out.units + width;
    out.slopes = out.z + rows_of_piece;
    out.squares = out.slopes + rows_of_piece;
    out.gradient = out.squares + rows_of_piece;
    out.sizes = out.gradient + kColumns;
    out.own = out.sizes + kColumns;
    out.invalid = reinterpret_cast<int64_t*>(out.own + 3 * kThreads);
    return out;
  }
  /// A piece: numbers of the rows, then targets and weights.
  PLIANT_HD size_t numbers_bytes() const {
    return static_cast<size_t>(rows_of_piece) * static_cast<size_t>(width) * sizeof(T);
  }
  PLIANT_HD size_t piece_bytes() const {
    return numbers_bytes() + 2 * static_cast<size_t>(rows_of_piece) * sizeof(double);
  }

  template <class Block>
  PLIANT_HD void fetch(const Block& block, int64_t first, unsigned char* to) const {
    if (first < rows) {
      const int64_t left = rows - first;
      const int here = left < rows_of_piece ? static_cast<int>(left) : rows_of_piece;
      double* const beside = reinterpret_cast<double*>(to + numbers_bytes());
      copy(block, to, numbers + first * width, here * static_cast<int>(width));
      copy(block, beside, prices.targets + first, here);
      if (prices.weights != nullptr) copy(block, beside + rows_of_piece, prices.weights + first, here);
    }
    block.end_copy();
  }
  template <class Block, class N>
  PLIANT_HD void copy(const Block& block, void* to, const N* from, int count) const {
    auto* const target = static_cast<unsigned char*>(to);
    const auto* const source = reinterpret_cast<const unsigned char*>(from);
    const int bytes = count * static_cast<int>(sizeof(N));
    if (wide_border) {
      block.begin_copy(target, source, bytes);
    } else {
      block.template begin_copy<static_cast<int>(sizeof(N))>(target, source, bytes);
    }
  }

  template <class Lanes>
  PLIANT_HD void multiply(const unsigned char* piece, int group, const Lanes& lanes, const Shared& shared) const {
    const T* const all = reinterpret_cast<const T*>(piece);
    for (int begin = 0; begin < rows_of_piece; begin += kStep) {
      const auto at = [&](int k) { return begin + k * kGroups + group; };
      const T* row[kRows];
      PLIANT_UNROLL
      for (int k = 0; k < kRows; ++k) row[k] = all + static_cast<int64_t>(at(k)) * width;  // perhaps of an older piece
      lanes.template sum_rows<kRows, 2>([](int) { return 0; },
                                        [&](int lane, double(&parts)[2][kRows]) {
                                          SoftLaneSums<T, kPack, kLanes, kRows>::add(
                                              row, shared.x, shared.units, static_cast<int>(width), lane, parts);
                                        },
                                        [&](int k, const double(&totals)[2], int) {
                                          shared.z[at(k)] = totals[0];
                                          shared.squares[at(k)] = totals[1];
                                        });
    }
  }

  PLIANT_HD void freeze(const unsigned char* piece, int64_t first, int here, int t, const Shared& shared) const {
    if (t >= here) return;
    const double* const beside = reinterpret_cast<const double*>(piece + numbers_bytes());
    const SoftKinks row = prices.row(beside[t], prices.weights != nullptr ? beside[rows_of_piece + t] : 1.0);
    const T* const entries = reinterpret_cast<const T*>(piece) + static_cast<int64_t>(t) * width;
    const double z = shared.z[t], norm = norm_in_units(entries, width, shared.units, shared.squares[t]);
    const int64_t i = first + t;
    if (!(norm < kInfinite) && i < shared.invalid[t]) shared.invalid[t] = i;
    const SoftSide side = row.side(z);
    const double from_kink = row.distance(z), constant = row.constant(side);
    kept.keys[i] = norm > 0.0 ? from_kink / norm : kInfinite;
    kept.sides[i] = static_cast<uint8_t>(side);
    shared.slopes[t] = row.slope(side);
    shared.own[t] += constant;
    shared.own[kThreads + t] += fabs(constant);
    if (from_kink <= reach) shared.own[2 * kThreads + t] += 1.0;
  }

  /// So many threads have the same column, and rows that far apart.
  PLIANT_HD int stripes() const { return width < kThreads ? kThreads / static_cast<int>(width) : 1; }

  PLIANT_HD void add(const unsigned char* piece, int here, int t, const Shared& shared) const {
    const T* const all = reinterpret_cast<const T*>(piece);
    const int w = static_cast<int>(width), apart = stripes();
    PLIANT_UNROLL
    for (int own = 0; own < kOwnColumns; ++own) {
      const int column = own * kThreads + t, stripe = w < kThreads ? column / w : 0;
      if (stripe >= apart || column >= apart * w) continue;
      const int j = column - stripe * w;
      double gradient = shared.gradient[column], size = shared.sizes[column];
      PLIANT_UNROLL_BY(4)
      for (int r = stripe; r < here; r += apart) {
        const double slope = shared.slopes[r], entry = static_cast<double>(all[r * w + j]);
        const double product = fabs(slope * entry);
        gradient = fma(slope, entry, gradient);
        // Too small for a number is not 0 (absolute_rows.hpp).
        size += product < kLeastNormal && slope != 0.0 && entry != 0.0 ? kLeastNormal : product;
      }
      shared.gradient[column] = gradient;
      shared.sizes[column] = size;
    }
  }

  PLIANT_HD void clear(const Shared& shared, int t) const {
    PLIANT_UNROLL
    for (int own = 0; own < kOwnColumns; ++own) {
      shared.gradient[own * kThreads + t] = shared.sizes[own * kThreads + t] = 0.0;
    }
    shared.own[t] = shared.own[kThreads + t] = shared.own[2 * kThreads + t] = 0.0;
  }

  /// What the chunk sums up to; then everything begins at 0 again.
  template <class Block>
  PLIANT_HD void write(const Block& block, int64_t chunk, const Shared& shared) const {
    const SoftLayout at{width};
    double* const out = sums + chunk * at.numbers();
    block.for_threads([&](int t) {
      for (int j = t; j < static_cast<int>(width); j += kThreads) {
        double gradient = 0.0, size = 0.0;
        for (int stripe = 0; stripe < stripes(); ++stripe) {
          gradient += shared.gradient[stripe * static_cast<int>(width) + j];
          size += shared.sizes[stripe * static_cast<int>(width) + j];
        }
        out[j] = gradient;
        out[at.sizes() + j] = size;
      }
    });
    PLIANT_UNROLL
    for (int reach_of = kThreads / 2; reach_of > 0; reach_of /= 2) {
      block.for_threads([&](int t) {
        if (t >= reach_of) return;
        PLIANT_UNROLL
        for (int s = 0; s < 3; ++s) shared.own[s * kThreads + t] += shared.own[s * kThreads + t + reach_of];
      });
    }
    block.for_threads([&](int t) {
      if (t == 0) {
        out[at.constant()] = shared.own[0];
        out[at.constant_size()] = shared.own[kThreads];
        out[at.within()] = shared.own[2 * kThreads];
      }
    });
    block.for_threads([&](int t) { clear(shared, t); });
  }
};

}  // namespace pliant::cuda
