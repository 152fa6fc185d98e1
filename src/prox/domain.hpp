// The domain of a prox term as constraints, for methods that know nothing but constraints.
#pragma once

#include "pliant/constraint_batch.hpp"
#include "pliant/prox_term.hpp"

namespace pliant {

/// A batch that holds exactly on dom psi: bounds as two-sided rows, the simplex with its sum, the ball as
/// |x|^2/(2R) - R/2 <= 0. Null if dom psi is everything.
BatchPtr domain_rows(const ProxTerm& prox);

/// Directions that stay in dom psi for ever, as an interval of every entry of d: [0, 0], one-sided or all.
struct RecessionBounds {
  Vector lower, upper;  ///< 0 or infinite
};
RecessionBounds recession_bounds(const ProxTerm& prox);

}  // namespace pliant
