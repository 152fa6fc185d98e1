// A holder made of shards (include/pliant/shards.hpp): a check is one round, and so is whatever else must be asked.
#pragma once

#include "pliant/shards.hpp"
#include "rows/row_holder.hpp"
#include "rows/row_store.hpp"
#include "rows/shard_messages.hpp"

#include <functional>
#include <optional>

namespace pliant {

/// Requests to all shards, and what they cost.
class ShardRounds {
 public:
  ShardRounds(Index shards, const Exchange& exchange) : shards_(shards), exchange_(exchange) {}

  Index shards() const { return shards_; }
  std::vector<std::string> ask(const std::vector<std::string>& requests);

  Index rounds = 0;
  double bytes_sent = 0.0, bytes_received = 0.0, seconds_waited = 0.0;

 private:
  Index shards_;
  const Exchange& exchange_;
};

/// What shards say of themselves: batches of the same families, a part of each with every shard.
struct ShardShapes {
  std::vector<std::vector<ShardBatch>> batches;  ///< of each shard
  std::string form;                              ///< of the batches of every shard, in words
  double constant_scale = 0.0;

  Index bytes() const;
  bool soft() const { return form.starts_with(kSoft); }
  /// One round, the first of a solve. Throws InputError where they do not go together or have other than n columns.
  static ShardShapes open(ShardRounds& rounds, Index n);
};

class SharedRows final : public RowHolder {
 public:
  SharedRows(const ShardShapes& shapes, ShardRounds& rounds, ConstraintSystem& account, Index columns, double slack);

  const RowLayout& layout() const override { return layout_; }
  bool linear() const override { return linear_; }
  void set_coordinates(const Matrix& R) override;
  std::vector<BatchPtr> fetch(const std::vector<Index>& rows) override;
  /// Of what came before only these rows are kept.
  std::unique_ptr<RowBlock> gather(std::vector<Index> rows) override;
  Candidates candidates(const CandidateQuery& query) override;
  NearRows above(const Vector& x, double threshold) override;
  std::vector<RowSums> chunk_sums(const Vector& x, double active_threshold, const RowValues& known) override;
  Index bounded(const Vector& x) override;
  Index inactive_within(const Vector& x, double radius) override;
  void values(const Vector& x, VectorRef out) override;

 private:
  /// What the answers to the latest full check said besides candidates.
  struct LatestCheck {
    Index bounded = 0;
    double radius = 0.0;
    Index inactive = 0;             // within the radius
    std::optional<NearRows> above;  // rows that are not below -slack, unless they are many
  };

  MessageWriter request(ShardCall call) const;
  /// Those of `rows` that a shard has, by their numbers there, and back.
  std::vector<Index> of_shard(std::size_t shard, const std::vector<Index>& rows) const;
  Index of_all(std::size_t shard, Index row) const;
  /// Answers to a request for each shard.
  std::vector<std::string> ask_each(const std::function<std::string(std::size_t shard)>& request);
  std::string check_request(std::size_t shard, const CandidateQuery& query) const;
  void charge(MessageReader& in);
  /// Rows of one shard, by their numbers among all.
  NearRows take_near(std::size_t shard, MessageReader& in) const;
  void take_rows(std::size_t shard, MessageReader& in);

  ShardRounds& rounds_;
  Index columns_;
  std::vector<RowLayout> of_shards_;        // layouts of the shards
  std::vector<std::vector<Index>> begins_;  // [batch][shard]: the first row there among all, and the end
  RowLayout layout_;
  bool linear_ = true;
  RowStore store_;
  LatestCheck latest_;
};

}  // namespace pliant
