// The lower triangle of a matrix in square tiles, which threads share out: fixed borders, so that every number comes
// about in the same way whoever computes it.
#pragma once

#include "parallel/parallel.hpp"

#include <algorithm>

namespace pliant {

/// f(i, j, height, width) for the tiles at (i, j), j <= i, of a triangle of order n; `bytes`: read for all of them.
template <class F>
void for_lower_tiles(Index n, Index tile, Index bytes, const F& f) {
  const Index blocks = (n + tile - 1) / tile, tiles = blocks * (blocks + 1) / 2;
  parallel::for_chunks(parallel::make_chunks(tiles, bytes, tiles), [&](Index, Index begin, Index end) {
    Index row = 0;  // block row r begins with tile r(r+1)/2
    for (Index t = begin; t < end; ++t) {
      while ((row + 1) * (row + 2) / 2 <= t) ++row;
      const Index i = row * tile, j = (t - row * (row + 1) / 2) * tile;
      f(i, j, std::min(tile, n - i), std::min(tile, n - j));
    }
  });
}

}  // namespace pliant
