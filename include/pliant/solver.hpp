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

class SolverMemory;  // what is known of the rows

class Solver {
 public:
  explicit Solver(Problem problem, Settings settings = {});
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  const Problem& problem() const { return problem_; }
  Settings settings;

  /// Solves the problem as it stands, from the previous solution unless the hooks name another start. Duals of a
  /// handle of the original problem include those of the rows appended to it.
  Result solve(SolveHooks hooks = {});

  /// New constant terms: h of linear_le, r of the quadratic families, those of appended rows after the others.
  void update(const Handle& handle, Doubles constants);
  /// New objective term in place of the one with this index, same weight.
  void update_term(Index index, TermPtr term);
  /// More rows (any family) that belong to a batch. They are constraints of their own in problem().
  void append(const Handle& handle, BatchPtr rows);
  /// The same for soft rows, which belong to a soft batch.
  void append(const Handle& handle, SoftRows rows);

 private:
  Index first_row(const Handle& batch) const;
  void remember_appended(Index count);
  std::vector<Handle>& parts_of(const Handle& batch);

  Problem problem_;
  std::unique_ptr<SolverMemory> memory_;
  std::vector<std::vector<Handle>> parts_;  // of problem_ behind each handle of the original one, itself first
  Vector x_;                                // of the previous solve; empty before the first
  Multipliers multipliers_;
};

}  // namespace pliant
