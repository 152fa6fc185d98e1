// Columns of L with the same rows side by side: supernodes, which dense kernels factorise.
#pragma once

#include "linalg/ldl_analysis.hpp"

#include <vector>

namespace pliant {

struct Supernodes {
  std::vector<int> first;           ///< column of each supernode; one more for the end
  std::vector<Index> row_starts;    ///< of each in `rows`; one more for the end
  std::vector<int> rows;            ///< the columns of a supernode themselves, then what is below them, ascending
  std::vector<Index> value_starts;  ///< of the dense blocks, rows x columns; one more for the end
  std::vector<int> of_column;       ///< which supernode

  int size() const { return static_cast<int>(first.size()) - 1; }
  int columns(int s) const { return first[static_cast<std::size_t>(s) + 1] - first[static_cast<std::size_t>(s)]; }
  int height(int s) const {
    return static_cast<int>(row_starts[static_cast<std::size_t>(s) + 1] - row_starts[static_cast<std::size_t>(s)]);
  }
  const int* rows_of(int s) const { return rows.data() + row_starts[static_cast<std::size_t>(s)]; }
};

/// Of a postordered analysis; `lower` is the permuted matrix. Supernodes that follow each other are merged where that
/// stores few zeros.
Supernodes find_supernodes(const LdlAnalysis& analysis, const PermutedTriangle& lower);

}  // namespace pliant
