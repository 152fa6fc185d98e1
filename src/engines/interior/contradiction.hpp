// Proofs that a standard form has no solution, from its rows and bounds alone.
//
// Multipliers y of the rows (positive on upper sides, negative on lower ones) combine them to g'x <= c with g = A'y, which no
// x within its bounds satisfies where the least value of g'x is larger than c.
#pragma once

#include "engines/interior/standard_form.hpp"

#include <optional>
#include <vector>

namespace pliant {

/// A bound of a variable that a row implies, other bounds given.
struct ImpliedBound {
  Index row, column;
  double coefficient;
  bool upper;
};

/// Takes what the gradient A'y asks of implied bounds back to the rows behind them, the latest first: multipliers of these
/// rows make up for it. `rows` are the rows of A.
void charge_implied_bounds(const RowMatrix& rows, const std::vector<ImpliedBound>& bounds, Vector& y);

/// By how much each x within its bounds violates some row at least, relative to 1 + |its side|; 0 where y proves nothing.
double contradiction_of(const StandardForm& form, const Vector& y);

/// Bounds are passed on from row to row until they cross, or a row cannot be met within them. Duals of the rows that prove
/// it, to be checked like all proofs; empty where the rows contradict each other in no such way.
std::optional<Vector> propagate_to_contradiction(const StandardForm& form);

}  // namespace pliant
