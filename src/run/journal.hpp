// What a solve tells about itself: the trace, what the time went into, what the evaluations of the objective cost, and
// the penalty in effect. Nothing here decides anything.
#pragma once

#include "pliant/result.hpp"
#include "pliant/solve.hpp"
#include "run/budget.hpp"

#include <string_view>
#include <vector>

namespace pliant {

class Journal {
 public:
  Journal(const Problem& problem, const Budget& budget, const ConstraintSystem& system, const SolveHooks& hooks)
      : problem_(problem), budget_(budget), system_(system), hooks_(hooks) {}

  /// The penalty that iterates belong to from here on.
  void penalty(double xi, double delta) {
    xi_ = xi;
    delta_ = delta;
  }
  /// What a method that follows a path says of its latest iterate; rows carry it from here on.
  struct PathFigures {
    double gap = Progress::kUnknown, mu = Progress::kUnknown;
    double step_primal = Progress::kUnknown, step_dual = Progress::kUnknown;
  };
  void path(const PathFigures& figures) { path_ = figures; }
  double xi() const { return xi_; }
  double delta() const { return delta_; }

  void next_stage() { ++stage_; }
  Index stage() const { return stage_; }
  /// Constraints of the working set; 0: there is none.
  void working(Index count) { working_ = count; }
  /// Constraints that the method no longer looks at.
  void dropped(Index count) { dropped_ = screened_ = count; }
  /// Constraints that the latest point proves inactive at the solution.
  void screened(Index count);
  Index screened() const { return screened_; }

  /// Components of the objective evaluated so far; methods count them here.
  Index objective_components = 0;
  /// Those of the constraints included.
  Index component_evaluations() const { return system_.evaluations() + objective_components; }

  /// Adds a row to the trace, filled up with what the journal knows. True: the callback wants to stop.
  bool record(Progress row);
  /// Shows the latest row with its point to whoever asked for points. True: stop.
  bool show(ConstVectorRef x) const { return hooks_.point && hooks_.point(trace_.back(), x); }

  /// Time from here to the end of the scope is booked under this name, a literal. There is room for the entry from the
  /// beginning: the end may be one for want of memory.
  class Phase {
   public:
    Phase(Journal& journal, std::string_view name) : journal_(journal), name_(name), begin_(journal.budget_.seconds()) {
      journal_.phases_.reserve(journal_.phases_.size() + journal_.open_phases_ + 1);
      ++journal_.open_phases_;
    }
    ~Phase() {
      --journal_.open_phases_;
      journal_.book(name_, journal_.budget_.seconds() - begin_);
    }
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    Journal& journal_;
    std::string_view name_;
    double begin_;
  };

  /// With settings.guarantee: predicted beside actual.
  std::optional<GuaranteeOutcome> guarantee;

  /// Hands over what was written.
  void close(Result& result);

 private:
  void book(std::string_view phase, double seconds) noexcept;

  const Problem& problem_;
  const Budget& budget_;
  const ConstraintSystem& system_;
  const SolveHooks& hooks_;
  double xi_ = 1.0, delta_ = 1.0;  // what a penalised function begins with
  PathFigures path_;
  Index stage_ = 0;
  Index working_ = 0, dropped_ = 0, screened_ = 0;
  std::vector<Progress> trace_;
  std::vector<std::pair<std::string_view, double>> phases_;
  std::size_t open_phases_ = 0;
};

}  // namespace pliant
