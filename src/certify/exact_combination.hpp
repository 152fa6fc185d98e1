// Unconditional proofs without a bounded domain: numbers near the given ones for which sums are exactly 0.
#pragma once

#include "rows/constraint_system.hpp"

#include <array>
#include <vector>

namespace pliant {

/// Entries of a combined gradient on the right side of 0 that are smaller than this share of their parts are meant to be 0;
/// where that asks for too much, those alone that rounding may have put there.
inline constexpr std::array kMeantZero{1e-6, 1e-13};

/// Whether some lambda' >= 0 near `multipliers` combines rows of linear constraints (those of the system, and of
/// nonnegative and zero cones) to a function that is positive on all of dom psi: sum lambda'_i g_i = 0 exactly on the
/// variables that have no bound to stop them, by an enclosure of the solution of a square system of n or fewer of the
/// rows (linalg/verified_solve.hpp), or exactly as they are for simple multipliers. False also where a row with a
/// multiplier is of another kind, or the system too large.
bool exact_combination_is_positive(const Problem& problem, const ConstraintSystem& system, ConstVectorRef multipliers,
                                   const std::vector<Vector>& cone_multipliers);

/// The multipliers changed as little as it takes, each relative to itself, to make the combined gradient at x vanish up to
/// rounding on the variables that no bound stops, and where it is meant to be 0; `beside` is what cones add to it, whose multipliers stay. Empty where the
/// system is too large.
std::optional<Vector> balance_multipliers(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                                          ConstVectorRef multipliers, ConstVectorRef beside, double meant_zero);

/// How far each entry of some d' with E d' = 0 exactly, E the equalities, is from d; entries in `fixed` stay. Empty: no
/// such d' is proved to exist.
std::optional<Vector> distance_to_equalities(const Problem& problem, ConstVectorRef d, const std::vector<bool>& fixed);

}  // namespace pliant
