// The smooth part of the penalised problem,
//
//   Phi(x) = f(x) + xi sum_i p_delta(a_i(x) + u_i),
//
// with optional shifts u (the multiplier method). Its gradient is that of the Lagrangian at
// lambda_i = xi sigma((a_i + u_i)/delta), so every evaluation is also all a certificate needs.
#pragma once

#include "certify/assess.hpp"
#include "constraints/constraint_system.hpp"
#include "pliant/problem.hpp"

namespace pliant {

class PenalizedFunction {
 public:
  PenalizedFunction(const Problem& problem, ConstraintSystem& system);

  const Problem& problem() const { return problem_; }
  ConstraintSystem& system() { return system_; }

  double xi = 1.0;
  double delta = 1.0;
  Vector shift;  ///< u; empty: none

  /// Returns Phi(x) and fills `at` (values, multipliers, gradient of Phi). One pass.
  double evaluate(ConstVectorRef x, LagrangianEvaluation& at);

  /// Objective components evaluated so far.
  Index component_evaluations() const { return component_evaluations_; }

 private:
  const Problem& problem_;
  ConstraintSystem& system_;
  Vector penalty_;  // p_delta of every constraint at the last point
  Index component_evaluations_ = 0;
};

}  // namespace pliant
