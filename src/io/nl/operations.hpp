// Operations of NL files by their numbers: which are functions we know, and what the others are called.
#pragma once

#include "expressions/graph.hpp"

#include <optional>
#include <span>
#include <string>

namespace pliant::io {

struct NlOperation {
  enum class Arity { one, two, list };
  Arity arity = Arity::one;
  /// Adds the node to the graph.
  Index (*build)(Graph& graph, std::span<const Index> operands) = nullptr;
};
/// Null where the operation is not smooth, not a function of numbers, or not known.
std::optional<NlOperation> nl_operation(Index code);
/// "abs", "max", ...; for messages.
std::string nl_operation_name(Index code);

}  // namespace pliant::io
