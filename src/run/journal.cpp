#include "run/journal.hpp"

#include "parallel/stop.hpp"

namespace pliant {

void Journal::screened(Index count) {
  screened_ = count;
  if (!trace_.empty()) trace_.back().screened = count;  // its point is what proved them
}

bool Journal::record(Progress row) {
  row.iteration = budget_.iterations();
  row.stage = stage_;
  row.time = budget_.seconds();
  row.passes = budget_.passes();
  row.component_evaluations = component_evaluations();
  row.delta = delta_;
  row.xi = xi_;
  row.working = working_ > 0 ? working_ : problem_.constraints() - dropped_;
  row.screened = screened_;
  row.gap_estimate = path_.gap;
  row.mu = path_.mu;
  row.step_primal = path_.step_primal;
  row.step_dual = path_.step_dual;
  trace_.push_back(row);
  if (!hooks_.progress) return false;
  const parallel::StopScope undisturbed(nullptr);  // the caller's function
  return hooks_.progress(row);
}

void Journal::book(std::string_view phase, double seconds) noexcept {
  for (auto& [name, total] : phases_) {
    if (name != phase) continue;
    total += seconds;
    return;
  }
  phases_.emplace_back(phase, seconds);
}

void Journal::close(Result& result) {
  result.xi = xi_;
  result.delta = delta_;
  result.guarantee = std::move(guarantee);
  result.screened = screened_;
  result.iterations = budget_.iterations();
  result.passes = budget_.passes();
  result.component_evaluations = component_evaluations();
  result.time.solve = budget_.seconds();
  result.time.phases.assign(phases_.begin(), phases_.end());
  result.trace = std::move(trace_);
}

}  // namespace pliant
