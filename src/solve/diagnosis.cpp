#include "solve/diagnosis.hpp"

#include "engines/phase_one/feasibility_search.hpp"
#include "solve/recession.hpp"

namespace pliant {

ProofAnswer diagnose(const Problem& problem, const ProofQuestion& question) {
  // Soft rows contradict nothing, and what they cost along a ray is said by slacks: that form is asked (slack_form.hpp).
  if (problem.has_soft_rows()) return {};
  FeasibilityOutcome found =
      search_feasibility(problem, question.system, question.start, question.hints, question.stop);
  ProofAnswer out;
  if (found.answer == Feasibility::infeasible) {
    out.proof =
        Contradiction{std::move(found.x), std::move(found.multipliers), std::move(found.cone_multipliers), found.proof};
    return out;
  }
  out.settled = found.answer == Feasibility::feasible;
  if (question.stop()) return out;
  problem.prox().project(found.x);
  if (auto ray = find_ray(problem, question.system, found.x, question.limits, question.interrupt)) {
    out.proof = std::move(*ray);
  }
  return out;
}

}  // namespace pliant
