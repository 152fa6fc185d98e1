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
// A soft row (WorkingRows::caps) has its price in the place of xi, which never grows: it may end above its boundary with a
// multiplier at the price, and counts as active where the multiplier is between 0 and that.
//
// Cones enter through their eigenvalues (cones/spectral.hpp): the same sums, with the pairs of eigenvalues of one
// cone in the Hessian. Their multipliers extrapolate as points of the dual cone, and Newton steps polish them as rows
// where a cone has one active eigenvalue at most.
//
// Rows are scaled to unit gradient norm near their boundary, so that delta is a distance. Reads of the working rows
// per Newton step: the near ones once for both derivatives and the tangent, all once for the line search, which is
// exact and costs no more data. Cones are read once where the full step is right: values, derivatives and the slope of
// Phi there come from one read, and where the slope refuses the step, slacks at both ends are the line between them.
// Between reads of everything such steps read the rows alone that can come near within a radius around x: eigenvalues of
// cones and linear rows, scaled, change by no more than x moves. The others sleep (primal_awake.cpp).
#pragma once

#include "engines/path/path_form.hpp"
#include "engines/path/path_model.hpp"
#include "linalg/dense_kkt.hpp"
#include "softplus/softplus.hpp"

#include <algorithm>
#include <memory>

namespace pliant {

struct PrimalPathParameters {
  double near = penalty::kNoWeight;  ///< rows below -near delta have no weight
  double reach = 10.0;               ///< rows below -reach delta without a multiplier may leave the working set
  double reduction = 0.3;            ///< of delta from stage to stage: one or two Newton steps each
  double restart = 0.2;              ///< delta of a restart, relative to the worst violation,
  double further = 0.1;              ///< to the last delta, from which extrapolation and polish have led further,
  double least_restart = 1e-2;       ///< and to the accuracy asked for, at least
  double least_first = 1e-3;         ///< the first delta, relative to 1 + |x|, at least: all rows may pass through x
  double decrement = 1.0;     ///< Newton ends when its decrement is below this times delta and the largest multiplier,
  double least_share = 1e-4;  ///< which counts as this share of xi at least;
  double decrement_of_cones = 0.1;  ///< cones that are nearly all tight lead astray who is farther from the path;
  double sure_decrement = 1e-2;     ///< what is concluded from a stage is concluded closer to it
  double least_decrement = 1e-8;    ///< the smallest such factor, after polishes in vain
  double decrement_fall = 0.1;      ///< of that factor after a polish in vain
  double finest_decrement =
      1e-16;                ///< soft cones: a gradient of a 1e-8th of the multipliers, where 1/delta is the curvature
  double line_slope = 0.3;  ///< the line search ends when the slope fell to this share
  Index line_steps = 40;
  double longest_line = 100.0;      ///< in Newton steps
  double line_decade = 0.1;         ///< brackets [low, high] with low below this times high are cut by decades
  double domain_fraction = 0.95;    ///< of the way to the end of the objective's domain
  double domain_retreat = 0.5;      ///< of that, for a prediction that would leave the domain
  double rounding = 1e-12;          ///< of Phi, relative to F: a step that raises it by more is refused,
  double astray = 10.0;             ///< a prediction only if it violates a row by so many deltas of the stage as well
  double awake_steps = 3.0;         ///< radius within which sleeping rows stay far, in Newton steps
  double most_awake = 0.9;          ///< rows sleep where no larger share of them would stay awake
  Index stage_steps = 60;           ///< Newton steps at one delta
  double progress = 0.5;            ///< a decrement above this times the last one is no progress,
  Index patience = 20;              ///< and after so many without any rounding has the last word
  double polish_from = 0.1;         ///< extrapolation is tried when delta <= this times sqrt(eps)
  Index polish_steps = 10;          ///< of the first polish of a solve; each one in vain halves them,
  Index least_polish_steps = 3;     ///< down to these;
  Index polish_steps_of_cones = 3;  ///< cones that are nearly all tight are hardly ever told apart at first
  Index least_polish_steps_of_cones = 2;
  double polish_wait = 0.1;   ///< cones: after k polishes in vain delta falls to this to the power k before the next,
  double polish_near = 10.0;  ///< unless what the path leaves of the gap is below so many times eps
  double polish_progress = 0.3;    ///< a polish ends after two steps on the same rows that did not fall to this share,
  double polish_astray = 10.0;     ///< or when two steps on end are this much farther off: one may be on its way
  double polish_weight = 1e7;      ///< of the augmented Lagrangian, relative to the mean diagonal of Hess L
  double small_multiplier = 1e-9;  ///< relative to the largest: rows below are inactive, or at their ceiling
  double raise_above = 10.0;       ///< xi grows when a row stays above this times delta at a converged stage
  double raise_from = 0.1;         ///< of delta below this share of the first one: large ones say nothing of xi
  double raise_in_vain = 2.0;      ///< and not where that multiple changed by less than this factor since xi last grew
  double xi_growth = 4.0;
  double xi_limit = 1e15;
  double strayed = 1e2;  ///< a start with a violation of so many first distances goes back to the first point
  double runaway = 1e6;  ///< growth of x that says: xi is too small to hold the objective
  double runaway_growth = 10.0;
  Index most_runaways = 5;
  Index most_widenings = 12;      ///< returns to a larger delta in one solve,
  double widening = 100.0;        ///< by this factor
  double floor = 1e-13;           ///< smallest delta, relative to the first one,
  double eps_floor = 1e-4;        ///< and relative to the accuracy asked for times the first one
  double off_equalities = 1e-14;  ///< relative to e: x that is off by less lies on them
  double ridge = 1e-13;           ///< relative to the mean diagonal
};

class PrimalPath final : public PathForm {
 public:
  explicit PrimalPath(const PathModel& model, PrimalPathParameters parameters = {});

