#include "expressions/polynomial.hpp"

#include <algorithm>
#include <unordered_map>

namespace pliant {

void Polynomial::add(const Polynomial& other, double factor) {
  constant += factor * other.constant;
  for (const auto& [j, value] : other.linear) linear[j] += factor * value;
  for (const auto& [place, value] : other.products) products[place] += factor * value;
}

void Polynomial::scale(double factor) {
  constant *= factor;
  for (auto& [j, value] : linear) value *= factor;
  for (auto& [place, value] : products) value *= factor;
}

namespace {

std::optional<Polynomial> product_of(const Polynomial& a, const Polynomial& b) {
  if (!a.is_affine() || !b.is_affine()) return std::nullopt;
  if (!b.linear.empty() && a.linear.size() > kMostProducts / b.linear.size()) return std::nullopt;
  Polynomial out;
  out.add(b, a.constant);
  for (const auto& [j, value] : a.linear) out.linear[j] += b.constant * value;
  for (const auto& [i, left] : a.linear) {
    for (const auto& [j, right] : b.linear) out.products[{std::max(i, j), std::min(i, j)}] += left * right;
  }
  return out;
}

// Polynomials of nodes, dropped when the last node made of them has them.
class Collector {
 public:
  Collector(const Graph& graph, Index root) : graph_(graph), nodes_(graph.below(root)) {
    for (const Index i : nodes_) {
      for (Index k = 0; k < graph.node(i).count; ++k) ++uses_[graph.operand(graph.node(i), k)];
    }
  }

  std::optional<Polynomial> collect() {
    for (const Index i : nodes_) {
      std::optional<Polynomial> next = make(graph_.node(i));
      if (!next || next->products.size() > kMostProducts) return std::nullopt;
      held_[i] = std::move(*next);
    }
    return std::move(held_.at(nodes_.back()));
  }

 private:
  Polynomial take(Index i) {
    if (--uses_.at(i) > 0) return held_.at(i);
    Polynomial out = std::move(held_.at(i));
    held_.erase(i);
    return out;
  }

  std::optional<Polynomial> make(const Graph::Node& node) {
    Polynomial out;
    switch (node.kind) {
      case Graph::Kind::constant:
        out.constant = node.number;
        return out;
      case Graph::Kind::variable:
        out.linear[node.variable] = 1.0;
        return out;
      case Graph::Kind::sum:
        for (Index k = 0; k < node.count; ++k) {
          Polynomial next = take(graph_.operand(node, k));
          if (next.size() > out.size()) std::swap(next, out);  // the smaller one is copied
          out.add(next, 1.0);
        }
        return out;
      case Graph::Kind::multiple:
        out = take(graph_.operand(node, 0));
        out.scale(node.number);
        return out;
      case Graph::Kind::product: {
        const Polynomial a = take(graph_.operand(node, 0));
        return product_of(a, take(graph_.operand(node, 1)));
      }
      case Graph::Kind::unary: {
        if (node.function != Unary::power || node.number != 2.0) return std::nullopt;
        const Polynomial base = take(graph_.operand(node, 0));
        return product_of(base, base);
      }
    }
    return std::nullopt;
  }

  const Graph& graph_;
  std::vector<Index> nodes_;
  std::unordered_map<Index, Index> uses_;
  std::unordered_map<Index, Polynomial> held_;
};

}  // namespace

std::optional<Polynomial> as_polynomial(const Graph& graph, Index root) { return Collector(graph, root).collect(); }

}  // namespace pliant
