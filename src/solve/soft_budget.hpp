// Solves by means of a soft form (soft_form.hpp), with or without a budget.
//
// With one, the Lagrangian in its multiplier theta is a problem with soft rows for each theta: its value is concave in
// theta, a lower bound of the original everywhere, and its slope is the excess of the budget at the solution. The search
// keeps a theta at which the budget is exceeded and one at which it is kept. Between them lie the root of the line through
// the two slopes, which is exact for quadratic functions, and the point where the two tangents meet, which is exact for
// piecewise linear ones; it takes them in turns. Any point between the solutions at both ends costs no more than they do
// on average, so where linear programs jump over the budget a point on it is found between them.
#pragma once

#include "pliant/result.hpp"
#include "pliant/solve.hpp"

namespace pliant {

/// Makes the form and solves it; `attempt` says why. The result is one of the original problem.
Result solve_with_soft_rows(const Problem& problem, const Attempt& attempt, const Settings& settings,
                            const SolveHooks& hooks);

}  // namespace pliant
