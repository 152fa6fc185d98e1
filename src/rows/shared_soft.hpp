// Soft rows in shards (soft_mass.hpp): whatever is asked of them is one round.
#pragma once

#include "rows/shared_rows.hpp"
#include "rows/soft_messages.hpp"

namespace pliant {

class SharedSoft final : public SoftMass {
 public:
  /// Rows of one batch, as the shapes say. Reads are charged to `account`.
  SharedSoft(const ShardShapes& shapes, ShardRounds& rounds, const SoftInShards& soft, ConstraintSystem& account,
             Index columns);

  Index size() const override { return begins_.back(); }
  double largest_price() const override { return largest_price_; }
  void set_units(const Vector& units) override { units_ = units; }
  const Vector& units() const override { return units_; }
  void announce(const std::vector<std::vector<Index>>& samples) override;
  Index most_sample() const override;
  std::unique_ptr<SoftTable> copy(const std::vector<Index>& rows) override;
  RowsHere read(const Vector& x, const NearWish& wish) override;
  std::unique_ptr<SoftTable> nearest(Index count) override;
  WrongRows check(const Vector& x, Index most) override;
  const FrozenSum& far() const override { return far_; }
  const std::vector<Index>& numbers() const override { return numbers_; }
  bool elsewhere() const override { return static_cast<Index>(numbers_.size()) < size(); }
  bool held_elsewhere() const override { return true; }

  /// The slopes that all rows are frozen to. One round.
  Vector slopes();

 private:
  std::size_t shards() const { return begins_.size() - 1; }
  Index rows_of(std::size_t shard) const { return begins_[shard + 1] - begins_[shard]; }
  /// A shard's part of so many rows, rounded up.
  Index share(std::size_t shard, Index count) const;
  MessageWriter request(ShardCall call) const;
  std::vector<std::string> ask_each(const std::function<std::string(std::size_t shard)>& request);
  /// What was read for an answer, which is the end of it.
  void end(MessageReader& in);
  SentSoftRows take(std::size_t shard, MessageReader& in);
  NearSoftRows take_near(std::size_t shard, MessageReader& in);
  /// The rows of a list that a shard has, by their numbers there.
  std::vector<Index> of_shard(std::size_t shard, const std::vector<Index>& rows) const;

  /// The nearest rows of every shard: its share of `count`, and more, or as many of each; in any case those up to a key.
  std::vector<NearSoftRows> ask_nearest(Index count, bool shared, double up_to = -kInfinity);
  /// The `count` rows with the smallest keys of all shards, ties included, from what they sent and, where that may miss
  /// some, from another round.
  std::unique_ptr<SoftTable> choose(std::vector<NearSoftRows> near, Index count);
  /// Rows that stay here: their part of the far sum is taken back.
  void keep(std::size_t shard, const SentSoftRows& sent, const std::vector<Index>& places,
            std::unique_ptr<SoftTable>& into);

  ShardRounds& rounds_;
  ConstraintSystem& account_;
  Index columns_;
  SoftPrices prices_;
  std::vector<Index> begins_;  // the first row of each shard among all, and the end
  double largest_price_ = 0.0;
  Vector units_;
  std::vector<Index> announced_;      // rows of all samples, ascending,
  std::unique_ptr<SoftTable> store_;  // and themselves
  FrozenSum far_;
  std::vector<Index> numbers_;             // rows that came,
  std::vector<std::vector<Index>> taken_;  // of which shards have not heard yet
  Vector x_;                               // of the latest read or check
  double moved_ = 0.0;                     // length of the path of x since the read
  bool settled_ = false;                   // all far rows are on their sides there,
  double certain_to_ = 0.0;                // and while it is less than this
};

}  // namespace pliant