  bool solve(const WorkingRows& working, double eps, Vector& x, FunctionRef<bool()> stop) override;
  double xi() const override { return rows_count_ > 0 ? xi_ * scale_.head(rows_count_).minCoeff() : xi_; }
  double delta() const override { return delta_; }
  double reach() const override { return parameters_.reach * delta_; }
  bool exhausted() const override { return xi_ > parameters_.xi_limit; }

 private:
  enum class Newton { converged, stuck, singular, stopped };
  enum class Stage { next, again, done, failed };

  // Stages of a solve (primal_path.cpp).
  void start(const WorkingRows& working, double eps, Vector& x);
  /// Scales and values of the rows, at the point where they were measured.
  void scale_rows(const WorkingRows& working);
  /// What a solve on that many rows needs.
  void size_memory(Index n);
  bool strayed(double worst) const;
  void return_to_origin(const WorkingRows& working, Vector& x);
  void project_onto_equalities(const WorkingRows& working, Vector& x);
  void start_path(const Vector& x);
  Stage run_stage(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop);
  /// The ways in which Newton's end asks for the same stage again: with a larger xi, or a larger delta.
  bool ran_away(RowSelection& rows, Newton end, Vector& x);
  bool lost_the_rows(Newton end);
  bool needs_larger_penalty(const RowSelection& rows, Newton end);
  bool raised(double worst);
  bool polished(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop);
  /// Of a stage where the path itself is accurate enough for soft cones, and Newton's end not.
  Stage end_of_soft_cones(Newton end);
  /// Whether it is too early for the next polish.
  bool polish_waits(const RowSelection& rows, const Vector& x, double eps);
  void set_xi(double xi);
  /// Whether row i forbids: no soft row, no half of an l1 term.
  bool hard(Index i) const { return i < constraints_ && !(i < caps_.size() && caps_[i] < kInfinity); }
  bool soft_cones(const RowSelection& rows) const { return rows.has_cones() && caps_.size() > 0; }
  /// The largest value of a hard row, from number `first` on; 0 at least.
  double worst_hard(Index first = 0) const;
  /// Back to a larger delta, the first one at most.
  void widen(double delta);
  /// x(next) = x + (next - delta) x', shortened where the objective's domain ends.
  /// x stays where Phi of `next` is larger there and a row far beyond delta: tangents of a nearly singular Hessian
  /// lead anywhere.
  void predict(RowSelection& rows, Vector& x, double next);
  void keep(const RowSelection& rows, const Vector& x);

  // Newton at fixed delta (primal_newton.cpp).
  /// Leaves gradient, direction and tangent of the last point.
  Newton minimize(RowSelection& rows, Vector& x, FunctionRef<bool()> stop);
  Newton take_steps(RowSelection& rows, Vector& x, FunctionRef<bool()> stop);
  /// Whether Phi(x + t d) is larger than Phi(x), for the line prepared last: rows have the values `a` there, before_ at x.
  bool raises(const Vector& x, const Vector& d, double t, const Vector& a);
  /// Along direction_ from x; returns whether the derivatives there are known.
  bool take_step(RowSelection& rows, Vector& x, double decrement);
  /// Gradient, tangent right-hand side and Hessian at x from the values there.
  void differentiate(const RowSelection& rows, const Vector& x);
  /// The same with the values, in one read of cones.
  void read_anew(RowSelection& rows, const Vector& x);
  /// Factorises the Hessian; Newton's step and the tangent.
  bool solve_for_direction(Index n);
  /// lambda_, and the weights of `count` rows from `first` on in gradients and Hessian.
  void weigh_rows(Index first, Index count);
  /// Cones: moves x by the whole of direction_ if that is where the slope of Phi fell, and has the derivatives there.
  bool whole_step(RowSelection& rows, Vector& x, double decrement);
  /// gradients_.col(0) = grad F(x) + l2 x, other columns 0.
  void smooth_gradient(const Vector& x);
  /// H_ = Hess F(x) + l2 I
  void smooth_hessian(const Vector& x);
  bool factorize(Index n);
  void select_near(const RowSelection& rows, double threshold);
  /// Adds the near rows and the coordinate rows, weighed by weights_, curvature_weights_ and outer_, to gradients_ and H_.
  void add_derivatives(const Vector& x);
  /// Exact line search along d from the line models; returns the step and leaves a_ there.
  double search(RowSelection& rows, const Vector& x, const Vector& d, double decrement);

