// A set of rows of a batch: a contiguous range or a sorted list of indices.
#pragma once

#include "pliant/types.hpp"

#include <cassert>
#include <span>

namespace pliant {

class Rows {
 public:
  /// Rows first, first+1, ..., first+count-1.
  static Rows range(Index first, Index count) { return Rows(nullptr, first, count); }
  /// The listed rows, ascending and distinct. The list must outlive this object.
  static Rows list(std::span<const Index> indices) {
    return Rows(indices.data(), 0, static_cast<Index>(indices.size()));
  }

  Index size() const { return count_; }
  bool contiguous() const { return indices_ == nullptr; }
  /// First row of a contiguous set.
  Index first() const {
    assert(contiguous());
    return first_;
  }
  Index operator[](Index k) const { return indices_ != nullptr ? indices_[k] : first_ + k; }
  /// Positions [begin, begin+count) of this set.
  Rows slice(Index begin, Index count) const {
    assert(begin >= 0 && begin + count <= count_);
    return indices_ != nullptr ? Rows(indices_ + begin, 0, count) : Rows(nullptr, first_ + begin, count);
  }

 private:
  Rows(const Index* indices, Index first, Index count) : indices_(indices), first_(first), count_(count) {}

  const Index* indices_;
  Index first_;
  Index count_;
};

}  // namespace pliant
