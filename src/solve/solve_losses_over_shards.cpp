// A sum of losses in shards as one more term of a problem that is here.
#include "pliant/shards.hpp"
#include "rows/shared_rows.hpp"
#include "solve/solve_beside.hpp"

namespace pliant {

ShardedResult solve(const Problem& problem, const SharedLosses& losses, Index shards, const Exchange& exchange,
                    const Settings& settings, const SolveHooks& hooks) {
  ShardRounds rounds(shards, exchange);
  const Exchange counted = [&](const std::vector<std::string>& requests) { return rounds.ask(requests); };
  problem.validate();
  Vector latest = start_beside(problem, hooks).x;
  SolveHooks own = hooks;
  own.point = [&](const Progress& row, ConstVectorRef x) {
    latest = x;
    return hooks.point && hooks.point(row, x);
  };
  ShardedResult out;
  try {
    Problem whole = problem;
    whole.minimize(losses_in_shards(losses.loss, shards, counted, losses.threshold), losses.weight);
    out.result = solve(whole, settings, own);
  } catch (const std::exception&) {  // of whoever has the data
    if (hooks.best) hooks.best({latest, {}, -kInfinity});
    throw;
  }
  out.rounds = rounds.rounds;
  out.bytes_sent = rounds.bytes_sent;
  out.bytes_received = rounds.bytes_received;
  out.seconds_waited = rounds.seconds_waited;
  return out;
}

}  // namespace pliant
