// Newton's method on the smoothed maximum of some constraints,
//
//   phi_delta(x) = delta ln sum_k exp(b_k(x) / delta),   b_k = c_k a_k(x), c_k > 0 scales,
//
// which lies between max b and max b + delta ln(count). With w the softmax weights:
//
//   grad phi = sum w_k grad b_k,   Hess phi <= sum w_k Hess b_k + (1/delta) sum w_k grad b_k grad b_k'.
//
// Where max b is negative somewhere the method finds such a point. Where it is positive everywhere the weights at a
// minimiser are multipliers with sum w_k grad b_k = 0 and sum w_k b_k > 0 as soon as delta ln(count) is below the
// smallest maximum: a proof that the constraints contradict each other. Any family will do, and there is no objective.
#pragma once

#include "pliant/function_ref.hpp"
#include "rows/row_selection.hpp"

namespace pliant {

struct SmoothMaxParameters {
  double first_share = 0.3;    ///< delta starts at this share of the largest |b|
  double reduction = 0.2;      ///< of delta from stage to stage
  double smallest = 1e-13;     ///< stages end when delta falls below this share of the first one
  Index extra_stages = 3;      ///< after the first proof: smaller delta, fewer rows, a larger excess
  Index stage_steps = 40;      ///< Newton steps per stage at most
  double stage_error = 1e-2;   ///< a stage ends when its decrement is below this share of delta
  double sharp_error = 1e-18;  ///< and, where a proof is in sight, below this one
  double ridge = 1e-13;        ///< relative to the mean diagonal
  double negligible = 1e-20;   ///< weights below this share of the largest count as 0
  double enough = 0.0;         ///< a maximum below this number ends the search
};

class SmoothMax {
 public:
  /// `scales` belong to the rows of the selection.
  SmoothMax(RowSelection& rows, Vector scales, SmoothMaxParameters parameters = {});

  enum class End { negative, proved, exhausted, stopped };
  /// Starts at x and moves it. `proves(x, multipliers)` is asked for its opinion of multipliers of the selected rows;
  /// `stop` after every step.
  End minimize(Vector& x, FunctionRef<bool(const Vector& x, const Vector& multipliers)> proves,
               FunctionRef<bool()> stop);

 private:
  /// Value at the present b, softmax weights in w_.
  double soften(const Vector& b);
  bool newton_step(Vector& x);
  /// The t with d/dt phi(x + t d) near 0, by bracketing and bisection on the line model.
  double line_search(double slope);
  double line_slope(double t);
  /// Multipliers c_k w_k, moved so that their combined gradient vanishes: lambda_k (1 - grad a_k'z) with
  /// (sum lambda_k grad a_k grad a_k') z = sum lambda_k grad a_k.
  Vector balanced_multipliers(const Vector& x);

  RowSelection& rows_;
  Vector scales_;
  SmoothMaxParameters parameters_;
  double delta_ = 1.0;
  double decrement_ = 0.0;
  Vector b_, w_, direction_, gradient_, trial_, slope_;
  Matrix H_;
};

}  // namespace pliant
