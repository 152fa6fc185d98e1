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

/// What of the Lagrangian's gradient g no multiplier of dom psi balances: on a variable with a bound on the side g
/// pushes to, nothing; how far x is from that bound is a matter of the gap. Terms other than separable ones have bounded
/// domains or none: there it is the smallest element of g + subdifferential psi(x).
Vector dual_infeasibility(const ProxTerm& prox, ConstVectorRef x, ConstVectorRef g);

/// min_y g'(y - x) + mu/2 |y - x|^2 + psi(y) over the variables for which it is finite, psi(x) for the others: an
/// estimate where the minimum is not finite.
double lower_model_estimate(const ProxTerm& prox, ConstVectorRef x, ConstVectorRef g, double mu);

}  // namespace pliant
