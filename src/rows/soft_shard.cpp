#include "rows/soft_shard.hpp"

#include "linalg/absolute_rows.hpp"
#include "linalg/sums.hpp"
#include "rows/row_sums.hpp"
#include "rows/shard_losses.hpp"
#include "rows/soft_prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {
namespace {

const LinearRows& soft_linear_rows(const Problem& problem) {
  const LinearRows* rows = problem.batches().size() == 1 ? problem.batches()[0]->structure().linear_rows : nullptr;
  if (rows == nullptr) throw InputError("shard: soft rows are one batch of linear ones, held in memory");
  return *rows;
}

SoftSides sides_of_rows(const LinearRows& rows, const SoftPrices& prices) {
  if (rows.two_sided()) throw InputError("shard: soft rows are made of rows G with one target each");
  return sides_of(prices_of(prices.loss, prices.parameter, prices.weight, prices.all_rows), rows.upper());
}

}  // namespace

SoftShard::SoftShard(const Problem& rows, ConstraintSystem& system, const SoftPrices& prices)
    : columns_(rows.dimension()) {
  const LinearRows& linear = soft_linear_rows(rows);
  const bool soft = rows.has_soft_rows(), none = linear.matrix().rows() == 0;
  if ((soft != (prices.loss == SoftLoss::as_held) && !none) || prices.all_rows < linear.matrix().rows()) {
    throw InputError("shard: prices that are not those of its rows");
  }
  SoftSides sides;
  if (soft) {
    sides = SoftTable(rows, system).sides();
  } else if (!none) {
    sides = sides_of_rows(linear, prices);
  }
  table_ = std::make_unique<SoftTable>(linear.matrix(), std::move(sides));
}

void SoftShard::answer(ShardCall call, MessageReader& in, MessageWriter& out) {
  evaluations_ = 0;
  bytes_ = 0.0;
  answer_call(call, in, out);
  out.put(evaluations_).put(bytes_);
}

void SoftShard::answer_call(ShardCall call, MessageReader& in, MessageWriter& out) {
  if (!read_ && call > ShardCall::soft_read) throw InputError("shard: asked for what it has not read");
  switch (call) {
    case ShardCall::soft_fetch: {
      std::vector<Index> rows = in.get_list<Index>();
      expect_rows(rows);
      return sent(std::move(rows)).put(out);
    }
    case ShardCall::soft_read:
      return read(SoftReadRequest::get(in), out);
    case ShardCall::soft_nearest: {
      const SoftNearRequest request = SoftNearRequest::get(in);
      take_away(request.taken);
      const NearSoftRows near = nearest(request.count, request.up_to);
      near.sent.put(out);
      out.put(near.complete_to);
      return;
    }
    case ShardCall::soft_check:
      return check(SoftCheckRequest::get(in), out);
    case ShardCall::soft_sides:
      return put_sides(out);
    default:
      throw InputError("shard: an unknown request");
  }
}

Vector SoftShard::freeze_chunk(const SoftReadRequest& request, Index begin) {
  const Index n = columns_, count = std::min(kSumChunk, table_->size() - begin);
  const Rows rows = Rows::range(begin, count);
  std::array<double, kSumChunk> z, norms, slopes, constants;
  table_->measure(request.x, rows, z.data(), norms.data());
  const SoftReadLayout at(n);
  Vector out = Vector::Zero(at.numbers);
  for (Index k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const SoftRow row = table_->row(begin + k);
    const SoftState state = row.state(z[i]);
    const double from_kink = row.distance(z[i]);
    states_[static_cast<std::size_t>(begin + k)] = state;
    keys_[begin + k] = norms[i] > 0.0 ? from_kink / norms[i] : kInfinity;
    slopes[i] = row.slope(state);
    constants[i] = row.constant(state);
    absolute_axpy(table_->matrix(), begin + k, std::abs(slopes[i]), out.data() + at.gradient_size);
    out[at.within] += from_kink <= request.wish.reach ? 1.0 : 0.0;
  }
  table_->matrix().add_transposed(rows, slopes.data(), out.data());
  const auto constant = [&](Index k) { return constants[static_cast<std::size_t>(k)]; };
  out[at.constant] = pairwise_sum(0, count, constant);
  out[at.constant_size] = pairwise_sum(0, count, [&](Index k) { return std::abs(constant(k)); });
  return out;
}

