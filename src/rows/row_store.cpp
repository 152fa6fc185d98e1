#include "rows/row_store.hpp"

#include <algorithm>

namespace pliant {

void RowStore::add(const std::vector<Index>& rows, const BatchPtr& batch) {
  for (std::size_t k = 0; k < rows.size(); ++k) places_.try_emplace(rows[k], Place{batch, static_cast<Index>(k)});
}

std::vector<Index> RowStore::missing(const std::vector<Index>& rows) const {
  std::vector<Index> out;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(out), [&](Index i) { return !places_.contains(i); });
  return out;
}

std::vector<BatchPtr> RowStore::pick(const std::vector<Index>& rows, const RowLayout& layout) const {
  std::vector<BatchPtr> out;
  auto next = rows.begin();
  for (const RowLayout::Segment& s : layout.segments()) {
    std::vector<RowPiece> pieces;
    for (; next != rows.end() && *next < s.end(); ++next) {
      const Place& place = places_.at(*next);
      const bool goes_on =
          !pieces.empty() && pieces.back().batch == place.batch && pieces.back().rows.back() < place.row;
      if (!goes_on) pieces.push_back({place.batch, {}});
      pieces.back().rows.push_back(place.row);
    }
    if (!pieces.empty()) out.push_back(join_rows(pieces));
  }
  return out;
}

}  // namespace pliant
