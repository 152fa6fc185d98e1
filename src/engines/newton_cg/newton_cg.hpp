// Newton's method on the penalised problem of a large sparse QP, its systems solved by preconditioned conjugate
// gradients: for problems whose factorisations do not fit.
//
//   H = P + kappa I + (xi/delta) sum sigma_i (1 - sigma_i) g_i g_i'
//
// is never formed: a product reads P and the rows whose weight counts, those near their boundary. The preconditioner
// is the diagonal. Systems are solved as accurately as the gradient is small (inexact Newton); the step along the
// direction is exact, from one read of all rows, because a_i(x + t d) is linear in t. Under `multiplier` delta stays
// moderate, and so does the condition of H.
#pragma once

#include "engines/inner_method.hpp"
#include "rows/row_selection.hpp"

#include <string>

namespace pliant {

struct NewtonCgParameters {
  double forcing = 0.1;          ///< residual of a system relative to the gradient, at most
  Index max_products = 500;      ///< conjugate gradients per Newton step
  double counted_weight = 1e-7;  ///< rows below this share of the largest weight do not enter products
  Index max_line_steps = 60;
  double line_accuracy = 1e-2;   ///< of the slope, relative to the first one: a step need not be exact
  double line_margin = 0.1;      ///< secant steps stay this share of the bracket inside it, so that it shrinks
  double line_rounding = 1e-14;  ///< a bracket as narrow as this share of its end is rounding
  Index stall_window = 20;
};

class NewtonCg final : public InnerMethod {
 public:
  explicit NewtonCg(const Problem& problem, NewtonCgParameters parameters = {});
  /// Empty, or why the problem is not one for this method.
  static std::string obstacle(const Problem& problem);

  InnerOutcome advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations) override;
  InnerRhythm rhythm() const override { return {4, 12, 5}; }

 private:
  void evaluate(PenalizedFunction& phi, InnerPoint& point);
  /// Weights of the rows at `point`, the rows that count and the diagonal of H.
  void prepare(PenalizedFunction& phi, const InnerPoint& point, RowSelection& rows);
  /// out = H d
  void multiply(const RowSelection& rows, const Vector& d, Vector& out);
  /// direction_ = -H^-1 gradient_, inexactly.
  void solve(const RowSelection& rows);
  /// The step along direction_; 0 if rounding leaves none.
  double search(PenalizedFunction& phi, const InnerPoint& point);

  const Problem& problem_;
  NewtonCgParameters parameters_;
  double ridge_;        // psi = ridge/2 |x|^2
  double kappa_ = 0.0;  // ridge and the proximal term of the outer method
  Vector linear_;       // gradient of f at 0
  Vector curvature_;    // diagonal of P
  Vector gradient_, direction_, diagonal_, weights_;
  Vector residual_, scaled_, conjugate_, product_;
  Vector slopes_, work_rows_, values_, slope_all_, curvature_all_;
};

}  // namespace pliant
