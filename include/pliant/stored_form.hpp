// What a file keeps of a term or of a batch: named numbers and arrays, as docs/container.md lists them.
#pragma once

#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"

#include <string_view>
#include <variant>
#include <vector>

namespace pliant {

struct StoredField {
  std::string_view name;
  /// Numbers become attributes, arrays and matrices datasets.
  std::variant<double, Index, Doubles, Indices, DataMatrix> value;
  std::vector<Index> shape = {};  ///< of an array; empty: a vector
};

struct StoredForm {
  std::string_view kind = {};  ///< the name of the kind in files; empty: there is no way to write it down
  std::vector<StoredField> fields = {};
};

}  // namespace pliant
