// The smooth part of the penalised problem,
//
//   Phi(x) = f(x) + sum_i xi_i p_delta(a_i(x) + u_i) + kappa/2 |x - center|^2,
//
// with optional shifts u (the multiplier method) and an optional proximal term (Catalyst). xi_i is xi for hard rows and
// equalities, and the price of a soft row, which is what there is to minimise: it never changes, only delta does. Without
// the proximal term the gradient is that of the Lagrangian at
// lambda_i = xi_i sigma((a_i + u_i)/delta), so every evaluation is also all a certificate needs.
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

  double xi = 1.0;  ///< of hard rows
  double delta = 1.0;
  Vector shift;        ///< u; empty: none
  double kappa = 0.0;  ///< weight of the proximal term,
  Vector center;       ///< of use where kappa > 0

  bool has_soft_rows() const { return prices_.size() > 0; }
  bool soft(Index row) const { return has_soft_rows() && prices_[row] < kInfinity; }
  /// xi_i: no multiplier is larger.
  double ceiling(Index row) const { return soft(row) ? prices_[row] : xi; }
  /// Of soft rows; 0 without any.
  double sum_of_prices() const { return sum_of_prices_; }
  /// The largest of these values that belongs to a hard row or an equality; -infinity without any.
  double largest_hard(ConstVectorRef a) const;
  /// Hard rows, sides of equalities included.
  Index hard_rows() const { return hard_rows_; }

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
  Vector prices_;  // infinite for hard rows; empty: all are hard
  double sum_of_prices_ = 0.0;
  Index hard_rows_ = 0;
  Vector penalty_;  // p_delta of every constraint at the last point, times the price where some are soft
  Index component_evaluations_ = 0;
  Index* account_;
};

}  // namespace pliant
