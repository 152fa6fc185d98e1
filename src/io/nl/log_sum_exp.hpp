// Rows of a graph that are ln sum_k exp(a_k'x + b_k) <= 0 in other words.
#pragma once

#include "expressions/graph.hpp"
#include "expressions/polynomial.hpp"

#include <optional>
#include <vector>

namespace pliant::io {

struct LogSumExpRow {
  std::vector<Polynomial> exponents;  ///< affine
  double dual_factor = 1.0;           ///< a multiplier of this row times it is one of the row as it was written
};

/// The row  nonlinear + linear <= side, if it is  affine + ln sum c_k exp(affine_k) <= side  or
/// sum c_k exp(affine_k) <= side, c_k > 0; null otherwise.
std::optional<LogSumExpRow> as_log_sum_exp(const Graph& graph, Index root, const Polynomial& linear, double side);

}  // namespace pliant::io
