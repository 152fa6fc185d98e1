// A holder made of shards (include/pliant/shards.hpp): every call is one round.
#pragma once

#include "pliant/shards.hpp"
#include "rows/row_holder.hpp"
#include "rows/shard_messages.hpp"

#include <functional>

namespace pliant {

/// Requests to all shards, and what they cost.
class ShardRounds {
 public:
  ShardRounds(Index shards, const Exchange& exchange) : shards_(shards), exchange_(exchange) {}

  Index shards() const { return shards_; }
  /// The same bytes to every shard.
  std::vector<std::string> ask_all(const std::string& request);
  std::vector<std::string> ask(const std::vector<std::string>& requests);

  Index rounds = 0;
  double bytes_sent = 0.0, bytes_received = 0.0, seconds_waited = 0.0;

 private:
  Index shards_;
  const Exchange& exchange_;
};

/// What shards say of themselves.
struct ShardShapes {
  std::vector<Index> rows;
  std::vector<Index> bytes;
  double constant_scale = 0.0;
  bool sparse = false;

  /// One round. Throws InputError where they do not go together or have other than n columns.
  static ShardShapes ask(ShardRounds& rounds, Index n);
};

class SharedRows final : public RowHolder {
 public:
  /// One round: all shards begin anew.
  SharedRows(const ShardShapes& shapes, ShardRounds& rounds, ConstraintSystem& account, Index columns, double slack);

  const RowLayout& layout() const override { return layout_; }
  void set_coordinates(const Matrix& R) override;
  std::vector<BatchPtr> fetch(const std::vector<Index>& rows) override;
  void measure(const std::vector<Index>& rows, const Vector& x, Vector& values, Vector& norms,
               Vector& smoothness) override;
  Index doubtful(const Vector& x) override;
  RowExtremes read(bool everything) override;
  NearRows nearest(double threshold) override;
  NearRows above(const Vector& x, double threshold) override;
  std::vector<RowSums> chunk_sums(const Vector& x, double active_threshold, const RowValues& known) override;
  Index inactive_within(const Vector& x, double radius) override;
  void values(const Vector& x, VectorRef out) override;

 private:
  /// Those of `rows` that a shard has, by their numbers there.
  std::vector<Index> of_shard(std::size_t shard, const std::vector<Index>& rows) const;
  /// A request for each shard that depends on its rows.
  std::vector<std::string> ask_each(const std::function<std::string(std::size_t shard)>& request);
  void charge(MessageReader& in);
  Index sum_of_counts(const std::string& request);
  NearRows gather_near(const std::string& request);
  BatchPtr joined(const std::vector<std::string>& answers) const;

  ShardRounds& rounds_;
  std::vector<Index> begin_;  // of each shard, and the end
  bool sparse_;
  Index columns_;
  RowLayout layout_;
};

}  // namespace pliant
