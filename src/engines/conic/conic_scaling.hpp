// Scaling of a conic form (Ruiz): x = columns . x^, rows and cost multiplied, so that the entries of P and G are of the
// order of 1. The rows of a cone that is not a product of half-lines share one factor.
#pragma once

#include "engines/conic/conic_form.hpp"

namespace pliant {

struct ConicScaling {
  Vector columns;     ///< x_j = columns_j x^_j
  Vector rows;        ///< row i of the scaled G is rows_i (G diag(columns))_i; s^_i = rows_i s_i
  double cost = 1.0;  ///< the scaled objective is the original one times this

  Vector x(const Vector& scaled) const { return columns.cwiseProduct(scaled); }
  Vector s(const Vector& scaled) const { return scaled.cwiseQuotient(rows); }
  Vector z(const Vector& scaled) const { return rows.cwiseProduct(scaled) / cost; }
};

/// Scales `form` in place.
ConicScaling scale_conic(ConicForm& form);

}  // namespace pliant
