// What a unit of each row of a system may cost at most: the price of a soft one, infinite for hard rows and equalities.
#pragma once

#include "rows/constraint_system.hpp"

#include <algorithm>

namespace pliant {

inline Vector row_prices(const ConstraintSystem& system) {
  Vector out = Vector::Constant(system.size(), kInfinity);
  for (Index s = 0; s < system.segments(); ++s) {
    const Doubles& caps = system.caps(s);
    std::copy(caps.begin(), caps.end(), out.begin() + system.segment_begin(s));
  }
  return out;
}

}  // namespace pliant
