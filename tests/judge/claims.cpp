#include "judge/claims.hpp"

#include <cmath>

namespace pliant::judge {

Claims claims_of(const Certificate& certificate) {
  Claims out;
  out.bound =
      BoundClaim{certificate.lower_bound_rigorous ? BoundKind::proved : BoundKind::estimate, certificate.lower_bound};
  return out;
}

Claims claims_of(const InfeasibilityProof& proof) {
  Claims out;
  if (proof.holds) out.empty = EmptinessClaim{proof.radius};
  return out;
}

Claims claims_of(const UnboundednessProof& proof) {
  Claims out;
  out.unbounded = proof.holds;
  return out;
}

Claims claims_of(const Result& result) {
  Claims out = claims_of(result.certificate);
  if (result.status == Status::primal_infeasible) {
    out.empty = result.infeasibility ? claims_of(*result.infeasibility).empty : EmptinessClaim{};
  }
  if (result.status == Status::dual_infeasible) {
    out.unbounded = !result.unboundedness || claims_of(*result.unboundedness).unbounded;
  }
  out.within_tolerances = result.status == Status::optimal;
  return out;
}

}  // namespace pliant::judge
