// Sums of vectors over chunks in a binary tree whose nodes begin at multiples of their size: whoever has a stretch of the
// chunks adds up what is whole of the tree there, two nodes of each size at most, and the bytes of the total do not depend
// on where the stretches were cut.
#pragma once

#include "pliant/types.hpp"

#include <utility>
#include <vector>

namespace pliant {

/// The sum over chunks begin, ..., begin + size - 1; the size is a power of two, and divides `begin`.
struct SumNode {
  Index begin = 0, size = 1;
  Vector sum;
};

class SumTree {
 public:
  /// Nodes come from left to right without gaps.
  void add(SumNode node) {
    while (!nodes_.empty() && nodes_.back().size == node.size && nodes_.back().begin % (2 * node.size) == 0) {
      nodes_.back().sum += node.sum;
      nodes_.back().size *= 2;
      node = std::move(nodes_.back());
      nodes_.pop_back();
    }
    nodes_.push_back(std::move(node));
  }

  /// Largest possible nodes, from left to right.
  const std::vector<SumNode>& nodes() const { return nodes_; }

  /// The sum over everything that was added, where that begins with chunk 0: what has no right neighbour goes up alone.
  Vector total() const {
    Vector out = nodes_.back().sum;
    for (std::size_t k = nodes_.size() - 1; k > 0; --k) out = nodes_[k - 1].sum + out;
    return out;
  }

 private:
  std::vector<SumNode> nodes_;
};

}  // namespace pliant
