// The part of a run that asks why it does not succeed: proofs of infeasibility and unboundedness.
#include "outer/run.hpp"

#include "certify/overview.hpp"
#include "linalg/no_allocation.hpp"

#include <algorithm>

namespace pliant {

bool Run::note_failure(const std::vector<Index>& rows) {
  if (!verdict_ && ++failures_ >= ask_at_failure_) {
    ask_at_failure_ *= kSuspiciousFailures;
    seek_proof(rows);
  }
  return verdict_.has_value();
}

void Run::seek_proof(const std::vector<Index>& hints) {
  if (settled_ || !problem_.conic().empty() || system_.grouped()) return;  // the search knows rows alone
  const AllocationAllowedScope allowed;
  const std::optional<Status> verdict = verdict_;
  const std::string message = message_;
  verdict_.reset();  // while searching, a verdict means that a limit was reached
  Vector start = Vector::Zero(problem_.dimension());
  if (problem_.start) start = *problem_.start;
  if (problem_.slater_point) start = *problem_.slater_point;
  problem_.prox().project(start);
  Settings rest = settings_;
  if (rest.time_limit) rest.time_limit = std::max(1e-3, *rest.time_limit - elapsed());
  Diagnosis found = diagnose(problem_, system_, start, hints, rest, hooks_.interrupt, [&] { return check_limits(); });
  settled_ = found.feasibility.answer == Feasibility::feasible;  // and no ray, or it is settled anyway
  if (found.infeasible() || found.unbounded()) {
    adopt_proof(std::move(found));
  } else if (verdict) {
    verdict_ = verdict;
    message_ = message;
  }
}

bool Run::try_infeasibility(const Vector& x, Vector multipliers, std::vector<Vector> cone_multipliers) {
  Diagnosis diagnosis;
  FeasibilityOutcome& found = diagnosis.feasibility;
  double largest = multipliers.size() > 0 ? multipliers.maxCoeff() : 0.0;
  for (const Vector& z : cone_multipliers) largest = std::max(largest, z.size() > 0 ? z.cwiseAbs().maxCoeff() : 0.0);
  if (!(largest > 0.0)) return false;
  found.x = x;
  found.multipliers = multipliers / largest;
  for (Vector& z : cone_multipliers) z /= largest;
  found.cone_multipliers = std::move(cone_multipliers);
  found.proof = check_infeasibility(problem_, system_, x, found.multipliers, found.cone_multipliers);
  if (!found.proof.holds) return false;
  found.answer = Feasibility::infeasible;
  adopt_proof(std::move(diagnosis));
  return true;
}

bool Run::try_unboundedness(const Vector& x, const Vector& direction) {
  Diagnosis diagnosis;
  diagnosis.feasibility.x = x;
  diagnosis.ray = Ray{direction, check_unboundedness(problem_, system_, x, direction)};
  if (!diagnosis.ray->proof.holds) return false;
  adopt_proof(std::move(diagnosis));
  return true;
}

void Run::adopt_proof(Diagnosis diagnosis) {
  verdict_ = diagnosis.infeasible() ? Status::primal_infeasible : Status::dual_infeasible;
  message_ = diagnosis.infeasible() ? describe(diagnosis.feasibility.proof)
                                    : describe(diagnosis.ray->proof, settings_.tol_feas);
  proof_ = std::move(diagnosis);
}

// x and multipliers are those of the proof, so that it can be checked again from the result alone. F* is infinite, or
// minus infinity, and that is proved.
Result Run::finish_with_proof() {
  const FeasibilityOutcome& found = proof_->feasibility;
  Result result;
  result.x = found.x;
  const Vector multipliers = proof_->infeasible() ? found.multipliers : Vector(Vector::Zero(system_.size()));
  result.multipliers = system_.split(multipliers);
  LagrangianEvaluation at;
  evaluate_lagrangian(problem_, system_, found.x, multipliers, at, found.cone_multipliers);
  result.multipliers.cones = at.cones.multipliers;
  result.certificate = assess(problem_, system_, found.x, at);
  result.overview = survey(problem_, system_, at.a, multipliers, at.cones.a, at.cones.multipliers, 0);
  result.certificate.lower_bound = proof_->infeasible() ? kInfinity : -kInfinity;
  result.certificate.lower_bound_rigorous = true;
  if (proof_->infeasible()) {
    result.infeasibility = found.proof;
  } else {
    result.ray = proof_->ray->direction;
    result.unboundedness = proof_->ray->proof;
  }
  add_counters(result);
  return result;
}

}  // namespace pliant
