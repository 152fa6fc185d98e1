// Has a sparse program a solution at all? Two programs that always have one of their own tell:
//
//   the constraints alone      least violation of all rows and bounds: 0, or its multipliers contradict each other;
//   the objective along rays   minimise q'd + sum l1_j |d_j| over the directions that leave no row and no bound, Pd = 0,
//                              |d_j| <= 1: 0, or the objective falls for ever.
//
// The steps of elastic_interior.hpp on the program itself need xi to reach the size of q over the share of the proof that may be
// missing before its multipliers are one, and never tell where it has neither a feasible point nor a dual one; on the
// constraints alone multipliers balance after a handful of steps.
#pragma once

#include "engines/interior/elastic_interior.hpp"
#include "pliant/function_ref.hpp"

namespace pliant {

struct ConstraintsAlone {
  enum class End { satisfied, contradicted, open };
  End end = End::open;
  Vector x;  ///< satisfies them, where that is the end
};

/// `stop` is asked before every step; `satisfies` says whether that is enough, `proves` judges duals of the rows.
ConstraintsAlone solve_constraints_alone(const StandardForm& form, FunctionRef<bool()> stop,
                                         FunctionRef<bool(const InteriorResiduals&)> satisfies,
                                         FunctionRef<bool(const Vector&)> proves);

/// Shows rays to `proves`, accurate to rounding, the one first that stays farther inside of what it touches. True: one of them
/// was accepted. Nothing is done where a factorisation takes more than `most_flops` operations.
bool show_rays(const StandardForm& form, double most_flops, FunctionRef<bool()> stop,
               FunctionRef<bool(const Vector&, bool inside)> proves);

}  // namespace pliant
