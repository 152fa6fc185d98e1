#include "rows/local_rows.hpp"

#include "parallel/long_vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {
namespace {

// Copies of gathered rows may take this share of the data they come from.
constexpr double kLargestCopy = 1.0 / 16.0;
// What loops over values read for each row, about.
constexpr Index kBytesOfValue = sizeof(double);

bool all_straight(const Problem& problem) {
  const auto& batches = problem.batches();
  return std::all_of(batches.begin(), batches.end(), [](const BatchPtr& batch) { return batch->linear(); });
}

}  // namespace

LocalRows::LocalRows(const Problem& problem, ConstraintSystem& system, RowKnowledge& known, double slack)
    : StepwiseRows(system, slack),
      problem_(problem),
      original_(system),
      layout_(problem),
      known_(known),
      straight_(all_straight(problem)) {}

void LocalRows::set_coordinates(const Matrix& R) {
  const bool same = R.rows() == known_.coordinates.rows() && R == known_.coordinates;
  if (same && R.rows() == coordinates().rows() && R == coordinates()) return;
  if (!same) known_ = RowKnowledge{};
  known_.coordinates = R;
  keep_coordinates(R);
  moved_.reset();
  moved_problem_.reset();
  if (R.size() == 0) return;
  moved_problem_ = std::make_unique<Problem>(problem_.dimension());
  for (BatchPtr& batch : in_coordinates(problem_.batches(), R)) moved_problem_->subject_to(std::move(batch));
  moved_ = std::make_unique<ConstraintSystem>(*moved_problem_, &original_);
}

std::vector<RowPiece> LocalRows::pieces(const std::vector<Index>& rows) const {
  std::vector<RowPiece> out;
  auto next = rows.begin();
  for (std::size_t b = 0; b < problem_.batches().size(); ++b) {
    const RowLayout::Segment& s = layout().segments()[b];
    const auto last = std::lower_bound(next, rows.end(), s.end());
    if (next == last) continue;
    RowPiece piece{problem_.batches()[b], {next, last}};
    for (Index& i : piece.rows) i -= s.begin;
    out.push_back(std::move(piece));
    next = last;
  }
  return out;
}

std::vector<BatchPtr> LocalRows::fetch(const std::vector<Index>& rows) {
  std::vector<BatchPtr> out;
  for (const RowPiece& piece : pieces(rows)) out.push_back(join_rows({&piece, 1}));
  return out;
}

std::unique_ptr<RowBlock> LocalRows::gather(std::vector<Index> rows) {
  Index bytes = 0;
  bool copies = !rows.empty();
  for (const RowPiece& piece : pieces(rows)) {
    bytes += piece.batch->bytes(Rows::list(piece.rows));
    copies = copies && copyable(*piece.batch);
  }
  copies = copies && static_cast<double>(bytes) <= kLargestCopy * static_cast<double>(problem_.data_bytes());
  return copies ? RowHolder::gather(std::move(rows))
                : std::make_unique<RowBlock>(std::move(rows), original_, present());
}

void LocalRows::measure(const std::vector<Index>& rows, const Vector& x, Vector& values, Vector& norms,
                        Vector& smoothness) {
  RowSelection selection(present());
  selection.select(rows);
  selection.values_and_bounds(x, values, norms, smoothness);
}

Index LocalRows::doubtful(const Vector& x) {
  x_ = x;
  doubtful_.resize(0);
  if (!known_.started()) return rows();
  const RowBounds bounds(known_, x);
  doubtful_ = parallel::long_positions(known_.size(), [&](Index i) { return !(bounds(i) <= -slack()); });
  if (layout().grouped()) {
    std::vector<Index> complete(doubtful_.begin(), doubtful_.end());
    layout().complete_groups(complete);
    doubtful_ = Eigen::Map<const parallel::LongIndices>(complete.data(), static_cast<Index>(complete.size()));
  }
  return doubtful_.size();
}

