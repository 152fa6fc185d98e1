// Scaling of a conic form (Ruiz): x = size . columns . x^, rows and cost multiplied, so that the entries of P and G are
// of the order of 1. The rows of a cone that is not a product of half-lines share one factor.
#pragma once

#include "engines/conic/conic_form.hpp"

namespace pliant {

struct ConicScaling {
  Vector columns;     ///< x_j = columns_j x^_j
  Vector rows;        ///< row i of the scaled G is rows_i (G diag(columns))_i; s^_i = rows_i s_i
  double size = 1.0;  ///< x and s are divided by it, such that |h| <= 1
  double cost = 1.0;  ///< the scaled objective is the original one times cost/size

  Vector x(const Vector& scaled) const { return size * columns.cwiseProduct(scaled); }
  Vector s(const Vector& scaled) const { return size * scaled.cwiseQuotient(rows); }
  Vector z(const Vector& scaled) const { return rows.cwiseProduct(scaled) / cost; }
  double objective(double scaled) const { return scaled * size / cost; }
  /// Px + q + G'z in original units.
  Vector gradient(const Vector& scaled) const { return scaled.cwiseQuotient(columns) / cost; }
};

/// Scales `form` in place.
ConicScaling scale_conic(ConicForm& form);

}  // namespace pliant
