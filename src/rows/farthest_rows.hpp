// The rows that x violates most, out of many: what a holder far away can say of a check in one answer.
//
// Rows are ordered by distance (row_distance), the farther first, then by number. Whoever joins the first k rows of
// several holders has the first k of all rows among them.
#pragma once

#include "parallel/long_vectors.hpp"
#include "rows/row_holder.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <vector>

namespace pliant {

struct FarRow {
  double distance = 0.0;
  Index row = 0;
  double value = 0.0;

  bool before(const FarRow& other) const {
    return distance > other.distance || (distance == other.distance && row < other.row);
  }
};

/// The first `most` rows of a stream of them.
class FarthestRows {
 public:
  explicit FarthestRows(Index most) : most_(static_cast<std::size_t>(most)) {}

  bool full() const { return rows_.size() == most_; }
  /// The least distance kept, where some are.
  double nearest() const { return rows_[0].distance; }
  /// Whether a row at this distance would be kept.
  bool wants(double distance) const { return !full() || (most_ > 0 && distance >= nearest()); }
  void add(const FarRow& row) {
    if (most_ == 0) return;
    if (rows_.size() == most_) {
      if (!row.before(rows_[0])) return;
      std::pop_heap(rows_.begin(), rows_.end(), before);
      rows_.pop_back();
    }
    rows_.push_back(row);
    std::push_heap(rows_.begin(), rows_.end(), before);
  }
  const std::vector<FarRow>& rows() const { return rows_; }
  /// In their order, the farthest first.
  std::vector<FarRow> take() {
    std::sort_heap(rows_.begin(), rows_.end(), before);
    return std::move(rows_);
  }

 private:
  static bool before(const FarRow& a, const FarRow& b) { return a.before(b); }

  std::size_t most_;
  std::vector<FarRow> rows_;  // a heap, the last in order on top
};

/// The `most` farthest of `count` rows but those of `apart` (ascending), in ascending order, and the worst value of all but
/// these: infinite where one is NaN. row(k) is ascending; beyond(k, d) may be false where the row is nearer than d.
///
/// Parts join what they found as they end, and rows nearer than all that a full list has are passed over from then on. Which
/// part ends first does not matter: the first rows of a total order are the same ones, however they were looked for.
template <class Row, class Value, class Distance, class Beyond>
Candidates find_farthest(Index count, Index most, const std::vector<Index>& apart, const Row& row, const Value& value,
                         const Distance& distance, const Beyond& beyond) {
  const auto in_order = [](double v) { return std::isnan(v) ? kInfinity : v; };
  FarthestRows farthest(most);
  std::mutex joining;
  std::atomic<double> nearest = -kInfinity;  // of the list, once it is full
  Candidates out;
  for (const double worst : parallel::parts<double>(count, [&](Index begin, Index end) {
         double own_worst = 0.0;
         FarthestRows own(most);
         double floor = nearest;
         auto next = begin < end ? std::lower_bound(apart.begin(), apart.end(), row(begin)) : apart.end();
         for (Index k = begin; k < end; ++k) {
           const Index i = row(k);
           while (next != apart.end() && *next < i) ++next;
           if (next != apart.end() && *next == i) continue;
           own_worst = std::max(own_worst, in_order(value(k)));
           if (most == 0 || (floor > -kInfinity && !beyond(k, floor))) continue;
           own.add({in_order(distance(k)), i, value(k)});
           if (own.full()) floor = std::max(floor, own.nearest());
         }
         const std::lock_guard lock(joining);
         for (const FarRow& found : own.rows()) farthest.add(found);
         if (most > 0 && farthest.full()) nearest = farthest.nearest();
         return own_worst;
       })) {
    out.worst = std::max(out.worst, worst);
  }
  std::vector<FarRow> found = farthest.take();
  std::sort(found.begin(), found.end(), [](const FarRow& a, const FarRow& b) { return a.row < b.row; });
  for (const FarRow& r : found) {
    out.rows.push_back(r.row);
    out.values.push_back(r.value);
    out.distances.push_back(r.distance);
  }
  return out;
}

}  // namespace pliant