void LocalRows::read_everything() {
  const Index m = rows();
  parallel::resize(known_.values, m);
  parallel::resize(known_.norms, m);
  if (straight_) {
    known_.smoothness.resize(0);
    present().values_and_gradient_norms(x_, known_.values, known_.norms);
  } else {
    parallel::resize(known_.smoothness, m);
    present().values_and_bounds(x_, known_.values, known_.norms, known_.smoothness);
    if (!(known_.smoothness.array() > 0.0).any()) known_.smoothness.resize(0);
  }
  known_.points.assign(1, x_);
  parallel::resize(known_.point_of, m);
  parallel::for_range(m, [&](Index begin, Index end) { known_.point_of.segment(begin, end - begin).setZero(); });
}

void LocalRows::read_doubtful() {
  // Gradients of straight rows that were read before stay as they are.
  const auto never_read = [&](Index k) { return known_.point_of[doubtful_[k]] < 0; };
  const bool values_only = known_.smoothness.size() == 0 && parallel::count_if(doubtful_.size(), never_read) == 0;
  parallel::resize(values_, doubtful_.size());
  if (!values_only) {
    parallel::resize(norms_, doubtful_.size());
    parallel::resize(smoothness_, doubtful_.size());
  }
  Index first = 0;
  for (Index s = 0; s < present().segments() && first < doubtful_.size(); ++s)
    first = read_segment(s, first, values_only);
  if (!values_only && known_.smoothness.size() == 0 && (smoothness_.array() > 0.0).any()) {
    known_.smoothness.setZero(known_.size());
  }
  known_.points.push_back(x_);
  keep_what_was_read(values_only);
}

// The rows in doubt from number `first` on that belong to segment s; returns the number of the next.
Index LocalRows::read_segment(Index s, Index first, bool values_only) {
  const ConstraintBatch& batch = present().batch(s);
  const Index begin = present().segment_begin(s);
  const Index* const list = doubtful_.data();
  const Index last = std::lower_bound(list + first, list + doubtful_.size(), begin + batch.size()) - list;
  const Index count = last - first;
  if (count == 0) return last;
  parallel::LongIndices own;  // numbers within the segment
  if (begin > 0) {
    parallel::resize(own, count);
    parallel::for_range(count, [&](Index from, Index to) {
      for (Index k = from; k < to; ++k) own[k] = list[first + k] - begin;
    });
  }
  const Rows rows = Rows::list({begin > 0 ? own.data() : list + first, static_cast<std::size_t>(count)});
  auto values = values_.segment(first, count);
  if (values_only) {
    batch.values(x_, rows, values);
  } else {
    batch.values_and_bounds(x_, rows, values, norms_.segment(first, count), smoothness_.segment(first, count));
  }
  present().charge(s, rows);
  return last;
}

void LocalRows::keep_what_was_read(bool values_only) {
  const auto point = static_cast<std::int32_t>(known_.points.size() - 1);
  const bool curved = known_.smoothness.size() > 0;
  parallel::for_range(doubtful_.size(), [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const Index i = doubtful_[k];
      known_.values[i] = values_[k];
      known_.point_of[i] = point;
      if (values_only) continue;
      known_.norms[i] = norms_[k];
      if (curved) known_.smoothness[i] = smoothness_[k];
    }
  });
}

RowExtremes LocalRows::read(bool everything) {
  read_all_ = everything || !known_.started();
  if (read_all_) {
    read_everything();
  } else if (doubtful_.size() > 0) {
    read_doubtful();
  }
  const auto larger = [](double so_far, double value) {
    return std::isnan(value) ? kInfinity : std::max(so_far, value);
  };
  RowExtremes found;
  for (const RowExtremes& part : parallel::parts<RowExtremes>(rows_read(), [&](Index begin, Index end) {
         RowExtremes worst;
         for (Index k = begin; k < end; ++k) {
           const Index i = row_read(k);
           if (known_.values[i] <= 0.0) continue;  // most rows, once x is near a solution
           worst.worst = larger(worst.worst, known_.values[i]);
           worst.farthest = larger(worst.farthest, known_.distance(i));
         }
         return worst;
       })) {
    found.worst = std::max(found.worst, part.worst);
    found.farthest = std::max(found.farthest, part.farthest);
  }
  return found;
}

