#include "pliant/constraints.hpp"
#include "pliant/shards.hpp"
#include "rows/local_rows.hpp"
#include "rows/shard_messages.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {
namespace {

// Rows with an infinite right-hand side are none.
Problem rows_alone(DataMatrix G, Doubles h) {
  const Index n = G.cols();
  if (h.size() != G.rows()) {
    throw InputError(fmt::format("shard: h: expected {} numbers, one for each row of G, got {}", G.rows(), h.size()));
  }
  Problem out(n);
  out.subject_to(linear_le(std::move(G), std::move(h)));
  out.validate();
  return out;
}

}  // namespace

class Shard::State {
 public:
  State(DataMatrix G, Doubles h) : problem_(rows_alone(std::move(G), std::move(h))), system_(problem_) {}

  std::string answer(std::string_view request) {
    MessageReader in(request);
    MessageWriter out;
    const auto call = in.get<ShardCall>();
    if (call == ShardCall::describe) {
      describe(out);
    } else if (call == ShardCall::begin) {
      known_ = RowKnowledge();
      rows_ = std::make_unique<LocalRows>(problem_, system_, known_, in.get<double>());
      looked_ = read_ = false;
    } else {
      if (rows_ == nullptr) throw InputError("shard: asked before it was told to begin");
      answer(call, in, out);
    }
    in.done();
    return out.take();
  }

 private:
  void describe(MessageWriter& out) const {
    const LinearRows& rows = *problem_.batches()[0]->linear_rows();
    out.put(problem_.batches()[0]->size())
        .put(problem_.data_bytes())
        .put(problem_.constant_scale())
        .put(rows.matrix().cols())
        .put(static_cast<std::uint8_t>(rows.matrix().is_sparse()));
  }

  void answer(ShardCall call, MessageReader& in, MessageWriter& out) {
    if (!read_ && call >= ShardCall::nearest) throw InputError("shard: asked for what it has not read");
    switch (call) {
      case ShardCall::fetch:
        return fetch(in.get_list<Index>(), out);
      case ShardCall::measure: {
        const std::vector<Index> rows = expect_rows(in.get_list<Index>());
        const auto count = static_cast<Index>(rows.size());
        Vector values(count), norms(count), smoothness(count);
        rows_->measure(rows, expect_point(in.get_vector()), values, norms, smoothness);
        charge(out);
        out.put_vector(values).put_vector(norms).put_vector(smoothness);
        return;
      }
      case ShardCall::doubtful:
        out.put(rows_->doubtful(expect_point(in.get_vector())));
        looked_ = true;
        return;
      case ShardCall::read: {
        if (!looked_) throw InputError("shard: told to read nowhere");
        const RowExtremes found = rows_->read(in.get<std::uint8_t>() != 0);
        read_ = true;
        charge(out);
        out.put(found);
        return;
      }
      case ShardCall::nearest:
        return put_near_rows(rows_->nearest(in.get<double>()), out);
      case ShardCall::above: {
        const Vector x = expect_point(in.get_vector());
        return put_near_rows(rows_->above(x, in.get<double>()), out);
      }
      case ShardCall::chunk_sums: {
        const Vector x = expect_point(in.get_vector());
        const auto threshold = in.get<double>();
        const std::vector<Index> rows = expect_rows(in.get_list<Index>());
        const Vector values = in.get_vector();
        if (values.size() != static_cast<Index>(rows.size())) throw InputError("shard: rows without values");
        out.put_list(rows_->chunk_sums(x, threshold, {rows, values}));
        return;
      }
      case ShardCall::inactive_within: {
        const Vector x = expect_point(in.get_vector());
        out.put(rows_->inactive_within(x, in.get<double>()));
        return;
      }
      case ShardCall::describe:
      case ShardCall::begin:
        break;
    }
    throw InputError("shard: an unknown request");
  }

  void fetch(const std::vector<Index>& list, MessageWriter& out) {
    const std::vector<BatchPtr> found = rows_->fetch(expect_rows(list));
    if (found.empty()) {
      out.put(Index{0});
      return;
    }
    const LinearRows& rows = *found[0]->linear_rows();
    const DataMatrix& G = rows.matrix();
    out.put(G.rows()).put_array(std::span<const double>(G.values().begin(), G.values().end()));
    if (G.is_sparse()) {
      out.put_array(std::span<const Index>(G.starts().begin(), G.starts().end()));
      out.put_array(std::span<const Index>(G.columns().begin(), G.columns().end()));
    }
    out.put_array(std::span<const double>(rows.upper().begin(), rows.upper().end()));
  }

  // What was read since the last answer that said so: constraints, and bytes.
  void charge(MessageWriter& out) {
    const double bytes = system_.passes() * static_cast<double>(problem_.data_bytes());
    out.put(system_.evaluations() - charged_.evaluations).put(bytes - charged_.bytes);
    charged_ = {system_.evaluations(), bytes};
  }

  const std::vector<Index>& expect_rows(std::vector<Index> rows) {
    asked_ = std::move(rows);
    for (std::size_t k = 0; k < asked_.size(); ++k) {
      if (asked_[k] < (k > 0 ? asked_[k - 1] + 1 : 0) || asked_[k] >= rows_->rows()) {
        throw InputError("shard: asked for rows it does not have");
      }
    }
    return asked_;
  }
  Vector expect_point(Vector x) const {
    if (x.size() != problem_.dimension()) {
      throw InputError(
          fmt::format("shard: its rows have {} columns, asked at a point of {}", problem_.dimension(), x.size()));
    }
    return x;
  }

  struct Charged {
    Index evaluations = 0;
    double bytes = 0.0;
  };

  Problem problem_;
  ConstraintSystem system_;
  RowKnowledge known_;
  std::unique_ptr<LocalRows> rows_;  // null: not begun
  std::vector<Index> asked_;
  Charged charged_;
  bool looked_ = false, read_ = false;  // since it began
};

Shard::Shard(DataMatrix G, Doubles h) : state_(std::make_unique<State>(std::move(G), std::move(h))) {}
Shard::~Shard() = default;
Shard::Shard(Shard&&) noexcept = default;
Shard& Shard::operator=(Shard&&) noexcept = default;

std::string Shard::answer(std::string_view request) { return state_->answer(request); }

bool Shard::begins(std::string_view request) {
  return !request.empty() && static_cast<ShardCall>(request.front()) == ShardCall::begin;
}

bool Shard::teaches(std::string_view request) {
  if (request.empty()) return false;
  const auto call = static_cast<ShardCall>(request.front());
  return call == ShardCall::begin || call == ShardCall::doubtful || call == ShardCall::read;
}

}  // namespace pliant
