#include "engines/path/frozen_rows.hpp"

#include "parallel/long_vectors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>

namespace pliant {
namespace {

// So many keys, at least, are looked at to tell about how many there are of any size; and what is found in this way is
// taken so much more often than needed, in vain once in a while: then all are put in order.
constexpr Index kLookedAt = 20000;
constexpr double kAmple = 1.2;
constexpr Index kMore = 20;

// Rows that x may reach on a path so many times as long as the one asked for are listed: the next ones are shorter than
// the first, and a list is much shorter than all rows.
constexpr double kHorizon = 3.0;
// Where they would be more than this share of all rows, only those in doubt now are listed: the list takes memory.
constexpr double kMostListed = 0.05;

// A number in single precision that is no more than v >= 0; where it is tiny or huge, not the nearest one. A rounding error is
// less than the factor.
constexpr double kSingle = 0x1p-23;
constexpr double kLeastSingle = std::numeric_limits<float>::min(), kMostSingle = std::numeric_limits<float>::max();
float rounded_down(double v) {
  const double less = v * (1.0 - kSingle);
  if (!(less >= kLeastSingle)) return 0.0F;
  return static_cast<float>(v < kInfinity ? std::min(less, kMostSingle) : v);
}

// Every so many-th of a list, about `count` of them.
std::vector<Index> some_of(const std::vector<Index>& all, Index count) {
  const auto stride = std::max<std::size_t>(1, all.size() / static_cast<std::size_t>(count));
  std::vector<Index> out;
  for (std::size_t i = 0; i < all.size(); i += stride) out.push_back(all[i]);
  return out;
}

}  // namespace

double FrozenRows::distance_between(const Vector& x, const Vector& y) const {
  const Vector& units = level_.table->units();
  return units.size() > 0 ? (x - y).cwiseQuotient(units).norm() : (x - y).norm();
}

double FrozenRows::distance(Index k, double z, double norm) const {
  const double from_kink = row(k).distance(z);
  return norm > 0.0 ? from_kink / norm : kInfinity;
}

FrozenRows::Seen FrozenRows::look(const SoftRow& row, double z, double norm) {
  Seen out{row.state(z), row.distance(z), std::numeric_limits<float>::infinity()};
  if (norm > 0.0) out.in_x = rounded_down(out.in_z / norm);
  return out;
}

void FrozenRows::set_key(Index k, double from_here) { keys_[k] = rounded_down(moved_ + from_here); }

void FrozenRows::read(SoftLevel level, const Vector& x, const FrozenSum* far, double reach) {
  level_ = std::move(level);
  const bool some_elsewhere = far != nullptr && far->gradient.size() > 0;
  parallel::resize(keys_, level_.count());
  parallel::resize(level_.states, level_.count());
  level_.gradient = some_elsewhere ? far->gradient : Vector(Vector::Zero(x.size()));
  moved_ = 0.0;
  horizon_ = -1.0;
  soon_.clear();
  std::atomic<Index> near = 0;
  const auto visit = [&](const SoftTable::Block& block, double* w) {
    double constant = 0.0;
    Index found = 0;
    for (Index i = 0; i < block.count; ++i) {
      const Index k = block.first + i;
      const SoftRow soft = row(k);
      const Seen seen = look(soft, block.z[i], block.norms[i]);
      keys_[k] = seen.in_x;
      level_.set_state(k, seen.state);
      w[i] = level_.scale * soft.slope(seen.state);
      constant += soft.constant(seen.state);
      found += seen.in_z <= reach ? 1 : 0;
    }
    near.fetch_add(found, std::memory_order_relaxed);
    return constant;
  };
  level_.constant = level_.scale * level_.table->read_all(x, visit, level_.gradient);
  if (some_elsewhere) level_.constant += far->constant;
  within_reach_ = near;
}

// Some of the keys tell how far about the `count` nearest ones reach; only those within need to be put in order.
std::vector<Index> FrozenRows::nearest(Index count) const {
  count = std::min(count, level_.count());
  if (count == 0) return {};
  std::vector<Index> found = within(reach_of(count));
  if (static_cast<Index>(found.size()) < count) found = within(kInfinity);
  std::vector<double> sorted(found.size());
  std::transform(found.begin(), found.end(), sorted.begin(), [&](Index k) { return keys_[k]; });
  if (static_cast<Index>(found.size()) <= count) return found;
  const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::nth_element(sorted.begin(), last, sorted.end());
  std::erase_if(found, [&, reach = *last](Index k) { return keys_[k] > reach; });
  return found;
}

std::vector<Index> FrozenRows::within(double reach) const {
  return parallel::positions(level_.count(), [&](Index k) { return keys_[k] <= reach && keys_[k] < kInfinity; });
}

double FrozenRows::reach_of(Index count) const {
  const Index stride = std::max<Index>(1, level_.count() / kLookedAt);
  std::vector<double> some;
  for (Index k = 0; k < level_.count(); k += stride) some.push_back(keys_[k]);
  const auto place = static_cast<Index>(kAmple * static_cast<double>(count) / static_cast<double>(stride)) + kMore;
  if (place >= static_cast<Index>(some.size())) return kInfinity;
  const auto at = some.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(some.begin(), at, some.end());
  return *at;
}

std::vector<Index> FrozenRows::near_of(const std::vector<Index>& band, const BandProblem::BandRows& known, double reach,
                                       Index least) const {
  const auto count = static_cast<Index>(band.size());
  if (least >= count) reach = kInfinity;
  Vector distances(count);
  parallel::for_range(count, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      distances[i] = distance(band[static_cast<std::size_t>(i)], known.values[i], known.norms[i]);
  });
  if (least > 0 && least < count) {
    Vector sorted = distances;
    const auto last = sorted.begin() + least - 1;
    std::nth_element(sorted.begin(), last, sorted.end());
    reach = std::max(reach, *last);
  }
  return parallel::positions(count, [&](Index i) { return distances[i] <= reach; });
}

