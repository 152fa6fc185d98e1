#include "rows/shared_rows.hpp"

#include "parallel/stop.hpp"
#include "rows/batch_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>

namespace pliant {
namespace {

// Candidates bring their data along where they are likely to be chosen: rows spread at random have this many times their
// share of the farthest with hardly any shard. Others cost a round of their own.
constexpr Index kMoreThanShare = 3;
constexpr Index kFewRows = 16;

RowLayout layout_of(const std::vector<ShardBatch>& batches) {
  std::vector<RowLayout::Segment> out;
  for (const ShardBatch& b : batches) out.push_back({0, b.rows, b.group, b.cone_rows});
  return RowLayout(out);
}

void append_near(const NearRows& more, NearRows& out) {
  out.rows.insert(out.rows.end(), more.rows.begin(), more.rows.end());
  out.values.insert(out.values.end(), more.values.begin(), more.values.end());
  out.distances.insert(out.distances.end(), more.distances.begin(), more.distances.end());
}

// Answers come shard after shard, rows are numbered batch after batch.
void sort_near(NearRows& near) {
  if (std::is_sorted(near.rows.begin(), near.rows.end())) return;
  std::vector<std::size_t> order(near.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return near.rows[a] < near.rows[b]; });
  NearRows out;
  for (const std::size_t k : order) {
    out.rows.push_back(near.rows[k]);
    out.values.push_back(near.values[k]);
    out.distances.push_back(near.distances[k]);
  }
  near = std::move(out);
}

}  // namespace

// ---- rounds ----

std::vector<std::string> ShardRounds::ask(const std::vector<std::string>& requests) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::string> answers = exchange_(requests);
  seconds_waited += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (answers.size() != requests.size()) {
    throw InputError(fmt::format("shards: {} answers to {} requests", answers.size(), requests.size()));
  }
  ++rounds;
  for (const std::string& r : requests) bytes_sent += static_cast<double>(r.size());
  for (const std::string& a : answers) bytes_received += static_cast<double>(a.size());
  return answers;
}

Index ShardShapes::bytes() const {
  Index sum = 0;
  for (const std::vector<ShardBatch>& of_shard : batches) {
    for (const ShardBatch& b : of_shard) sum += b.bytes;
  }
  return sum;
}

ShardShapes ShardShapes::open(ShardRounds& rounds, Index n) {
  ShardShapes out;
  bool first_empty = false;  // shards so far, of which the form is
  const std::string request = MessageWriter().put(ShardCall::open).take();
  const std::vector<std::string> answers =
      rounds.ask(std::vector<std::string>(static_cast<std::size_t>(rounds.shards()), request));
  for (std::size_t s = 0; s < answers.size(); ++s) {
    MessageReader in(answers[s]);
    const auto columns = in.get<Index>();
    out.constant_scale = std::max(out.constant_scale, in.get<double>());
    out.batches.push_back(in.get_list<ShardBatch>());
    std::string form;
    for (std::size_t b = 0; b < out.batches[s].size(); ++b) {
      const std::vector<char> name = in.get_list<char>();
      form += fmt::format("{}{}", b > 0 ? ", " : "", std::string_view(name.data(), name.size()));
    }
    in.done();
    if (columns != n) {
      throw InputError(
          fmt::format("shard {}: its rows have {} columns, but the problem has {} variables", s, columns, n));
    }
    // Where there are no rows there is nothing soft about them.
    const bool none =
        std::all_of(out.batches[s].begin(), out.batches[s].end(), [](const auto& b) { return b.rows == 0; });
    const std::string_view hard = form.starts_with(kSoft) ? std::string_view(form).substr(kSoft.size()) : form;
    if (s == 0 || (first_empty && hard == out.form)) {
      out.form = form;
      first_empty = none;
    }
    if (form != out.form && !(none && std::string(kSoft) + form == out.form)) {
      throw InputError(fmt::format("shard {} has {}, but shard 0 {}", s, form, out.form));
    }
  }
  return out;
}

// ---- the holder ----

