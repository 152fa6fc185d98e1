// Primal-dual elastic Newton for min 1/2 x'Px + q'x subject to linear rows a = Gx - h <= 0 and E x = e.
//
// On the softplus path put s = p_delta(-a) and v = p_delta(a); then a + s - v = 0 and
// s lambda + v (xi - lambda) = xi delta H(lambda/xi): an interior-point path of the exact l1 penalty, whose
// Newton system in (x, y, s, v, lambda) condenses to
//
//   (P + G' W^-1 G) dx + E'dy = -r_d - G' W^-1 b,   E dx = -r_e,   W = s/lambda + v/(xi - lambda),
//   r_d = Px + q + G'lambda + E'y,  r_p = a + s - v,  b = r_p + r_s/lambda - r_v/(xi - lambda),
//
// with r_s = target_s - s lambda, r_v = target_v - v (xi - lambda). A predictor with targets 0 chooses the
// centring, the corrector carries the second-order terms (Mehrotra). Rows are scaled to unit gradient; bounds and
// l1 terms follow them as rows without data (coordinate_rows.hpp), the latter with an xi of their own.
//
// Reads of the working rows per step: one for the matrix with the predictor's right-hand side and the centring
// column, one for the predictor's slopes with the second-order right-hand side, one for the corrector's slopes;
// twice as many once weights are so large that directions are refined against the rows.
#pragma once

#include "engines/interior/elastic_pairs.hpp"
#include "engines/path/elastic_border.hpp"
#include "engines/path/path_form.hpp"
#include "engines/path/path_model.hpp"
#include "linalg/dense_kkt.hpp"

namespace pliant {

struct ElasticParameters {
  Index max_steps = 80;
  double boundary_fraction = 0.99;
  double centring_floor = 1e-8;
  double first_xi = 10.0;          ///< times the size of the multipliers, at least
  double soft_start = 0.02;        ///< soft rows start inside: multipliers by this share of their cap, slacks of delta,
  double soft_delta = 3.0;         ///< and on the path with delta so many times the mean distance from the kinks
  double least_delta = 1e-6;       ///< (this much of x at least: rows that all lie on their kink have no distance),
  double most_delta = 1e3;         ///< where prices are equal; up to so many times that where they are lower
  double slack_share = 0.1;        ///< slacks start at this share of the largest value,
  double least_slack = 1e-2;       ///< and at this, at least
  double least_multiplier = 1e-3;  ///< multipliers start at the mean of the gradient, or this,
  double start_share = 0.5;        ///< and at this share of their ceiling at most: in the middle
  double gap_share = 0.1;          ///< complementarity is not driven below this share of the gap asked for
  double correction_cap = 10.0;    ///< second-order terms are clipped to this multiple of mu
  double xi_limit = 1e15;          ///< larger ones are no help: the rows are infeasible, or as good as
  double xi_share = 0.3;           ///< xi grows when a multiplier exceeds this share of it,
  double xi_growth = ElasticPairs::kUsualGrowth;  ///< by this factor
  double progress = 0.9;        ///< residuals and gap above this share of the best ones are no progress,
  Index patience = 12;          ///< and after so many steps without any the solve on these rows ends
  double trusted_weight = 1e8;  ///< above this times the objective's curvature, refine against the rows
  double ridge = 1e-12;         ///< relative to the mean diagonal of the condensed matrix,
  double ridge_of_curvature =
      1e-3;                    ///< but no more than this share of the objective's own, where it has any: directions
  double least_ridge = 1e-15;  ///< that rows leave free belong to it; below this it is lost to rounding
};

class ElasticNewton final : public PathForm {
 public:
  explicit ElasticNewton(const PathModel& model, ElasticParameters parameters = {});

  bool solve(const WorkingRows& working, double eps, Vector& x, FunctionRef<bool()> stop) override;
  /// Where the multipliers of the equalities begin; without it where the last solve left them.
  void begin_at(const Vector& y) { y_ = y; }
  /// xi of the scaled rows times the smallest scale.
  double xi() const override { return rows_count_ > 0 ? xi_ * scale_.head(rows_count_).minCoeff() : xi_; }
  bool exhausted() const override { return xi_ > parameters_.xi_limit; }
  /// Mean complementarity over the multipliers' range, the delta this point belongs to.
  double delta() const override { return mu_ / xi_; }

