// Names of rows or columns in their order, and the way back from a name.
#pragma once

#include "pliant/types.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pliant::io {

class NameTable {
 public:
  /// False if the name is known already.
  bool add(std::string_view name, Index value) { return values_.emplace(name, value).second; }
  std::optional<Index> find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Index, Hash, std::equal_to<>> values_;
};

}  // namespace pliant::io
