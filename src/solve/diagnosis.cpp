#include "solve/diagnosis.hpp"

#include "certify/infeasibility.hpp"
#include "engines/phase_one/feasibility_search.hpp"
#include "pliant/shards.hpp"
#include "solve/recession.hpp"

namespace pliant {
namespace {

// Soft rows contradict nothing: hard rows, equalities and the domain may, and their proof is one of the whole problem, where
// multipliers of soft rows are 0. What soft rows cost along a ray is said by slacks: that form is asked (slack_form.hpp).
ProofAnswer diagnose_hard_rows(const Problem& problem, const ProofQuestion& question) {
  const Problem hard = without_rows(problem);
  ProofAnswer out;
  if (hard.constraints() == 0 && !hard.has_equalities()) return out;
  ConstraintSystem system(hard);
  const FeasibilityOutcome found = search_feasibility(hard, system, question.start, {}, question.stop);
  question.system.charge(system);
  out.settled = found.answer == Feasibility::feasible;
  if (found.answer != Feasibility::infeasible || !found.cone_multipliers.empty()) return out;
  const Multipliers few = system.split(found.multipliers);
  Multipliers all{{}, few.nu, {}};
  auto next = few.lambda.begin();
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const bool soft = !problem.caps(static_cast<Index>(b)).empty();
    all.lambda.push_back(soft ? Vector(Vector::Zero(problem.batches()[b]->size())) : *next++);
  }
  Contradiction proof{found.x, question.system.join(all), {}, {}};
  proof.proof = check_infeasibility_balanced(problem, question.system, proof.x, proof.multipliers);
  if (proof.proof.holds) out.proof = std::move(proof);
  return out;
}

}  // namespace

ProofAnswer diagnose(const Problem& problem, const ProofQuestion& question) {
  if (problem.has_soft_rows()) return diagnose_hard_rows(problem, question);
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
