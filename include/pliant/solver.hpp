// A problem that is solved again and again with small changes.
//
// Between solves a Solver keeps x, the multipliers, and for every row its value and gradient norm where it was last
// read. A change of constant terms shifts those values without reading a row, a change of the objective leaves them
// alone, appended rows are the only ones that must be read; so a re-solve costs the working rows and the few others
// that come into doubt, not a pass over the data.
#pragma once

#include "pliant/solve.hpp"

#include <memory>
#include <vector>

namespace pliant {

class Solver {
 public:
  explicit Solver(Problem problem, Settings settings = {});
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  const Problem& problem() const { return problem_; }
  Settings settings;

  /// Solves the problem as it stands, from the previous solution unless the hooks name another start.
  Result solve(SolveHooks hooks = {});

  /// New constant terms: h of linear_le, r of the quadratic families.
  void update(BatchId id, Doubles constants);
  /// New objective term in place of the one with this index, same weight.
  void update_term(Index index, TermPtr term);
  /// More constraints that belong to batch `id` (any family). They are a batch of their own in problem().
  void append(BatchId id, BatchPtr rows);

  /// Duals of the rows of a batch, appended ones included, from a result of this solver.
  Vector duals(const Result& result, BatchId id) const;

 private:
  Index first_row(Index batch) const;
  void expect_batch(BatchId id) const;

  Problem problem_;
  std::unique_ptr<RowKnowledge> known_;
  std::vector<std::vector<Index>> parts_;  // batches of problem_ behind each of the original ones
  Vector x_;                               // of the previous solve; empty before the first
  Multipliers multipliers_;
};

}  // namespace pliant
