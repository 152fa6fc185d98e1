#include "solve/certify_again.hpp"

#include "certify/assess.hpp"
#include "certify/infeasibility.hpp"
#include "certify/overview.hpp"
#include "pliant/infeasibility.hpp"
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

void prove_infeasible_again(const Problem& problem, std::string_view otherwise, Result& result) {
  result.infeasibility = prove_infeasible_balanced(problem, result.x, result.multipliers);
  if (result.infeasibility->holds) {
    result.message = describe(*result.infeasibility);
    const bool proved = result.infeasibility->kind() == InfeasibilityKind::proved;
    result.certificate.lower_bound = proved ? kInfinity : -kInfinity;
    result.certificate.lower_bound_kind = proved ? BoundKind::proved : BoundKind::estimate;
    result.certificate.proof = {result.certificate.lower_bound, result.certificate.lower_bound_kind};
    return;
  }
  result.infeasibility.reset();
  result.status = Status::numerical_error;
  result.message = otherwise;
}

void prove_unbounded_again(const Problem& problem, const UnboundednessProof& proof, std::string_view otherwise,
                           const Settings& settings, Result& result) {
  certify_again(problem, settings, result);
  if (!proof.holds) {
    result.unboundedness.reset();
    result.ray.resize(0);
    result.status = Status::numerical_error;
    result.message = otherwise;
    return;
  }
  set_unbounded(proof, settings, result);
}

void set_unbounded(const UnboundednessProof& proof, const Settings& settings, Result& result) {
  result.status = Status::dual_infeasible;
  result.unboundedness = proof;
  result.message = describe(proof, settings.tol_feas);
  const bool proved = proof.kind() == InfeasibilityKind::proved;
  result.certificate.lower_bound = -kInfinity;
  result.certificate.lower_bound_kind = proved ? BoundKind::proved : BoundKind::estimate;
  result.certificate.proof = {-kInfinity, result.certificate.lower_bound_kind};
}

}  // namespace pliant
