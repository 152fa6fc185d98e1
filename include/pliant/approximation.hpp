// Smooth functions that stand for others: constraints a_i(x) <= 0 that are not smooth, given as functions near them.
#pragma once

#include "pliant/rows.hpp"
#include "pliant/types.hpp"

#include <functional>
#include <string_view>

namespace pliant {

/// On which side of the functions meant the given ones lie.
enum class ApproximationSide { both, above, below };
std::string_view to_string(ApproximationSide side);
/// Throws InputError unless the text is one of the above.
ApproximationSide approximation_side(std::string_view text);

/// Says of every row that it is within error_i of the function meant, everywhere:
/// both: |given - meant| <= error; above: meant <= given <= meant + error; below: meant - error <= given <= meant.
/// Methods work with the given ones; certificates speak of the meant ones besides (Certificate::approximation).
struct Approximation {
  Vector error;  ///< Delta_i >= 0
  ApproximationSide side = ApproximationSide::both;
  /// a_k = value of the function meant by rows[k]; empty: not available.
  std::function<void(ConstVectorRef x, Rows rows, VectorRef a)> exact = {};

  /// -fall <= meant - given <= rise
  double rise(Index i) const { return side == ApproximationSide::above ? 0.0 : error[i]; }
  double fall(Index i) const { return side == ApproximationSide::below ? 0.0 : error[i]; }
};

}  // namespace pliant