SharedRows::SharedRows(const ShardShapes& shapes, ShardRounds& rounds, ConstraintSystem& account, Index columns,
                       double slack)
    : RowHolder(account, slack), rounds_(rounds), columns_(columns) {
  account.count_held(shapes.bytes());
  std::vector<RowLayout::Segment> all;
  for (const std::vector<ShardBatch>& batches : shapes.batches) of_shards_.push_back(layout_of(batches));
  for (std::size_t b = 0; b < shapes.batches[0].size(); ++b) {
    std::vector<Index> begins{b > 0 ? begins_.back().back() : 0};
    for (const std::vector<ShardBatch>& batches : shapes.batches) {
      begins.push_back(begins.back() + batches[b].rows);
      linear_ = linear_ && batches[b].linear != 0;
    }
    all.push_back({0, begins.back() - begins.front(), shapes.batches[0][b].group, shapes.batches[0][b].cone_rows});
    begins_.push_back(std::move(begins));
  }
  layout_ = RowLayout(all);
}

MessageWriter SharedRows::request(ShardCall call) const {
  MessageWriter out;
  out.put(call).put(slack());
  return out;
}

void SharedRows::set_coordinates(const Matrix& R) {
  keep_coordinates(R);  // checks take it along
  keep_checked(Vector());
}

std::vector<Index> SharedRows::of_shard(std::size_t shard, const std::vector<Index>& rows) const {
  std::vector<Index> out;
  auto next = rows.begin();
  for (std::size_t b = 0; b < begins_.size(); ++b) {
    next = std::lower_bound(next, rows.end(), begins_[b][shard]);
    const Index shift = of_shards_[shard].segments()[b].begin - begins_[b][shard];
    for (; next != rows.end() && *next < begins_[b][shard + 1]; ++next) out.push_back(*next + shift);
  }
  return out;
}

Index SharedRows::of_all(std::size_t shard, Index row) const {
  const RowLayout& own = of_shards_[shard];
  if (row < 0 || row >= own.rows())
    throw InputError(fmt::format("shard {}: answers with rows it does not have", shard));
  const RowLayout::Segment& s = own.segment_of(row);
  return row - s.begin + begins_[static_cast<std::size_t>(&s - own.segments().data())][shard];
}

std::vector<std::string> SharedRows::ask_each(const std::function<std::string(std::size_t shard)>& request) {
  std::vector<std::string> requests;
  for (std::size_t s = 0; s < of_shards_.size(); ++s) requests.push_back(request(s));
  try {
    return rounds_.ask(requests);
  } catch (const parallel::Stopped&) {  // shards that were stopped have forgotten what they knew
    keep_checked(Vector());
    throw;
  }
}

void SharedRows::charge(MessageReader& in) {
  const auto evaluations = in.get<Index>();
  account().charge_components(evaluations, in.get<double>());
}

NearRows SharedRows::take_near(std::size_t shard, MessageReader& in) const {
  NearRows out = get_near_rows(in);
  for (Index& row : out.rows) row = of_all(shard, row);
  return out;
}

// A batch for each batch with rows in the list.
void SharedRows::take_rows(std::size_t shard, MessageReader& in) {
  const std::vector<Index> rows = in.get_list<Index>();
  auto batches = in.get<Index>();
  auto next = rows.begin();
  for (const RowLayout::Segment& s : of_shards_[shard].segments()) {
    std::vector<Index> numbers;
    for (; next != rows.end() && *next < s.end(); ++next) numbers.push_back(of_all(shard, *next));
    if (numbers.empty()) continue;
    const BatchPtr batch = batches-- > 0 ? get_batch(in, columns_) : nullptr;
    if (batch == nullptr || batch->size() != static_cast<Index>(numbers.size())) {
      throw InputError(fmt::format("shard {}: sends other rows than it says", shard));
    }
    store_.add(numbers, batch);
  }
}

std::vector<BatchPtr> SharedRows::fetch(const std::vector<Index>& rows) {
  if (const std::vector<Index> missing = store_.missing(rows); !missing.empty()) {
    const parallel::StopScope undisturbed(nullptr);  // few rows, and nobody reads others for them
    const std::vector<std::string> answers =
        ask_each([&](std::size_t s) { return request(ShardCall::fetch).put_list(of_shard(s, missing)).take(); });
    for (std::size_t s = 0; s < answers.size(); ++s) {
      MessageReader in(answers[s]);
      take_rows(s, in);
      in.done();
    }
  }
  return store_.pick(rows, layout_);
}

