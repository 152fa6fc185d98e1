// Phi of a problem at one weight and one width, for tests of what works on Phi alone.
#pragma once

#include "penalty/penalized_function.hpp"

#include <utility>

namespace pliant::testing {

struct FixedPenalty {
  explicit FixedPenalty(Problem p, double xi = 2.0, double delta = 0.1)
      : problem(std::move(p)), system(problem), phi(problem, system) {
    phi.xi = xi;
    phi.delta = delta;
  }
  Vector gradient(const Vector& x) {
    LagrangianEvaluation at;
    phi.evaluate(x, at);
    return at.gradient;
  }

  Problem problem;
  ConstraintSystem system;
  PenalizedFunction phi;
};

}  // namespace pliant::testing
