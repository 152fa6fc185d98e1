#include "rows/local_rows.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Copies of gathered rows may take this share of the data they come from.
constexpr double kLargestCopy = 1.0 / 16.0;

}  // namespace

LocalRows::LocalRows(const Problem& problem, ConstraintSystem& system, RowKnowledge& known, double slack)
    : RowHolder(system, slack), problem_(problem), original_(system), layout_(problem), known_(known) {}

void LocalRows::set_coordinates(const Matrix& R) {
  const bool same = R.rows() == known_.coordinates.rows() && R == known_.coordinates;
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
  doubtful_.clear();
  if (!known_.started()) return rows();
  const Vector distance = known_.distances(x);
  for (Index i = 0; i < known_.size(); ++i) {
    if (!(known_.bound(i, distance) <= -slack())) doubtful_.push_back(i);
  }
  layout().complete_groups(doubtful_);
  return static_cast<Index>(doubtful_.size());
}

void LocalRows::read_everything() {
  const Index m = rows();
  for (Vector* v : {&known_.values, &known_.norms, &known_.smoothness}) v->resize(m);
  present().values_and_bounds(x_, known_.values, known_.norms, known_.smoothness);
  if (!(known_.smoothness.array() > 0.0).any()) known_.smoothness.resize(0);
  known_.points.assign(1, x_);
  known_.point_of.assign(static_cast<std::size_t>(m), 0);
}

void LocalRows::read_doubtful() {
  // Gradients of straight rows that were read before stay as they are.
  const bool values_only = known_.smoothness.size() == 0 &&
                           std::all_of(doubtful_.begin(), doubtful_.end(),
                                       [&](Index i) { return known_.point_of[static_cast<std::size_t>(i)] >= 0; });
  selection_ = RowSelection(present());
  selection_.select(doubtful_);
  const Index count = selection_.size();
  values_.resize(count);
  if (values_only) {
    selection_.values(x_, values_);
  } else {
    norms_.resize(count);
    smoothness_.resize(count);
    selection_.values_and_bounds(x_, values_, norms_, smoothness_);
    if (known_.smoothness.size() == 0 && (smoothness_.array() > 0.0).any()) known_.smoothness.setZero(known_.size());
  }
  known_.points.push_back(x_);
  for (Index k = 0; k < count; ++k) {
    const Index i = doubtful_[static_cast<std::size_t>(k)];
    known_.values[i] = values_[k];
    if (!values_only) known_.norms[i] = norms_[k];
    if (!values_only && known_.smoothness.size() > 0) known_.smoothness[i] = smoothness_[k];
    known_.point_of[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(known_.points.size() - 1);
  }
}

template <class F>
void LocalRows::for_each_read(const F& f) const {
  if (read_all_) {
    for (Index i = 0; i < known_.size(); ++i) f(i);
  } else {
    for (const Index i : doubtful_) f(i);
  }
}

RowExtremes LocalRows::read(bool everything) {
  read_all_ = everything || !known_.started();
  if (read_all_) {
    read_everything();
  } else if (!doubtful_.empty()) {
    read_doubtful();
  }
  RowExtremes found;
  for_each_read([&](Index i) {
    const double value = known_.values[i];
    found.worst = std::isnan(value) ? kInfinity : std::max(found.worst, value);
  });
  if (found.worst <= 0.0) return found;
  for_each_read([&](Index i) {
    if (known_.values[i] <= 0.0) return;
    const double distance = known_.distance(i);
    found.farthest = std::isnan(distance) ? kInfinity : std::max(found.farthest, distance);
  });
  return found;
}

NearRows LocalRows::nearest(double threshold) {
  NearRows out;
  const bool straight = known_.smoothness.size() == 0;
  for_each_read([&](Index i) {
    if (straight && known_.values[i] < threshold * known_.norms[i]) return;  // most rows, without a division
    const double distance = known_.distance(i);
    if (distance <= threshold) return;
    out.rows.push_back(i);
    out.values.push_back(known_.values[i]);
    out.distances.push_back(distance);
  });
  return out;
}

std::vector<RowSums> LocalRows::chunk_sums(const Vector& x, double active_threshold, const RowValues& better) {
  Vector a(rows());
  values(x, a);
  for (std::size_t k = 0; k < better.rows.size(); ++k) a[better.rows[k]] = better.values[static_cast<Index>(k)];
  if (layout().grouped()) a = layout().group_maxima(a);
  std::vector<RowSums> chunks;
  for (Index begin = 0; begin < a.size(); begin += kSumChunk) {
    const Index count = std::min(kSumChunk, a.size() - begin);
    chunks.push_back(sum_chunk({a.data() + begin, static_cast<std::size_t>(count)}, active_threshold));
  }
  const Vector distance = known_.distances(x);
  Index group = 0;
  for (const RowLayout::Segment& s : layout().segments()) {
    for (Index i = s.begin; i < s.end(); i += s.group, ++group) {
      if (!known_.exact(i, distance)) ++chunks[static_cast<std::size_t>(group / kSumChunk)].bounded;
    }
  }
  return chunks;
}

void LocalRows::values(const Vector& x, VectorRef out) {
  const Vector distance = known_.distances(x);
  for (Index i = 0; i < rows(); ++i) out[i] = known_.bound(i, distance);
}

std::vector<Index> LocalRows::list_inactive_within(const Vector& x, double radius) const {
  const Vector distance = known_.distances(x);
  std::vector<Index> rows;
  for (Index i = 0; i < known_.size(); ++i) {
    if (known_.bound(i, distance, radius) < 0.0) rows.push_back(i);
  }
  return rows;
}

Index LocalRows::inactive_within(const Vector& x, double radius) {
  const Vector distance = known_.distances(x);
  Index count = 0;
  for (const RowLayout::Segment& s : layout().segments()) {
    for (Index i = s.begin; i < s.end(); i += s.group) {
      count += known_.bound(i, distance, radius) < 0.0;
    }
  }
  return count;
}

}  // namespace pliant
