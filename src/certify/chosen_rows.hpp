// The rows that a proof is made of: those with a multiplier.
#pragma once

#include "certify/lagrangian_enclosure.hpp"
#include "linalg/absolute_rows.hpp"
#include "linalg/row_products.hpp"
#include "parallel/long_vectors.hpp"
#include "pliant/batch_structure.hpp"

#include <algorithm>
#include <vector>

namespace pliant {

// Those of some rows of a batch that have a multiplier, and these.
struct ChosenRows {
  std::vector<Index> rows;
  Vector lambda;

  explicit ChosenRows(ConstVectorRef multipliers) {
    rows = parallel::positions(multipliers.size(), [&](Index i) { return multipliers[i] > kLeastMultiplier; });
    take(multipliers);
  }
  ChosenRows(ConstVectorRef multipliers, Index begin, Index count) {
    for (Index i = begin; i < begin + count; ++i) {
      if (multipliers[i] > kLeastMultiplier) rows.push_back(i);
    }
    take(multipliers);
  }

  /// Of the rows from a place in the list on.
  auto weights(Index first) const {
    return [this, first](Index at, Index few, const double*, double* to) {
      std::copy_n(lambda.data() + first + at, few, to);
    };
  }

 private:
  void take(ConstVectorRef multipliers) {
    lambda.resize(static_cast<Index>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k) lambda[static_cast<Index>(k)] = multipliers[rows[k]];
  }
};

// out += sum lambda_k |row_k|
inline void add_weighted_sizes(const LinearRows& linear, const ChosenRows& chosen, double* out) {
  const DataMatrix& G = linear.matrix();
  if (!linear.two_sided()) {
    return add_weighted_sizes(G.values().data(), G.cols(), Rows::list(chosen.rows), chosen.lambda.data(), out);
  }
  for (Index k = 0; k < chosen.lambda.size(); ++k) {
    absolute_axpy(G, linear.side(chosen.rows[static_cast<std::size_t>(k)]).row, chosen.lambda[k], out);
  }
}

}  // namespace pliant
