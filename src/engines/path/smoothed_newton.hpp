// Newton's method on a band whose soft rows are smoothed: c max(0, a) is c delta ln(1 + exp(a/delta)), delta fixed.
//
// The multiplier of a soft row, c sigma(a/delta), follows from x alone, so a step reads the band twice, for the matrix with
// the gradient and for the slopes along the step, and the search along it costs nothing. That is less than what the elastic
// method reads (elastic_newton.hpp), and from one delta to the next x hardly moves: a few steps each. It is the way to a
// good point, not to the last digit.
//
// Beside a budget B (elastic_border.hpp) this is done for a fixed multiplier theta of it. B falls as theta grows, at the
// solutions, by grad B' H^-1 grad B per unit: that is a Newton step for theta.
//
// Bounds, l1 terms and hard rows keep elastic pairs (s, v, lambda). Their products are driven to what a soft row leaves
// open at this delta, and they carry over from one solve to the next.
#pragma once

#include "engines/interior/elastic_pairs.hpp"
#include "engines/path/elastic_border.hpp"
#include "engines/path/path_model.hpp"
#include "linalg/dense_kkt.hpp"
#include "pliant/function_ref.hpp"
#include "rows/row_selection.hpp"

namespace pliant {

struct SmoothedParameters {
  Index max_steps = 25;             ///< at one delta: good points take two to five, others a dozen
  double done = 0.01;               ///< the decrement falls to this share of what smoothing leaves open
  double boundary_fraction = 0.99;  ///< of the way to where a pair would vanish
  double slope_left = 0.1;          ///< a step ends where the slope along it is this share of what it was, or less
  Index line_steps = 30;            ///< halvings until then
  double full_step = 0.5;           ///< only a decrement whose step was this long tells
  double least_slack = 0.02;        ///< of a pair, in deltas
  double first_xi = 10.0;           ///< times the largest part of the gradient
  double xi_share = 0.3;            ///< xi grows when a multiplier exceeds this share of it
  double xi_limit = 1e15;           ///< larger ones are no help
  double off_path = 100.0;          ///< products of pairs begin within this factor of the one they are driven to
  double ridge = 1e-12;             ///< relative to the mean diagonal of the matrix
};

/// The band at x. `change` is added to multipliers: what the objective holds of a row that is not to be counted twice.
struct SmoothedBand {
  const RowSelection& hard;
  const RowSelection& soft;
  const Vector& caps;
  const Vector& widths;  ///< delta of every soft row
  const Vector& change;
  Vector& values;                       ///< of soft rows, at x: those of the point reached after a solve
  const PriceBudget* budget = nullptr;  ///< caps and change are those of a unit of its multiplier then
};

class SmoothedNewton {
 public:
  explicit SmoothedNewton(const PathModel& model, SmoothedParameters parameters = {});

  /// Moves x to about the minimum. False: told to stop, or it got stuck; x is where that was.
  bool solve(const SmoothedBand& band, Vector& x, FunctionRef<bool()> stop);
  Index steps() const { return steps_; }
  /// What soft rows leave open between their prices and their multipliers.
  double open_gap() const { return open_gap_; }
  const Vector& equality_multipliers() const { return y_; }
  /// By how much the budget is kept better for each unit that its multiplier grows.
  double response() const { return response_; }
  /// Of hard rows, at x.
  double hard_violation() const;

 private:
  Index rows() const { return hard_values_.size(); }
  void place_pairs(const SmoothedBand& band, const Vector& x);
  void set_ceilings(const Vector& x);
  void weigh(const SmoothedBand& band);
  bool find_direction(const SmoothedBand& band, const Vector& x);
  /// The derivative of the Lagrangian along the step, at length t of it.
  double slope(const SmoothedBand& band, double t) const;
  double length(const SmoothedBand& band);
  void move(const SmoothedBand& band, double t, Vector& x);
  void raise_xi();
  double theta(const SmoothedBand& band) const { return band.budget != nullptr ? band.budget->theta : 1.0; }

  const PathModel& model_;
  SmoothedParameters parameters_;
  DenseKkt kkt_;
  Index steps_ = 0;
  double xi_ = 0.0, product_ = 0.0, open_gap_ = 0.0, decrement_ = 0.0, dual_length_ = 1.0;
  ElasticPairs pairs_;  // hard rows, bounds, l1 rows
  Vector hard_values_;
  Vector a_, rp_, weight_, b_, slopes_;       // of pairs
  Vector soft_slopes_, multipliers_, outer_;  // of soft rows
  Vector hard_outer_, no_curvature_, d_, y_, px_, pd_;
  Vector budget_gradient_, budget_response_;
  double response_ = 0.0;
  Matrix H_, weights_, hard_weights_, gradient_;
  ElasticDirection direction_;
};

}  // namespace pliant
