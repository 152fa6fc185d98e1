#include "rows/shared_soft.hpp"

#include "linalg/absolute_rows.hpp"
#include "rows/row_sums.hpp"
#include "rows/shard_losses.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace pliant {
namespace {

// Shards send so many times their share of the nearest rows, and a few more: rows spread at random are then all there.
// Where they are not, it costs a round.
constexpr double kMoreThanNear = 1.5;
constexpr Index kFewNear = 16;
// All samples come here: bytes of the largest one, about.
constexpr Index kSampleBytes = Index{128} << 20;
// Additions of the nodes of a sum: no tree is higher.
constexpr Index kTreeHeight = 64;

std::vector<Index> all_places(const SentSoftRows& sent) {
  std::vector<Index> out(sent.rows.size());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<Index>(k);
  return out;
}

// Wherever rows came from, they are read together: the bytes of sums do not tell.
std::unique_ptr<SoftTable> in_one_piece(std::unique_ptr<SoftTable> rows) { return rows ? rows->copy_all() : nullptr; }

// A sample may have a row twice, and is in order as a rule.
void merge_into(std::vector<Index>& all, const std::vector<Index>& sample) {
  const auto middle = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), sample.begin(), sample.end());
  if (!std::is_sorted(sample.begin(), sample.end())) std::sort(all.begin() + middle, all.end());
  std::inplace_merge(all.begin(), all.begin() + middle, all.end());
}

// Where each row stands among all of them, which are ascending; nothing where one is missing.
std::optional<std::vector<Index>> places_among(const std::vector<Index>& all, const std::vector<Index>& rows) {
  constexpr int kSteps = 8;  // the next one is near where rows are in order
  std::vector<Index> out;
  out.reserve(rows.size());
  std::size_t at = 0;
  for (const Index row : rows) {
    for (int steps = 0; steps < kSteps && at < all.size() && all[at] < row; ++steps) ++at;
    if (at >= all.size() || all[at] != row) {
      at = static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), row) - all.begin());
    }
    if (at == all.size() || all[at] != row) return std::nullopt;
    out.push_back(static_cast<Index>(at));
  }
  return out;
}

// All rows with smaller keys are there.
double complete_to(const std::vector<NearSoftRows>& near) {
  double out = kInfinity;
  for (const NearSoftRows& of_shard : near) out = std::min(out, of_shard.complete_to);
  return out;
}

}  // namespace

SharedSoft::SharedSoft(const ShardShapes& shapes, ShardRounds& rounds, const SoftInShards& soft,
                       ConstraintSystem& account, Index columns)
    : rounds_(rounds), account_(account), columns_(columns), begins_{0}, taken_(shapes.batches.size()) {
  account.count_held(shapes.bytes());
  for (const std::vector<ShardBatch>& batches : shapes.batches) {
    if (batches.size() != 1 || batches[0].linear == 0) {
      throw InputError("soft rows in shards: expected one batch of linear rows in every shard");
    }
    begins_.push_back(begins_.back() + batches[0].rows);
  }
  if (size() == 0) throw InputError("soft rows in shards: there are no rows");
  prices_ = {soft.loss, soft.parameter, soft.weight, size()};
}

// ---- messages ----

Index SharedSoft::share(std::size_t shard, Index count) const {
  if (shards() == 1) return std::min(count, size());
  const double part = static_cast<double>(rows_of(shard)) / static_cast<double>(size());
  return std::min(rows_of(shard), static_cast<Index>(std::ceil(part * static_cast<double>(count))) + kFewNear);
}

MessageWriter SharedSoft::request(ShardCall call) const {
  MessageWriter out;
  out.put(call);
  prices_.put(out);
  return out;
}

std::vector<std::string> SharedSoft::ask_each(const std::function<std::string(std::size_t shard)>& request) {
  std::vector<std::string> requests;
  for (std::size_t s = 0; s < shards(); ++s) requests.push_back(request(s));
  return rounds_.ask(requests);
}

void SharedSoft::end(MessageReader& in) {
  const auto evaluations = in.get<Index>();
  account_.charge_components(evaluations, in.get<double>());
  in.done();
}

SentSoftRows SharedSoft::take(std::size_t shard, MessageReader& in) {
  SentSoftRows out = SentSoftRows::get(in, columns_);
  for (std::size_t k = 0; k < out.rows.size(); ++k) {
    if (out.rows[k] < (k > 0 ? out.rows[k - 1] + 1 : 0) || out.rows[k] >= rows_of(shard)) {
      throw InputError("shards: a shard answers with rows it does not have");
    }
  }
  return out;
}

NearSoftRows SharedSoft::take_near(std::size_t shard, MessageReader& in) {
  NearSoftRows out;
  out.sent = take(shard, in);
  out.complete_to = in.get<double>();
  return out;
}

