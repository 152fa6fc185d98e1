// What `check` says of a solution: everything is recomputed from the problem and the solution alone.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/guarantee.hpp"
#include "pliant/infeasibility.hpp"
#include "pliant/io.hpp"
#include "pliant/settings.hpp"

#include <optional>
#include <string>

namespace pliant {

struct Verdict {
  Certificate certificate;
  bool satisfied = false;  ///< within the tolerances of the settings
  /// Duals may be meant as a proof that nothing is feasible; a ray always is one that F falls for ever.
  InfeasibilityProof infeasible;
  std::optional<UnboundednessProof> unbounded;
};

/// Judges a solution. Throws InputError where the problem is invalid or the solution does not fit it.
Verdict check(const Problem& problem, const Solution& solution, const Settings& settings = {});

/// The fields of `solve --json` and `check --json` as JSON text; unknown numbers are null. `with_x` adds x and, where the
/// problem has some, the names of its entries (`variables`).
std::string to_json(const Problem& problem, const Settings& settings, const Result& result, bool with_x = false);
std::string to_json(const Problem& problem, const Verdict& verdict);
/// Parts of `info --json`.
std::string to_json(const Problem& problem, const SlaterConstants& slater);
std::string to_json(const Problem& problem, const GuaranteeForecast& forecast);

}  // namespace pliant
