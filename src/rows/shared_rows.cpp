#include "rows/shared_rows.hpp"

#include "constraints/linear.hpp"
#include "pliant/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace pliant {
namespace {

std::string request_at(ShardCall call, const Vector& x) { return MessageWriter().put(call).put_vector(x).take(); }

RowLayout one_batch(const std::vector<Index>& sizes) {
  Index all = 0;
  for (const Index size : sizes) all += size;
  return RowLayout(std::vector<Index>{all});
}

}  // namespace

// ---- rounds ----

std::vector<std::string> ShardRounds::ask_all(const std::string& request) {
  return ask(std::vector<std::string>(static_cast<std::size_t>(shards_), request));
}

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

ShardShapes ShardShapes::ask(ShardRounds& rounds, Index n) {
  ShardShapes out;
  const std::vector<std::string> answers = rounds.ask_all(MessageWriter().put(ShardCall::describe).take());
  for (std::size_t s = 0; s < answers.size(); ++s) {
    MessageReader in(answers[s]);
    out.rows.push_back(in.get<Index>());
    out.bytes.push_back(in.get<Index>());
    out.constant_scale = std::max(out.constant_scale, in.get<double>());
    const auto columns = in.get<Index>();
    const bool sparse = in.get<std::uint8_t>() != 0;
    in.done();
    if (columns != n) {
      throw InputError(
          fmt::format("shard {}: its rows have {} columns, but the problem has {} variables", s, columns, n));
    }
    if (s > 0 && sparse != out.sparse) {
      throw InputError(
          fmt::format("shard {}: its rows are {}, those of shard 0 are not", s, sparse ? "sparse" : "dense"));
    }
    out.sparse = sparse;
  }
  return out;
}

// ---- the holder ----

SharedRows::SharedRows(const ShardShapes& shapes, ShardRounds& rounds, ConstraintSystem& account, Index columns,
                       double slack)
    : RowHolder(account, slack),
      rounds_(rounds),
      begin_{0},
      sparse_(shapes.sparse),
      columns_(columns),
      layout_(one_batch(shapes.rows)) {
  for (const Index size : shapes.rows) begin_.push_back(begin_.back() + size);
  for (const Index bytes : shapes.bytes) account.count_held(bytes);
  rounds_.ask_all(MessageWriter().put(ShardCall::begin).put(slack).take());
}

void SharedRows::set_coordinates(const Matrix& R) {
  if (R.size() > 0) throw InputError("rows in shards know no other coordinates");
}

std::vector<Index> SharedRows::of_shard(std::size_t shard, const std::vector<Index>& rows) const {
  const auto first = std::lower_bound(rows.begin(), rows.end(), begin_[shard]);
  const auto last = std::lower_bound(first, rows.end(), begin_[shard + 1]);
  std::vector<Index> out(first, last);
  for (Index& i : out) i -= begin_[shard];
  return out;
}

std::vector<std::string> SharedRows::ask_each(const std::function<std::string(std::size_t shard)>& request) {
  std::vector<std::string> requests;
  for (std::size_t s = 0; s + 1 < begin_.size(); ++s) requests.push_back(request(s));
  return rounds_.ask(requests);
}

void SharedRows::charge(MessageReader& in) {
  const auto evaluations = in.get<Index>();
  account().charge_components(evaluations, in.get<double>());
}

std::vector<BatchPtr> SharedRows::fetch(const std::vector<Index>& rows) {
  if (rows.empty()) return {};
  return {joined(ask_each(
      [&](std::size_t s) { return MessageWriter().put(ShardCall::fetch).put_list(of_shard(s, rows)).take(); }))};
}