 private:
  struct Direction : ElasticDirection {
    Vector x, y;
    double theta = 0.0;
    Vector rows;  // (G; coordinates) x
  };
  /// The steps of interior/predictor_corrector.hpp on these rows.
  struct OnRows;

  void resize(Index rows);
  void start(const Vector& x);
  bool converged(const Vector& x, double eps) const;
  double objective(const Vector& x) const;
  /// What is left of the equations and the gap; falls while a solve gets anywhere.
  double merit(const Vector& x) const;
  void evaluate(const RowSelection& rows, const Vector& x, double eps);
  bool factorize(const RowSelection& rows, const Vector& x);
  /// Factors H_, which is overwritten, with a ridge.
  bool factorize_with_ridge();
  bool predict(const RowSelection& rows, const Vector& x);
  bool correct(const RowSelection& rows, const Vector& x, double centring);
  double choose_centring(const Vector& x, double eps) const;
  /// One step of refinement: the residual comes from the rows themselves (one read). Leaves the correction in
  /// work_x_, whose slopes the caller still has to add.
  bool refine(const RowSelection& rows, const Vector& x, Direction& d);
  /// ds, dv, dlambda of row i from its slope and targets.
  void row_direction(Index i, double target_s, double target_v, Direction& d) const;
  /// Solves for d with the factorised system and the border; targets of v (xi - lambda) in targets_v_.
  bool solve_for(ConstVectorRef side, double target, Direction& d);
  /// What multipliers of rows can be at most, where a budget stands beside them: as much as its multiplier makes them.
  const Vector& prices() const;
  /// How far the certificate will be from the objective.
  double certified_gap(const Vector& x) const;
  /// Second-order terms of row i from the predictor; returns their part of b.
  double second_order(Index i);
  /// a and r_d from the data (one read).
  void residuals(const RowSelection& rows, const Vector& x);
  void scale_rows(const WorkingRows& working, const Vector& x);
  void step(const Direction& d, double length, Vector& x);
  void raise_xi();
  /// Soft rows have a ceiling of their own, which only a budget moves.
  bool soft(Index i) const { return i < caps_.size() && caps_[i] < kInfinity; }
  double hardest_violation() const;
  double largest_hard_multiplier() const;
  void set_ceilings();
  void start_with_soft_rows(const Vector& x);
  /// Pairs of soft rows on the path where kinks have these widths; returns the mean of their products.
  double start_on_path(const Vector& widths);
  void start_others(double product, double least);

  const PathModel& model_;
  ElasticParameters parameters_;
  DenseKkt kkt_;
  double xi_;
  double mu_ = 0.0;
  double ridge_ = 0.0;
  bool refine_ = false;
  bool fresh_ = false;  // residuals come from the data, not from recurrences
  Index rows_count_ = 0;
  Index constraints_ = 0;  // rows and bounds; l1 rows follow
  Vector scale_;           // 1/|g| of the rows, 1 for coordinate rows
  Vector caps_;            // of the scaled rows, infinite for hard ones; empty: all are hard
  ElasticBorder border_;   // where there is a budget caps are those of a unit of its multiplier
  Vector widths_;          // of the kinks of the scaled rows at the start; empty: not known
  ElasticPairs pairs_;     // of rows, bounds and l1 rows
  Vector a_, rp_, weight_, b_, correction_s_, correction_v_, targets_v_, work_, slopes_;
  Vector rd_, re_, y_, work_x_, work_y_;
  Vector right_hand_side_, equality_side_, residual_, more_y_, no_curvature_;
  mutable Vector product_;  // P x
  mutable Vector prices_;   // of soft rows beside a budget
  Matrix weights_;
  Matrix rhs_;  // predictor's right-hand side, and what a unit of centring adds
  Matrix H_, kept_;
  Direction predictor_, corrector_;
};

}  // namespace pliant
