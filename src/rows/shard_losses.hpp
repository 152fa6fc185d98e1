// Sums of losses over the rows of a shard, (g_i, h_i) as data and targets: sum_i loss(g_i'x, h_i) and its gradient.
#pragma once

#include "pliant/function_ref.hpp"
#include "pliant/objective_term.hpp"
#include "pliant/problem.hpp"
#include "rows/shard_messages.hpp"
#include "rows/sum_tree.hpp"

namespace pliant {

/// Chunks are counted to this at most: no product of their numbers overflows.
inline constexpr Index kMostChunks = Index{1} << 40;

/// The sum of f(chunk) over chunks first, ..., last - 1, by all threads.
SumTree sum_over_chunks(Index first, Index last, FunctionRef<Vector(Index chunk)> f);

/// What a shard is asked for: the loss and, of a gradient, where.
struct LossRequest {
  enum class Wanted : std::uint8_t {
    gradient,  ///< and value
    sizes      ///< of the numbers behind them, which rounding is relative to (ObjectiveTerm::add_absolute_sums)
  };
  LossKind loss = LossKind::square;
  double threshold = 0.0;  ///< of the Huber loss
  Index first_chunk = 0;   ///< the shard's first among those of all shards, of kSumChunk rows each
  Vector x;
  Wanted wanted = Wanted::gradient;

  void put(MessageWriter& out) const { out.put(loss).put(threshold).put(first_chunk).put_vector(x).put(wanted); }
  static LossRequest get(MessageReader& in);
};

/// What a shard says of its losses.
struct LossShape {
  Index columns = 0, rows = 0, bytes = 0;
  double largest_square = 0.0;  ///< max |g_i|^2, an upper bound
  Index chunks() const;
};

/// Throws InputError where the rows of a shard are not linear ones in this memory, or a target is none of the loss.
LossShape describe_losses(const Problem& rows, const LossRequest& request);

/// Nodes of the sum of (gradient, value), or of their sizes, n + 1 numbers each.
SumTree sum_losses(const Problem& rows, const LossRequest& request);

void put_nodes(const SumTree& tree, MessageWriter& out);
/// Adds the nodes of an answer; throws InputError where they are not those of so many chunks from `first` on.
void take_nodes(MessageReader& in, Index first, Index chunks, Index numbers, SumTree& tree);

}  // namespace pliant
