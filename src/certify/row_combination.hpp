// Linear rows combined with multipliers that are known up to an enclosure, beside a fixed function: the arithmetic of
// proofs that need some sums to be exactly 0.
#pragma once

#include "pliant/prox_term.hpp"

#include <optional>
#include <vector>

namespace pliant {

/// Dense factorisations up to this many numbers are worth a try.
inline constexpr Index kMostCombinationEntries = Index{1} << 22;
/// Multipliers below this share of the largest are left out: 0 is as good.
inline constexpr double kMultiplierShare = 1e-9;

/// Rows g_i'y <= h_i with multipliers; those of equalities and zero cones have any sign.
struct RowCombination {
  std::vector<Vector> g;
  std::vector<double> h, lambda;
  std::vector<double> cap;  ///< the largest multiplier of a soft row, infinite for others
  std::vector<bool> free;

  Index size() const { return static_cast<Index>(lambda.size()); }
  void add(Vector row, double constant, double multiplier, bool any_sign, double largest = kInfinity);
  Matrix matrix() const;  ///< n x rows
};

/// A function of y that is at least value + gradient'y, the numbers known up to their errors.
struct FixedPart {
  explicit FixedPart(Index n) : gradient(Vector::Zero(n)), gradient_error(Vector::Zero(n)) {}

  double value = 0.0, value_error = 0.0;
  Vector gradient, gradient_error;
};

/// Exact multipliers lie within `radius` of `lambda`.
struct EnclosedMultipliers {
  Vector lambda, radius;
};

/// Multipliers near lambda with gradient_j + sum_i lambda_i g_ij = 0 exactly for j in `equations`, whatever the gradient
/// is within its error: as many of them solved for as there are equations, those with the largest `scale` rather than
/// others, which stay as they are. G = rows.matrix().
std::optional<EnclosedMultipliers> solve_for_zero(const Matrix& G, const FixedPart& fixed, const Vector& lambda,
                                                  const Vector& scale, const std::vector<Index>& equations);

/// A lower bound of value - lambda'h + sum_j min over the bounds of (gradient + G lambda)_j y_j, rounding taken off;
/// entries in `zero` are exactly 0. -infinity where some multiplier may be negative or above its cap, or no bound stops an
/// entry.
double least_combination(const RowCombination& rows, const Matrix& G, const FixedPart& fixed,
                         const EnclosedMultipliers& at, const std::vector<bool>& zero, const ProxTerm& prox);

/// Lower and upper bound of a variable, infinite where there is none.
struct VariableBounds {
  double lower = -kInfinity, upper = kInfinity;
  bool free() const { return lower == -kInfinity && upper == kInfinity; }
};
VariableBounds bounds_of(const ProxTerm& prox, Index j);

}  // namespace pliant
