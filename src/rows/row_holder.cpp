#include "rows/row_holder.hpp"

#include "parallel/long_vectors.hpp"
#include "rows/row_knowledge.hpp"

namespace pliant {
namespace {

// Those of `apart` are no candidates. Returns the worst value of the others.
double drop_rows(const std::vector<Index>& apart, NearRows& near) {
  double worst = 0.0;
  std::size_t next = 0, kept = 0;
  for (std::size_t k = 0; k < near.rows.size(); ++k) {
    while (next < apart.size() && apart[next] < near.rows[k]) ++next;
    if (next < apart.size() && apart[next] == near.rows[k]) continue;
    worst = std::max(worst, near.values[k]);
    near.rows[kept] = near.rows[k];
    near.values[kept] = near.values[k];
    near.distances[kept++] = near.distances[k];
  }
  near.rows.resize(kept);
  near.values.resize(kept);
  near.distances.resize(kept);
  return worst;
}

}  // namespace

std::unique_ptr<RowBlock> RowHolder::gather(std::vector<Index> rows) {
  std::vector<BatchPtr> copies = fetch(rows);
  return std::make_unique<RowBlock>(std::move(rows), std::move(copies), coordinates_, account_);
}

RowSums RowHolder::sums(const Vector& x, double active_threshold, const RowValues& known) {
  return add_chunks(chunk_sums(x, active_threshold, known));
}

Index RowHolder::bounded(const Vector& x) {
  const std::vector<Index> none;
  return sums(x, -slack_, {none, Vector()}).bounded;
}

StepwiseRows::Found StepwiseRows::check(const Vector& x, double share, double dense_fraction) {
  Found found;
  keep_checked(x);
  const Index count = doubtful(x);
  if (count == 0) return found;
  const RowExtremes extremes = read(static_cast<double>(count) > dense_fraction * static_cast<double>(rows()));
  found.worst = extremes.worst;
  if (found.worst <= 0.0) return found;
  static_cast<NearRows&>(found) = nearest(-share * extremes.farthest);
  return found;
}

Candidates StepwiseRows::candidates(const CandidateQuery& query) {
  Candidates found;
  if (query.level.count == 0) {
    static_cast<NearRows&>(found) = check(query.x, query.share, query.dense_fraction);
  } else {
    if (level_ != query.level) {
      level_ = query.level;
      level_rows_ = level_.of(layout());
    }
    static_cast<NearRows&>(found) = look_at(level_rows_, query.x);
  }
  found.worst = drop_rows(query.apart, found);
  return found;
}

NearRows StepwiseRows::look_at(const std::vector<Index>& rows, const Vector& x) {
  const auto count = static_cast<Index>(rows.size());
  Vector values(count), norms(count), smoothness(count);
  measure(rows, x, values, norms, smoothness);
  NearRows out{rows, {values.begin(), values.end()}, std::vector<double>(rows.size())};
  parallel::for_range(count, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      out.distances[static_cast<std::size_t>(k)] = row_distance(values[k], norms[k], smoothness[k]);
    }
  });
  return out;
}

}  // namespace pliant
