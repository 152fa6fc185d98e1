// What a read of rows in this memory found, said in one answer.
#include "rows/farthest_rows.hpp"
#include "rows/local_rows.hpp"

namespace pliant {

Candidates LocalRows::farthest(Index most, const std::vector<Index>& apart) const {
  const bool straight = known_.smoothness.size() == 0;
  return find_farthest(
      rows_read(), most, apart, [&](Index k) { return row_read(k); },
      [&](Index k) { return known_.values[row_read(k)]; }, [&](Index k) { return known_.distance(row_read(k)); },
      [&](Index k, double d) {
        // Most rows, without a division; a hair below, since that one is rounded.
        constexpr double kHair = 1e-12;
        const Index i = row_read(k);
        const double least = d * known_.norms[i];
        return !straight || known_.norms[i] == 0.0 || !(known_.values[i] < least - kHair * std::abs(least));
      });
}

Index LocalRows::count_above(double threshold) const {
  return parallel::count_if(rows_read(), [&](Index k) { return !(known_.values[row_read(k)] < threshold); });
}

NearRows LocalRows::read_above(double threshold) const {
  NearRows out;
  out.rows = parallel::positions(rows_read(), [&](Index k) { return !(known_.values[row_read(k)] < threshold); });
  for (Index& k : out.rows) {
    k = row_read(k);
    out.values.push_back(known_.values[k]);
    out.distances.push_back(known_.distance(k));
  }
  return out;
}

Index LocalRows::bounded(const Vector& x) {
  const Vector distance = known_.distances(x);
  Index count = 0;
  for (const RowLayout::Segment& s : layout().segments()) {
    count +=
        parallel::count_if(s.size / s.group, [&](Index g) { return !known_.exact(s.begin + g * s.group, distance); });
  }
  return count;
}

}  // namespace pliant
