// One read of dense soft rows: every row is frozen to the side of its kinks it is on, and the linear functions that rows are
// frozen to are added up in the same read.
//
// A block takes chunks of rows, piece by piece through shared memory as StreamLinear does. Neighbouring threads that share
// a few rows find products and norms; then each of them turns one of the rows into side, key and slope; then each adds slope
// times row in columns of its own, which wait in registers until a chunk ends. Who adds what depends on the width of a row alone,
// and what chunks sum up to is added in a fixed tree: the bytes of the sums do not depend on the number of blocks.
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

/// Rows whose sums are added before those of others are.
constexpr int kSoftChunk = 4096;

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
  int rows_of_piece;  ///< a multiple of kStep that divides kSoftChunk
  bool wide_border;   ///< numbers and targets begin at multiples of 16 bytes

  static constexpr int kStages = 2;
  static constexpr int kRows = kLanes <= 8 ? 4 : (kLanes == 16 ? 2 : 1);
  static constexpr int kGroups = kThreads / kLanes;
  static constexpr int kStep = kGroups * kRows;
  static constexpr int kOwnPacks = kLanes == 32 ? PLIANT_CUDA_WIDEST_SOFT / (32 * kPack) : 4;  // of each lane
  static constexpr int kPadded = kOwnPacks * kLanes * kPack;                                   // numbers of a group

  size_t shared_bytes() const {
    return kStages * piece_bytes() +
           sizeof(double) * static_cast<size_t>(2 * width + rows_of_piece + kGroups * kPadded + kOwn * kThreads) +
           sizeof(int64_t) * kThreads;
  }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    const Shared shared = parts_of(block.shared());
    typename Block::template PerThread<ColumnSums> columns;
    const int64_t of_chunk = kSoftChunk / rows_of_piece, chunks = (rows + kSoftChunk - 1) / kSoftChunk;
    // The q-th piece of this block.
    const auto chunk_of = [&](int64_t q) { return block.index() + q / of_chunk * block.count(); };
    const auto first_of = [&](int64_t q) { return chunk_of(q) * kSoftChunk + q % of_chunk * rows_of_piece; };
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
      block.template for_groups<kLanes>([&](int group, const auto& lanes) {
        for (int begin = 0; begin < rows_of_piece && here > 0; begin += kStep) {
          read(piece, first, here, begin, group, lanes, columns, shared);
        }
      });
      if ((q + 1) % of_chunk == 0) write(block, chunk_of(q), columns, shared);
    }
    reduce_invalid(block, shared.invalid);
  }

 private:
  static constexpr int kOwn = 3;  // of each thread: constant, its size, rows within reach

  struct ColumnSums {
    double gradient[static_cast<size_t>(kOwnPacks)][static_cast<size_t>(kPack)] = {};
    double sizes[static_cast<size_t>(kOwnPacks)][static_cast<size_t>(kPack)] = {};
  };
  struct Shared {
    double *x, *units;
    double* slopes;   // of the rows of a piece
    double* columns;  // of every group, when a chunk ends
    double* own;
    int64_t* invalid;
  };
  PLIANT_HD Shared parts_of(unsigned char* memory) const {
    Shared out;
    out.x = reinterpret_cast<double*>(memory + kStages * piece_bytes());
    out.units = out.x + width;
    out.slopes = out.units + width;
    out.columns = out.slopes + rows_of_piece;
    out.own = out.columns + kGroups * kPadded;
    out.invalid = reinterpret_cast<int64_t*>(out.own + kOwn * kThreads);
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

  /// kRows rows of a group, kGroups apart: products and norms, then one row for a lane, then columns for every lane.
  template <class Lanes, class Columns>
  PLIANT_HD void read(const unsigned char* piece, int64_t first, int here, int begin, int group, const Lanes& lanes,
                      Columns& columns, const Shared& shared) const {
    const T* const all = reinterpret_cast<const T*>(piece);
    const double* const beside = reinterpret_cast<const double*>(piece + numbers_bytes());
    const auto at = [&](int k) { return begin + k * kGroups + group; };
    const T* row[kRows];
    PLIANT_UNROLL
    for (int k = 0; k < kRows; ++k) {  // beyond the end the last row once more, without a price
      row[k] = all + static_cast<int64_t>(at(k) < here ? at(k) : here - 1) * width;
    }
    lanes.template sum_rows<kRows, 2>(
        [](int) { return 0; },
        [&](int lane, double(&parts)[2][kRows]) {
          SoftLaneSums<T, kPack, kLanes, kRows>::add(row, shared.x, shared.units, static_cast<int>(width), lane, parts);
        },
        [&](int k, const double(&totals)[2], int) {
          const int r = at(k), t = group * kLanes + k * (kLanes / kRows);
          if (r >= here) {
            shared.slopes[r] = 0.0;
            return;
          }
          const double weight = prices.weights != nullptr ? beside[rows_of_piece + r] : 1.0;
          shared.slopes[r] = freeze(prices.row(beside[r], weight), first + r, totals,
                                    all + static_cast<int64_t>(r) * width, t, shared);
        });
    lanes.each_after([&](int lane) { add(row, shared.slopes + begin + group, lane, columns[group * kLanes + lane]); });
  }

  /// What row i is frozen to becomes part of what thread t sums up; returns the slope.
  PLIANT_HD double freeze(const SoftKinks& row, int64_t i, const double (&totals)[2], const T* entries, int t,
                          const Shared& shared) const {
    const double z = totals[0], norm = norm_in_units(entries, width, shared.units, totals[1]);
    if (!(norm < kInfinite) && i < shared.invalid[t]) shared.invalid[t] = i;
    const SoftSide side = row.side(z);
    const double from_kink = row.distance(z), constant = row.constant(side);
    kept.keys[i] = norm > 0.0 ? from_kink / norm : kInfinite;
    kept.sides[i] = static_cast<uint8_t>(side);
    shared.own[t] += constant;
    shared.own[kThreads + t] += fabs(constant);
    if (from_kink <= reach) shared.own[2 * kThreads + t] += 1.0;
    return row.slope(side);
  }

  PLIANT_HD void add(const T* const (&row)[kRows], const double* slopes, int lane, ColumnSums& columns) const {
    double slope[kRows];
    PLIANT_UNROLL
    for (int k = 0; k < kRows; ++k) slope[k] = slopes[k * kGroups];
    PLIANT_UNROLL
    for (int own = 0; own < kOwnPacks; ++own) {
      const int j = (own * kLanes + lane) * kPack;
      if (j >= static_cast<int>(width)) continue;
      PLIANT_UNROLL
      for (int k = 0; k < kRows; ++k) {
        const Pack<T, kPack> entries = load_near<T, kPack>(row[k] + j);
        PLIANT_UNROLL
        for (int e = 0; e < kPack; ++e) {
          const double entry = static_cast<double>(entries.numbers[e]), product = fabs(slope[k] * entry);
          columns.gradient[own][e] = fma(slope[k], entry, columns.gradient[own][e]);
          // Too small for a number is not 0 (absolute_rows.hpp).
          columns.sizes[own][e] += product < kLeastNormal && slope[k] != 0.0 && entry != 0.0 ? kLeastNormal : product;
        }
      }
    }
  }

  PLIANT_HD void clear(const Shared& shared, int t) const {
    PLIANT_UNROLL
    for (int s = 0; s < kOwn; ++s) shared.own[s * kThreads + t] = 0.0;
  }

  /// What the chunk sums up to; then everything begins at 0 again.
  template <class Block, class Columns>
  PLIANT_HD void write(const Block& block, int64_t chunk, Columns& columns, const Shared& shared) const {
    const SoftLayout at{width};
    double* const out = sums + chunk * at.numbers();
    add_groups(block, columns, shared, out,
               [](ColumnSums& c, int own, int e) -> double& { return c.gradient[own][e]; });
    add_groups(block, columns, shared, out + at.sizes(),
               [](ColumnSums& c, int own, int e) -> double& { return c.sizes[own][e]; });
    PLIANT_UNROLL
    for (int reach_of = kThreads / 2; reach_of > 0; reach_of /= 2) {
      block.for_threads([&](int t) {
        if (t >= reach_of) return;
        PLIANT_UNROLL
        for (int s = 0; s < kOwn; ++s) shared.own[s * kThreads + t] += shared.own[s * kThreads + t + reach_of];
      });
    }
    block.for_threads([&](int t) {
      if (t != 0) return;
      out[at.constant()] = shared.own[0];
      out[at.constant_size()] = shared.own[kThreads];
      out[at.within()] = shared.own[2 * kThreads];
    });
    block.for_threads([&](int t) { clear(shared, t); });
  }

  /// out_j = sum over groups of column j: first of groups that are eight apart, then of these.
  template <class Block, class Columns, class Number>
  PLIANT_HD void add_groups(const Block& block, Columns& columns, const Shared& shared, double* out,
                            const Number& number) const {
    constexpr int kParts = kGroups < 8 ? kGroups : 8;
    block.for_threads([&](int t) {
      double* const to = shared.columns + t / kLanes * kPadded;
      PLIANT_UNROLL
      for (int own = 0; own < kOwnPacks; ++own) {
        PLIANT_UNROLL
        for (int e = 0; e < kPack; ++e) {
          to[(own * kLanes + t % kLanes) * kPack + e] = number(columns[t], own, e);
          number(columns[t], own, e) = 0.0;
        }
      }
    });
    const int w = static_cast<int>(width);
    block.for_threads([&](int t) {
      for (int p = t; p < kParts * w; p += kThreads) {
        double* const column = shared.columns + p / w * kPadded + p % w;
        double sum = *column;
        for (int group = kParts; group < kGroups; group += kParts) sum += column[group * kPadded];
        *column = sum;
      }
    });
    block.for_threads([&](int t) {
      for (int j = t; j < w; j += kThreads) {
        double sum = 0.0;
        PLIANT_UNROLL
        for (int part = 0; part < kParts; ++part) sum += shared.columns[part * kPadded + j];
        out[j] = sum;
      }
    });
  }

  template <class Block>
  PLIANT_HD void reduce_invalid(const Block& block, int64_t* own) const {
    fold_to(block, own, KeepLess(), invalid);
  }
};

}  // namespace pliant::cuda
