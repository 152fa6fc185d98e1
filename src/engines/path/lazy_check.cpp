#include "engines/path/lazy_check.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

LazyCheck::LazyCheck(ConstraintSystem& system, double slack) : system_(system), selection_(system), slack_(slack) {}

void LazyCheck::read_everything(const Vector& x) {
  const Index m = system_.inequalities();
  values_.resize(m);
  norms_.resize(m);
  smoothness_.resize(m);
  system_.values_and_bounds(x, values_, norms_, smoothness_);
  curved_ = (smoothness_.array() > 0.0).any();
  if (!curved_) smoothness_.resize(0);
  points_.assign(1, x);
  point_of_.assign(static_cast<std::size_t>(m), 0);
  selection_.select({});
}

// Gradients of straight rows stay as they are.
void LazyCheck::read_doubtful(const Vector& x, std::vector<Index> doubtful) {
  selection_.select(std::move(doubtful));
  const Index count = selection_.size();
  Vector values(count), norms, smoothness;
  if (curved_) {
    norms.resize(count);
    smoothness.resize(count);
    selection_.values_and_bounds(x, values, norms, smoothness);
  } else {
    selection_.values(x, values);
  }
  points_.push_back(x);
  for (Index k = 0; k < count; ++k) {
    const Index i = selection_.rows()[static_cast<std::size_t>(k)];
    values_[i] = values[k];
    if (curved_) norms_[i] = norms[k];
    point_of_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(points_.size() - 1);
  }
}

// From the rows just read: the worst of them and those near it.
void LazyCheck::collect(double share) {
  const bool all = selection_.size() == 0;
  const Index count = all ? values_.size() : selection_.size();
  const auto row = [&](Index k) { return all ? k : selection_.rows()[static_cast<std::size_t>(k)]; };
  found_ = Found{};
  for (Index k = 0; k < count; ++k) {
    const double value = values_[row(k)];
    found_.worst = std::isnan(value) ? kInfinity : std::max(found_.worst, value);
  }
  if (found_.worst <= 0.0) return;
  for (Index k = 0; k < count; ++k) {
    const Index i = row(k);
    if (values_[i] <= -share * found_.worst) continue;
    found_.rows.push_back(i);
    found_.values.push_back(values_[i]);
  }
}

// A hair longer than computed, against rounding.
Vector LazyCheck::distances(const Vector& x) const {
  Vector out(static_cast<Index>(points_.size()));
  for (std::size_t p = 0; p < points_.size(); ++p) out[static_cast<Index>(p)] = (x - points_[p]).norm() * (1.0 + 1e-12);
  return out;
}

void LazyCheck::upper_bounds(const Vector& x, VectorRef out) const {
  const Vector distance = distances(x);
  for (Index i = 0; i < values_.size(); ++i) out[i] = bound(i, distance[point_of_[static_cast<std::size_t>(i)]]);
}

Index LazyCheck::inactive_within(const Vector& x, double radius) const {
  const Vector distance = distances(x);
  Index count = 0;
  for (Index i = 0; i < values_.size(); ++i) {
    if (bound(i, distance[point_of_[static_cast<std::size_t>(i)]] + radius) < 0.0) ++count;
  }
  return count;
}

const LazyCheck::Found& LazyCheck::check(const Vector& x, double share, double dense_fraction) {
  if (!started()) {
    read_everything(x);
    collect(share);
    return found_;
  }
  const Vector distance = distances(x);
  std::vector<Index> doubtful;
  for (Index i = 0; i < values_.size(); ++i) {
    if (!(bound(i, distance[point_of_[static_cast<std::size_t>(i)]]) <= -slack_)) doubtful.push_back(i);
  }
  if (doubtful.empty()) {
    found_ = Found{};
    return found_;
  }
  if (static_cast<double>(doubtful.size()) > dense_fraction * static_cast<double>(values_.size())) {
    read_everything(x);
  } else {
    read_doubtful(x, std::move(doubtful));
  }
  collect(share);
  return found_;
}

}  // namespace pliant
