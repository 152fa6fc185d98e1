#include "parallel/stop.hpp"
#include "pliant/constraints.hpp"
#include "pliant/shards.hpp"
#include "rows/batch_bytes.hpp"
#include "rows/farthest_rows.hpp"
#include "rows/local_rows.hpp"
#include "rows/shard_losses.hpp"
#include "rows/shard_messages.hpp"
#include "rows/soft_shard.hpp"
#include "rows/streamed_rows.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {
namespace {

// Samples are drawn whole wherever they are needed; larger ones are not sent (most_level_rows of solves over shards).
constexpr Index kLargestSample = Index{1} << 24;

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

Problem rows_alone(const Problem& problem) {
  if (!problem.conic().empty()) throw InputError("shard: cones are not held in shards");
  Problem out(problem.dimension());
  if (problem.has_soft_rows()) {
    if (problem.batches().size() > 1 || problem.batches()[0]->linear_rows() == nullptr) {
      throw InputError("shard: of soft rows one batch of linear ones is held in a shard, and nothing beside it");
    }
    out.minimize(SoftRows{problem.batches()[0], problem.caps(0)}, 1.0, problem.batches()[0]->name);
    out.validate();
    return out;
  }
  for (const BatchPtr& batch : problem.batches()) {
    if (!copyable(*batch)) {
      throw InputError(fmt::format("shard: rows of family {} are not data and cannot travel", batch->family()));
    }
    out.subject_to(batch, batch->name);
  }
  out.validate();
  return out;
}

Problem rows_alone(std::shared_ptr<StreamedRows> blocks) {
  Problem out(blocks->dimension());
  out.subject_to(std::move(blocks));
  return out;
}

}  // namespace

class Shard::State {
 public:
  explicit State(Problem rows, std::shared_ptr<const StreamedRows> streamed = nullptr)
      : problem_(std::move(rows)), streamed_(std::move(streamed)), system_(problem_) {}
  State(DataMatrix G, Doubles h) : State(rows_alone(G, h)) { left_out_ = problem_.constraints() < G.rows(); }

  std::string answer(std::string_view request) {
    MessageReader in(request);
    MessageWriter out;
    const auto call = in.get<ShardCall>();
    if (call == ShardCall::open) {
      opened_ = true;
      rows_.reset();
      soft_.reset();
      read_ = false;
      describe(out);
    } else if (call == ShardCall::losses) {
      if (left_out_) throw InputError("shard: losses: targets must be finite");
      out.put(describe_losses(problem_, LossRequest::get(in)));
    } else if (call == ShardCall::loss_gradient) {
      put_nodes(sum_losses(problem_, LossRequest::get(in)), out);
    } else if (call >= ShardCall::soft_fetch) {
      answer_soft(call, in, out);
    } else {
      if (!opened_) throw InputError("shard: asked before a solve began");
      if (problem_.has_soft_rows()) throw InputError("shard: its rows are soft");
      begin(in.get<double>());
      try {
        answer(call, in, out);
      } catch (const parallel::Stopped&) {  // in the middle of a read: what is known may be half of what it should be
        rows_.reset();
        read_ = false;
        throw;
      }
    }
    in.done();
    return out.take();
  }

 private:
  void describe(MessageWriter& out) const {
    out.put(problem_.dimension()).put(problem_.constant_scale());
    std::vector<ShardBatch> batches;
    const RowLayout layout(problem_);
    for (std::size_t b = 0; b < problem_.batches().size(); ++b) {
      const RowLayout::Segment& s = layout.segments()[b];
      const ConstraintBatch& batch = *problem_.batches()[b];
      const LinearRows* linear = problem_.has_soft_rows() ? batch.linear_rows() : nullptr;
      const Index rows = linear != nullptr ? linear->matrix().rows() : s.size;  // soft ones as they are stored
      batches.push_back({rows, s.group, s.cone_rows, batch.bytes(Rows::range(0, batch.size())), batch.linear()});
    }
    out.put_list(batches);
    for (const BatchPtr& batch : problem_.batches()) {
      const std::string form = (problem_.has_soft_rows() ? std::string(kSoft) : "") + batch_form(*batch);
      out.put_array(std::span<const char>(form));
    }
  }