std::vector<Index> SharedSoft::of_shard(std::size_t shard, const std::vector<Index>& rows) const {
  const auto first = std::lower_bound(rows.begin(), rows.end(), begins_[shard]);
  const auto last = std::lower_bound(first, rows.end(), begins_[shard + 1]);
  std::vector<Index> out(first, last);
  for (Index& row : out) row -= begins_[shard];
  return out;
}

// ---- samples ----

Index SharedSoft::most_sample() const {
  return std::max<Index>(1, kSampleBytes / (columns_ * static_cast<Index>(sizeof(double))));
}

void SharedSoft::announce(const std::vector<std::vector<Index>>& samples) {
  announced_.clear();
  for (const std::vector<Index>& sample : samples) merge_into(announced_, sample);
  announced_.erase(std::unique(announced_.begin(), announced_.end()), announced_.end());
  store_.reset();
  if (announced_.empty()) return;
  const std::vector<std::string> answers =
      ask_each([&](std::size_t s) { return request(ShardCall::soft_fetch).put_list(of_shard(s, announced_)).take(); });
  for (std::size_t s = 0; s < answers.size(); ++s) {
    MessageReader in(answers[s]);
    SentSoftRows sent = take(s, in);
    end(in);
    if (sent.rows != of_shard(s, announced_)) throw InputError("shards: a shard sends other rows than were asked for");
    if (!sent.table) continue;
    largest_price_ = std::max(largest_price_, sent.table->largest_price());
    account_.charge_components(sent.table->size(), static_cast<double>(sent.table->matrix().bytes()));
    if (!store_) {
      store_ = std::move(sent.table);
    } else {
      store_->append(*sent.table);
    }
  }
}

std::unique_ptr<SoftTable> SharedSoft::copy(const std::vector<Index>& rows) {
  std::optional<std::vector<Index>> places = places_among(announced_, rows);
  if (!places) {
    announce({rows});
    places = places_among(announced_, rows);
  }
  std::unique_ptr<SoftTable> out = store_->copy(*places);
  out->set_units(units_);
  return out;
}

// ---- all rows ----

RowsHere SharedSoft::read(const Vector& x, const NearWish& wish) {
  announced_.clear();
  store_.reset();
  SoftReadRequest wanted;
  wanted.x = x;
  wanted.units = units_;
  wanted.more = shards() > 1 ? kMoreThanNear : 1.0;
  std::vector<Index> firsts{0};
  for (std::size_t s = 0; s < shards(); ++s) firsts.push_back(firsts.back() + (rows_of(s) + kSumChunk - 1) / kSumChunk);
  const std::vector<std::string> answers = ask_each([&](std::size_t s) {
    SoftReadRequest own = wanted;
    own.first_chunk = firsts[s];
    own.wish = {wish.count > 0 ? share(s, wish.count) : 0, wish.reach};
    MessageWriter out = request(ShardCall::soft_read);
    own.put(out);
    return out.take();
  });
  const SoftReadLayout at(columns_);
  SumTree tree;
  std::vector<NearSoftRows> near;
  for (std::size_t s = 0; s < answers.size(); ++s) {
    MessageReader in(answers[s]);
    take_nodes(in, firsts[s], firsts[s + 1] - firsts[s], at.numbers, tree);
    near.push_back(take_near(s, in));
    end(in);
  }
  const Vector sums = tree.total();
  far_ = {sums.head(columns_), sums[at.constant], sums.segment(at.gradient_size, columns_), sums[at.constant_size],
          kSumChunk + kTreeHeight};
  numbers_.clear();
  for (std::vector<Index>& taken : taken_) taken.clear();
  x_ = x;
  settled_ = true;
  moved_ = certain_to_ = 0.0;
  const auto within = static_cast<Index>(sums[at.within]);
  RowsHere out{nullptr, choose(std::move(near), wish.reach < 0.0 ? wish.count : std::max(wish.count, within))};
  if (!out.copies) out.copies = std::make_unique<SoftTable>(DataMatrix::dense(0, columns_, Doubles()), SoftSides());
  out.copies->set_units(units_);
  return out;
}

std::unique_ptr<SoftTable> SharedSoft::choose(std::vector<NearSoftRows> near, Index count) {
  std::vector<double> keys;
  for (const NearSoftRows& of_shard : near) {
    keys.insert(keys.end(), of_shard.sent.keys.begin(), of_shard.sent.keys.end());
  }
  const auto sent = static_cast<Index>(keys.size());
  if (count == 0 || (sent == 0 && complete_to(near) == kInfinity)) return nullptr;
  // Rows without a distance from a kink are not sent: then the others come from wherever they are.
  if (sent < count && complete_to(near) < kInfinity) return choose(ask_nearest(count, false), count);
  count = std::min(count, sent);
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count) - 1, keys.end());
  const double reach = keys[static_cast<std::size_t>(count) - 1];
  if (complete_to(near) < reach) {
    near = ask_nearest(0, false, reach);
    if (complete_to(near) < reach) throw InputError("shards: a shard sends fewer rows than were asked for");
    return choose(std::move(near), count);
  }
  std::unique_ptr<SoftTable> out;
  for (std::size_t s = 0; s < near.size(); ++s) {
    std::vector<Index> places;
    for (std::size_t k = 0; k < near[s].sent.keys.size(); ++k) {
      if (near[s].sent.keys[k] <= reach) places.push_back(static_cast<Index>(k));
    }
    keep(s, near[s].sent, places, out);
  }
  return in_one_piece(std::move(out));
}