void SoftShard::read(const SoftReadRequest& request, MessageWriter& out) {
  expect_point(request.x);
  if (request.units.size() > 0) expect_point(request.units);
  const bool sensible = request.first_chunk >= 0 && request.first_chunk < kMostChunks && request.wish.count >= 0 &&
                        request.more >= 1.0 && std::isfinite(request.more);
  if (!sensible) throw InputError("shard: asked for rows that cannot be");
  const Index m = table_->size(), first = request.first_chunk, last = first + (m + kSumChunk - 1) / kSumChunk;
  read_ = false;
  table_->set_units(request.units);
  parallel::resize(keys_, m);
  states_.resize(static_cast<std::size_t>(m));
  const SumTree sums =
      sum_over_chunks(first, last, [&](Index chunk) { return freeze_chunk(request, (chunk - first) * kSumChunk); });
  evaluations_ = m;
  bytes_ = static_cast<double>(table_->matrix().bytes());
  read_ = true;
  double within = 0.0;
  for (const SumNode& node : sums.nodes()) within += node.sum[SoftReadLayout(columns_).within];
  const Index wanted =
      request.wish.reach < 0.0 ? request.wish.count : std::max(request.wish.count, static_cast<Index>(within));
  put_nodes(sums, out);
  const NearSoftRows near =
      nearest(static_cast<Index>(std::ceil(request.more * static_cast<double>(wanted))), -kInfinity);
  near.sent.put(out);
  out.put(near.complete_to);
}

void SoftShard::check(const SoftCheckRequest& request, MessageWriter& out) {
  expect_point(request.x);
  take_away(request.taken);
  const std::vector<Index> doubtful =
      parallel::positions(keys_.size(), [&](Index k) { return !(keys_[k] * kCertainOfSide > request.moved); });
  const auto count = static_cast<Index>(doubtful.size());
  Vector norms;
  const Vector z = table_->products(request.x, doubtful, &norms);
  evaluations_ = count;
  bytes_ = static_cast<double>(table_->matrix().bytes(Rows::list(doubtful)));
  std::vector<Index> wrong;
  for (Index i = 0; i < count; ++i) {
    const Index k = doubtful[static_cast<std::size_t>(i)];
    const SoftRow row = table_->row(k);
    if (row.state(z[i]) != states_[static_cast<std::size_t>(k)]) {
      wrong.push_back(k);
    } else {
      keys_[k] = request.moved + row.distance(z[i]) / norms[i];
    }
  }
  out.put(static_cast<Index>(wrong.size())).put(certain_but_for(wrong, request.moved));
  if (static_cast<Index>(wrong.size()) > request.most) wrong.clear();
  sent(std::move(wrong)).put(out);
}

// The least key of all rows but these.
double SoftShard::certain_but_for(const std::vector<Index>& wrong, double moved) const {
  const auto counts = [&](Index k) {
    return keys_[k] * kCertainOfSide > moved || !std::binary_search(wrong.begin(), wrong.end(), k);
  };
  double out = kInfinity;
  for (const double part : parallel::parts<double>(keys_.size(), [&](Index begin, Index end) {
         double least = kInfinity;
         for (Index k = begin; k < end; ++k) least = counts(k) ? std::min(least, keys_[k]) : least;
         return least;
       })) {
    out = std::min(out, part);
  }
  return out;
}

// Prices once where they are all the same.
void SoftShard::put_sides(MessageWriter& out) const {
  const Vector below = table_->sides().below.first(table_->size()), above = table_->sides().above.first(table_->size());
  const auto same = [](const Vector& v) { return (v.array() == v[0]).all(); };
  const Index sent = table_->size() > 0 && same(below) && same(above) ? 1 : table_->size();
  out.put_list(states_).put_vector(below.head(sent)).put_vector(above.head(sent));
}

NearSoftRows SoftShard::nearest(Index count, double up_to) const {
  NearSoftRows out;
  std::vector<double> finite;
  for (const double key : keys_) {
    if (key < kInfinity) finite.push_back(key);
  }
  if (count < static_cast<Index>(finite.size())) {
    out.complete_to = up_to;
    if (count > 0) {
      const auto last = finite.begin() + static_cast<std::ptrdiff_t>(count) - 1;
      std::nth_element(finite.begin(), last, finite.end());
      out.complete_to = std::max(up_to, *last);
    }
  }
  out.sent = sent(parallel::positions(
      keys_.size(), [&, reach = out.complete_to](Index k) { return keys_[k] <= reach && keys_[k] < kInfinity; }));
  return out;
}

SentSoftRows SoftShard::sent(std::vector<Index> rows) const {
  SentSoftRows out;
  out.rows = std::move(rows);
  if (out.rows.empty()) return out;
  out.table = table_->copy(out.rows);
  out.states.reserve(out.rows.size());
  out.keys.reserve(out.rows.size());
  for (const Index k : out.rows) {
    out.states.push_back(read_ ? states_[static_cast<std::size_t>(k)] : SoftState::between);
    out.keys.push_back(read_ ? keys_[k] : 0.0);
  }
  return out;
}

void SoftShard::take_away(const std::vector<Index>& rows) {
  expect_rows(rows);
  for (const Index k : rows) keys_[k] = kInfinity;
}

void SoftShard::expect_point(const Vector& x) const {
  if (x.size() != columns_) {
    throw InputError(fmt::format("shard: its rows have {} columns, asked at a point of {}", columns_, x.size()));
  }
}

void SoftShard::expect_rows(const std::vector<Index>& rows) const {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k] < (k > 0 ? rows[k - 1] + 1 : 0) || rows[k] >= table_->size()) {
      throw InputError("shard: asked for rows it does not have");
    }
  }
}

}  // namespace pliant
