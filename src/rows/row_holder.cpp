#include "rows/row_holder.hpp"

#include "parallel/long_vectors.hpp"
#include "rows/row_knowledge.hpp"

#include <algorithm>

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
    return look_at_level(query);
  }
  found.worst = drop_rows(query.apart, found);
  return found;
}

// Vectors as long as the sample stay from look to look: fresh memory would cost more than what is written there. Only rows of
// interest are copied.
Candidates StepwiseRows::look_at_level(const CandidateQuery& query) {
  const auto count = static_cast<Index>(level_rows_.size());
  for (Vector* v : {&level_values_, &level_norms_, &level_smoothness_}) v->resize(count);
  measure(level_rows_, query.x, level_values_, level_norms_, level_smoothness_);
  Vector& distances = level_norms_;
  const auto row = [&](Index k) { return level_rows_[static_cast<std::size_t>(k)]; };
  struct Part {
    double worst = 0.0, farthest = -kInfinity;
  };
  Part all;
  for (const Part& part : parallel::parts<Part>(count, [&](Index begin, Index end) {
         Part own;
         auto next =
             begin < end ? std::lower_bound(query.apart.begin(), query.apart.end(), row(begin)) : query.apart.end();
         for (Index k = begin; k < end; ++k) {
           distances[k] = row_distance(level_values_[k], level_norms_[k], level_smoothness_[k]);
           while (next != query.apart.end() && *next < row(k)) ++next;
           if (next != query.apart.end() && *next == row(k)) {
             distances[k] = -kInfinity;
             continue;
           }
           own.worst = std::max(own.worst, level_values_[k]);
           own.farthest = std::max(own.farthest, distances[k]);
         }
         return own;
       })) {
    all.worst = std::max(all.worst, part.worst);
    all.farthest = std::max(all.farthest, part.farthest);
  }
  const double least = -query.share * all.farthest;
  Candidates found;
  found.worst = all.worst;
  if (!(all.worst > 0.0)) return found;
  found.rows = parallel::positions(count, [&](Index k) { return distances[k] >= least && distances[k] > -kInfinity; });
  for (Index& k : found.rows) {
    found.values.push_back(level_values_[k]);
    found.distances.push_back(distances[k]);
    k = row(k);
  }
  return found;
}

}  // namespace pliant
