#include "engines/path/lazy_check.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

void RowKnowledge::append(Index count) {
  const Index before = size();
  values.conservativeResize(before + count);
  norms.conservativeResize(before + count);
  if (smoothness.size() > 0) smoothness.conservativeResize(before + count);
  point_of.resize(static_cast<std::size_t>(before + count));
  forget(before, count);
}

void RowKnowledge::forget(Index begin, Index count) {
  values.segment(begin, count).setZero();
  norms.segment(begin, count).setZero();
  if (smoothness.size() > 0) smoothness.segment(begin, count).setZero();
  std::fill_n(point_of.begin() + begin, count, -1);
}

void RowKnowledge::shift(Index begin, const Vector& change) { values.segment(begin, change.size()) += change; }

double row_distance(double value, double norm, double smoothness) {
  const double L = std::isfinite(smoothness) ? smoothness : 0.0;
  const double size = std::sqrt(norm * norm + 2.0 * L * std::abs(value));
  return size > 0.0 ? value / size : value;
}

double RowKnowledge::distance(Index i) const {
  return row_distance(values[i], norms[i], smoothness.size() > 0 ? smoothness[i] : 0.0);
}

LazyCheck::LazyCheck(ConstraintSystem& system, RowKnowledge& known, double slack)
    : system_(system), known_(known), selection_(system), slack_(slack) {}

void LazyCheck::read_everything(const Vector& x) {
  const Index m = system_.inequalities();
  for (Vector* v : {&known_.values, &known_.norms, &known_.smoothness}) v->resize(m);
  system_.values_and_bounds(x, known_.values, known_.norms, known_.smoothness);
  if (!(known_.smoothness.array() > 0.0).any()) known_.smoothness.resize(0);
  known_.points.assign(1, x);
  known_.point_of.assign(static_cast<std::size_t>(m), 0);
  selection_.select({});
}

void LazyCheck::read_doubtful(const Vector& x, std::vector<Index> doubtful) {
  // Gradients of straight rows that were read before stay as they are.
  const bool values_only = known_.smoothness.size() == 0 && std::all_of(doubtful.begin(), doubtful.end(), [&](Index i) {
                             return known_.point_of[static_cast<std::size_t>(i)] >= 0;
                           });
  selection_.select(std::move(doubtful));
  const Index count = selection_.size();
  Vector values(count), norms, smoothness;
  if (values_only) {
    selection_.values(x, values);
  } else {
    norms.resize(count);
    smoothness.resize(count);
    selection_.values_and_bounds(x, values, norms, smoothness);
    if (known_.smoothness.size() == 0 && (smoothness.array() > 0.0).any()) known_.smoothness.setZero(known_.size());
  }
  known_.points.push_back(x);
  for (Index k = 0; k < count; ++k) {
    const Index i = selection_.rows()[static_cast<std::size_t>(k)];
    known_.values[i] = values[k];
    if (!values_only) known_.norms[i] = norms[k];
    if (!values_only && known_.smoothness.size() > 0) known_.smoothness[i] = smoothness[k];
    known_.point_of[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(known_.points.size() - 1);
  }
}

// From the rows just read: the worst of them and those near it.
void LazyCheck::collect(double share) {
  const bool all = selection_.size() == 0;
  const Index count = all ? known_.size() : selection_.size();
  const auto row = [&](Index k) { return all ? k : selection_.rows()[static_cast<std::size_t>(k)]; };
  found_ = Found{};
  for (Index k = 0; k < count; ++k) {
    const double value = known_.values[row(k)];
    found_.worst = std::isnan(value) ? kInfinity : std::max(found_.worst, value);
  }
  if (found_.worst <= 0.0) return;
  double farthest = 0.0;
  for (Index k = 0; k < count; ++k) {
    if (known_.values[row(k)] <= 0.0) continue;
    const double distance = known_.distance(row(k));
    farthest = std::isnan(distance) ? kInfinity : std::max(farthest, distance);
  }
  const double threshold = -share * farthest;
  const bool straight = known_.smoothness.size() == 0;
  for (Index k = 0; k < count; ++k) {
    const Index i = row(k);
    if (straight && known_.values[i] < threshold * known_.norms[i]) continue;  // most rows, without a division
    const double distance = known_.distance(i);
    if (distance <= threshold) continue;
    found_.rows.push_back(i);
    found_.values.push_back(known_.values[i]);
    found_.distances.push_back(distance);
  }
}

// A hair longer than computed, against rounding.
Vector LazyCheck::distances(const Vector& x) const {
  Vector out(static_cast<Index>(known_.points.size()));
  for (Index p = 0; p < out.size(); ++p) {
    out[p] = (x - known_.points[static_cast<std::size_t>(p)]).norm() * (1.0 + 1e-12);
  }
  return out;
}

double LazyCheck::bound(Index i, const Vector& distance, double more) const {
  const std::int32_t point = known_.point_of[static_cast<std::size_t>(i)];
  return point < 0 ? kInfinity : known_.bound(i, distance[point] + more);
}

Index LazyCheck::upper_bounds(const Vector& x, VectorRef out) const {
  const Vector distance = distances(x);
  Index bounded = 0;
  for (Index i = 0; i < known_.size(); ++i) {
    out[i] = bound(i, distance);
    const std::int32_t point = known_.point_of[static_cast<std::size_t>(i)];
    if ((point < 0 || distance[point] > 0.0) && system_.leads(i)) ++bounded;
  }
  return bounded;
}

std::vector<Index> LazyCheck::inactive_within(const Vector& x, double radius) const {
  const Vector distance = distances(x);
  std::vector<Index> rows;
  for (Index i = 0; i < known_.size(); ++i) {
    if (bound(i, distance, radius) < 0.0) rows.push_back(i);
  }
  return rows;
}

const LazyCheck::Found& LazyCheck::check(const Vector& x, double share, double dense_fraction) {
  found_ = Found{};
  checked_ = x;
  std::vector<Index> doubtful;
  if (known_.started()) {
    const Vector distance = distances(x);
    for (Index i = 0; i < known_.size(); ++i) {
      if (!(bound(i, distance) <= -slack_)) doubtful.push_back(i);
    }
    if (doubtful.empty()) return found_;
  }
  system_.complete_groups(doubtful);
  const double limit = dense_fraction * static_cast<double>(known_.size());
  if (!known_.started() || static_cast<double>(doubtful.size()) > limit) {
    read_everything(x);
  } else {
    read_doubtful(x, std::move(doubtful));
  }
  collect(share);
  return found_;
}

}  // namespace pliant
