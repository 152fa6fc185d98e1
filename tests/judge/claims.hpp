// What the library claims, in one form: the only place that knows how claims are spelled in its results.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/infeasibility.hpp"
#include "pliant/result.hpp"

#include <optional>
#include <vector>

namespace pliant::judge {

struct BoundClaim {
  BoundKind kind = BoundKind::estimate;
  double value = -kInfinity;
};

/// No feasible point has entries up to `radius`; infinite: there is none at all.
struct EmptinessClaim {
  double radius = kInfinity;
};

/// The objective falls along d/|d| over this length, and no row grows by more than 1 + |its constant|; infinite: it
/// falls for ever along a direction of the feasible set, so that there is no dual point.
struct RayClaim {
  double radius = kInfinity;
  Vector direction{};
};

struct Claims {
  std::vector<BoundClaim> bounds{};
  std::optional<EmptinessClaim> empty{};
  std::optional<RayClaim> ray{};
};

Claims claims_of(const Certificate& certificate);
Claims claims_of(const InfeasibilityProof& proof);
Claims claims_of(const UnboundednessProof& proof, const Vector& direction);
Claims claims_of(const Result& result);

}  // namespace pliant::judge
