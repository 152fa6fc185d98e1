// Why did a solve fail? Looks for a proof that the problem is infeasible or unbounded, and verifies it.
#pragma once

#include "engines/phase_one/feasibility_search.hpp"
#include "outer/recession.hpp"

namespace pliant {

struct Diagnosis {
  FeasibilityOutcome feasibility;
  std::optional<Ray> ray;  ///< from feasibility.x

  bool infeasible() const { return feasibility.answer == Feasibility::infeasible; }
  bool unbounded() const { return !infeasible() && ray.has_value(); }
};

/// First whether the constraints contradict each other, then whether F falls for ever. `hints`: rows suspected to
/// contradict each other, possibly none.
Diagnosis diagnose(const Problem& problem, ConstraintSystem& system, const Vector& start,
                   const std::vector<Index>& hints, const Settings& settings, const std::atomic<bool>* interrupt,
                   FunctionRef<bool()> stop);

}  // namespace pliant
