#include "lagrangian/lagrangian.hpp"

#include "model/natural_units.hpp"
#include "parallel/long_vectors.hpp"

#include <algorithm>
#include <utility>

namespace pliant {

void evaluate_lagrangian(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, Vector multipliers,
                         LagrangianEvaluation& out, const std::vector<Vector>& cone_multipliers) {
  parallel::resize(out.a, system.size());
  out.bounded = 0;
  out.multipliers = std::move(multipliers);
  out.gradient.setZero(x.size());
  out.smooth_value = problem.add_smooth_gradient(x, out.gradient);
  out.smooth_gradient_size = gradient_size(problem, out.gradient);
  Vector weights;
  parallel::resize(weights, system.size());
  const auto given = [&](Index first, Index count, const double*, double* w) {
    std::copy_n(out.multipliers.data() + first, count, w);
  };
  system.sweep(x, given, out.a, weights, out.gradient);
  if (!problem.conic().empty()) out.cones = evaluate_cones(problem, system, x, cone_multipliers, out.gradient);
}

}  // namespace pliant
