#include "pliant/check.hpp"

#include "certify/assess.hpp"
#include "solve/slack_form.hpp"

namespace pliant {

Verdict check(const Problem& problem, const Solution& solution, const Settings& settings) {
  problem.validate();
  check_solution_shape(problem, solution);
  const Multipliers multipliers = to_multipliers(problem, solution);
  Verdict out;
  out.certificate = certify(problem, solution.x, multipliers);
  if (settings.tol_gap < Settings{}.tol_gap) {  // which was enough until here
    prove_in_units(problem, solution.x, multipliers, settings.tol_gap, out.certificate);
  }
  out.certificate.choose_bound(settings.tol_gap);
  out.satisfied = out.certificate.satisfies(settings);
  out.infeasible = prove_infeasible(problem, solution.x, multipliers);
  if (solution.ray.size() > 0) out.unbounded = prove_unbounded_with_slacks(problem, solution.x, solution.ray);
  return out;
}

}  // namespace pliant