void SharedSoft::keep(std::size_t shard, const SentSoftRows& sent, const std::vector<Index>& places,
                      std::unique_ptr<SoftTable>& into) {
  if (places.empty()) return;
  for (const Index k : places) {
    const auto i = static_cast<std::size_t>(k);
    const SoftRow row = sent.table->row(k);
    const double slope = row.slope(sent.states[i]), constant = row.constant(sent.states[i]);
    sent.table->matrix().axpy(k, -slope, far_.gradient.data());
    absolute_axpy(sent.table->matrix(), k, std::abs(slope), far_.gradient_size.data());
    far_.constant -= constant;
    far_.constant_size += std::abs(constant);
    numbers_.push_back(begins_[shard] + sent.rows[i]);
    taken_[shard].push_back(sent.rows[i]);
  }
  far_.length += static_cast<Index>(places.size());
  std::sort(taken_[shard].begin(), taken_[shard].end());
  std::unique_ptr<SoftTable> own = sent.table->copy(places);
  account_.charge_components(own->size(), static_cast<double>(own->matrix().bytes()));
  own->set_units(units_);
  largest_price_ = std::max(largest_price_, own->largest_price());
  if (into) {
    into->append(*own);
  } else {
    into = std::move(own);
  }
}

std::vector<NearSoftRows> SharedSoft::ask_nearest(Index count, bool shared, double up_to) {
  const double more = shards() > 1 ? kMoreThanNear : 1.0;
  const std::vector<std::string> answers = ask_each([&](std::size_t s) {
    const auto part = static_cast<Index>(std::ceil(more * static_cast<double>(share(s, count))));
    MessageWriter out = request(ShardCall::soft_nearest);
    SoftNearRequest{std::exchange(taken_[s], {}), shared ? part : count, up_to}.put(out);
    return out.take();
  });
  std::vector<NearSoftRows> near;
  for (std::size_t s = 0; s < answers.size(); ++s) {
    MessageReader in(answers[s]);
    near.push_back(take_near(s, in));
    end(in);
  }
  return near;
}

std::unique_ptr<SoftTable> SharedSoft::nearest(Index count) {
  return elsewhere() ? choose(ask_nearest(count, true), count) : nullptr;
}

// Without a round where no row can have left its side.
WrongRows SharedSoft::check(const Vector& x, Index most) {
  if (settled_ && x == x_) return {};
  moved_ += units_.size() > 0 ? (x - x_).cwiseQuotient(units_).norm() : (x - x_).norm();
  x_ = x;
  WrongRows out;
  settled_ = true;
  if (!elsewhere() || moved_ < kCertainOfSide * certain_to_) return out;
  settled_ = false;  // until they have answered
  const std::vector<std::string> answers = ask_each([&](std::size_t s) {
    MessageWriter message = request(ShardCall::soft_check);
    SoftCheckRequest{std::exchange(taken_[s], {}), x, moved_, most}.put(message);
    return message.take();
  });
  certain_to_ = kInfinity;
  std::vector<SentSoftRows> sent;
  for (std::size_t s = 0; s < answers.size(); ++s) {
    MessageReader in(answers[s]);
    out.count += in.get<Index>();
    certain_to_ = std::min(certain_to_, in.get<double>());
    sent.push_back(take(s, in));
    end(in);
  }
  settled_ = out.count <= most;
  if (!settled_) {
    certain_to_ = 0.0;
    return out;
  }
  for (std::size_t s = 0; s < sent.size(); ++s) keep(s, sent[s], all_places(sent[s]), out.copies);
  out.copies = in_one_piece(std::move(out.copies));
  return out;
}

Vector SharedSoft::slopes() {
  Vector out(size());
  const std::vector<std::string> answers = ask_each([&](std::size_t) { return request(ShardCall::soft_sides).take(); });
  for (std::size_t s = 0; s < answers.size(); ++s) {
    MessageReader in(answers[s]);
    const std::vector<SoftState> states = in.get_list<SoftState>();
    const Vector below = in.get_vector(), above = in.get_vector();
    end(in);
    const Index rows = rows_of(s);
    const bool uniform = below.size() == 1 && above.size() == 1;
    const bool fits = static_cast<Index>(states.size()) == rows && below.size() == above.size();
    if (!fits || (!uniform && below.size() != rows)) throw InputError("shards: states of other rows than there are");
    for (Index k = 0; k < rows; ++k) {
      const SoftRow row{0.0, 0.0, below[uniform ? 0 : k], above[uniform ? 0 : k]};
      out[begins_[s] + k] = row.slope(states[static_cast<std::size_t>(k)]);
    }
  }
  return out;
}

}  // namespace pliant