Index FrozenRows::rarest_side() const {
  const auto on = [&](SoftState s) {
    return parallel::count_if(level_.count(), [&](Index k) { return level_.state(k) == s; });
  };
  return level_.count() - std::max({on(SoftState::below), on(SoftState::between), on(SoftState::above)});
}

void FrozenRows::list_soon(double moved) const {
  const auto within = [&](Index k, double path) { return !(static_cast<double>(keys_[k]) * kCertainOfSide > path); };
  const Index stride = std::max<Index>(1, level_.count() / kLookedAt);
  Index looked_at = 0, found = 0;
  for (Index k = 0; k < level_.count(); k += stride, ++looked_at) found += within(k, kHorizon * moved) ? 1 : 0;
  const bool few = static_cast<double>(found) <= kMostListed * static_cast<double>(looked_at);
  horizon_ = few ? kHorizon * moved : moved;
  soon_ = parallel::positions(level_.count(), [&](Index k) { return within(k, horizon_); });
}

std::vector<Index> FrozenRows::in_doubt(double moved, const std::vector<Index>& band) const {
  const auto doubtful = [&](Index k) { return !(static_cast<double>(keys_[k]) * kCertainOfSide > moved); };
  if (!(moved <= horizon_)) list_soon(moved);
  const auto listed = [&](Index i) { return soon_[static_cast<std::size_t>(i)]; };
  std::vector<Index> all =
      parallel::positions(static_cast<Index>(soon_.size()), [&](Index i) { return doubtful(listed(i)); });
  for (Index& k : all) k = listed(k);
  std::vector<Index> out;
  std::set_difference(all.begin(), all.end(), band.begin(), band.end(), std::back_inserter(out));
  return out;
}

double FrozenRows::estimate_wrong(const Vector& x, double step, const std::vector<Index>& band, Index some) const {
  const std::vector<Index> all = in_doubt(moved_ + step, band), places = some_of(all, some);
  if (places.empty()) return 0.0;
  const Vector z = level_.table->products(x, places);
  Index wrong = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    wrong += row(places[i]).state(z[static_cast<Index>(i)]) != level_.state(places[i]) ? 1 : 0;
  }
  return static_cast<double>(wrong) / static_cast<double>(places.size()) * static_cast<double>(all.size());
}

FrozenRows::Wrong FrozenRows::check(const Vector& x, double step, const std::vector<Index>& band) {
  moved_ += step;
  return freeze_again(x, in_doubt(moved_, band));
}

void FrozenRows::freeze(const Vector& x, const std::vector<Index>& leaving, const BandProblem::BandRows& known) {
  std::vector<Index> changed;
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    const Index k = leaving[i];
    const double z = known.values[static_cast<Index>(i)];
    set_key(k, distance(k, z, known.norms[static_cast<Index>(i)]));
    if (row(k).state(z) != level_.state(k)) changed.push_back(k);
  }
  // What is listed stays listed, and rows that were in the band may have come nearer to a kink than they were.
  std::vector<Index> soon;
  std::set_union(soon_.begin(), soon_.end(), leaving.begin(), leaving.end(), std::back_inserter(soon));
  soon_ = std::move(soon);
  freeze_again(x, changed);
}

// One read: values, and what the change of slopes does to the sum of gradients.
FrozenRows::Wrong FrozenRows::freeze_again(const Vector& x, const std::vector<Index>& places) {
  Vector z(static_cast<Index>(places.size())), norms(z.size());
  const auto visit = [&](const SoftTable::Block& block, double* w) {
    for (Index i = 0; i < block.count; ++i) {
      const Index k = places[static_cast<std::size_t>(block.first + i)];
      const SoftRow soft = row(k);
      z[block.first + i] = block.z[i];
      norms[block.first + i] = block.norms[i];
      w[i] = level_.scale * (soft.slope(soft.state(block.z[i])) - soft.slope(level_.state(k)));
    }
    return 0.0;
  };
  level_.table->read(x, places, visit, level_.gradient);
  Wrong out;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Index k = places[i];
    const SoftRow soft = row(k);
    const double value = z[static_cast<Index>(i)];
    const SoftState before = level_.state(k), now = soft.state(value);
    set_key(k, distance(k, value, norms[static_cast<Index>(i)]));
    if (before == now) continue;
    out.rows.push_back(k);
    out.cost += level_.scale * (soft.value(value) - soft.extended(before, value));
    level_.constant += level_.scale * (soft.constant(now) - soft.constant(before));
    level_.set_state(k, now);
  }
  return out;
}

double FrozenRows::root_mean_square(const Vector& d, const std::vector<Index>& band, Index some) const {
  const Vector z = level_.table->products(d, some_of(band, some));
  return std::sqrt(z.squaredNorm() / static_cast<double>(std::max<Index>(1, z.size())));
}

}  // namespace pliant
