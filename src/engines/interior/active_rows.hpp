// The last digits of linear and quadratic programs that interior points leave open.
//
// Near a solution the rows that hold with equality are known before x and the multipliers are: with the smallest set of
// sides near x whose gradients balance that of the objective,
//
//   -(Px + q) = sum y_k n_k,  y_k >= 0        (nonnegative_fit.hpp),
//
// x and y solve the optimality conditions of the sides with y_k > 0 as equations, by orthogonal factorisations: no product
// of the data with themselves, no weights of all sizes. The certificate decides whether that was right.
#pragma once

#include "run/context.hpp"

namespace pliant {

/// Variables up to which that costs next to nothing, and up to which dense factorisations, one for every exchange of rows,
/// are still a matter of a second.
inline constexpr Index kFinishedAtOnce = 30, kFinishedAtLast = 200;

/// Tries that from the best point of the run, on programs of so many variables at most whose rows are all here. True: the
/// run has a verdict.
bool finish_on_active_rows(Context& run, InnerPoint& point, Index most_variables);

}  // namespace pliant
