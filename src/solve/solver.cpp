#include "pliant/solver.hpp"

#include "rows/row_knowledge.hpp"
#include "solve/solve_remembering.hpp"
#include "solve/solver_memory.hpp"

#include <fmt/format.h>

namespace pliant {

Solver::Solver(Problem problem, Settings chosen)
    : settings(std::move(chosen)), problem_(std::move(problem)), memory_(std::make_unique<SolverMemory>()) {
  for (const Handle& handle : problem_.handles()) parts_.push_back({handle});
}

Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

std::vector<Handle>& Solver::parts_of(const Handle& batch) {
  problem_.expect_handle(batch, ConstraintKind::batch);
  if (batch.index >= static_cast<Index>(parts_.size())) {
    throw InputError(
        fmt::format("handle of constraints {}: rows that were appended; use the handle they were appended "
                    "to",
                    batch.index));
  }
  return parts_[static_cast<std::size_t>(batch.index)];
}

Index Solver::first_row(const Handle& batch) const {
  Index row = 0;
  for (Index b = 0; b < batch.part; ++b) row += problem_.batches()[static_cast<std::size_t>(b)]->size();
  return row;
}

Result Solver::solve(SolveHooks hooks) {
  if (x_.size() > 0 && hooks.warm_start == nullptr) {
    hooks.warm_start = &x_;
    hooks.warm_multipliers = &multipliers_;
  }
  Result result = solve_remembering(problem_, settings, hooks, &memory_->rows);
  x_ = result.x;
  multipliers_ = result.multipliers;
  for (const std::vector<Handle>& parts : parts_) {
    Vector& duals = result.constraint_duals[static_cast<std::size_t>(parts[0].index)];
    for (std::size_t k = 1; k < parts.size(); ++k) {
      const Vector& more = result.duals(parts[k]);
      duals.conservativeResize(duals.size() + more.size());
      duals.tail(more.size()) = more;
    }
  }
  return result;
}

// The constants of appended rows follow those of the rows they were appended to.
void Solver::update(const Handle& handle, Doubles constants) {
  const std::vector<Handle>& parts = parts_of(handle);
  Index total = 0;
  for (const Handle& part : parts) total += problem_.batch(part).size();
  if (constants.size() != total) {
    throw InputError(
        fmt::format("constraints {}: expected {} constant terms, got {}", handle.index, total, constants.size()));
  }
  std::vector<Doubles> pieces;
  Index begin = 0;
  for (const Handle& part : parts) {
    const ConstraintBatch& batch = problem_.batch(part);
    pieces.push_back(to_array(Eigen::Map<const Vector>(constants.data() + begin, batch.size())));
    (void)batch.with_constants(pieces.back());  // what is refused is refused before anything has changed
    begin += batch.size();
  }
  RowKnowledge& known = memory_->rows;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Vector before = problem_.batch(parts[k]).constant_terms();
    problem_.replace_constants(parts[k], pieces[k]);
    if (known.started()) known.shift(first_row(parts[k]), problem_.batch(parts[k]).constant_terms() - before);
  }
}

void Solver::update_term(Index index, TermPtr term) { problem_.replace_term(index, std::move(term)); }

void Solver::append(const Handle& handle, BatchPtr rows) {
  std::vector<Handle>& parts = parts_of(handle);
  if (!problem_.caps(handle.part).empty()) {
    throw InputError(fmt::format("constraints {}: they are soft, rows appended to them need weights", handle.index));
  }
  rows->validate();
  const Index count = rows->size();
  parts.push_back(problem_.subject_to(std::move(rows)));
  remember_appended(count);
}

void Solver::append(const Handle& handle, SoftRows rows) {
  std::vector<Handle>& parts = parts_of(handle);
  if (problem_.caps(handle.part).empty()) {
    throw InputError(fmt::format("constraints {}: they are hard, rows appended to them have no weights", handle.index));
  }
  Problem checked(problem_.dimension());  // what is refused is refused before anything has changed
  checked.minimize(rows);
  checked.validate();
  const Index count = rows.rows->size();
  parts.push_back(problem_.minimize(std::move(rows)));
  remember_appended(count);
}

void Solver::remember_appended(Index count) {
  if (memory_->rows.started()) memory_->rows.append(count);
  if (x_.size() > 0) multipliers_.lambda.emplace_back(Vector::Zero(count));
}

}  // namespace pliant
