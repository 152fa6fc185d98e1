// The bounds as a calculator: give what is known, get every bound that follows from it.
#pragma once

#include "pliant/types.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::theory {

/// What a value is worth.
enum class Standing {
  guaranteed,  ///< proved, whenever the condition holds
  order,       ///< an order of magnitude: constants and logarithms are left out
  as_printed   ///< the paper's formula, false or incomplete: to compare with, not to rely on
};
std::string_view to_string(Standing standing);

struct BoundEntry {
  std::string name;       ///< e.g. "violation at x_delta"
  std::string formula;    ///< e.g. "W m xi delta/(xi - xi_bar)"
  double value = 0.0;     ///< infinite: no bound
  std::string statement;  ///< where it comes from, e.g. "master bound"
  Standing standing = Standing::guaranteed;
  std::string condition;  ///< under which it holds; empty: always
  /// Whether the given parameters satisfy the condition; nothing: they do not tell.
  std::optional<bool> condition_holds = true;
};

struct BoundParameter {
  std::string_view name;
  std::string_view meaning;
};
/// The parameters evaluate_bounds knows.
std::span<const BoundParameter> bound_parameters();

/// Everything the given parameters determine. U follows from C0, C1, m and a_norm where it is not given, and the
/// bound of a Slater point stands for xi_bar. Throws InputError for unknown names and impossible values.
std::vector<BoundEntry> evaluate_bounds(const std::map<std::string, double>& parameters);

}  // namespace pliant::theory
