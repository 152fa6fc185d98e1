// The Lagrangian s(.) = f + lambda'a + nu'(Ex - e) + z'(Gx - h) and its gradient at a point.
#pragma once

#include "lagrangian/conic.hpp"
#include "rows/constraint_system.hpp"

namespace pliant {

/// The Lagrangian s(.) = f + lambda'a + nu'(Ex - e) + z'(Gx - h) at x, all computed from original data.
struct LagrangianEvaluation {
  double smooth_value = 0.0;          ///< f(x)
  double smooth_gradient_size = 0.0;  ///< of grad f(x), in natural units of the variables (model/natural_units.hpp)
  Vector a;                           ///< every constraint of the ConstraintSystem
  Index bounded = 0;                  ///< so many of them are upper bounds: rows proven inactive and not read
  Vector multipliers;                 ///< likewise, >= 0
  Vector gradient;                    ///< grad s(x)
  ConicEvaluation cones;              ///< of use where the problem has any
};

/// Evaluates the Lagrangian at x for given multipliers, those of cones moved into K* (none: 0): one pass.
void evaluate_lagrangian(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, Vector multipliers,
                         LagrangianEvaluation& out, const std::vector<Vector>& cone_multipliers = {});

}  // namespace pliant
