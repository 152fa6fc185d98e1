// The state of one solve shared by all outer strategies: limits, judgement, best iterate, trace.
#pragma once

#include "engines/inner_method.hpp"
#include "outer/diagnosis.hpp"
#include "outer/problem_view.hpp"
#include "outer/screening.hpp"
#include "penalty/penalized_function.hpp"
#include "pliant/result.hpp"
#include "pliant/solve.hpp"

#include <chrono>
#include <optional>

namespace pliant {

class Run {
 public:
  Run(const Problem& problem, const Settings& settings, const SolveHooks& hooks);

  const Problem& problem() const { return problem_; }
  const Settings& settings() const { return settings_; }
  /// The penalised function of the rows that the solve still works on; another object after `screen`.
  PenalizedFunction& phi() { return view_.phi(); }
  /// All rows of the problem.
  ConstraintSystem& system() { return system_; }
  /// The row of `system` behind a row of phi().
  Index original_row(Index i) const { return view_.original(i); }

  /// Gradient norms that were read anyway tell when screening may pay.
  void expect_norms(Vector norms) { screening_.expect_norms(std::move(norms)); }
  /// Between stages: goes on without the constraints that the end point of a stage proves inactive (screening.hpp).
  /// What is known of the point besides x then goes with them.
  void screen(InnerPoint& point);

  /// Evaluates the problem's Slater point, where it has one (a pass): it bounds F* and the multipliers.
  void use_slater_point();

  /// Accuracy the objective needs: tol_gap (1 + |F|), and the constraints: tol_feas (1 + scale).
  double gap_target(double objective) const;
  double feasibility_target() const;

  /// Judges a point with its own multipliers, keeps it if it is the best so far, records progress.
  /// True: stop, either solved or told to.
  bool judge(const InnerPoint& point);
  /// Records progress between certificates: an objective and the worst violation found so far.
  /// `active`: rows of the working set, 0 where there is none.
  void note(double objective, double violation, Index active);
  /// Looks at limits and interrupts. True: stop.
  bool check_limits();
  /// Counts one inner iteration and looks at the limits. True: stop.
  bool tick();

  /// Limits and interrupts seen so far; nullopt while the run may go on.
  const std::optional<Status>& verdict() const { return verdict_; }
  void conclude(Status status, std::string message);
  /// Takes back a numerical_error, because another engine will try. False if the verdict is another one, or none.
  bool reopen();

  const Certificate& latest() const { return latest_; }
  Index iterations() const { return iterations_; }
  /// Components evaluated so far, of the objective and of the constraints.
  Index component_evaluations() const { return system_.evaluations() + view_.phi().component_evaluations(); }
  /// Begins the next stage; gives up after many stages that brought nothing. True: stop.
  bool next_stage();
  /// Gives up where x has left every reasonable size. True: stop.
  bool check_size(ConstVectorRef x);
  /// An engine could not solve on these rows: now and then a reason is looked for. True: stop.
  bool note_failure(const std::vector<Index>& rows);
  /// Looks for a proof of infeasibility or unboundedness and, if it holds, concludes with it; a verdict that only gave
  /// up is replaced. `hints`: rows that may contradict each other. Once the question is answered it is not asked again.
  void seek_proof(const std::vector<Index>& hints = {});
  /// Multipliers an engine believes to prove infeasibility: concludes with them if they do. True: stop.
  bool try_infeasibility(const Vector& x, Vector multipliers, std::vector<Vector> cone_multipliers = {});
  /// A direction an engine believes F to fall along for ever from x: concludes with it if it does. True: stop.
  bool try_unboundedness(const Vector& x, const Vector& direction);
  /// Gives up on a problem whose constraints stay violated however large xi grows.
  void conclude_infeasible_perhaps();
  /// Multiplies xi; gives up where it grows out of all proportion. True: stop.
  bool raise_xi(double factor);
  double elapsed() const;
  /// Time from here to the end of the scope is booked under this name.
  class Phase {
   public:
    Phase(Run& run, std::string_view name) : run_(run), name_(name), begin_(run.elapsed()) {}
    ~Phase() { run_.book(name_, run_.elapsed() - begin_); }
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    Run& run_;
    std::string_view name_;
    double begin_;
  };
  /// Constraints proven inactive at the solution.
  void set_screened(Index count) {
    screened_ = count;
    if (!trace_.empty()) trace_.back().screened = count;  // its point is what proved them
  }

  /// Best feasible objective known, and a strictly feasible point with its slack where one is known.
  UpperBound upper_bound() const { return upper_bound_; }
  /// xi >= |lambda*|_1 bound from the Slater point: (F(slater) - LB) / slack; infinite without one.
  double multiplier_bound() const;

  /// Considers the last point, then hands over x, multipliers, certificate and counters of the best.
  Result finish(const InnerPoint& last);

 private:
  void consider_strictly_feasible(ConstVectorRef x, ConstVectorRef a, double objective);
  /// Certificate of a point with its own multipliers; the point is kept if it is the best so far.
  void consider(const InnerPoint& point);
  double merit(const Certificate& certificate) const;
  /// Makes the best certificate one of all rows, where rows have been dropped: a pass.
  void certify_best_on_all_rows();
  void book(std::string_view phase, double seconds);
  void adopt_proof(Diagnosis diagnosis);
  Result finish_with_proof();
  void add_counters(Result& result);
  void record(const Certificate& certificate, Index near_active);
  /// Constraints within Progress::kNear delta of their boundary or beyond; -1 while there is no delta.
  Index count_near_active(const LagrangianEvaluation& at);
  /// Values of all constraints at the best point, for the overview.
  void keep_best_values(const LagrangianEvaluation& at);

  const Problem& problem_;
  const Settings& settings_;
  const SolveHooks& hooks_;
  std::chrono::steady_clock::time_point start_;
  ConstraintSystem system_;
  ProblemView view_;
  Screening screening_;

  Certificate latest_;
  Certificate best_certificate_;
  Vector best_x_, best_multipliers_, best_gradient_;
  Vector best_values_, best_cone_values_;  // where best_on_all_rows_
  Index best_bounded_ = 0;
  std::vector<Vector> best_cone_multipliers_;
  bool best_on_all_rows_ = true;  // not only on those that are left
  double best_merit_ = kInfinity;
  double merit_at_last_progress_ = kInfinity;
  Index stage_of_last_progress_ = 0;
  double first_xi_ = 0.0;
  double best_lower_bound_ = -kInfinity;

  UpperBound upper_bound_ = kInfinity;
  double slater_objective_ = kInfinity;
  double slater_slack_ = 0.0;

  // Proofs are sought at the 4th, 16th, ... failure and after 10, 40, ... stages in which no judged point got better.
  static constexpr Index kSuspiciousFailures = 4;
  static constexpr Index kSuspiciousStages = 10;
  std::optional<Diagnosis> proof_;  // what the verdict rests on, if it is one of infeasible and unbounded
  double asked_at_xi_ = 1.0;        // growth of xi, and size of x, at which proofs were sought
  double asked_at_size_ = 0.0;
  Index failures_ = 0, ask_at_failure_ = kSuspiciousFailures;
  Index ask_at_stall_ = kSuspiciousStages;
  bool settled_ = false;

  std::optional<Status> verdict_;
  std::string message_;
  Index iterations_ = 0;
  Index stage_ = 0;
  Index screened_ = 0;
  Index working_ = 0;  // rows of the working set; 0: there is none
  std::vector<Progress> trace_;
  std::vector<std::pair<std::string, double>> phases_;
};

}  // namespace pliant
