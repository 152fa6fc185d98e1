// What `check` says of a solution: everything is recomputed from the problem and the solution alone.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/infeasibility.hpp"
#include "pliant/io.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace pliant::report {

struct Verdict {
  Certificate certificate;
  bool satisfied = false;  ///< within the tolerances
  /// Duals may be meant as a proof that nothing is feasible; a ray always is one that F falls for ever.
  InfeasibilityProof infeasible;
  std::optional<UnboundednessProof> unbounded;
};

/// Judges a solution whose shape fits the problem.
Verdict check(const Problem& problem, const Solution& solution, const Settings& settings);

nlohmann::ordered_json to_json(const Problem& problem, const Verdict& verdict);

}  // namespace pliant::report