  // Prices are known once all shards have said how many rows they have.
  void answer_soft(ShardCall call, MessageReader& in, MessageWriter& out) {
    if (!opened_) throw InputError("shard: asked before a solve began");
    if (left_out_) throw InputError("shard: soft rows: h must be finite");
    if (streamed_) throw InputError("shard: soft rows are held in memory, not made in blocks");
    const SoftPrices prices = SoftPrices::get(in);
    if (soft_ == nullptr) soft_ = std::make_unique<SoftShard>(problem_, system_, prices);
    try {
      soft_->answer(call, in, out);
    } catch (const parallel::Stopped&) {
      soft_.reset();
      throw;
    }
  }

  // The slack is known once all shards have described themselves.
  void begin(double slack) {
    if (rows_ != nullptr) return;
    known_ = RowKnowledge();
    rows_ = std::make_unique<LocalRows>(problem_, system_, known_, slack);
  }

  void answer(ShardCall call, MessageReader& in, MessageWriter& out) {
    if (!read_ && call > ShardCall::check) throw InputError("shard: asked for what it has not read");
    switch (call) {
      case ShardCall::fetch:
        return put_rows(expect_rows(in.get_list<Index>()), out);
      case ShardCall::check:
      case ShardCall::look:
        return check(CheckRequest::get(in), call == ShardCall::check, out);
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
      default:
        break;
    }
    throw InputError("shard: an unknown request");
  }

  // Everything a check may be asked for later comes at once: the farthest rows, the data of the first of them, and, unless
  // they are many, the rows that are not below -slack, which a certificate needs.
  void check(const CheckRequest& request, bool everything, MessageWriter& out) {
    expect_point(request.x);
    expect_rows(request.apart);
    if (request.most < 0 || request.with_data < 0) throw InputError("shard: asked for less than no rows");
    if (request.coordinates.rows() > problem_.dimension()) throw InputError("shard: coordinates of another size");
    rows_->set_coordinates(request.coordinates);
    const Index most = std::min(request.most, rows_->rows());
    Candidates found;
    if (everything) {
      if (streamed_) streamed_->keep_farthest(2 * most + static_cast<Index>(request.apart.size()));
      rows_->doubtful(request.x);
      rows_->read(false);
      read_ = true;
      found = rows_->farthest(most, request.apart);
    } else {
      found = farthest_of_level(request, most);
    }
    charge(out);
    out.put(found.worst);
    put_near_rows(found, out);
    std::vector<Index> sent = first_of(found, request.with_data);
    rows_->layout().complete_groups(sent);
    put_rows(sent, out);
    if (everything) put_above(request, sent, out);
  }

  Candidates farthest_of_level(const CheckRequest& request, Index most) {
    const std::vector<Index>& rows = own_level(request);
    const auto count = static_cast<Index>(rows.size());
    Vector values(count), norms(count), smoothness(count);
    if (streamed_) {  // read once, and kept
      if (!level_block_) level_block_ = rows_->RowHolder::gather(rows);
      level_block_->selection().values_and_bounds(request.x, values, norms, smoothness);
    } else {
      rows_->measure(rows, request.x, values, norms, smoothness);
    }
    return find_farthest(
        count, most, request.apart, [&](Index k) { return rows[static_cast<std::size_t>(k)]; },
        [&](Index k) { return values[k]; }, [&](Index k) { return row_distance(values[k], norms[k], smoothness[k]); },
        [](Index, double) { return true; });
  }

  // The rows of a sample of all shards that are here.
  const std::vector<Index>& own_level(const CheckRequest& request) {
    const std::vector<RowLayout::Segment>& own = rows_->layout().segments();
    if (request.level == level_) return level_rows_;
    bool fits = request.place.size() == own.size() && request.level.count > 0 && request.level.count <= kLargestSample;
    for (std::size_t b = 0; fits && b < own.size(); ++b) {
      const RowLayout::Segment& all = request.place[b];
      fits = all.group == own[b].group && all.begin >= 0 && all.size >= 0 && all.size <= (Index{1} << 50) &&
             all.begin <= all.size - own[b].size;
    }
    if (!fits) throw InputError("shard: a sample of rows that are none of its own");
    const RowLayout all(request.place);
    level_rows_.clear();
    const std::vector<Index> rows = request.level.of(all);
    for (std::size_t b = 0; b < own.size(); ++b) {
      const Index begin = all.segments()[b].begin + request.place[b].begin;
      const auto first = std::lower_bound(rows.begin(), rows.end(), begin);
      const auto last = std::lower_bound(first, rows.end(), begin + own[b].size);
      for (auto row = first; row != last; ++row) level_rows_.push_back(*row - begin + own[b].begin);
    }
    level_ = request.level;
    level_block_.reset();
    return level_rows_;
  }

