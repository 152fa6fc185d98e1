#include "solve/certify_again.hpp"

#include "certify/assess.hpp"
#include "certify/overview.hpp"
#include "prox/domain.hpp"

namespace pliant {

void certify_again(const Problem& problem, const Settings& settings, Result& result) {
  ConstraintSystem system(problem);
  LagrangianEvaluation at;
  evaluate_lagrangian(problem, system, result.x, system.join(result.multipliers), at, result.multipliers.cones);
  result.certificate = assess(problem, system, result.x, at);
  take_rounding_off(problem, system, result.x, at.multipliers, at.cones.multipliers, {}, settings.tol_gap,
                    result.certificate);
  result.bound_duals = dual_infeasibility(problem.prox(), result.x, at.gradient) - at.gradient;
  result.overview = survey(problem, system, at.a, at.multipliers, at.cones.a, at.cones.multipliers, 0);
  result.passes += system.passes();
}

}  // namespace pliant
