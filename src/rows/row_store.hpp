// Rows that have come from elsewhere, kept until nobody asks for them any more.
#pragma once

#include "rows/gather_rows.hpp"
#include "rows/row_layout.hpp"

#include <unordered_map>
#include <vector>

namespace pliant {

class RowStore {
 public:
  /// The rows of a batch, by their numbers; those that are there already stay as they are.
  void add(const std::vector<Index>& rows, const BatchPtr& batch);
  void clear() { places_.clear(); }

  /// Those that are not there.
  std::vector<Index> missing(const std::vector<Index>& rows) const;
  /// Rows that are all there, ascending: a batch for each batch of the layout with rows among them.
  std::vector<BatchPtr> pick(const std::vector<Index>& rows, const RowLayout& layout) const;

 private:
  struct Place {
    BatchPtr batch;
    Index row;
  };
  std::unordered_map<Index, Place> places_;
};

}  // namespace pliant
