// Sums of outer products of a few thousand rows, the work of a Newton step: lower triangle of sum_k w_k g_k g_k'.
//
// The triangle is cut into square tiles and the rows into shares; a block adds up one tile over one share,
// four by four numbers in the registers of a thread, and a second kernel adds the shares in their order. Neither the tiles
// nor the order depend on the launch. Rows are filled up with zeros to whole tiles.
#pragma once

#include "cuda/linear_kernel.hpp"
#include "cuda/pliant_cuda.h"

namespace pliant::cuda {

constexpr int kTile = PLIANT_CUDA_GRAM_TILE;
constexpr int kTileNumbers = kTile * kTile;
constexpr int kOwnEdge = 4;                  // a thread's part of a tile
constexpr int kTileEdge = kTile / kOwnEdge;  // so many threads along each side
static_assert(kTileEdge * kTileEdge == kThreads);
// Shares are as long as leaves about three blocks for each multiprocessor of a large card; they depend on the sum alone, not on
// the card. Shorter ones cost more in adding them up than they save, longer ones would leave most of a card idle.
constexpr int64_t kBlocksWanted = 400, kLeastShare = 64, kMostShare = 512;
PLIANT_HD int64_t share_rows(int64_t count, int64_t tiles) {
  const int64_t rows = (count * tiles + kBlocksWanted - 1) / kBlocksWanted;
  return rows < kLeastShare ? kLeastShare : (rows > kMostShare ? kMostShare : rows);
}

PLIANT_HD int64_t whole_tiles(int64_t width) { return (width + kTile - 1) / kTile; }
/// Tiles of the lower triangle: row after row.
PLIANT_HD int64_t lower_tiles(int64_t edge) { return edge * (edge + 1) / 2; }

using Weighted = pliant_cuda_weighted;

struct AddTiles {
  const double* rows;
  int64_t edge;  ///< tiles along a side, hence numbers of a row
  const Weighted* list;
  int64_t count, share_rows;
  double* parts;  ///< of each share all tiles

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    const int64_t tiles = lower_tiles(edge), share = block.index() / tiles, tile = block.index() % tiles;
    int64_t down = 0;
    while (lower_tiles(down + 1) <= tile) ++down;
    const int64_t across = tile - lower_tiles(down);
    const int64_t begin = share * share_rows, last = begin + share_rows < count ? begin + share_rows : count;
    block.for_threads([&](int t) {
      const int64_t i = down * kTile + (t / kTileEdge) * kOwnEdge, j = across * kTile + (t % kTileEdge) * kOwnEdge;
      double sums[kOwnEdge][kOwnEdge];
      add(begin, last, i, j, sums);
      double* const out = parts + block.index() * kTileNumbers;
      PLIANT_UNROLL
      for (int a = 0; a < kOwnEdge; ++a) {
        PLIANT_UNROLL
        for (int b = 0; b < kOwnEdge; ++b) {
          out[((t / kTileEdge) * kOwnEdge + a) * kTile + (t % kTileEdge) * kOwnEdge + b] = sums[a][b];
        }
      }
    });
  }

 private:
  PLIANT_HD void add(int64_t begin, int64_t last, int64_t i, int64_t j, double (&sums)[kOwnEdge][kOwnEdge]) const {
    PLIANT_UNROLL
    for (int a = 0; a < kOwnEdge; ++a) {
      PLIANT_UNROLL
      for (int b = 0; b < kOwnEdge; ++b) sums[a][b] = 0.0;
    }
    PLIANT_UNROLL_BY(4)
    for (int64_t k = begin; k < last; ++k) {
      const Weighted row = list[k];
      const double* const from = rows + row.position * edge * kTile;
      double u[kOwnEdge], v[kOwnEdge];
      take(from + i, u);
      take(from + j, v);
      PLIANT_UNROLL
      for (int a = 0; a < kOwnEdge; ++a) {
        const double weighted = row.weight * u[a];
        PLIANT_UNROLL
        for (int b = 0; b < kOwnEdge; ++b) sums[a][b] = fma(weighted, v[b], sums[a][b]);
      }
    }
  }
  PLIANT_HD static void take(const double* from, double (&out)[kOwnEdge]) {
    PLIANT_UNROLL
    for (int half = 0; half < kOwnEdge; half += 2) {
      const Pack<double, 2> two = load_near<double, 2>(from + half);
      out[half] = two.numbers[0];
      out[half + 1] = two.numbers[1];
    }
  }
};

/// Listed linear rows, filled up.
template <class T>
struct FillRows {
  const T* numbers;
  int64_t width, stride;
  const int64_t* list;
  int64_t count;
  double* out;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    for_numbers(block, count * stride, [&](int64_t p) {
      const int64_t j = p % stride;
      out[p] = j < width ? static_cast<double>(numbers[list[p / stride] * width + j]) : 0.0;
    });
  }
};

/// R q of listed points, q = (p, 1) or p; R row after row.
template <class T>
struct MovePoints {
  const T* numbers;
  int64_t width, order;
  const int64_t* list;
  int64_t count;
  const double* R;
  double* out;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    for_numbers(block, count * order, [&](int64_t p) {
      const T* const point = numbers + list[p / order] * width;
      const double* const row = R + (p % order) * order;
      double sum = order > width ? row[width] : 0.0;
      for (int64_t j = 0; j < width; ++j) sum = fma(row[j], static_cast<double>(point[j]), sum);
      out[p] = sum;
    });
  }
};

/// svec(qq') of points, filled up: columns of the lower triangle, what is not on the diagonal times sqrt(2).
struct LiftPoints {
  const double* points;
  int64_t order, stride, count;
  double* out;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    constexpr double kRootOfTwo = 1.4142135623730951;
    for_numbers(block, count * stride, [&](int64_t p) {
      const double* const q = points + p / stride * order;
      int64_t below = p % stride, column = 0;  // the entry `below` places after the diagonal of its column
      while (column < order && below >= order - column) below -= order - column++;
      out[p] = column == order ? 0.0 : (below == 0 ? 1.0 : kRootOfTwo) * q[column] * q[column + below];
    });
  }
};

}  // namespace pliant::cuda
