// The rows that x violates most, out of many: what a holder far away can say of a check in one answer.
//
// Rows are ordered by distance (row_distance), the farther first, then by number. Whoever joins the first k rows of
// several holders has the first k of all rows among them.
#pragma once

#include "parallel/long_vectors.hpp"
#include "rows/row_holder.hpp"

#include <algorithm>
#include <cmath>
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

  /// Whether a row at this distance would be kept.
  bool wants(double distance) const { return rows_.size() < most_ || (most_ > 0 && distance >= rows_[0].distance); }
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
template <class Row, class Value, class Distance, class Beyond>
Candidates find_farthest(Index count, Index most, const std::vector<Index>& apart, const Row& row, const Value& value,
                         const Distance& distance, const Beyond& beyond) {
  struct Part {
    FarthestRows rows{0};
    double worst = 0.0;
  };
  const auto in_order = [](double v) { return std::isnan(v) ? kInfinity : v; };
  FarthestRows farthest(most);
  Candidates out;
  for (const Part& part : parallel::parts<Part>(count, [&](Index begin, Index end) {
         Part own{FarthestRows(most), 0.0};
         auto next = begin < end ? std::lower_bound(apart.begin(), apart.end(), row(begin)) : apart.end();
         for (Index k = begin; k < end; ++k) {
           const Index i = row(k);
           while (next != apart.end() && *next < i) ++next;
           if (next != apart.end() && *next == i) continue;
           own.worst = std::max(own.worst, in_order(value(k)));
           const bool full = static_cast<Index>(own.rows.rows().size()) >= most;
           if (full && (most == 0 || !beyond(k, own.rows.rows()[0].distance))) continue;
           own.rows.add({in_order(distance(k)), i, value(k)});
         }
         return own;
       })) {
    out.worst = std::max(out.worst, part.worst);
    for (const FarRow& found : part.rows.rows()) farthest.add(found);
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