NearRows LocalRows::nearest(double threshold) {
  const bool straight = known_.smoothness.size() == 0;
  const auto near = [&](Index i) {
    if (straight && known_.values[i] < threshold * known_.norms[i]) return false;  // most rows, without a division
    return known_.distance(i) > threshold;
  };
  NearRows out;
  out.rows = parallel::positions(rows_read(), [&](Index k) { return near(row_read(k)); });
  for (Index& k : out.rows) {
    k = row_read(k);
    out.values.push_back(known_.values[k]);
    out.distances.push_back(known_.distance(k));
  }
  return out;
}

NearRows LocalRows::above(const Vector& x, double threshold) {
  const RowBounds bounds(known_, x);
  NearRows out;
  out.rows = parallel::positions(rows(), [&](Index i) { return !(bounds(i) < threshold); });
  for (const Index i : out.rows) {
    out.values.push_back(bounds(i));
    out.distances.push_back(i < known_.size() ? known_.distance(i) : kInfinity);
  }
  return out;
}

std::vector<RowSums> LocalRows::chunk_sums(const Vector& x, double active_threshold, const RowValues& better) {
  Vector maxima;  // where rows come in groups: one number for each
  if (layout().grouped()) {
    Vector a(rows());
    values(x, a);
    for (std::size_t k = 0; k < better.rows.size(); ++k) a[better.rows[k]] = better.values[static_cast<Index>(k)];
    maxima = layout().group_maxima(a);
  }
  const RowBounds bounds(known_, x);
  const Index size = layout().grouped() ? maxima.size() : rows();
  const Index count = (size + kSumChunk - 1) / kSumChunk;
  std::vector<RowSums> chunks(static_cast<std::size_t>(count));
  parallel::for_range_of(count, size * kBytesOfValue, [&](Index first, Index last) {
    std::array<double, kSumChunk> own;
    for (Index c = first; c < last; ++c) {
      const Index begin = c * kSumChunk, end = std::min(size, begin + kSumChunk);
      const double* values = maxima.data() + begin;
      if (!layout().grouped()) {
        for (Index i = begin; i < end; ++i) own[static_cast<std::size_t>(i - begin)] = bounds(i);
        auto next = std::lower_bound(better.rows.begin(), better.rows.end(), begin);
        for (; next != better.rows.end() && *next < end; ++next) {
          own[static_cast<std::size_t>(*next - begin)] = better.values[next - better.rows.begin()];
        }
        values = own.data();
      }
      chunks[static_cast<std::size_t>(c)] =
          sum_chunk({values, static_cast<std::size_t>(end - begin)}, active_threshold);
    }
  });
  count_bounded(x, chunks);
  return chunks;
}

// Chunks count groups, one segment after the other; two segments may share a chunk, two threads never do.
void LocalRows::count_bounded(const Vector& x, std::vector<RowSums>& chunks) const {
  const Vector distance = known_.distances(x);
  Index before = 0;  // groups of earlier segments
  for (const RowLayout::Segment& s : layout().segments()) {
    const Index after = before + s.size / s.group;
    const Index first = before / kSumChunk, last = (after + kSumChunk - 1) / kSumChunk;
    parallel::for_range_of(last - first, s.size * kBytesOfValue, [&](Index begin, Index end) {
      for (Index c = first + begin; c < first + end; ++c) {
        Index& bounded = chunks[static_cast<std::size_t>(c)].bounded;
        for (Index g = std::max(before, c * kSumChunk); g < std::min(after, (c + 1) * kSumChunk); ++g) {
          bounded += known_.exact(s.begin + (g - before) * s.group, distance) ? 0 : 1;
        }
      }
    });
    before = after;
  }
}

void LocalRows::values(const Vector& x, VectorRef out) {
  const RowBounds bounds(known_, x);
  parallel::for_range(rows(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = bounds(i);
  });
}

std::vector<Index> LocalRows::list_inactive_within(const Vector& x, double radius) const {
  const RowBounds bounds(known_, x, radius);
  return parallel::positions(known_.size(), [&](Index i) { return bounds(i) < 0.0; });
}

Index LocalRows::inactive_within(const Vector& x, double radius) {
  const RowBounds bounds(known_, x, radius);
  Index count = 0;
  for (const RowLayout::Segment& s : layout().segments()) {
    count += parallel::count_if(s.size / s.group, [&](Index g) { return bounds(s.begin + g * s.group) < 0.0; });
  }
  return count;
}

}  // namespace pliant
