// Requests for soft rows of shards, and their answers (shard_messages.hpp, soft_mass.hpp).
#pragma once

#include "pliant/shards.hpp"
#include "rows/shard_messages.hpp"
#include "rows/soft_mass.hpp"

namespace pliant {

/// What the rows of a shard cost.
struct SoftPrices {
  SoftLoss loss = SoftLoss::as_held;
  double parameter = 0.0, weight = 1.0;
  Index all_rows = 1;  ///< of all shards

  void put(MessageWriter& out) const { out.put(loss).put(parameter).put(weight).put(all_rows); }
  static SoftPrices get(MessageReader& in) {
    SoftPrices out;
    out.loss = in.get<SoftLoss>();
    out.parameter = in.get<double>();
    out.weight = in.get<double>();
    out.all_rows = in.get<Index>();
    return out;
  }
};

/// Where the numbers of a read lie, of the sum over a chunk as of that over all: gradient, constant, what rounding of these is
/// relative to, and rows within reach.
struct SoftReadLayout {
  explicit SoftReadLayout(Index n)
      : constant(n), gradient_size(n + 1), constant_size(2 * n + 1), within(2 * n + 2), numbers(2 * n + 3) {}
  Index constant, gradient_size, constant_size, within, numbers;
};

/// Freeze all rows where x is; the nearest to a kink are wanted.
struct SoftReadRequest {
  Vector x, units;
  Index first_chunk = 0;  ///< the shard's first among those of all shards, of kSumChunk rows each
  NearWish wish;          ///< of this shard's rows
  double more = 1.0;      ///< so many times as many are sent: others may have fewer

  void put(MessageWriter& out) const {
    out.put_vector(x).put_vector(units).put(first_chunk).put(wish.count).put(wish.reach).put(more);
  }
  static SoftReadRequest get(MessageReader& in) {
    SoftReadRequest out;
    out.x = in.get_vector();
    out.units = in.get_vector();
    out.first_chunk = in.get<Index>();
    out.wish.count = in.get<Index>();
    out.wish.reach = in.get<double>();
    out.more = in.get<double>();
    return out;
  }
};

/// The `count` nearest rows that were not taken before, and in any case those up to a key.
struct SoftNearRequest {
  std::vector<Index> taken;  ///< rows that came to whoever asks since the request before
  Index count = 0;
  double up_to = -kInfinity;

  void put(MessageWriter& out) const { out.put_list(taken).put(count).put(up_to); }
  static SoftNearRequest get(MessageReader& in) {
    SoftNearRequest out;
    out.taken = in.get_list<Index>();
    out.count = in.get<Index>();
    out.up_to = in.get<double>();
    return out;
  }
};

/// x has moved by `moved` in all since the read.
struct SoftCheckRequest {
  std::vector<Index> taken;
  Vector x;
  double moved = 0.0;
  Index most = 0;  ///< so many wrong rows are sent

  void put(MessageWriter& out) const { out.put_list(taken).put_vector(x).put(moved).put(most); }
  static SoftCheckRequest get(MessageReader& in) {
    SoftCheckRequest out;
    out.taken = in.get_list<Index>();
    out.x = in.get_vector();
    out.moved = in.get<double>();
    out.most = in.get<Index>();
    return out;
  }
};

/// Rows of a shard as data, ascending.
struct SentSoftRows {
  std::vector<Index> rows;
  std::unique_ptr<SoftTable> table;
  std::vector<SoftState> states;  ///< what they are frozen to; `between` where nothing was read
  std::vector<double> keys;       ///< the length of the path of x at which they may leave it

  void put(MessageWriter& out) const;
  /// n columns; throws InputError where the parts do not fit together.
  static SentSoftRows get(MessageReader& in, Index n);
};

/// All rows of the shard with a key up to complete_to that are not taken.
struct NearSoftRows {
  SentSoftRows sent;
  double complete_to = kInfinity;
};

}  // namespace pliant
