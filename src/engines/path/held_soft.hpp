// The certificate of a problem whose soft rows are held elsewhere.
//
// A row that is frozen to a linear function costs at least what that function says, everywhere: prices are sums of positive
// parts. So the problem with the rows that are here as they are, and all others frozen, lies below the problem itself, and a
// lower bound of it is one of that. At a point where every frozen row is on the side it is frozen to both have one value.
#pragma once

#include "penalty/inner_point.hpp"
#include "rows/soft_mass.hpp"
#include "run/context.hpp"

namespace pliant {

struct HeldSoftRows {
  const SoftTable& rows;  ///< that are here, in the order of SoftMass::numbers
  Vector slopes;          ///< their multipliers; empty: there are no rows
  Vector others;          ///< multipliers of the system of the problem itself
};

/// Evaluates the Lagrangian of that problem at point.x, where the rows of the mass that are not here are on their sides. The
/// view of the run becomes it, and its rows are numbered as held_side says.
void evaluate_held_soft(Context& run, const SoftMass& mass, const HeldSoftRows& held, InnerPoint& point);

/// Two numbers for each row of a mass, that of its upper side and that of its lower one.
struct HeldSide {
  Index row;
  double sign;
  Index number() const { return 2 * row + (sign > 0.0 ? 0 : 1); }
  static HeldSide of(Index number) { return {number / 2, number % 2 == 0 ? 1.0 : -1.0}; }
};

}  // namespace pliant
