#include "engines/stochastic/alias_table.hpp"

#include "linalg/sums.hpp"

#include <stdexcept>

namespace pliant {

AliasTable::AliasTable(ConstVectorRef weights) : columns_(static_cast<std::size_t>(weights.size())) {
  const double sum = pairwise_sum(weights);
  if (!(sum > 0.0) || !(sum < kInfinity)) throw std::logic_error("AliasTable: the weights have no positive finite sum");
  probability_ = weights / sum;

  // Fill: how much of column i its own index still needs, in units of a column.
  Vector fill = probability_ * static_cast<double>(size());
  std::vector<Index> small, large;
  for (Index i = 0; i < size(); ++i) (fill[i] < 1.0 ? small : large).push_back(i);
  while (!small.empty() && !large.empty()) {
    const Index i = small.back(), j = large.back();
    small.pop_back();
    columns_[static_cast<std::size_t>(i)] = {fill[i], j};
    fill[j] -= 1.0 - fill[i];
    if (fill[j] < 1.0) {
      large.pop_back();
      small.push_back(j);
    }
  }
  // What rounding leaves over is a full column, except for indices that must never appear.
  Index largest = 0;
  probability_.maxCoeff(&largest);
  for (const Index i : small) columns_[static_cast<std::size_t>(i)] = {probability_[i] > 0.0 ? 1.0 : 0.0, largest};
}

}  // namespace pliant
