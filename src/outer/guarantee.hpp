// The guarantee of Corollaries 1 and 2, end to end: constants of a problem, their forecast, and a solve that keeps to it.
#pragma once

#include "outer/slater.hpp"
#include "penalty/inner_point.hpp"
#include "run/context.hpp"

#include <string>

namespace pliant {

/// Why the corollaries say nothing about a problem, whatever its numbers are, in words; empty: they may.
std::string guarantee_obstacle(const Problem& problem);

struct GuaranteePlan {
  GuaranteeForecast forecast;
  std::optional<FeasibilityOutcome> contradiction;  ///< the problem is infeasible
};

/// forecast_guarantee with reads booked on `system`. x0 lies in the domain; settings.guarantee is set.
GuaranteePlan plan_guarantee(const Problem& problem, ConstraintSystem& system, const Vector& x0,
                             const Settings& settings, FunctionRef<bool()> stop);

/// Every constant of the loop.
struct GuaranteeParameters {
  Index first_look = 10;     ///< steps before the second certificate; the first is that of the start
  double look_growth = 1.1;  ///< of the number of steps from certificate to certificate
};

/// Plain accelerated gradient steps at the forecast's xi and delta from point.x on, until a certificate proves the
/// accuracy or all N steps are done. InputError where a constant is not available.
void solve_guaranteed(Context& context, InnerPoint& point, const GuaranteeParameters& parameters);

}  // namespace pliant
