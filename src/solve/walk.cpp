#include "solve/walk.hpp"

#include "engines/interior/active_rows.hpp"
#include "parallel/parallel.hpp"
#include "parallel/stop.hpp"
#include "rows/row_knowledge.hpp"
#include "solve/registry.hpp"

#include <fmt/format.h>

namespace pliant {
namespace {

void check_warm_start(const Problem& problem, const SolveHooks& hooks) {
  if (hooks.warm_start == nullptr) return;
  if (hooks.warm_start->size() != problem.dimension()) {
    throw InputError(
        fmt::format("warm start: expected {} entries in x, got {}", problem.dimension(), hooks.warm_start->size()));
  }
  if (!hooks.warm_start->allFinite()) throw InputError("warm start: x contains NaN or infinite entries");
}

InnerPoint starting_point(const Problem& problem, const SolveHooks& hooks, const ConstraintSystem& system) {
  InnerPoint point;
  point.x = Vector::Zero(problem.dimension());
  if (problem.start) point.x = *problem.start;
  if (hooks.warm_start != nullptr) point.x = *hooks.warm_start;
  problem.prox().project(point.x);
  if (hooks.warm_multipliers != nullptr) {
    point.at.multipliers = system.join(*hooks.warm_multipliers);
    point.at.cones.multipliers = hooks.warm_multipliers->cones;
  }
  return point;
}

// A solve that gave up may have had good reasons: rows the engine worked on last are the first suspects.
void diagnose_failure(Context& context, const InnerPoint& point) {
  if (context.verdict().status().value_or(Status::numerical_error) != Status::numerical_error) return;
  constexpr Index kMostHints = 50;  // per variable
  std::vector<Index> hints;
  for (Index i = 0; i < point.at.multipliers.size(); ++i) {
    if (point.at.multipliers[i] > 0.0) hints.push_back(context.view().original(i));
  }
  if (static_cast<Index>(hints.size()) > kMostHints * context.problem().dimension()) hints.clear();
  context.seek_proof(hints);
}

// Another engine starts afresh: multipliers of one that failed would mislead it.
void prepare_next(Context& context, InnerPoint& point) {
  if (!context.verdict().reopen()) return;
  point.at.multipliers.resize(0);
  point.at.cones.multipliers.clear();
}

// Whoever is stopped in the middle of a loop hands over the latest point: x is written whole, what belongs to it may not be.
void settle_for_latest(Context& context, const SolveHooks& hooks, const InnerPoint& stopped) {
  InnerPoint latest = starting_point(context.problem(), hooks, context.system());
  Vector multipliers = std::move(latest.at.multipliers);
  const std::vector<Vector> cones = std::move(latest.at.cones.multipliers);
  if (multipliers.size() != context.system().size()) multipliers = Vector::Zero(context.system().size());
  if (stopped.x.size() == latest.x.size() && stopped.x.allFinite()) {
    latest.x = stopped.x;
    context.problem().prox().project(latest.x);
  }
  evaluate_lagrangian(context.problem(), context.system(), latest.x, multipliers, latest.at, cones);
  context.observe(latest);
}

// False: stopped in the middle of a loop. What stands in `point` then may be half an evaluation, and so may what is known
// of rows.
bool run_engine(Context& context, InnerPoint& point, const EngineTask& task, EngineEnd& end) {
  const parallel::StopSign sign = context.budget().stop_sign();
  const parallel::StopScope scope(&sign);
  try {
    end = engine_of(task.attempt).run(context, point, task);
    return true;
  } catch (const parallel::Stopped&) {
    if (task.known_rows != nullptr) *task.known_rows = RowKnowledge{};
    return false;
  }
}

// An engine that gave up may have stopped a few digits short of a solution whose active rows it has found. True: these
// gave an answer. Other engines are tried first where they cost less.
bool finish_last_digits(Context& context, InnerPoint& point, bool last_attempt) {
  const std::string why = context.verdict().message();
  if (!context.verdict().reopen()) return false;
  const parallel::StopSign sign = context.budget().stop_sign();
  const parallel::StopScope scope(&sign);
  InnerPoint last;
  try {
    if (finish_on_active_rows(context, last, last_attempt ? kFinishedAtLast : kFinishedAtOnce) &&
        context.verdict().status() == Status::optimal) {
      point = std::move(last);
      return true;
    }
  } catch (const parallel::Stopped&) {
    context.check_limits();
  }
  context.verdict().conclude(Status::numerical_error, why);
  return false;
}

std::string reason_of(const Attempt& attempt, bool finished) {
  if (!finished) return attempt.reason;
  const char* last = "the last digits from the rows that hold with equality";
  return attempt.reason.empty() ? last : fmt::format("{}; {}", attempt.reason, last);
}

}  // namespace

Result walk(const Problem& problem, std::span<const Attempt> attempts, const Settings& settings,
            const SolveHooks& hooks, const ProofSearch& search, RowKnowledge* known) {
  check_warm_start(problem, hooks);
  const parallel::ThreadScope threads(settings.threads);
  Context context(problem, settings, hooks, search);
  InnerPoint point = starting_point(problem, hooks, context.system());
  std::vector<AttemptRecord> records;
  const Attempt* made = nullptr;
  bool whole = true;
  for (const Attempt& attempt : attempts) {
    prepare_next(context, point);
    made = &attempt;
    context.budget().allow_attempt(attempt.most_passes);
    EngineEnd end = EngineEnd::ended;
    whole = run_engine(context, point, {attempt, known}, end);
    if (!whole) context.check_limits();
    const bool finished = whole && finish_last_digits(context, point, &attempt == &attempts.back());
    const Status status = context.verdict().status().value_or(Status::numerical_error);
    const bool declined = end == EngineEnd::declined;
    records.push_back(
        {attempt.engine, reason_of(attempt, finished), declined ? "declined" : std::string(to_string(status))});
    if (end == EngineEnd::exhausted || (!declined && status != Status::numerical_error)) break;
  }
  diagnose_failure(context, point);
  if (!whole && !context.incumbent().any()) settle_for_latest(context, hooks, point);

  Result result = whole ? context.finish(point) : context.finish();
  records.back().status = to_string(result.status);  // the last look may have found more
  result.method = made->method;
  result.outer = made->outer;
  result.linear_algebra = made->linear_algebra;
  result.treatment = made->treatment;
  result.engine = made->engine;
  result.strategy = made->strategy;
  result.attempts = std::move(records);
  result.time.total = result.time.solve;
  return result;
}

}  // namespace pliant
