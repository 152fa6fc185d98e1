// Sums over the values of many rows, for certificates.
//
// Values are added in chunks of fixed size, counted from the first row of all, and the chunks in a fixed binary tree:
// the bytes of a sum do not depend on who holds which chunk.
#pragma once

#include "pliant/types.hpp"

#include <span>
#include <vector>

namespace pliant {

/// Rows (groups counted once) of a chunk. Rows that are held apart are cut at multiples of it.
inline constexpr Index kSumChunk = 1024;

struct RowSums {
  double largest = -kInfinity;  ///< max a_i
  double l1 = 0.0;              ///< sum of max(0, a_i)
  double scale = 0.0;           ///< max(0, largest of the finite ones), so that huge violations do not overflow squares
  double squares = 0.0;         ///< sum of (max(0, a_i) / scale)^2
  Index rows = 0;
  Index active = 0;    ///< a_i >= a given threshold
  Index bounded = 0;   ///< rows whose a_i is an upper bound: not read here, but proven inactive
  bool finite = true;  ///< false: some a_i is NaN or infinite, and the norms mean nothing

  double l2() const;
};

/// At most kSumChunk values.
RowSums sum_chunk(std::span<const double> a, double active_threshold);
/// The fixed tree over chunks.
RowSums add_chunks(std::span<const RowSums> chunks);
/// Both.
RowSums sum_rows(ConstVectorRef a, double active_threshold);

}  // namespace pliant