// The rows of all answers, one after the other.
BatchPtr SharedRows::joined(const std::vector<std::string>& answers) const {
  std::vector<double> values, h;
  std::vector<Index> starts{0}, columns;
  Index count = 0;
  for (const std::string& answer : answers) {
    MessageReader in(answer);
    const auto rows = in.get<Index>();
    if (rows == 0) continue;
    const std::vector<double> numbers = in.get_list<double>();
    values.insert(values.end(), numbers.begin(), numbers.end());
    if (sparse_) {
      const std::vector<Index> own = in.get_list<Index>(), where = in.get_list<Index>();
      for (std::size_t i = 1; i < own.size(); ++i) starts.push_back(starts.back() + own[i] - own[i - 1]);
      columns.insert(columns.end(), where.begin(), where.end());
    }
    const std::vector<double> constants = in.get_list<double>();
    h.insert(h.end(), constants.begin(), constants.end());
    in.done();
    count += rows;
  }
  DataMatrix G = sparse_ ? DataMatrix::csr(count, columns_, std::move(starts), std::move(columns), std::move(values))
                         : DataMatrix::dense(count, columns_, std::move(values));
  return linear_le(std::move(G), std::move(h));
}

void SharedRows::measure(const std::vector<Index>& rows, const Vector& x, Vector& values, Vector& norms,
                         Vector& smoothness) {
  Index next = 0;
  for (const std::string& answer : ask_each([&](std::size_t s) {
         return MessageWriter().put(ShardCall::measure).put_list(of_shard(s, rows)).put_vector(x).take();
       })) {
    MessageReader in(answer);
    charge(in);
    const Vector own = in.get_vector();
    values.segment(next, own.size()) = own;
    norms.segment(next, own.size()) = in.get_vector();
    smoothness.segment(next, own.size()) = in.get_vector();
    next += own.size();
  }
}

Index SharedRows::sum_of_counts(const std::string& request) {
  Index count = 0;
  for (const std::string& answer : rounds_.ask_all(request)) count += MessageReader(answer).get<Index>();
  return count;
}

Index SharedRows::doubtful(const Vector& x) { return sum_of_counts(request_at(ShardCall::doubtful, x)); }

RowExtremes SharedRows::read(bool everything) {
  RowExtremes out;
  for (const std::string& answer :
       rounds_.ask_all(MessageWriter().put(ShardCall::read).put(static_cast<std::uint8_t>(everything)).take())) {
    MessageReader in(answer);
    charge(in);
    const auto found = in.get<RowExtremes>();
    out.worst = std::max(out.worst, found.worst);
    out.farthest = std::max(out.farthest, found.farthest);
  }
  return out;
}

NearRows SharedRows::gather_near(const std::string& request) {
  NearRows out;
  const std::vector<std::string> answers = rounds_.ask_all(request);
  for (std::size_t s = 0; s < answers.size(); ++s) {
    MessageReader in(answers[s]);
    const NearRows own = get_near_rows(in);
    for (const Index i : own.rows) out.rows.push_back(i + begin_[s]);
    out.values.insert(out.values.end(), own.values.begin(), own.values.end());
    out.distances.insert(out.distances.end(), own.distances.begin(), own.distances.end());
  }
  return out;
}

NearRows SharedRows::nearest(double threshold) {
  return gather_near(MessageWriter().put(ShardCall::nearest).put(threshold).take());
}

NearRows SharedRows::above(const Vector& x, double threshold) {
  return gather_near(MessageWriter().put(ShardCall::above).put_vector(x).put(threshold).take());
}

std::vector<RowSums> SharedRows::chunk_sums(const Vector& x, double active_threshold, const RowValues& known) {
  Index next = 0;
  std::vector<RowSums> out;
  for (const std::string& answer : ask_each([&](std::size_t s) {
         const std::vector<Index> own = of_shard(s, known.rows);
         const Vector values = known.values.segment(next, static_cast<Index>(own.size()));
         next += values.size();
         return MessageWriter()
             .put(ShardCall::chunk_sums)
             .put_vector(x)
             .put(active_threshold)
             .put_list(own)
             .put_vector(values)
             .take();
       })) {
    MessageReader in(answer);
    const std::vector<RowSums> own = in.get_list<RowSums>();
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

Index SharedRows::inactive_within(const Vector& x, double radius) {
  return sum_of_counts(MessageWriter().put(ShardCall::inactive_within).put_vector(x).put(radius).take());
}

void SharedRows::values(const Vector&, VectorRef) {
  throw std::logic_error("values of all rows of shards never come to one place");
}

}  // namespace pliant
