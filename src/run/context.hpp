// What an engine sees of the solve it works for: the problem, and four things it reports to or asks,
//
//   budget     may I go on?            journal    this is what I do
//   incumbent  how good is this point? verdict    this is how it ends
//
// and the few questions that take several of them. Engines hold no state of the solve themselves.
#pragma once

#include "run/budget.hpp"
#include "run/incumbent.hpp"
#include "run/journal.hpp"
#include "run/proof_search.hpp"
#include "run/suspicion.hpp"
#include "run/verdict.hpp"

#include <chrono>

namespace pliant {

class Context {
 public:
  Context(const Problem& problem, const Settings& settings, const SolveHooks& hooks, ProofSearch search = {});

  const Problem& problem() const { return problem_; }
  const Settings& settings() const { return settings_; }
  /// All rows of the problem.
  ConstraintSystem& system() { return system_; }
  /// The rows that are left after screening.
  ProblemView& view() { return view_; }

  Budget& budget() { return budget_; }
  Journal& journal() { return journal_; }
  Incumbent& incumbent() { return incumbent_; }
  SolveVerdict& verdict() { return verdict_; }

  /// Certifies a point, keeps it if it is the best so far, records progress. True: stop, told to.
  bool observe(const InnerPoint& point);
  /// The same, and ends the solve where the point is within the tolerances. True: stop, either solved or told to.
  bool judge(const InnerPoint& point);
  /// The same of a point whose vectors with a number for each row (its values, its multipliers) may be taken from it: x and
  /// the rest stay.
  bool judge(InnerPoint&& point);
  /// Records progress between certificates: an objective and the worst violation found so far. `working`: constraints
  /// of the working set, 0 where there is none. `dual_residual`: where the method knows it.
  void note(double objective, double violation, Index working, double dual_residual = kInfinity);
  /// Looks at limits and interrupts. True: stop.
  bool check_limits();
  /// Counts one iteration and looks at the limits. True: stop.
  bool tick();
  /// Begins the next stage; gives up after many stages that brought nothing. True: stop.
  bool next_stage();

  /// Signs that there may be no solution; now and then they lead to a search for a proof. True: stop.
  bool note_failure(const std::vector<Index>& rows);  ///< an engine could not solve on these rows
  /// Gives up where x has left every reasonable size, unless more rows are to come that may hold it.
  bool note_size(ConstVectorRef x, bool more_rows = false);
  bool note_xi(double before, double now);  ///< gives up where xi has grown out of all proportion
  /// Gives up on a problem whose constraints stay violated however large xi grows.
  void conclude_infeasible_perhaps();

  /// Searches for a proof and, if it finds one, concludes with it; a verdict that only gave up is replaced. Once the
  /// question is answered it is not asked again.
  void seek_proof(const std::vector<Index>& hints = {});
  /// Multipliers an engine believes to prove infeasibility: concludes with them if they do, and if the proof is worth as
  /// much as asked for. True: stop.
  bool try_infeasibility(const Vector& x, Vector multipliers, std::vector<Vector> cone_multipliers = {},
                         InfeasibilityKind least = InfeasibilityKind::within_radius);
  /// A direction an engine believes F to fall along for ever from x: likewise.
  bool try_unboundedness(const Vector& x, const Vector& direction,
                         InfeasibilityKind least = InfeasibilityKind::within_radius);

  /// Shows the best point to whoever keeps it, if it is time again.
  void offer_best();
  /// Considers the last point, then hands over what was found.
  Result finish(const InnerPoint& last);
  /// Hands over what was found before.
  Result finish();

 private:
  /// Constraints within Progress::kNear delta of their boundary or beyond; -1 while there is no delta.
  Index count_near_active(const LagrangianEvaluation& at);
  bool show(const InnerPoint& point, const Certificate& latest, Index near_active);
  bool judge_latest();
  void record(const Certificate& certificate, Index near_active);
  void certify_best();
  void adopt(Proof proof);
  void hand_over_proof(const Proof& proof, Result& result);

  const Problem& problem_;
  const Settings& settings_;
  const SolveHooks& hooks_;
  std::chrono::steady_clock::time_point offered_ = std::chrono::steady_clock::now();
  ConstraintSystem system_;
  ProblemView view_;
  Budget budget_;
  Journal journal_;
  Incumbent incumbent_;
  SolveVerdict verdict_;
  Suspicion suspicion_;
  ProofSearch search_;
  bool settled_ = false;  // the question whether there is a solution
  double merit_at_last_progress_ = kInfinity;
  Index stage_of_last_progress_ = 0;
  double first_xi_ = 0.0;  // 0: it has not grown
};

}  // namespace pliant
