// One problem through solve and check, every claim judged.
#pragma once

#include "judge/families.hpp"
#include "judge/judge.hpp"

#include <string>
#include <vector>

namespace pliant::judge {

struct Examination {
  std::string status;  ///< of the solve; "refused": bad input
  std::string refusal;
  std::string bound;                                  ///< proved, if convex, estimate; empty: no solve
  bool within_radius = false, unconditional = false;  ///< primal_infeasible: which
  bool endless_ray = false, long_ray = false;         ///< dual_infeasible: which
  Index checks = 0;                                   ///< certificates and proofs judged besides
  Index proved_checks = 0;                            ///< of these, how many claimed something as proved
  /// Solved within tolerances and called optimal without a proof, yet the exact value is elsewhere.
  bool far_from_truth = false;
  std::vector<std::string> false_claims;
};

/// `random` draws settings, hostile multipliers and rays.
Examination examine(const RawCase& raw, Random& random);

}  // namespace pliant::judge
