// The certificate's model where no proof is asked for.
#pragma once

#include "pliant/prox_term.hpp"

namespace pliant {

/// An estimate of min_y g'(y - x) + mu/2 |y - x|^2 + psi(y), and the largest part of g that nothing balances, in units
/// of the variables (Problem::natural_units; empty: 1).
///
/// Where the minimum is not finite, what of the gradient is left is charged as far as the variables are known to reach:
/// |y_j - x_j| <= max(|x_j|, unit_j), at a share of the full price. So a residual that looks small beside other gradients counts for what it may cost.
///
/// A bound of a variable counts where it is no farther from x_j than 1 + |x_j|: it may then carry a multiplier, and what
/// x_j is away from it costs gap. Bounds farther away are treated as if there were none: what of the gradient pushes
/// towards them is a residual. A box of 1e10 around a solution of size 1 is the same as no box, then.
struct ModelEstimate {
  double minimum = 0.0;
  double residual = 0.0;
};
ModelEstimate estimate_model(const ProxTerm& prox, ConstVectorRef x, ConstVectorRef g, double mu, const Vector& units);

/// How far x is outside dom psi, each bound relative to 1 + its size, a radius likewise.
double relative_domain_violation(const ProxTerm& prox, ConstVectorRef x);

}  // namespace pliant
