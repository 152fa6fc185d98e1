#include "rows/row_layout.hpp"

#include "cones/spectral.hpp"

#include <algorithm>
#include <numeric>

namespace pliant {
namespace {

// One random number out of each of `count` equal strata of 0, ..., total - 1: distinct and ascending.
std::vector<Index> stratified_sample(Index total, Index count, const random::Stream& random) {
  std::vector<Index> rows(static_cast<std::size_t>(std::min(total, count)));
  if (count >= total) {
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }
  const double width = static_cast<double>(total) / static_cast<double>(count);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double place = (static_cast<double>(k) + random.uniform(static_cast<Index>(k))) * width;
    const Index low = k == 0 ? 0 : rows[k - 1] + 1;
    rows[k] = std::clamp(static_cast<Index>(place), low, total - static_cast<Index>(rows.size() - k));
  }
  return rows;
}

}  // namespace

RowLayout::RowLayout(const Problem& problem) {
  for (const BatchPtr& batch : problem.batches()) {
    const SpectralBatch* cones = batch->structure().eigenvalues;
    append(batch->size(), batch->group(), cones != nullptr ? cones->cones().shape().rows : 0);
  }
}

RowLayout::RowLayout(const std::vector<Index>& sizes) {
  for (const Index size : sizes) append(size, 1, 0);
}

RowLayout::RowLayout(const std::vector<Segment>& batches) {
  for (const Segment& s : batches) append(s.size, s.group, s.cone_rows);
}

std::vector<Index> RowSample::of(const RowLayout& layout) const {
  return layout.sample(count, random::Stream(seed, label));
}

void RowLayout::append(Index size, Index group, Index cone_rows) {
  segments_.push_back({rows(), size, group, cone_rows});
  groups_ += size / group;
}

const RowLayout::Segment& RowLayout::segment_of(Index row) const {
  const auto after = [](Index r, const Segment& s) { return r < s.begin; };
  return *std::prev(std::upper_bound(segments_.begin(), segments_.end(), row, after));
}

bool RowLayout::leads(Index row) const {
  if (!grouped()) return true;
  const Segment& s = segment_of(row);
  return (row - s.begin) % s.group == 0;
}

void RowLayout::complete_groups(std::vector<Index>& rows) const {
  if (!grouped()) return;
  std::vector<Index> complete;
  complete.reserve(rows.size());
  for (const Index row : rows) {
    if (!complete.empty() && row <= complete.back()) continue;
    const Segment& s = segment_of(row);
    const Index first = s.begin + (row - s.begin) / s.group * s.group;
    for (Index j = 0; j < s.group; ++j) complete.push_back(first + j);
  }
  rows = std::move(complete);
}

Vector RowLayout::group_maxima(ConstVectorRef a) const {
  Vector out(groups_);
  Index next = 0;
  for (const Segment& s : segments_) {
    for (Index i = s.begin; i < s.end(); i += s.group) {
      out[next++] = a.segment(i, s.group).maxCoeff<Eigen::PropagateNaN>();
    }
  }
  return out;
}

std::vector<Index> RowLayout::sample(Index count, const random::Stream& stream) const {
  const Index wanted = grouped() ? std::max<Index>(1, count * groups() / rows()) : count;
  std::vector<Index> chosen = stratified_sample(rows(), wanted, stream);
  complete_groups(chosen);
  return chosen;
}

template <class F>
Index RowLayout::for_each_cone(const std::vector<Index>& rows, const F& f) const {
  std::size_t number = 0;
  Index entries = 0;
  auto next = rows.begin();
  for (const Segment& s : segments_) {
    next = std::lower_bound(next, rows.end(), s.begin);
    if (s.cone_rows == 0) continue;
    for (; next != rows.end() && *next < s.end(); next += s.group) {
      f(number, (*next - s.begin) / s.group * s.cone_rows, entries, s.cone_rows);
      entries += s.cone_rows;
    }
    ++number;
  }
  return entries;
}

std::vector<Vector> RowLayout::spread_dual_points(const std::vector<Index>& rows, ConstVectorRef z) const {
  std::vector<Vector> all;
  for (const Segment& s : segments_) {
    if (s.cone_rows > 0) all.emplace_back(Vector::Zero(s.size / s.group * s.cone_rows));
  }
  for_each_cone(rows,
                [&](std::size_t b, Index to, Index from, Index d) { all[b].segment(to, d) = z.segment(from, d); });
  return all;
}

Vector RowLayout::gather_dual_points(const std::vector<Index>& rows, const std::vector<Vector>& all) const {
  Vector z(for_each_cone(rows, [](std::size_t, Index, Index, Index) {}));
  for_each_cone(rows,
                [&](std::size_t b, Index from, Index to, Index d) { z.segment(to, d) = all.at(b).segment(from, d); });
  return z;
}

}  // namespace pliant
