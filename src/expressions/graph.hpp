// Functions written as graphs of operations: what modelling languages hand over.
//
// Nodes are numbered so that operands come before what is made of them. Everything is made of few kinds: sums of any
// number of nodes, products of two, multiples, and functions of one variable; x/y is x y^-1, and x^y with a variable
// exponent exp(y log x).
#pragma once

#include "pliant/types.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace pliant {

/// Functions of one variable; `power` has an exponent.
enum class Unary { power, exp, log, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh };

class Graph {
 public:
  enum class Kind { constant, variable, sum, multiple, product, unary };
  struct Node {
    Kind kind;
    Unary function = Unary::power;
    double number = 0.0;  ///< constant, factor of a multiple, exponent
    Index variable = 0;
    Index first = 0, count = 0;  ///< operands, in the list of all
  };

  Index constant(double value);
  Index variable(Index index);
  Index sum(std::span<const Index> operands);
  Index multiple(double factor, Index operand);
  Index product(Index a, Index b);
  Index power(Index base, double exponent);
  Index unary(Unary function, Index operand);
  Index quotient(Index a, Index b) { return product(a, power(b, -1.0)); }
  /// base^exponent for any two.
  Index general_power(Index base, Index exponent);

  Index size() const { return static_cast<Index>(nodes_.size()); }
  const Node& node(Index i) const { return nodes_[static_cast<std::size_t>(i)]; }
  Index operand(const Node& node, Index k) const { return operands_[static_cast<std::size_t>(node.first + k)]; }

  /// Nodes that make up `root`, operands first.
  std::vector<Index> below(Index root) const;

 private:
  Index add(Node node, std::span<const Index> operands);
  bool is_constant(Index i) const { return node(i).kind == Kind::constant; }

  std::vector<Node> nodes_;
  std::vector<Index> operands_;
};

/// f(v), f'(v) and f''(v).
struct UnaryValue {
  double value, first, second;
};
UnaryValue evaluate(Unary function, double exponent, double v);
/// Whether the function is defined for some arguments only.
bool has_domain(Unary function, double exponent);

}  // namespace pliant
