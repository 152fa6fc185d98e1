// Functions of a graph that are polynomials of degree two at most, with their coefficients.
#pragma once

#include "expressions/graph.hpp"

#include <map>
#include <optional>
#include <utility>

namespace pliant {

/// constant + sum linear_j x_j + sum products_(i,j) x_i x_j, i >= j.
struct Polynomial {
  double constant = 0.0;
  std::map<Index, double> linear;
  std::map<std::pair<Index, Index>, double> products;

  void add(const Polynomial& other, double factor);
  void scale(double factor);
  bool is_affine() const { return products.empty(); }
  std::size_t size() const { return linear.size() + products.size(); }
};

/// Products of wide sums may have very many entries: beyond these a function is treated as a general one.
inline constexpr std::size_t kMostProducts = std::size_t{1} << 21;

/// Null if the function is no such polynomial.
std::optional<Polynomial> as_polynomial(const Graph& graph, Index root);

}  // namespace pliant
