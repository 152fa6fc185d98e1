#include "expressions/graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

namespace pliant {

Index Graph::add(Node node, std::span<const Index> operands) {
  node.first = static_cast<Index>(operands_.size());
  node.count = static_cast<Index>(operands.size());
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  nodes_.push_back(node);
  return size() - 1;
}

Index Graph::constant(double value) { return add({.kind = Kind::constant, .number = value}, {}); }
Index Graph::variable(Index index) { return add({.kind = Kind::variable, .variable = index}, {}); }

Index Graph::sum(std::span<const Index> operands) {
  if (operands.size() == 1) return operands.front();
  return operands.empty() ? constant(0.0) : add({.kind = Kind::sum}, operands);
}

Index Graph::multiple(double factor, Index operand) {
  if (factor == 1.0) return operand;
  if (is_constant(operand)) return constant(factor * node(operand).number);
  return add({.kind = Kind::multiple, .number = factor}, std::array{operand});
}

Index Graph::product(Index a, Index b) {
  if (is_constant(a)) return multiple(node(a).number, b);
  if (is_constant(b)) return multiple(node(b).number, a);
  return add({.kind = Kind::product}, std::array{a, b});
}

Index Graph::power(Index base, double exponent) {
  if (exponent == 1.0) return base;
  if (is_constant(base)) return constant(std::pow(node(base).number, exponent));
  return add({.kind = Kind::unary, .function = Unary::power, .number = exponent}, std::array{base});
}

Index Graph::unary(Unary function, Index operand) {
  if (is_constant(operand)) return constant(evaluate(function, 0.0, node(operand).number).value);
  return add({.kind = Kind::unary, .function = function}, std::array{operand});
}

Index Graph::general_power(Index base, Index exponent) {
  if (is_constant(exponent)) return power(base, node(exponent).number);
  return unary(Unary::exp, product(exponent, unary(Unary::log, base)));
}

std::vector<Index> Graph::below(Index root) const {
  std::unordered_set<Index> seen{root};  // one function of a graph of very many
  std::vector<Index> out, waiting{root};
  while (!waiting.empty()) {
    const Index i = waiting.back();
    waiting.pop_back();
    out.push_back(i);
    for (Index k = 0; k < node(i).count; ++k) {
      const Index j = operand(node(i), k);
      if (seen.insert(j).second) waiting.push_back(j);
    }
  }
  std::sort(out.begin(), out.end());  // operands have smaller numbers
  return out;
}

namespace {

UnaryValue power_of(double v, double p) {
  if (p == 2.0) return {v * v, 2.0 * v, 2.0};
  return {std::pow(v, p), p * std::pow(v, p - 1.0), p * (p - 1.0) * std::pow(v, p - 2.0)};
}

UnaryValue tangent_of(double v) {
  const double t = std::tan(v), slope = 1.0 + t * t;
  return {t, slope, 2.0 * t * slope};
}

UnaryValue hyperbolic_tangent_of(double v) {
  const double t = std::tanh(v), slope = 1.0 - t * t;
  return {t, slope, -2.0 * t * slope};
}

}  // namespace

UnaryValue evaluate(Unary function, double exponent, double v) {
  const double square = v * v;
  switch (function) {
    case Unary::power:
      return power_of(v, exponent);
    case Unary::exp: {
      const double e = std::exp(v);
      return {e, e, e};
    }
    case Unary::log:
      return {std::log(v), 1.0 / v, -1.0 / square};
    case Unary::sin:
      return {std::sin(v), std::cos(v), -std::sin(v)};
    case Unary::cos:
      return {std::cos(v), -std::sin(v), -std::cos(v)};
    case Unary::tan:
      return tangent_of(v);
    case Unary::asin:
      return {std::asin(v), 1.0 / std::sqrt(1.0 - square), v * std::pow(1.0 - square, -1.5)};
    case Unary::acos:
      return {std::acos(v), -1.0 / std::sqrt(1.0 - square), -v * std::pow(1.0 - square, -1.5)};
    case Unary::atan:
      return {std::atan(v), 1.0 / (1.0 + square), -2.0 * v / ((1.0 + square) * (1.0 + square))};
    case Unary::sinh:
      return {std::sinh(v), std::cosh(v), std::sinh(v)};
    case Unary::cosh:
      return {std::cosh(v), std::sinh(v), std::cosh(v)};
    case Unary::tanh:
      return hyperbolic_tangent_of(v);
    case Unary::asinh:
      return {std::asinh(v), 1.0 / std::sqrt(square + 1.0), -v * std::pow(square + 1.0, -1.5)};
    case Unary::acosh:
      return {std::acosh(v), 1.0 / std::sqrt(square - 1.0), -v * std::pow(square - 1.0, -1.5)};
    case Unary::atanh:
      return {std::atanh(v), 1.0 / (1.0 - square), 2.0 * v / ((1.0 - square) * (1.0 - square))};
  }
  return {};
}

bool has_domain(Unary function, double exponent) {
  switch (function) {
    case Unary::power:
      return exponent < 0.0 || exponent != std::floor(exponent);
    case Unary::log:
    case Unary::tan:
    case Unary::asin:
    case Unary::acos:
    case Unary::acosh:
    case Unary::atanh:
      return true;
    default:
      return false;
  }
}

}  // namespace pliant
