// The part of a problem that a solve still works on: all of it at first, fewer rows after screening.
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

  bool reduced() const { return part_ != nullptr; }
  /// Inequalities that have gone.
  Index dropped() const;
  /// Row of the original system at a position of the present one.
  Index original(Index position) const;
  /// Multipliers of the present rows as multipliers of all rows: 0 for those that have gone.
  Vector expand(ConstVectorRef multipliers) const;

  /// Goes on with the rows at these positions of the present system, ascending, all equalities among them.
  void keep(const std::vector<Index>& positions);

 private:
  struct Part {
    Part(Problem fewer, ConstraintSystem& account) : problem(std::move(fewer)), system(problem, &account) {}
    Problem problem;
    ConstraintSystem system;
  };

  const Problem& all_;
  ConstraintSystem& system_;
  std::unique_ptr<Part> part_;  // null: all rows
  std::vector<Index> rows_;     // inequalities of the part
};

}  // namespace pliant
