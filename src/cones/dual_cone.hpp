// Multipliers of conic constraints: moved into the dual cone K*, where every z makes a valid bound.
#pragma once

#include "pliant/cones.hpp"

namespace pliant {

/// The point of K* that stands for z: the nearest one for nonnegative, second-order and semidefinite cones; for
/// exponential and power cones z + t e*, e* a fixed point inside K* and t >= 0 as small as can be. All of R^n for a
/// zero cone. Points of K* stay as they are.
void move_into_dual_cone(const ConicConstraint& conic, VectorRef z);
void move_into_dual_cone(const Cone& cone, VectorRef z);

/// The same so that z is in K* for certain, whatever rounding did: a hair further inside, or 0 where that fails.
void move_certainly_into_dual_cone(const Cone& cone, VectorRef z);

/// Multipliers of a second-order or semidefinite cone with a price: the same so that no eigenvalue of z exceeds the price for
/// certain. Those of (t, v) are (t +- |v|)/2: t (1, 0) has two equal ones in z's.
void move_certainly_below_price(const Cone& cone, double price, VectorRef z);

}  // namespace pliant
