// The minimum of the certificate's model with rounding taken off.
#pragma once

#include "pliant/prox_term.hpp"

namespace pliant {

/// A gradient that is known up to `error`, entry by entry.
struct EnclosedVector {
  const Vector& value;
  const Vector& error;
};

/// A number that is at most
///
///   min over y and all g' with |g'_j - g_j| <= error_j of  g''(y - x) + mu/2 |y - x|^2 + psi(y)
///
/// over those y with (the finite part of) psi(y) <= psi_max, which may be infinite; computed so that no rounding of its
/// own makes it larger. -infinity where there is no finite bound.
double verified_lower_model(const ProxTerm& prox, ConstVectorRef x, const EnclosedVector& g, double mu, double psi_max);

}  // namespace pliant
