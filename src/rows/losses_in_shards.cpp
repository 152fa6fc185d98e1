// A sum of losses whose rows are in shards, as a term of an objective: every gradient is a round.
#include "linalg/no_allocation.hpp"
#include "pliant/shards.hpp"
#include "rows/row_sums.hpp"
#include "rows/shard_losses.hpp"
#include "rows/shared_rows.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace pliant {
namespace {

// Bounds of the second derivatives of the losses (objective/losses.hpp).
double curvature_of(LossKind loss) {
  constexpr double kLogistic = 0.25;
  return loss == LossKind::logistic ? kLogistic : 1.0;
}

class LossesInShards final : public ObjectiveTerm {
 public:
  LossesInShards(LossKind loss, double threshold, Index shards, Exchange exchange)
      : loss_(loss), threshold_(threshold), exchange_(std::move(exchange)), rounds_(shards, exchange_) {
    const LossRequest request{loss_, threshold_, 0, Vector(), LossRequest::Wanted::gradient};
    const std::vector<std::string> answers = ask(ShardCall::losses, std::vector<LossRequest>(places(shards), request));
    for (std::size_t s = 0; s < answers.size(); ++s) {
      MessageReader in(answers[s]);
      of_shards_.push_back(in.get<LossShape>());
      in.done();
      const LossShape& own = of_shards_.back();
      if (own.columns != of_shards_[0].columns || own.rows < 0 || own.columns <= 0) {
        throw InputError(fmt::format("shard {}: its rows have {} columns, but those of shard 0 have {}", s, own.columns,
                                     of_shards_[0].columns));
      }
      rows_ += own.rows;
      bytes_ += own.bytes;
      largest_square_ = std::max(largest_square_, own.largest_square);
    }
    if (rows_ == 0) throw InputError("losses in shards: there are no rows");
  }

  std::string_view kind() const override { return kLossesInShards; }
  Index dimension() const override { return of_shards_[0].columns; }
  /// Single ones are out of reach.
  Index components() const override { return 1; }
  Index bytes() const override { return bytes_; }

  double value(ConstVectorRef x) const override { return sums(x)[dimension()] / static_cast<double>(rows_); }
  double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const override {
    return add_shares(sums(x), weight, gradient);
  }
  void add_hessian(ConstVectorRef, double, MatrixRef) const override {
    throw std::logic_error("losses in shards have no Hessian here");
  }
  double component_value(Index, ConstVectorRef x) const override { return value(x); }
  void add_component_gradient(Index, ConstVectorRef x, double weight, VectorRef gradient) const override {
    add_gradient(x, weight, gradient);
  }

  double add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const override {
    return add_shares(add_up(x, LossRequest::Wanted::sizes), weight, gradient_sizes);
  }
  /// A margin of n products, functions of one number, the rows of a chunk and the tree of the chunks.
  Index rounding_length() const override {
    constexpr Index kOwnRoundings = 32, kTreeHeight = 64;
    return dimension() + kOwnRoundings + kSumChunk + kTreeHeight;
  }

  /// lambda_max(A'A) <= sum |a_i|^2 <= l max |a_i|^2
  double smoothness() const override { return curvature_of(loss_) * largest_square_; }
  double component_smoothness(Index) const override { return smoothness(); }
  double strong_convexity() const override { return 0.0; }
  double lower_bound() const override { return 0.0; }
  double convexity_defect() const override { return 0.0; }
  void validate() const override {}  // every shard has looked at its own

 private:
  static std::size_t places(Index shards) {
    if (shards <= 0) throw InputError("losses in shards: expected at least one shard");
    return static_cast<std::size_t>(shards);
  }

  std::vector<std::string> ask(ShardCall call, const std::vector<LossRequest>& requests) const {
    std::vector<std::string> texts;
    for (const LossRequest& request : requests) {
      MessageWriter out;
      out.put(call);
      request.put(out);
      texts.push_back(out.take());
    }
    return rounds_.ask(texts);
  }

  // (gradient, value) of the sum at x; methods often ask for a value where they have a gradient.
  const Vector& sums(ConstVectorRef x) const {
    if (latest_x_.size() == x.size() && latest_x_ == x) return latest_;
    const AllocationAllowedScope first_time;
    latest_ = add_up(x, LossRequest::Wanted::gradient);
    latest_x_ = x;
    return latest_;
  }

  Vector add_up(ConstVectorRef x, LossRequest::Wanted wanted) const {
    const AllocationAllowedScope messages;  // in the loops of methods, too: a round is made of them
    std::vector<LossRequest> requests;
    Index first = 0;
    for (const LossShape& own : of_shards_) {
      requests.push_back({loss_, threshold_, first, x, wanted});
      first += own.chunks();
    }
    const std::vector<std::string> answers = ask(ShardCall::loss_gradient, requests);
    SumTree tree;
    for (std::size_t s = 0; s < answers.size(); ++s) {
      MessageReader in(answers[s]);
      take_nodes(in, requests[s].first_chunk, of_shards_[s].chunks(), dimension() + 1, tree);
      in.done();
    }
    return tree.total();
  }

  // Of n + 1 numbers of all rows.
  double add_shares(const Vector& sum, double weight, VectorRef out) const {
    out += (weight / static_cast<double>(rows_)) * sum.head(dimension());
    return sum[dimension()] / static_cast<double>(rows_);
  }

  LossKind loss_;
  double threshold_;
  Exchange exchange_;
  mutable ShardRounds rounds_;
  std::vector<LossShape> of_shards_;
  Index rows_ = 0, bytes_ = 0;
  double largest_square_ = 0.0;
  mutable Vector latest_x_, latest_;
};

}  // namespace

TermPtr losses_in_shards(LossKind loss, Index shards, Exchange exchange, double threshold) {
  return std::make_shared<LossesInShards>(loss, threshold, shards, std::move(exchange));
}

}  // namespace pliant
