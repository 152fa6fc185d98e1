// What a verdict of infeasible or unbounded rests on, with everything needed to check it again.
#pragma once

#include "pliant/infeasibility.hpp"

#include <variant>
#include <vector>

namespace pliant {

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
