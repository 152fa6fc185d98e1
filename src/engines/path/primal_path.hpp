// The primal form of the softplus path: Newton's method on
//
//   Phi_delta(x) = F(x) + xi sum_i p_delta(a_i(x)),   E x = e,
//
// for a falling sequence of delta, for any smooth F and any smooth convex rows:
//
//   gradient  grad F + xi sum sigma_i grad a_i,                                     sigma_i = sigma(a_i/delta)
//   Hessian   Hess F + xi sum sigma_i Hess a_i + (xi/delta) sum sigma_i (1 - sigma_i) grad a_i grad a_i'
//   tangent   dx/ddelta = Hessian^-1 (xi/delta^2) sum sigma_i (1 - sigma_i) a_i grad a_i
//
// Only rows with a_i > -near delta enter the sums. At the end of a stage the unused Newton step and the tangent
// extrapolate to delta = 0, and Newton steps on the KKT system of the active rows A (an augmented
// Lagrangian with a large weight w, so that dependent rows do no harm) polish that point:
//
//   (Hess L + w J_A'J_A) dx = -grad F - J'lambda - w J_A'a_A,   lambda+ = max(0, lambda + w (a_A + J_A dx)).
//
// Cones enter through their eigenvalues (cones/spectral.hpp): the same sums, with the pairs of eigenvalues of one
// cone in the Hessian. Their multipliers extrapolate as points of the dual cone, and Newton steps polish them as rows
// where a cone has one active eigenvalue at most.
//
// Rows are scaled to unit gradient norm near their boundary, so that delta is a distance. Reads of the working rows
// per Newton step: the near ones once for both derivatives and the tangent, all once for the line search, which is
// exact and costs no more data.
#pragma once

#include "engines/path/path_form.hpp"
#include "engines/path/path_model.hpp"
#include "linalg/dense_kkt.hpp"

#include <memory>

namespace pliant {

struct PrimalPathParameters {
  double near = 36.0;         ///< rows below -near delta have no weight
  double reach = 10.0;        ///< rows below -reach delta without a multiplier may leave the working set
  double reduction = 0.1;     ///< of delta from stage to stage
  double restart = 0.2;       ///< delta of a restart, relative to the worst violation
  double decrement = 1e-2;    ///< Newton ends when its decrement is below this times delta and the largest multiplier,
  double least_share = 1e-4;  ///< which counts as this share of xi at least
  double least_decrement = 1e-8;  ///< and the smallest such factor, after polishes in vain
  double line_slope = 0.3;        ///< the line search ends when the slope fell to this share
  Index line_steps = 40;
  double domain_fraction = 0.95;  ///< of the way to the end of the objective's domain
  Index stage_steps = 60;         ///< Newton steps at one delta
  double polish_from = 1.0;       ///< extrapolation is tried when delta <= this times sqrt(eps)
  Index polish_steps = 10;
  double polish_weight = 1e7;      ///< of the augmented Lagrangian, relative to the mean diagonal of Hess L
  double small_multiplier = 1e-9;  ///< relative to the largest: rows below are inactive, or at their ceiling
  double raise_above = 10.0;       ///< xi grows when a row stays above this times delta at a converged stage
  double xi_growth = 4.0;
  double xi_limit = 1e15;
  double runaway = 1e6;  ///< growth of x that says: xi is too small to hold the objective
  double runaway_growth = 10.0;
  Index most_runaways = 5;
  Index most_widenings = 12;  ///< returns to a larger delta in one solve
  double floor = 1e-13;       ///< smallest delta, relative to the first one
  double ridge = 1e-13;       ///< relative to the mean diagonal
};

class PrimalPath final : public PathForm {
 public:
  PrimalPath(const PathModel& model, ConstraintSystem& system, PrimalPathParameters parameters = {});

  bool solve(const WorkingRows& working, double eps, Vector& x, FunctionRef<bool()> stop) override;
  double xi() const override { return rows_count_ > 0 ? xi_ * scale_.head(rows_count_).minCoeff() : xi_; }
  double delta() const override { return delta_; }
  double reach() const override { return parameters_.reach * delta_; }
  bool exhausted() const override { return xi_ > parameters_.xi_limit; }

 private:
  enum class Newton { converged, stuck, singular, stopped };

  void start(const WorkingRows& working, double eps, Vector& x);
  void scale_rows(const WorkingRows& working);
  /// Newton at fixed delta. Leaves gradient, direction and tangent of the last point.
  Newton minimize(RowSelection& rows, Vector& x, FunctionRef<bool()> stop);
  /// Gradient, tangent right-hand side and Hessian at x, factorised.
  bool differentiate(const RowSelection& rows, const Vector& x);
  /// H_ = Hess F(x) + l2 I
  void smooth_hessian(const Vector& x);
  double lagrangian_curvature(const RowSelection& rows, const Vector& x);
  /// Exact line search along d from the line models; returns the step and leaves a_ there.
  double search(RowSelection& rows, const Vector& x, const Vector& d, double decrement);
  /// Moves to x + d (one read), a_ included; slopes_ holds J(x) d.
  void move(RowSelection& rows, Vector& x, const Vector& d);
  /// Back to `start` with a larger penalty.
  void restart(RowSelection& rows, const Vector& start, Vector& x);
  void predict(RowSelection& rows, Vector& x, double next);
  bool extrapolate_and_polish(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop);
  bool polish(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop);
  /// Whether x with multipliers lambda (and dual points of cones with z's = cone_product) and Lagrangian gradient r is
  /// accurate to eps; merit says how far it is.
  bool accurate(const Vector& x, const Vector& lambda, const Vector& r, double eps, double& merit,
                double cone_product = 0.0) const;
  /// Whether x with multipliers lambda_ and the dual points z is; cones have more than one active eigenvalue.
  bool accurate_with_cones(const RowSelection& rows, const Vector& x, const Vector& z, double eps);
  /// At most one eigenvalue of every cone has a multiplier.
  bool simple_cones(const RowSelection& rows) const;
  void select_near(const RowSelection& rows, double threshold);
  /// Adds the near rows and the coordinate rows with the given weights (positions of a_) to `gradients` and H_.
  void add_derivatives(const Vector& x, const Matrix& weights, const Vector& curvature, const Vector& outer,
                       Matrix& gradients);
  /// Back to a larger delta, the first one at most.
  void widen(double delta);
  void keep(const RowSelection& rows, const Vector& x);

  const PathModel& model_;
  PrimalPathParameters parameters_;
  std::unique_ptr<DenseKkt> kkt_;
  RowSelection near_;
  std::vector<Index> near_positions_;  // of the near rows among the working rows

  double curvature_ = -1.0;  // mean diagonal of Hess L; negative: not measured in this solve
  double decrement_ = 0.0;   // parameters_.decrement, or smaller after a polish in vain
  double xi_ = 0.0, delta_ = 0.0, first_delta_ = 0.0;
  Index rows_count_ = 0, constraints_ = 0;
  Vector scale_, ceiling_;  // of rows and coordinate rows; xi of each
  Vector a_, sigma_, slopes_, lambda_, trial_a_, trial_slope_;
  Vector gradient_, direction_, tangent_, y_;
  Vector extrapolated_;  // dual points of the cones at the extrapolated point; empty: those of lambda_ at x
  SmoothLine line_;
  Matrix H_;
};

}  // namespace pliant
