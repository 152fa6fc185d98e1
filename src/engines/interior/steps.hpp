// The arithmetic that all interior-point methods share: how far a step may go, and how much to centre after a
// predictor.
#pragma once

#include "pliant/types.hpp"

namespace pliant::interior {

/// Primal and dual step lengths.
struct Steps {
  double primal = 1.0, dual = 1.0;

  double shorter() const { return primal < dual ? primal : dual; }
  /// One length for both.
  Steps joined() const { return {shorter(), shorter()}; }
};

/// The largest t <= limit with z + t d >= 0, for z >= 0. Entries of d that are not numbers allow no step at all.
double longest_step(double z, double d, double limit);
double longest_step(ConstVectorRef z, ConstVectorRef d, double limit);
/// The same for 0 <= z + t d <= ceiling.
double longest_step_between(ConstVectorRef z, ConstVectorRef ceiling, ConstVectorRef d, double limit);
/// The largest t with LL' + t D positive semidefinite, infinite if there is none.
double longest_matrix_step(const Matrix& L, const Matrix& D);

/// min(1, fraction t), for t that may exceed 1: a full step needs room beyond it.
double damped(double t, double fraction);
Steps damped(Steps t, double fraction);
/// fraction t where the boundary stops the step (t < 1), else the full step.
double damped_where_stopped(double t, double fraction);
Steps damped_where_stopped(Steps t, double fraction);

/// Mehrotra: what a predictor removes need not be removed by centring,
///
///   sigma = (mu_predicted / mu)^power   within [least, most].
struct CentringRule {
  static constexpr double kPower = 3.0;  // his heuristic; smaller powers centre more
  double least = 0.0, most = 1.0;
  double power = kPower;
};
double centring(double mu_ratio, const CentringRule& rule);

}  // namespace pliant::interior
