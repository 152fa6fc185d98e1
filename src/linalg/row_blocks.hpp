// How terms with one data row per component read their data: chunks of rows for threads, blocks of
// rows for the cache, so that margins and gradient of a block need one read of memory.
#pragma once

#include "parallel/parallel.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/rows.hpp"

#include <algorithm>

namespace pliant {

/// Chunks of rows for sums of `dim` numbers: adding up the partial sums must stay cheaper than the read itself.
inline parallel::Chunks row_chunks(const DataMatrix& A, Index dim) {
  constexpr Index kMostChunks = 64;
  const Index bytes = A.bytes();
  const Index affordable = bytes / (2 * static_cast<Index>(sizeof(double)) * std::max<Index>(dim, 1));
  return parallel::make_chunks(A.rows(), bytes, std::clamp<Index>(affordable, 1, kMostChunks));
}

/// Rows that fit in the second-level cache together with `numbers_per_row` numbers of scratch for each.
inline Index rows_per_block(const DataMatrix& A, Index numbers_per_row) {
  constexpr Index kBlockBytes = 256 * 1024;
  constexpr Index kMostRows = 4096;
  const Index row_bytes =
      A.bytes() / std::max<Index>(A.rows(), 1) + numbers_per_row * static_cast<Index>(sizeof(double));
  return std::clamp<Index>(kBlockBytes / std::max<Index>(row_bytes, 1), 1, kMostRows);
}

/// f(rows) for the blocks of [begin, end).
template <class F>
void for_blocks(Index begin, Index end, Index block, const F& f) {
  for (Index first = begin; first < end; first += block) f(Rows::range(first, std::min(block, end - first)));
}

}  // namespace pliant
