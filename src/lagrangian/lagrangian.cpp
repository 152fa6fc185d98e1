#include "lagrangian/lagrangian.hpp"

#include "model/natural_units.hpp"

#include <algorithm>

namespace pliant {

void evaluate_lagrangian(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, ConstVectorRef multipliers,
                         LagrangianEvaluation& out, const std::vector<Vector>& cone_multipliers) {
  out.a.resize(system.size());
  out.bounded = 0;
  out.multipliers = multipliers;
  out.gradient.setZero(x.size());
  out.smooth_value = problem.add_smooth_gradient(x, out.gradient);
  out.smooth_gradient_size = gradient_size(problem, out.gradient);
  Vector weights(system.size());
  system.sweep(
      x, [&](Index first, Index count, const double*, double* w) { std::copy_n(multipliers.data() + first, count, w); },
      out.a, weights, out.gradient);
  if (!problem.conic().empty()) out.cones = evaluate_cones(problem, system, x, cone_multipliers, out.gradient);
}

}  // namespace pliant
