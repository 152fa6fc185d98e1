// Scaling of a standard form: x = columns . x^, rows and cost multiplied, so that the entries of P and A are of the
// order of 1 (Ruiz: each row and column divided by the square root of its largest entry, a few times).
#pragma once

#include "engines/interior/standard_form.hpp"

namespace pliant {

struct Equilibration {
  Vector columns;     ///< x_j = columns_j x^_j
  Vector rows;        ///< row i of the scaled A is rows_i (A diag(columns))_i
  double cost = 1.0;  ///< the scaled objective is the original one times this

  Vector x(const Vector& scaled) const { return columns.cwiseProduct(scaled); }
  /// Duals of the rows in original units.
  Vector y(const Vector& scaled) const { return rows.cwiseProduct(scaled) / cost; }
};

/// Scales `form` in place.
Equilibration equilibrate(StandardForm& form);

}  // namespace pliant
