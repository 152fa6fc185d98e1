#include "engines/first_order/apg.hpp"
#include "pliant/solve.hpp"
#include "solve/plan.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {

PenalizedMinimum minimize_penalized(const Problem& problem, double xi, double delta, double residual_tolerance,
                                    Index max_iterations, const Vector* start) {
  if (!(xi >= 0.0) || !std::isfinite(xi)) throw InputError(fmt::format("xi: expected a number >= 0, got {}", xi));
  if (!(delta > 0.0) || !std::isfinite(delta)) {
    throw InputError(fmt::format("delta: expected a number > 0, got {}", delta));
  }
  if (!(residual_tolerance >= 0.0)) {
    throw InputError(fmt::format("tolerance: expected a number >= 0, got {}", residual_tolerance));
  }
  if (start != nullptr && (start->size() != problem.dimension() || !start->allFinite())) {
    throw InputError(fmt::format("start: expected {} finite entries, got {}", problem.dimension(), start->size()));
  }
  problem.validate();
  expect_smooth(problem, "minimize_penalized: needs");
  if (!problem.conic().empty()) throw InputError("minimize_penalized: does not take conic constraints");
  if (problem.has_soft_rows()) throw InputError("minimize_penalized: does not take soft rows");
  ConstraintSystem system(problem);
  PenalizedFunction phi(problem, system);
  phi.xi = xi;
  phi.delta = delta;
  InnerPoint point;
  point.x = start != nullptr ? *start : Vector(Vector::Zero(problem.dimension()));
  Apg inner(problem.dimension(), problem.strong_convexity());
  Index count = 0;
  const InnerOutcome outcome = inner.minimize(
      phi, point, [&](const InnerPoint& p) { return p.residual <= residual_tolerance || count++ >= max_iterations; });
  return {point.x, point.phi + problem.prox().value(point.x), point.residual, outcome.iterations};
}

}  // namespace pliant
