#include "pliant/solver.hpp"

#include "rows/row_knowledge.hpp"

#include <fmt/format.h>

namespace pliant {

Solver::Solver(Problem problem, Settings chosen)
    : settings(std::move(chosen)), problem_(std::move(problem)), known_(std::make_unique<RowKnowledge>()) {
  for (std::size_t b = 0; b < problem_.batches().size(); ++b) parts_.push_back({static_cast<Index>(b)});
}

Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

void Solver::expect_batch(BatchId id) const {
  if (id.index < 0 || id.index >= static_cast<Index>(parts_.size())) {
    throw InputError(fmt::format("constraint batch {}: there are {}, counting from 0", id.index, parts_.size()));
  }
}

Index Solver::first_row(Index batch) const {
  Index row = 0;
  for (Index b = 0; b < batch; ++b) row += problem_.batches()[static_cast<std::size_t>(b)]->size();
  return row;
}

Result Solver::solve(SolveHooks hooks) {
  if (x_.size() > 0 && hooks.warm_start == nullptr) {
    hooks.warm_start = &x_;
    hooks.warm_multipliers = &multipliers_;
  }
  hooks.known_rows = known_.get();
  Result result = pliant::solve(problem_, settings, hooks);
  x_ = result.x;
  multipliers_ = result.multipliers;
  return result;
}

// The constants of appended rows follow those of the rows they were appended to.
void Solver::update(BatchId id, Doubles constants) {
  expect_batch(id);
  Index total = 0;
  for (Index part : parts_[static_cast<std::size_t>(id.index)]) total += problem_.batch({part}).size();
  if (constants.size() != total) {
    throw InputError(
        fmt::format("constraint batch {}: expected {} constant terms, got {}", id.index, total, constants.size()));
  }
  std::vector<Doubles> pieces;
  Index begin = 0;
  for (Index part : parts_[static_cast<std::size_t>(id.index)]) {
    const ConstraintBatch& batch = problem_.batch({part});
    pieces.push_back(to_array(Eigen::Map<const Vector>(constants.data() + begin, batch.size())));
    (void)batch.with_constants(pieces.back());  // what is refused is refused before anything has changed
    begin += batch.size();
  }
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Index part = parts_[static_cast<std::size_t>(id.index)][k];
    const Vector before = problem_.batch({part}).constant_terms();
    problem_.replace_constants({part}, pieces[k]);
    if (known_->started()) known_->shift(first_row(part), problem_.batch({part}).constant_terms() - before);
  }
}

void Solver::update_term(Index index, TermPtr term) { problem_.replace_term(index, std::move(term)); }

void Solver::append(BatchId id, BatchPtr rows) {
  expect_batch(id);
  rows->validate();
  const Index count = rows->size();
  const BatchId added = problem_.subject_to(std::move(rows));
  parts_[static_cast<std::size_t>(id.index)].push_back(added.index);
  if (known_->started()) known_->append(count);
  if (x_.size() > 0) multipliers_.lambda.emplace_back(Vector::Zero(count));
}

Vector Solver::duals(const Result& result, BatchId id) const {
  expect_batch(id);
  std::vector<Vector> pieces;
  Index total = 0;
  for (Index part : parts_[static_cast<std::size_t>(id.index)]) {
    const ConstraintBatch& batch = problem_.batch({part});
    Vector duals(batch.dual_size());
    batch.multipliers_to_duals(result.multipliers.lambda.at(static_cast<std::size_t>(part)), duals);
    total += duals.size();
    pieces.push_back(std::move(duals));
  }
  Vector out(total);
  Index begin = 0;
  for (const Vector& piece : pieces) {
    out.segment(begin, piece.size()) = piece;
    begin += piece.size();
  }
  return out;
}

}  // namespace pliant
