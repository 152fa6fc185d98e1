#include "lagrangian/lagrangian.hpp"

#include "model/natural_units.hpp"
#include "parallel/long_vectors.hpp"

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
  // The weights are there already: in the place where a sweep looks for them.
  const auto given = [](Index, Index, const double*, double*) {};
  system.sweep(x, given, out.a, out.multipliers, out.gradient);
  out.cones =
      problem.conic().empty() ? ConicEvaluation{} : evaluate_cones(problem, system, x, cone_multipliers, out.gradient);
}

}  // namespace pliant
