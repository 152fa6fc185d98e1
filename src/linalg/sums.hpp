// Sums whose rounding error grows like log n and whose order is fixed.
#pragma once

#include "pliant/types.hpp"

namespace pliant {

/// Pairwise sum of term(0), ..., term(count-1).
template <class Term>
double pairwise_sum(Index begin, Index end, const Term& term) {
  constexpr Index kLeaf = 64;
  if (end - begin <= kLeaf) {
    double sum = 0.0;
    for (Index i = begin; i < end; ++i) sum += term(i);
    return sum;
  }
  const Index middle = begin + (end - begin) / 2;
  return pairwise_sum(begin, middle, term) + pairwise_sum(middle, end, term);
}

inline double pairwise_sum(ConstVectorRef v) {
  return pairwise_sum(0, v.size(), [&](Index i) { return v[i]; });
}

}  // namespace pliant
