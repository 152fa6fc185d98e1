// Drawing i with given probabilities p_i at constant cost (Walker's alias method, Vose's construction).
//
// Column i of a table of equal columns holds i itself up to `threshold` and another index above it.
#pragma once

#include "pliant/types.hpp"

#include <vector>

namespace pliant {

class AliasTable {
 public:
  AliasTable() = default;
  /// Weights >= 0 with a positive sum; an index of weight 0 is never drawn.
  explicit AliasTable(ConstVectorRef weights);

  Index size() const { return static_cast<Index>(columns_.size()); }
  double probability(Index i) const { return probability_[i]; }
  /// u uniform in (0, 1): its leading digits choose the column, the rest the entry.
  Index draw(double u) const {
    const double at = u * static_cast<double>(columns_.size());
    const Index i = static_cast<Index>(at);
    const Column& column = columns_[static_cast<std::size_t>(i)];
    return at - static_cast<double>(i) < column.threshold ? i : column.other;
  }

 private:
  struct Column {
    double threshold = 1.0;
    Index other = 0;
  };
  std::vector<Column> columns_;
  Vector probability_;
};

}  // namespace pliant
