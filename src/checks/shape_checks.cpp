#include "checks/shape_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

namespace pliant {

Shapes& Shapes::expect(std::string_view field, const Tensor& tensor, std::initializer_list<std::string_view> names) {
  const auto size_of = [&](std::string_view name) {
    return std::find_if(sizes_.begin(), sizes_.end(), [&](const auto& size) { return size.first == name; });
  };
  const std::vector<Index>& shape = tensor.shape();
  bool fits = shape.size() == names.size();
  for (std::size_t k = 0; fits && k < names.size(); ++k) {
    const std::string_view name = names.begin()[k];
    if (size_of(name) == sizes_.end()) sizes_.emplace_back(name, shape[k]);
    fits = size_of(name)->second == shape[k];
  }
  if (fits) return *this;
  std::vector<std::string> sizes;
  for (const std::string_view name : names) {
    sizes.push_back(size_of(name) == sizes_.end() ? std::string(name) : fmt::format("{}", size_of(name)->second));
  }
  const std::string wanted = fmt::format("({})", fmt::join(names, ", "));
  const std::string known = fmt::format("({})", fmt::join(sizes, ", "));
  throw InputError(fmt::format("{}: {}: expected shape {}{}, got {}", function_, field, wanted,
                               known == wanted ? "" : " = " + known, tensor.describe_shape()));
}

Index Shapes::operator[](std::string_view name) const {
  return std::find_if(sizes_.begin(), sizes_.end(), [&](const auto& size) { return size.first == name; })->second;
}

}  // namespace pliant
