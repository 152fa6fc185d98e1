// The Lagrangian of a problem whose multipliers live on gathered rows.
//
// Multipliers of a subset, zero elsewhere, are multipliers of the whole problem: gradient and complementarity need the
// gathered rows alone. Of all the others the certificate needs sums, which their holder computes (row_holder.hpp).
#pragma once

#include "lagrangian/lagrangian.hpp"
#include "rows/row_holder.hpp"
#include "run/problem_view.hpp"

namespace pliant {

/// What a solve on gathered rows leaves.
struct GatheredMultipliers {
  std::shared_ptr<RowBlock> block;
  Vector lambda;       ///< of its rows, >= 0
  Vector dual_points;  ///< of the cones among them (RowSelection)
  Vector nu;           ///< of the problem's own equalities

  /// lambda with 0 for the rows of cones, whose multipliers are dual points.
  Vector plain() const;
};

/// Evaluates at x of the problem, y in the coordinates of the holder, whose latest check was made there. `values` become
/// those of the gathered rows at x, from the data themselves. `system` is that of the whole problem; of its rows only
/// the equalities are read.
void evaluate_gathered(const Problem& problem, ConstraintSystem& system, RowHolder& rows, const Vector& x,
                       const Vector& y, const GatheredMultipliers& multipliers, Vector& values,
                       LagrangianEvaluation& at);

/// The same where the rows are no part of the problem: `view` becomes the problem with the gathered rows and those that
/// are not proven to be below minus the holder's slack, all fetched once more, and the evaluation is one of it.
void evaluate_held(const Problem& problem, ProblemView& view, RowHolder& rows, const Vector& x, const Vector& y,
                   const GatheredMultipliers& multipliers, LagrangianEvaluation& at);

}  // namespace pliant