std::unique_ptr<RowBlock> SharedRows::gather(std::vector<Index> rows) {
  std::vector<BatchPtr> copies = fetch(rows);
  store_.clear();
  auto next = rows.begin();
  for (const BatchPtr& batch : copies) {
    const auto last = next + batch->size();
    store_.add({next, last}, batch);
    next = last;
  }
  return std::make_unique<RowBlock>(std::move(rows), std::move(copies), coordinates(), account());
}

std::string SharedRows::check_request(std::size_t shard, const CandidateQuery& query) const {
  CheckRequest check;
  check.x = query.x;
  check.most = query.most;
  check.with_data =
      std::min(query.most, kMoreThanShare * query.most / static_cast<Index>(of_shards_.size()) + kFewRows);
  check.level = query.level;
  for (std::size_t b = 0; query.level.count > 0 && b < begins_.size(); ++b) {
    check.place.push_back(layout_.segments()[b]);
    check.place.back().begin = begins_[b][shard] - begins_[b].front();
  }
  check.apart = of_shard(shard, query.apart);
  check.radius = query.radius;
  check.coordinates = coordinates();
  MessageWriter out = request(query.level.count > 0 ? ShardCall::look : ShardCall::check);
  check.put(out);
  return out.take();
}

Candidates SharedRows::candidates(const CandidateQuery& query) {
  const bool everything = query.level.count == 0;
  const std::vector<std::string> answers = ask_each([&](std::size_t s) { return check_request(s, query); });
  if (everything) {
    keep_checked(query.x);
    latest_ = {0, query.radius, 0, NearRows()};
  }
  Candidates out;
  for (std::size_t s = 0; s < answers.size(); ++s) {
    MessageReader in(answers[s]);
    charge(in);
    out.worst = std::max(out.worst, in.get<double>());
    append_near(take_near(s, in), out);
    take_rows(s, in);
    if (everything) {
      latest_.bounded += in.get<Index>();
      latest_.inactive += in.get<Index>();
      if (in.get<std::uint8_t>() == 0) {
        latest_.above.reset();
      } else {
        const NearRows above = take_near(s, in);
        take_rows(s, in);
        if (latest_.above) append_near(above, *latest_.above);
      }
    }
    in.done();
  }
  sort_near(out);
  if (latest_.above) sort_near(*latest_.above);
  return out;
}

NearRows SharedRows::above(const Vector& x, double threshold) {
  if (checked(x) && threshold == -slack() && latest_.above) return *latest_.above;
  const std::vector<std::string> answers =
      ask_each([&](std::size_t) { return request(ShardCall::above).put_vector(x).put(threshold).take(); });
  NearRows out;
  for (std::size_t s = 0; s < answers.size(); ++s) {
    MessageReader in(answers[s]);
    append_near(take_near(s, in), out);
    in.done();
  }
  sort_near(out);
  return out;
}

std::vector<RowSums> SharedRows::chunk_sums(const Vector& x, double active_threshold, const RowValues& known) {
  const auto ask = [&](std::size_t s) {
    const std::vector<Index> own = of_shard(s, known.rows);
    std::vector<double> values;
    for (const Index i : own) {
      const auto place = std::lower_bound(known.rows.begin(), known.rows.end(), of_all(s, i));
      values.push_back(known.values[place - known.rows.begin()]);
    }
    return request(ShardCall::chunk_sums).put_vector(x).put(active_threshold).put_list(own).put_list(values).take();
  };
  std::vector<RowSums> out;
  for (const std::string& answer : ask_each(ask)) {
    MessageReader in(answer);
    const std::vector<RowSums> own = in.get_list<RowSums>();
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

Index SharedRows::bounded(const Vector& x) { return checked(x) ? latest_.bounded : RowHolder::bounded(x); }

Index SharedRows::inactive_within(const Vector& x, double radius) {
  if (checked(x) && radius <= latest_.radius) return latest_.inactive;
  Index count = 0;
  const auto ask = [&](std::size_t) { return request(ShardCall::inactive_within).put_vector(x).put(radius).take(); };
  for (const std::string& answer : ask_each(ask)) {
    count += MessageReader(answer).get<Index>();
  }
  return count;
}

void SharedRows::values(const Vector&, VectorRef) {
  throw std::logic_error("values of all rows of shards never come to one place");
}

}  // namespace pliant
