// Sums of outer products of gathered rows, formed where that is faster than here.
#pragma once

#include "pliant/types.hpp"

#include <span>

namespace pliant {

/// Of the rows of a block (row_block.hpp), all of them linear in the coordinates of the solve.
class RowGrams {
 public:
  virtual ~RowGrams() = default;
  /// Begins sum_k weights_k g_k g_k' over rows of one segment of the block, by their numbers there.
  virtual void begin(Index segment, std::span<const Index> rows, ConstVectorRef weights) = 0;
  /// Adds what was begun for the segment to the lower triangle of H.
  virtual void end(Index segment, MatrixRef H) = 0;
};

}  // namespace pliant
