// Checks of shapes handed in by users: sizes have names, and arrays that share a name share the size.
#pragma once

#include "pliant/tensor.hpp"

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace pliant {

/// Shapes shapes("quadratic_le"); shapes.expect("P", P, {"m", "n", "n"}); shapes["m"]
class Shapes {
 public:
  explicit Shapes(std::string_view function) : function_(function) {}

  /// Throws "function: field: expected shape (m, n, n) = (2, 3, 3), got (2, 3, 4)" unless the tensor has a size for
  /// each name, the same one wherever the name stood before.
  Shapes& expect(std::string_view field, const Tensor& tensor, std::initializer_list<std::string_view> names);
  /// The size a name stands for.
  Index operator[](std::string_view name) const;

 private:
  std::string_view function_;
  std::vector<std::pair<std::string_view, Index>> sizes_;
};

}  // namespace pliant