  // Rows that sleep (primal_awake.cpp).
  /// The rows that the step along direction_ may meet: from here on all others sleep, or none does any more.
  RowSelection& choose_awake(RowSelection& rows, const Vector& x);
  /// How far along d the rows that sleep stay far.
  double longest_awake(const Vector& x, const Vector& d) const;
  bool fall_asleep(RowSelection& rows, const Vector& x);
  /// All rows take part again. Values of those that slept are upper bounds at x.
  void wake(const Vector& x);
  /// Number `position` of `all` rows or of those awake.
  Index awake_position(Index k) const { return asleep_ ? awake_positions_[static_cast<std::size_t>(k)] : k; }
  Index awake_count() const { return asleep_ ? static_cast<Index>(awake_positions_.size()) : rows_count_; }
  /// How far along d the first trial is.
  double first_trial() const { return std::min(1.0, parameters_.domain_fraction * line_.max_step); }
  /// Values and slopes of all rows at x + t d, from the line prepared last.
  void values_along(const RowSelection& rows, double t);
  double slope_along(const Vector& x, const Vector& d, double t);
  /// Moves to x + d (one read), a_ included; slopes_ holds J(x) d.
  void move(RowSelection& rows, Vector& x, const Vector& d);
  void values_at(const RowSelection& rows, const Vector& x);
  void scale_head(Vector& v) const { v.head(rows_count_).array() *= scale_.head(rows_count_).array(); }

  // The end of the path (primal_polish.cpp).
  bool extrapolate_and_polish(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop);
  bool extrapolate_cones(RowSelection& rows, double eps, const Vector& x);
  bool polish(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop);
  /// Weights of the KKT system of the active rows; returns whether they are the same as before.
  bool weigh_active(double weight);
  bool polish_step(RowSelection& rows, Vector& x);
  double lagrangian_curvature(const RowSelection& rows, const Vector& x);
  /// Whether x with multipliers lambda (and dual points of cones with z's = cone_product) and Lagrangian gradient r is
  /// accurate to eps; merit says how far it is.
  bool accurate(const Vector& x, const Vector& lambda, const Vector& r, double eps, double& merit,
                double cone_product = 0.0) const;
  /// Whether x is, the path's point at a converged stage, whatever Newton left of the gradient: no certificate.
  bool accurate_on_the_path(const Vector& x, double eps);
  /// Whether x with multipliers lambda_ and the dual points z is; cones have more than one active eigenvalue.
  bool accurate_with_cones(const RowSelection& rows, const Vector& x, const Vector& z, double eps);
  /// At most one eigenvalue of every cone has a multiplier.
  bool simple_cones(const RowSelection& rows) const;
  /// residual_ = gradient + E'y
  void lagrangian_residual(ConstVectorRef gradient);

  const PathModel& model_;
  PrimalPathParameters parameters_;
  std::unique_ptr<DenseKkt> kkt_;
  RowSelection near_;
  std::vector<Index> near_positions_;  // of the near rows among the working rows

  bool asleep_ = false;                 // some rows are,
  RowSelection awake_;                  // all but these,
  std::vector<Index> awake_positions_;  // at these positions,
  Vector awake_center_;                 // as long as x stays
  double awake_radius_ = 0.0;           // so close to this point
  bool stays_ = false;                  // whether slacks of all cones at x are known,
  bool read_ahead_ = false;             // and the derivatives there as well, at the beginning of a stage

  double curvature_ = -1.0;  // mean diagonal of Hess L; negative: not measured in this solve
  double decrement_ = 0.0;   // that of the parameters, or smaller after a polish in vain
  double raised_at_ = 0.0;   // worst violation in units of delta when xi last grew in this solve; 0: it has not
  double xi_ = 0.0, delta_ = 0.0, first_delta_ = 0.0, smallest_delta_ = 0.0;
  double polish_below_ = kInfinity;                          // delta of the next polish of cones
  Index widened_ = 0, runaways_ = 0, polishes_in_vain_ = 0;  // in this solve
  Index rows_count_ = 0, constraints_ = 0;
  bool loose_ = false;        // no certificate is asked for
  Vector origin_, begin_;     // x at the start of the first solve, and of this one
  Vector scale_, ceiling_;    // of rows and coordinate rows; xi of each
  std::vector<bool> steady_;  // rows whose scaled values change by no more than x moves
  Vector caps_;               // prices of the rows in their scale, infinite for hard ones; empty: all are hard
  Vector a_, sigma_, slopes_, lambda_, trial_a_, trial_slope_;
  Vector gradient_, direction_, tangent_, y_;
  Vector extrapolated_;  // dual points of the cones at the extrapolated point; empty: those of lambda_ at x
  SmoothLine line_;
  Matrix H_;

  // Memory of a step, as long as the rows or as x.
  Matrix weights_, near_weights_, gradients_;
  Vector curvature_weights_, outer_, before_outer_, near_curvature_, near_outer_, before_, near_a_, near_slopes_;
  Vector path_values_, lambda_before_;  // before an extrapolation
  Vector right_hand_side_, equality_side_, unused_y_, residual_, step_, on_path_, ahead_, begin_of_step_;
};

}  // namespace pliant
