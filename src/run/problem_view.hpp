// The part of a problem that a solve still works on: all of it at first, fewer rows after screening.
//
// Where rows are held elsewhere and never come here all at once, it is the problem with those rows that matter at a point:
// a certificate there is one of all rows, since the others are known not to be active.
#pragma once

#include "rows/constraint_system.hpp"

#include <memory>
#include <vector>

namespace pliant {

class ProblemView {
 public:
  /// `system` is that of all rows; what is read through the view is charged to it.
  ProblemView(const Problem& problem, ConstraintSystem& system);

  const Problem& problem() const { return part_ ? part_->problem : all_; }
  ConstraintSystem& system() { return part_ ? part_->system : system_; }

  bool reduced() const { return part_ != nullptr && !part_->stands_for_all; }
  /// Inequalities that have gone.
  Index dropped() const;
  /// Row of the original system at a position of the present one.
  Index original(Index position) const;
  /// Multipliers of the present rows as multipliers of all rows: 0 for those that have gone.
  Vector expand(ConstVectorRef multipliers) const;

  /// Goes on with the rows at these positions of the present system, ascending, all equalities among them.
  void keep(const std::vector<Index>& positions);

  /// A problem of its own, with rows in this memory.
  struct Part {
    Part(Problem fewer, ConstraintSystem& account) : problem(std::move(fewer)), system(problem, &account) {}
    Problem problem;
    ConstraintSystem system;
    bool stands_for_all = false;  ///< its rows are those of a holder that matter
    std::vector<Index> held;      ///< their numbers there
    double others_below = 0.0;    ///< the holder's other rows are below minus this
  };
  /// Goes on with the problem and these rows of a holder, ascending, which stand for all of them.
  void stand_for_all(Problem with_rows, std::vector<Index> held, double others_below);
  /// The part where it stands for all rows; null otherwise.
  std::shared_ptr<Part> standing_for_all() const { return reduced() ? nullptr : part_; }

 private:
  const Problem& all_;
  ConstraintSystem& system_;
  std::shared_ptr<Part> part_;  // null: all rows
  std::vector<Index> rows_;     // inequalities of the part
};

}  // namespace pliant
