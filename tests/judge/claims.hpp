// What the library claims, in one form: the only place that knows how claims are spelled in its results.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/infeasibility.hpp"
#include "pliant/result.hpp"

#include <optional>

namespace pliant::judge {

enum class BoundKind { proved, proved_if_convex, estimate };

struct BoundClaim {
  BoundKind kind = BoundKind::estimate;
  double value = -kInfinity;
};

/// No feasible point has entries up to `radius`; infinite: there is none at all.
struct EmptinessClaim {
  double radius = kInfinity;
};

struct Claims {
  std::optional<BoundClaim> bound;
  std::optional<EmptinessClaim> empty;
  bool unbounded = false;  ///< the objective falls for ever along a direction of the feasible set: no dual point
  bool within_tolerances = false;
};

Claims claims_of(const Certificate& certificate);
Claims claims_of(const InfeasibilityProof& proof);
Claims claims_of(const UnboundednessProof& proof);
Claims claims_of(const Result& result);

}  // namespace pliant::judge
