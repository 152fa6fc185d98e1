// The best point so far with its certificate, and the bounds of F* and of the multipliers that points have proved.
#pragma once

#include "certify/assess.hpp"
#include "penalty/inner_point.hpp"
#include "pliant/result.hpp"
#include "pliant/solve.hpp"
#include "run/problem_view.hpp"

namespace pliant {

class Incumbent {
 public:
  Incumbent(const Problem& problem, const Settings& settings, ConstraintSystem& system)
      : problem_(problem), settings_(settings), system_(system) {
    if (!system_.has_soft_rows()) system_.scales();  // here, not in a loop that must not allocate
  }

  /// Certifies a point with its own multipliers, evaluated on the rows of `view`, and keeps it if it is the best so far.
  const Certificate& consider(const InnerPoint& point, ProblemView& view);
  /// The same of a point whose vectors with a number for each row are not needed any more.
  const Certificate& consider(InnerPoint&& point, ProblemView& view);
  /// Whether this evaluation is the one considered last.
  bool considered(const InnerPoint& point) const;
  /// The same, but the point is kept whatever it is worth: it is what was asked for.
  void insist_on(const InnerPoint& point, ProblemView& view);
  /// Of the point considered last, and of the best one.
  const Certificate& latest() const { return latest_; }
  const Certificate& best() const { return best_.certificate; }
  bool any() const { return best_.x.size() > 0; }
  /// How many times the worst of violation, equality residual and gap of the best point exceeds its tolerance.
  double merit() const { return best_.merit; }
  /// Makes the certificate of the best point one of all rows, where rows have been dropped: a pass. True if it did.
  bool certify_on_all_rows();
  /// Takes rounding off the bound of the best point (certify/bound_proof.hpp): reads the rows with a multiplier.
  void take_rounding_off_best();

  /// Evaluates the problem's Slater point, where it has one (a pass): it bounds F* and the multipliers.
  void use_slater_point();
  /// The best proven lower bound.
  double lower_bound() const { return lower_bound_; }
  /// The objective of the best point without violation seen.
  double upper_bound() const { return upper_bound_; }
  /// A strictly feasible point, where one is known: its objective and slack; slack 0: none.
  double slater_objective() const { return slater_objective_; }
  double slater_slack() const { return slater_slack_; }
  /// |lambda*|_1 <= (F(slater) - LB) / slack; infinite without a Slater point.
  double multiplier_bound() const;

  /// Accuracy the objective needs, tol_gap (1 + |F|), and the constraints, tol_feas (1 + the smallest |constant|):
  /// no row is excused by the constant of another.
  double gap_target(double objective) const;
  double feasibility_target() const;

  /// A copy of the best point, where there is any.
  BestSoFar so_far() const;
  /// x, multipliers, certificate and overview of the best point.
  void hand_over(Result& result);
  /// Where rows are held elsewhere: those of the best point, which its multipliers belong to.
  std::vector<Index> held_rows() const { return best_.part ? best_.part->held : std::vector<Index>{}; }

 private:
  struct Best {
    std::shared_ptr<ProblemView::Part> part;  // rows that stand for all of them; null: all are here
    Certificate certificate;
    Vector x, multipliers, gradient;
    std::vector<Vector> cone_multipliers;
    Vector values, cone_values;  // where on_all_rows
    Index bounded = 0;
    bool on_all_rows = true;  // not only on those that are left
    bool insisted = false;
    bool proved = false;  // rounding is taken off its bound
    double merit = kInfinity;
  };

  /// No row has more slack than `most_slack`.
  void consider_strictly_feasible(ConstVectorRef x, ConstVectorRef a, double objective, double most_slack = kInfinity);
  double merit(const Certificate& certificate) const;
  /// The certificate of the point considered; whether it is better than the best one.
  bool assess_latest(const InnerPoint& point, ProblemView& view);
  void keep(const InnerPoint& point, const ProblemView& view);
  /// All but the vectors with a number for each row.
  void keep_short(const InnerPoint& point, const ProblemView& view);
  void keep_values(const LagrangianEvaluation& at);
  /// What the best point was judged by.
  const Problem& judging_problem() const { return best_.part ? best_.part->problem : problem_; }
  ConstraintSystem& judging_system() { return best_.part ? best_.part->system : system_; }

  const Problem& problem_;
  const Settings& settings_;
  ConstraintSystem& system_;
  Certificate latest_;
  Vector latest_x_, latest_gradient_;
  Best best_;
  double lower_bound_ = -kInfinity;
  double upper_bound_ = kInfinity;  // at feasible_x_
  Vector feasible_x_;
  double slater_objective_ = kInfinity;
  double slater_slack_ = 0.0;
};

}  // namespace pliant
