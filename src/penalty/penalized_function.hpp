// The smooth part of the penalised problem,
//
//   Phi(x) = f(x) + xi sum_i p_delta(a_i(x) + u_i) + kappa/2 |x - center|^2,
//
// with optional shifts u (the multiplier method) and an optional proximal term (Catalyst). Without the latter the
// gradient is that of the Lagrangian at
// lambda_i = xi sigma((a_i + u_i)/delta), so every evaluation is also all a certificate needs.
#pragma once

#include "lagrangian/lagrangian.hpp"
#include "pliant/function_ref.hpp"
#include "pliant/problem.hpp"

namespace pliant {

class PenalizedFunction {
 public:
  /// Components of the objective are booked on `account` as well, where one is given.
  PenalizedFunction(const Problem& problem, ConstraintSystem& system, Index* account = nullptr);

  const Problem& problem() const { return problem_; }
  ConstraintSystem& system() { return system_; }

  double xi = 1.0;
  double delta = 1.0;
  Vector shift;        ///< u; empty: none
  double kappa = 0.0;  ///< weight of the proximal term,
  Vector center;       ///< of use where kappa > 0

  /// Returns Phi(x) and fills `at` (values, multipliers, gradient of Phi). One pass.
  double evaluate(ConstVectorRef x, LagrangianEvaluation& at);
  /// The same with f evaluated by the caller: smooth(x, gradient) returns f(x) and adds its gradient.
  using SmoothGradient = FunctionRef<double(ConstVectorRef x, VectorRef gradient)>;
  double evaluate(ConstVectorRef x, LagrangianEvaluation& at, SmoothGradient smooth);

  /// Bounds of the strong convexity of the smooth part (without the proximal term), and of Phi + psi.
  double smooth_strong_convexity() const { return problem_.smooth_strong_convexity(); }
  double strong_convexity() const { return problem_.strong_convexity() + kappa; }

  /// Objective components evaluated so far.
  Index component_evaluations() const { return component_evaluations_; }
  /// Books objective components evaluated one by one.
  void count_components(Index count) {
    component_evaluations_ += count;
    if (account_ != nullptr) *account_ += count;
  }

 private:
  const Problem& problem_;
  ConstraintSystem& system_;
  Vector penalty_;  // p_delta of every constraint at the last point
  Index component_evaluations_ = 0;
  Index* account_;
};

}  // namespace pliant
