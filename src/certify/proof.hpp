// What a verdict of infeasible or unbounded rests on, with everything needed to check it again.
#pragma once

#include "pliant/infeasibility.hpp"

#include <variant>
#include <vector>

namespace pliant {

/// What is not proved to vanish counts as nothing if it is within so many times what rounding may have made of 0, as far
/// as double precision can tell. Such claims are limited to a radius.
inline constexpr double kDoubt = 4.0;

/// The constraints contradict each other.
struct Contradiction {
  Vector x;                              ///< where the proof was made
  Vector multipliers;                    ///< in the order of the problem's ConstraintSystem, largest 1
  std::vector<Vector> cone_multipliers;  ///< one per conic constraint, or none
  InfeasibilityProof proof;
};

/// F falls for ever along a direction.
struct Ray {
  Vector x;          ///< from here
  Vector direction;  ///< |d|_inf = 1
  UnboundednessProof proof;
};

using Proof = std::variant<Contradiction, Ray>;

}  // namespace pliant
