// Is there a point that satisfies all constraints? The objective plays no part.
//
// The smoothed maximum is minimised over a working set of rows; a proof of infeasibility found there is one for the
// whole problem (multipliers 0 elsewhere). A point at which the working rows are negative is checked against all rows,
// and the worst of them join.
#pragma once

#include "certify/infeasibility.hpp"
#include "pliant/function_ref.hpp"

#include <vector>

namespace pliant {

enum class Feasibility { infeasible, feasible, open };

struct FeasibilityOutcome {
  Feasibility answer = Feasibility::open;
  Vector x;                              ///< feasible, or where the proof was made, or the best point found
  Vector multipliers;                    ///< of the proof, in the order of the problem's ConstraintSystem, largest 1
  std::vector<Vector> cone_multipliers;  ///< likewise, one per conic constraint, or none
  InfeasibilityProof proof;
};

/// `start`: where to begin; `hints`: rows of the problem's ConstraintSystem to begin with. Reads are booked on
/// `system`.
FeasibilityOutcome search_feasibility(const Problem& problem, ConstraintSystem& system, const Vector& start,
                                      const std::vector<Index>& hints, FunctionRef<bool()> stop);

}  // namespace pliant
