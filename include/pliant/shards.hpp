// Rows in shards, wherever they are: other processes, other machines, futures of somebody's cluster.
//
// A shard lives with its rows and answers requests, which are bytes; whoever solves sends one request to every shard and
// waits for all answers: that is a round, and a solve takes a handful of them. How the bytes travel is the business of an
// exchange; what they say, of this library. docs/how-to/cluster.md.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "pliant/soft_loss.hpp"
#include "pliant/solve.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

/// Makes the next block of rows G x <= h; false: there are no more.
using NextBlock = std::function<bool(DataMatrix& G, Doubles& h)>;
/// Begins with the first block again; the same blocks must come every time.
using BlockSource = std::function<NextBlock()>;

/// Rows of one place, with what reads of them have taught. The same requests in the same order give the same answers, to
/// the last bit: a shard that is lost is made again from its rows and told what the first one was told.
class Shard {
 public:
  /// Rows G x <= h. Reads them once; throws InputError where a number is NaN or infinite (h may be infinite: no row).
  Shard(DataMatrix G, Doubles h);
  /// The inequalities of a problem, cones apart (rows_of_part), or its soft rows, one batch of linear ones and no others.
  /// Throws InputError where some are no data. All shards of a solve have batches of the same families, in one order.
  explicit Shard(const Problem& rows);
  /// Rows G x <= h that are made block by block whenever they are read, and never all in memory: once now, once for each of
  /// two samples, and once for every check of all rows, as far as some of them are in doubt.
  explicit Shard(BlockSource blocks);
  ~Shard();
  Shard(Shard&&) noexcept;
  Shard& operator=(Shard&&) noexcept;

  /// Throws InputError where the bytes are no request.
  std::string answer(std::string_view request);

  /// Whether a request changes what the shard knows: those are what a new one must be told again.
  static bool teaches(std::string_view request);
  /// Whether it is the first of a solve: what was told before does not matter any more.
  static bool begins(std::string_view request);

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The problem without its inequalities, or, where some are soft, without those: what stands beside rows in shards.
Problem without_rows(const Problem& problem);
/// Of the inequalities of a problem, or of its soft rows, those of part `part` of `parts`: views of the same numbers, which
/// are not read. Cones become rows behind the others, their eigenvalues. Borders are the same however many parts there are,
/// at multiples of 1024 rows or cones. Throws InputError where there are several batches of soft rows.
Problem rows_of_part(const Problem& problem, Index part, Index parts);

/// One round: the answers to requests, one for each shard, in the order of the shards. May throw; the solve ends so.
using Exchange = std::function<std::vector<std::string>(const std::vector<std::string>& requests)>;

/// What a solve over shards returns. Multipliers and overview of the result are those of `rows` alone, numbered batch after
/// batch and within a batch shard after shard: all others are proven inactive at x, with multiplier 0.
struct ShardedResult {
  Result result;
  std::vector<Index> rows;
  /// Of soft rows, all of them: the multiplier of the upper side of a row minus that of the lower. Empty where an interrupt
  /// met shards in the middle of a read.
  Vector slopes;
  Index all_rows = 0;
  Index rounds = 0;
  double bytes_sent = 0.0, bytes_received = 0.0;
  double seconds_waited = 0.0;  ///< for answers
};

/// Solves `problem`, which has no inequalities of its own, subject to the rows of so many shards. Throws InputError where
/// method path does not take it. What an exchange throws leaves it, after hooks.best has seen the latest point, without
/// multipliers. Shards that hold soft rows add what these cost to the objective instead; `slopes` are then their duals, and
/// `rows` is empty. The problem beside soft rows may have some linear inequalities of its own, 20 n at most, whose multipliers
/// the result has.
ShardedResult solve(const Problem& problem, Index shards, const Exchange& exchange, const Settings& settings = {},
                    const SolveHooks& hooks = {});

/// What the rows of shards cost.
struct SoftInShards {
  SoftLoss loss = SoftLoss::as_held;
  double parameter = 0.0;
  double weight = 1.0;
};
/// The same with the sum of such losses of all rows of the shards in the objective; none of these must hold.
ShardedResult solve(const Problem& problem, const SoftInShards& soft, Index shards, const Exchange& exchange,
                    const Settings& settings = {}, const SolveHooks& hooks = {});

inline constexpr std::string_view kLossesInShards = "losses_in_shards";

/// A sum of losses whose data are in shards, (1/l) sum_i loss(g_i'x, h_i) over the l rows (g_i, h_i) of all of them: a term
/// for Problem::minimize. Asks for the shapes now, one round, and then for one round with every gradient, so that methods
/// of first order with full gradients are what solves it (lbfgs and apg; `auto` takes one of them). The same bytes for any
/// number of shards whose rows begin at multiples of 1024. `threshold`: k of the Huber loss.
TermPtr losses_in_shards(LossKind loss, Index shards, Exchange exchange, double threshold = 0.0);

/// weight * losses_in_shards as a part of an objective.
struct SharedLosses {
  LossKind loss = LossKind::square;
  double threshold = 0.0;
  double weight = 1.0;
};
/// Solves `problem`, which may have inequalities of its own, with these losses in its objective: `solve` of solve.hpp, which
/// asks the shards for every gradient. The result is that of the problem, multipliers of all its rows included. What an
/// exchange throws leaves it, after hooks.best has seen the latest point.
ShardedResult solve(const Problem& problem, const SharedLosses& losses, Index shards, const Exchange& exchange,
                    const Settings& settings = {}, const SolveHooks& hooks = {});

/// A problem without the largest of its sums of losses, whose rows go to shards.
struct LossesApart {
  SharedLosses losses;
  TermPtr term;
  Problem beside;
};
/// Empty where a problem has no such sum.
std::optional<LossesApart> without_losses(const Problem& problem);
/// Of a sum of losses, the rows of part `part` of `parts`, cut as by rows_of_part. Throws InputError where some are no data.
Shard losses_of_part(const LossSum& losses, Index part, Index parts);

}  // namespace pliant
