// Scaling of programs: x = size . columns . x^, rows and cost multiplied, so that the entries of P and A are of the
// order of 1 (Ruiz: each row and column divided by the square root of its largest entry, a few times).
#pragma once

#include "engines/interior/standard_form.hpp"

#include <vector>

namespace pliant {

/// The way back from a scaled program. Quantities without a scale of their own have factors 1 (or none at all).
struct Equilibration {
  Vector columns;     ///< x_j = size columns_j x^_j
  Vector rows;        ///< row i of the scaled A is rows_i (A diag(columns))_i
  double size = 1.0;  ///< x and the sides of rows are divided by it
  double cost = 1.0;  ///< the scaled objective is the original one times cost/size

  Vector x(const Vector& scaled) const { return size * columns.cwiseProduct(scaled); }
  /// Values and violations of the rows.
  Vector s(const Vector& scaled) const { return size * scaled.cwiseQuotient(rows); }
  /// Duals of the rows.
  Vector y(const Vector& scaled) const { return rows.cwiseProduct(scaled) / cost; }
  /// Px + q + A'y
  Vector gradient(const Vector& scaled) const { return scaled.cwiseQuotient(columns) / cost; }
  double objective(double scaled) const { return scaled * size / cost; }
};

struct EquilibrationRules {
  double least = 0.0, largest = kInfinity;      ///< limits of the factors of rows and columns
  double least_cost = 0.0, largest_cost = 1e8;  ///< limits of the factor of the cost
  double cost_of_nothing = 1e8;                 ///< the factor of an objective that is 0
};

/// Rows that share one factor, because the cone they belong to allows no other.
struct RowGroup {
  Index first, count;
};

/// Scales P and A in place, and q with the columns; the sides of rows, and bounds, are the caller's.
Equilibration equilibrate(QuadraticCost& objective, SparseMatrix& A, const std::vector<RowGroup>& groups,
                          const EquilibrationRules& rules);
/// Multiplies the objective such that the largest of its entries is 1, within the limits.
void scale_cost(QuadraticCost& objective, const EquilibrationRules& rules, Equilibration& out);

/// Scales `form` in place.
Equilibration equilibrate(StandardForm& form);

/// Columns divided by their length, nothing else; columns of length 0 stay.
Equilibration unit_columns(const Vector& squared_lengths);

}  // namespace pliant
