// Sums whose rounding error grows like log n and whose order is fixed.
#pragma once

#include "parallel/long_vectors.hpp"
#include "pliant/types.hpp"

#include <array>

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

/// The same sum, digit by digit, by all threads.
template <class Term>
double long_pairwise_sum(Index count, const Term& term) {
  constexpr Index kParts = 64;  // a power of two: subtrees of the sum
  if (count < kParts * parallel::kMostLongChunks) return pairwise_sum(0, count, term);
  std::array<Index, kParts + 1> border{};
  border[kParts] = count;
  for (Index step = kParts; step > 1; step /= 2) {
    for (Index k = 0; k < kParts; k += step) {
      const auto left = static_cast<std::size_t>(k), right = static_cast<std::size_t>(k + step);
      border[(left + right) / 2] = border[left] + (border[right] - border[left]) / 2;
    }
  }
  std::array<double, kParts> part{};
  parallel::for_range_of(kParts, count * 2 * static_cast<Index>(sizeof(double)), [&](Index begin, Index end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      part[k] = pairwise_sum(border[k], border[k + 1], term);
    }
  });
  for (std::size_t width = 1; width < kParts; width *= 2) {
    for (std::size_t k = 0; k < kParts; k += 2 * width) part[k] += part[k + width];
  }
  return part[0];
}

inline double pairwise_sum(ConstVectorRef v) {
  return pairwise_sum(0, v.size(), [&](Index i) { return v[i]; });
}

}  // namespace pliant
