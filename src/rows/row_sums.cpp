#include "rows/row_sums.hpp"

#include "linalg/sums.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

double squared(double t) { return t * t; }

RowSums add(const RowSums& u, const RowSums& v) {
  RowSums sum;
  sum.largest = std::max(u.largest, v.largest);
  sum.l1 = u.l1 + v.l1;
  sum.scale = std::max(u.scale, v.scale);
  if (sum.scale > 0.0)
    sum.squares = u.squares * squared(u.scale / sum.scale) + v.squares * squared(v.scale / sum.scale);
  sum.rows = u.rows + v.rows;
  sum.active = u.active + v.active;
  sum.bounded = u.bounded + v.bounded;
  sum.finite = u.finite && v.finite;
  return sum;
}

}  // namespace

double RowSums::l2() const { return scale * std::sqrt(squares); }

RowSums sum_chunk(std::span<const double> a, double active_threshold) {
  RowSums sum;
  sum.rows = static_cast<Index>(a.size());
  for (const double v : a) {
    sum.finite = sum.finite && std::isfinite(v);
    sum.largest = std::max(sum.largest, v);
    if (v >= active_threshold) ++sum.active;
  }
  if (!(sum.largest > 0.0)) return sum;
  const auto excess = [&](Index i) { return std::max(0.0, a[static_cast<std::size_t>(i)]); };
  sum.scale = sum.largest;
  sum.l1 = pairwise_sum(0, sum.rows, excess);
  sum.squares = pairwise_sum(0, sum.rows, [&](Index i) { return squared(excess(i) / sum.scale); });
  return sum;
}

RowSums add_chunks(std::span<const RowSums> chunks) {
  if (chunks.empty()) return {};
  if (chunks.size() == 1) return chunks.front();
  const std::size_t half = chunks.size() / 2;
  return add(add_chunks(chunks.first(half)), add_chunks(chunks.subspan(half)));
}

RowSums sum_rows(ConstVectorRef a, double active_threshold) {
  std::vector<RowSums> chunks;
  for (Index begin = 0; begin < a.size(); begin += kSumChunk) {
    const Index count = std::min(kSumChunk, a.size() - begin);
    chunks.push_back(sum_chunk({a.data() + begin, static_cast<std::size_t>(count)}, active_threshold));
  }
  return add_chunks(chunks);
}

}  // namespace pliant
