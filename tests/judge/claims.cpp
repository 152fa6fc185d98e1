#include "judge/claims.hpp"

namespace pliant::judge {

Claims claims_of(const Certificate& certificate) {
  const BoundKind kind = certificate.lower_bound_rigorous ? BoundKind::proved : BoundKind::estimate;
  Claims out;
  out.bounds.push_back({kind, certificate.lower_bound});
  return out;
}

Claims claims_of(const InfeasibilityProof& proof) {
  Claims out;
  if (proof.holds) out.empty = EmptinessClaim{proof.radius};
  return out;
}

Claims claims_of(const UnboundednessProof& proof, const Vector& direction) {
  Claims out;
  if (proof.holds) out.ray = RayClaim{kInfinity, direction};
  return out;
}

// A status without its proof counts as the strongest claim of its kind.
Claims claims_of(const Result& result) {
  Claims out = claims_of(result.certificate);
  if (result.status == Status::primal_infeasible) {
    out.empty = result.infeasibility ? claims_of(*result.infeasibility).empty : EmptinessClaim{};
  }
  if (result.status == Status::dual_infeasible) {
    out.ray = result.unboundedness ? claims_of(*result.unboundedness, result.ray).ray : RayClaim{};
  }
  return out;
}

}  // namespace pliant::judge
