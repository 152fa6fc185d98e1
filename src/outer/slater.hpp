// Strictly feasible points and what they say of the multipliers (SlaterConstants).
#pragma once

#include "engines/phase_one/feasibility_search.hpp"
#include "pliant/guarantee.hpp"

#include <optional>

namespace pliant {

struct SlaterSearch {
  SlaterConstants constants;
  /// A search found that no point is feasible at all.
  std::optional<FeasibilityOutcome> contradiction;
};

/// As slater_constants; x0 is a candidate, too, and a place to begin a search. Reads are booked on `system`.
SlaterSearch find_slater_constants(const Problem& problem, ConstraintSystem& system, const Vector& x0, bool search,
                                   FunctionRef<bool()> stop);

}  // namespace pliant
