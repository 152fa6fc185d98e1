// Primal-dual elastic Newton for min 1/2 x'Px + q'x subject to linear rows a = Gx - h <= 0 and bounds.
//
// On the softplus path put s = p_delta(-a) and v = p_delta(a); then a + s - v = 0 and
// s lambda + v (xi - lambda) = xi delta H(lambda/xi): an interior-point path of the exact l1 penalty, whose
// Newton system in (x, s, v, lambda) condenses to
//
//   (P + G' W^-1 G) dx = -r_d - G' W^-1 b,   W = s/lambda + v/(xi - lambda),
//   r_d = Px + q + G'lambda,  r_p = a + s - v,  b = r_p + r_s/lambda - r_v/(xi - lambda),
//
// with r_s = target - s lambda, r_v = target - v (xi - lambda). A predictor with target 0 chooses the
// centring, the corrector carries the second-order terms (Mehrotra). Rows are scaled to unit gradient.
#pragma once

#include "constraints/row_selection.hpp"
#include "pliant/regularizers.hpp"

#include <Eigen/Cholesky>

namespace pliant {

struct ElasticParameters {
  Index max_steps = 80;
  double boundary_fraction = 0.99;
  double centring_floor = 1e-8;
  double gap_share = 0.1;        ///< complementarity is not driven below this share of the gap asked for
  double correction_cap = 10.0;  ///< second-order terms are clipped to this multiple of mu
  double xi_limit = 1e15;        ///< larger ones are no help: the rows are infeasible, or as good as
  double xi_share = 0.3;         ///< xi grows tenfold when a multiplier exceeds this share of it
  Index patience = 12;           ///< steps without progress before the solve on these rows ends
  double trusted_weight = 1e8;   ///< above this times the objective's curvature, refine against the rows
  double ridge = 1e-12;          ///< relative to the mean diagonal of the condensed matrix
};

/// Objective 1/2 x'Px + q'x + constant with bounds, as read from a problem.
struct QuadraticModel {
  Matrix P;
  Vector q;
  Vector lower, upper;  ///< infinite where there is no bound
  double mu = 0.0;      ///< strong convexity

  /// Whether the problem has this form: quadratic terms, box and l2 squared at most, no equalities.
  static bool applies(const Problem& problem);
  static QuadraticModel of(const Problem& problem);
};

class ElasticNewton {
 public:
  ElasticNewton(const QuadraticModel& model, ElasticParameters parameters = {});

  /// Solves on the selected rows, from x, to relative accuracy eps. `stop` is asked after every step.
  /// Returns false if it was told to stop or the step count ran out.
  bool solve(const RowSelection& rows, ConstVectorRef norms, double eps, Vector& x, FunctionRef<bool()> stop);

  /// Multipliers of the selected rows in original units, after solve().
  const Vector& multipliers() const { return row_multipliers_; }
  /// Values of the selected rows at the solution, likewise.
  const Vector& values() const { return row_values_; }
  /// xi of the scaled rows times the smallest scale: a penalty every row has at least, in original units.
  double xi() const { return rows_count_ > 0 ? xi_ * scale_.head(rows_count_).minCoeff() : xi_; }
  /// xi grew out of all proportion: some constraint stays violated.
  bool exhausted() const { return xi_ > parameters_.xi_limit; }
  /// Mean complementarity over the multipliers' range, the delta this point belongs to.
  double delta() const { return mu_ / xi_; }
  Index steps() const { return steps_; }

 private:
  struct Direction {
    Vector x, s, v, lambda;
    Vector rows;  // (G; bounds) x
  };

  void start(const RowSelection& rows, const Vector& x);
  void measure(const RowSelection& rows, const Vector& x);
  /// How far the certificate of x will be from its objective: complementarity and what r_d costs the bound.
  double certified_gap(const Vector& x) const;
  bool converged(const Vector& x, double eps) const;
  bool factorize(const RowSelection& rows, const Vector& x);
  void corrector_rhs(const RowSelection& rows, const Vector& x);
  /// Solves for the direction towards the complementarity targets, given its right-hand side in rhs_.
  void direction(const RowSelection& rows, const Vector& x, Direction& d);
  /// Centring and second-order correction from the predictor (Mehrotra).
  void choose_targets(const Vector& x, double eps);
  /// a and r_d from the data (two reads).
  void residuals(const RowSelection& rows, const Vector& x);
  double longest_step(const Direction& d) const;
  void step(Direction& d, double length, Vector& x);
  void apply_rows(const RowSelection& rows, const Vector& x, const Vector& d, Vector& out) const;
  void add_transposed(const RowSelection& rows, const Vector& x, const Vector& w, Vector& out) const;

  const QuadraticModel& model_;
  ElasticParameters parameters_;
  std::vector<Index> lower_, upper_;  // variables with a finite bound
  double xi_ = 10.0;
  double mu_ = 0.0;
  double ridge_ = 0.0;
  bool refine_ = false;
  Index steps_ = 0;
  Index rows_count_ = 0;
  Vector scale_;  // 1/|g| of the rows, 1 for bounds
  Vector a_, s_, v_, lambda_, rp_, weight_, b_, target_s_, target_v_, work_;
  Vector rd_, rhs_, row_multipliers_, row_values_;
  Matrix H_;
  Eigen::LLT<Matrix> factor_;
  Direction predictor_, corrector_;
};

}  // namespace pliant