  // The numbers of the `count` farthest, ascending.
  static std::vector<Index> first_of(const Candidates& found, Index count) {
    FarthestRows farthest(count);
    for (std::size_t k = 0; k < found.rows.size(); ++k) {
      farthest.add({found.distances[k], found.rows[k], found.values[k]});
    }
    std::vector<Index> out;
    for (const FarRow& row : farthest.rows()) out.push_back(row.row);
    std::sort(out.begin(), out.end());
    return out;
  }

  void put_above(const CheckRequest& request, const std::vector<Index>& sent, MessageWriter& out) {
    out.put(rows_->bounded(request.x));
    out.put(request.radius > 0.0 ? rows_->inactive_within(request.x, request.radius) : Index{0});
    const double threshold = -rows_->slack();
    const bool few = rows_->count_above(threshold) <= request.most + static_cast<Index>(request.apart.size());
    out.put(static_cast<std::uint8_t>(few));
    if (!few) return;
    const NearRows above = rows_->read_above(threshold);
    put_near_rows(above, out);
    std::vector<Index> unsent;
    for (const Index i : above.rows) {
      const auto listed = [i](const std::vector<Index>& rows) {
        return std::binary_search(rows.begin(), rows.end(), i);
      };
      if (!listed(request.apart) && !listed(sent)) unsent.push_back(i);
    }
    rows_->layout().complete_groups(unsent);
    put_rows(unsent, out);
  }

  void put_rows(const std::vector<Index>& rows, MessageWriter& out) {
    const std::vector<BatchPtr> batches = rows_->fetch(rows);
    out.put_list(rows).put(static_cast<Index>(batches.size()));
    for (const BatchPtr& batch : batches) put_batch(*batch, out);
  }

  // What was read since the last answer that said so: constraints, and bytes. These are whole numbers, and differences are
  // exact: what an earlier solve over these shards has read leaves no trace in the last digits of a later one.
  void charge(MessageWriter& out) {
    const double bytes = std::round(system_.passes() * static_cast<double>(problem_.data_bytes()));
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
  std::shared_ptr<const StreamedRows> streamed_;  // its rows, where they are made block by block; else null
  ConstraintSystem system_;
  RowKnowledge known_;
  std::unique_ptr<LocalRows> rows_;        // null: not begun
  std::unique_ptr<SoftShard> soft_;        // null: not begun, or rows that are not soft
  RowSample level_;                        // asked for last,
  std::vector<Index> level_rows_;          // and what of it is here,
  std::unique_ptr<RowBlock> level_block_;  // in memory where rows are streamed
  std::vector<Index> asked_;
  Charged charged_;
  bool opened_ = false, read_ = false;
  bool left_out_ = false;  // rows with an infinite right-hand side
};

Shard::Shard(DataMatrix G, Doubles h) : state_(std::make_unique<State>(std::move(G), std::move(h))) {}
Shard::Shard(const Problem& rows) : state_(std::make_unique<State>(rows_alone(rows))) {}
Shard::Shard(BlockSource blocks) {
  const auto streamed = std::make_shared<StreamedRows>(std::move(blocks));
  state_ = std::make_unique<State>(rows_alone(streamed), streamed);
}
Shard::~Shard() = default;
Shard::Shard(Shard&&) noexcept = default;
Shard& Shard::operator=(Shard&&) noexcept = default;

std::string Shard::answer(std::string_view request) { return state_->answer(request); }

bool Shard::begins(std::string_view request) {
  return !request.empty() && static_cast<ShardCall>(request.front()) == ShardCall::open;
}

bool Shard::teaches(std::string_view request) {
  if (request.empty()) return false;
  const auto call = static_cast<ShardCall>(request.front());
  return call == ShardCall::open || call == ShardCall::check || call == ShardCall::soft_read ||
         call == ShardCall::soft_nearest || call == ShardCall::soft_check;
}

}  // namespace pliant
