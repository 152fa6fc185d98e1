#include "judge/claims.hpp"

namespace pliant::judge {

Claims claims_of(const Certificate& certificate) {
  Claims out;
  out.bounds.push_back({certificate.lower_bound_kind, certificate.lower_bound});
  out.bounds.push_back({certificate.proof.kind, certificate.proof.value});
  return out;
}

Claims claims_of(const InfeasibilityProof& proof) {
  Claims out;
  if (proof.holds) out.empty = EmptinessClaim{proof.radius};
  return out;
}

Claims claims_of(const UnboundednessProof& proof, const Vector& direction) {
  Claims out;
  if (proof.holds) out.ray = RayClaim{proof.radius, direction};
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
