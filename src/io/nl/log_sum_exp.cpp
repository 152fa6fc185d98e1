#include "io/nl/log_sum_exp.hpp"

#include <cmath>
#include <utility>

namespace pliant::io {
namespace {

// sum factor_k exp(exponent_k) + affine + the logarithms of other nodes, each once.
struct ExponentialSum {
  std::vector<std::pair<double, Polynomial>> exponentials;
  std::vector<Index> logarithms;
  Polynomial affine;
};

std::optional<ExponentialSum> as_exponential_sum(const Graph& graph, Index root) {
  ExponentialSum out;
  std::vector<std::pair<Index, double>> waiting{{root, 1.0}};
  while (!waiting.empty()) {
    const auto [i, factor] = waiting.back();
    waiting.pop_back();
    const Graph::Node& node = graph.node(i);
    const bool function = node.kind == Graph::Kind::unary;
    if (node.kind == Graph::Kind::sum) {
      for (Index k = 0; k < node.count; ++k) waiting.emplace_back(graph.operand(node, k), factor);
    } else if (node.kind == Graph::Kind::multiple) {
      waiting.emplace_back(graph.operand(node, 0), factor * node.number);
    } else if (function && node.function == Unary::log && factor == 1.0) {
      out.logarithms.push_back(graph.operand(node, 0));
    } else {
      const bool exponential = function && node.function == Unary::exp;
      std::optional<Polynomial> inside = as_polynomial(graph, exponential ? graph.operand(node, 0) : i);
      if (!inside || !inside->is_affine()) return std::nullopt;
      if (exponential) {
        out.exponentials.emplace_back(factor, std::move(*inside));
      } else {
        out.affine.add(*inside, factor);
      }
    }
  }
  return out;
}

bool is_constant(const Polynomial& p) {
  for (const auto& [j, value] : p.linear) {
    if (value != 0.0) return false;
  }
  return p.products.empty();
}

// c_k exp(e_k) = exp(e_k + ln c_k), and a constant is an exponential, too; `shift` is added to all of them.
std::optional<LogSumExpRow> exponents_of(const ExponentialSum& sum, const Polynomial& shift) {
  if (!sum.logarithms.empty() || !is_constant(sum.affine) || sum.exponentials.empty()) return std::nullopt;
  LogSumExpRow out;
  const auto add = [&](double factor, Polynomial exponent) {
    exponent.constant += std::log(factor);
    exponent.add(shift, 1.0);
    out.exponents.push_back(std::move(exponent));
  };
  for (const auto& [factor, exponent] : sum.exponentials) {
    if (!(factor > 0.0)) return std::nullopt;
    add(factor, exponent);
  }
  if (sum.affine.constant < 0.0) return std::nullopt;
  if (sum.affine.constant > 0.0) add(sum.affine.constant, {});
  return out;
}

}  // namespace

std::optional<LogSumExpRow> as_log_sum_exp(const Graph& graph, Index root, const Polynomial& linear, double side) {
  std::optional<ExponentialSum> whole = as_exponential_sum(graph, root);
  if (!whole) return std::nullopt;
  whole->affine.add(linear, 1.0);
  if (whole->logarithms.size() == 1 && whole->exponentials.empty()) {
    const std::optional<ExponentialSum> inside = as_exponential_sum(graph, whole->logarithms.front());
    if (!inside) return std::nullopt;
    whole->affine.constant -= side;
    return exponents_of(*inside, whole->affine);
  }
  // sum <= s is ln sum - ln s <= 0, whose multiplier is s times as large at the boundary.
  const double left = side - whole->affine.constant;
  if (!whole->logarithms.empty() || !is_constant(whole->affine) || !(left > 0.0)) return std::nullopt;
  whole->affine = {};
  Polynomial shift;
  shift.constant = -std::log(left);
  std::optional<LogSumExpRow> out = exponents_of(*whole, shift);
  if (out) out->dual_factor = 1.0 / left;
  return out;
}

}  // namespace pliant::io
