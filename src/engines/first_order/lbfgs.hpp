// L-BFGS on Phi + psi where psi is smooth: nothing, or a multiple of the squared norm.
//
// Direction: the two-loop recursion over the last pairs s = x+ - x, y = g+ - g. Step: the slope phi'(t) = g(x + td)'d
// of the convex function phi decides; a bracket is narrowed by secants until the step satisfies Wolfe's conditions.
#pragma once

#include "engines/inner_method.hpp"

namespace pliant {

struct LbfgsParameters {
  Index memory = 20;           ///< pairs kept
  double sufficient = 1e-3;    ///< Wolfe: phi(t) <= phi(0) + sufficient t phi'(0)
  double curvature = 0.7;      ///< and |phi'(t)| <= curvature |phi'(0)|
  Index max_evaluations = 40;  ///< of a line search
  double line_margin = 0.1;    ///< secant steps stay this share of the bracket inside it, so that it shrinks
  double farthest = 10.0;      ///< without a bracket a step grows by this factor at most
  Index stall_window = 50;     ///< iterations without a smaller residual before `stalled`
};

class Lbfgs final : public InnerMethod {
 public:
  explicit Lbfgs(const Problem& problem, LbfgsParameters parameters = {});
  /// Empty, or what L-BFGS cannot do about psi.
  static std::string obstacle(const Problem& problem);

  InnerOutcome advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations) override;
  InnerRhythm rhythm() const override { return {8, 40, 10}; }

 private:
  /// Phi, gradient and residual at point.x, and the gradient of Phi + psi.
  void evaluate(PenalizedFunction& phi, InnerPoint& point, Vector& gradient) const;
  double value(const InnerPoint& point) const { return point.phi + 0.5 * ridge_ * point.x.squaredNorm(); }
  void find_direction();
  /// Steps from `point` along direction_ into next_. False: rounding leaves no acceptable step.
  bool search(PenalizedFunction& phi, const InnerPoint& point);
  void remember(const Vector& x, const Vector& next_x);

  LbfgsParameters parameters_;
  double ridge_;  // psi = ridge/2 |x|^2
  // Pairs of the last iterations, oldest overwritten first; kept while xi, delta and the proximal term stay.
  Matrix s_, y_;
  Vector weight_, alpha_;  // 1 / s'y
  Index count_ = 0, newest_ = -1;
  double xi_ = 0.0, delta_ = 0.0;
  InnerPoint next_;
  Vector gradient_, next_gradient_, direction_;
};

}  // namespace pliant
