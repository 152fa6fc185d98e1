// The soft rows of one shard (soft_mass.hpp): of each, the state it is frozen to and how far x may go before that is in doubt.
#pragma once

#include "rows/soft_messages.hpp"

namespace pliant {

class SoftShard {
 public:
  /// The rows of a problem, one batch of linear ones: soft, or with these prices. Throws InputError where rows and prices
  /// do not go together.
  SoftShard(const Problem& rows, ConstraintSystem& system, const SoftPrices& prices);

  /// The answer ends with what was read for it, constraints and bytes. Rows that are sent do not count: whoever keeps them
  /// knows how many that are.
  void answer(ShardCall call, MessageReader& in, MessageWriter& out);

 private:
  void answer_call(ShardCall call, MessageReader& in, MessageWriter& out);
  void read(const SoftReadRequest& request, MessageWriter& out);
  /// Freezes the rows of a chunk: (gradient, constant, sizes of both, rows within reach) of the functions they are frozen to.
  Vector freeze_chunk(const SoftReadRequest& request, Index begin);
  void check(const SoftCheckRequest& request, MessageWriter& out);
  double certain_but_for(const std::vector<Index>& wrong, double moved) const;
  void put_sides(MessageWriter& out) const;

  NearSoftRows nearest(Index count, double up_to) const;
  SentSoftRows sent(std::vector<Index> rows) const;
  /// They are somebody else's from here on: never in doubt, never near.
  void take_away(const std::vector<Index>& rows);
  void expect_point(const Vector& x) const;
  void expect_rows(const std::vector<Index>& rows) const;

  Index columns_;
  std::unique_ptr<SoftTable> table_;
  std::vector<SoftState> states_;
  Vector keys_;  // length of the path of x at which a row may leave its state; infinite: never, or it was taken
  bool read_ = false;
  Index evaluations_ = 0;  // of this answer
  double bytes_ = 0.0;
};

}  // namespace pliant
