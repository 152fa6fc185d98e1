#include "engines/path/frozen_rows.hpp"

#include "linalg/sums.hpp"
#include "parallel/long_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pliant {
namespace {

// So many keys, at least, are looked at to tell about how many there are of any size; and what is found in this way is
// taken so much more often than needed, in vain once in a while: then all are put in order.
constexpr Index kLookedAt = 20000;
constexpr double kAmple = 1.2;
constexpr Index kMore = 20;

constexpr auto no_weight = [](Index, double) { return 0.0; };

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

double FrozenRows::distance(Index k) const {
  const double from_kink = row(k).distance(values_[k]);
  return norms_[k] > 0.0 ? from_kink / norms_[k] : kInfinity;
}

void FrozenRows::read(SoftLevel level, const Vector& x, const FrozenSum* far) {
  level_ = std::move(level);
  const bool some_elsewhere = far != nullptr && far->gradient.size() > 0;
  for (Vector* v : {&values_, &norms_, &keys_}) parallel::resize(*v, level_.count());
  level_.states.resize(static_cast<std::size_t>(level_.count()));
  level_.gradient = some_elsewhere ? far->gradient : Vector(Vector::Zero(x.size()));
  moved_ = 0.0;
  const auto weight = [&](Index k, double z) {
    const SoftRow soft = row(k);
    SoftState& state = level_.states[static_cast<std::size_t>(k)];
    state = soft.state(z);
    return level_.scale * soft.slope(state);
  };
  level_.table->read_all(x, values_.data(), norms_.data(), weight, level_.gradient);
  level_.constant =
      level_.scale * long_pairwise_sum(level_.count(), [&](Index k) { return row(k).constant(level_.state(k)); });
  if (some_elsewhere) level_.constant += far->constant;
  parallel::for_range(level_.count(), [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) keys_[k] = distance(k);
  });
}

void FrozenRows::set_values(const std::vector<Index>& band, const Vector& z) {
  for (std::size_t i = 0; i < band.size(); ++i) values_[band[i]] = z[static_cast<Index>(i)];
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

std::vector<Index> FrozenRows::near_of(const std::vector<Index>& band, double reach, Index least) const {
  if (least >= static_cast<Index>(band.size())) return band;
  std::vector<double> distances(band.size());
  std::transform(band.begin(), band.end(), distances.begin(), [&](Index k) { return distance(k); });
  if (least > 0) {
    std::vector<double> sorted = distances;
    const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(least) - 1;
    std::nth_element(sorted.begin(), last, sorted.end());
    reach = std::max(reach, *last);
  }
  std::vector<Index> out;
  for (std::size_t i = 0; i < band.size(); ++i) {
    if (distances[i] <= reach) out.push_back(band[i]);
  }
  return out;
}

Index FrozenRows::count_within(double reach) const {
  return parallel::count_if(level_.count(), [&](Index k) { return row(k).distance(values_[k]) <= reach; });
}

Index FrozenRows::rarest_side() const {
  const auto on = [&](SoftState s) {
    return parallel::count_if(level_.count(), [&](Index k) { return level_.state(k) == s; });
  };
  return level_.count() - std::max({on(SoftState::below), on(SoftState::between), on(SoftState::above)});
}

std::vector<Index> FrozenRows::in_doubt(double moved, const std::vector<Index>& band) const {
  const auto all = parallel::positions(level_.count(), [&](Index k) { return !(keys_[k] * kCertainOfSide > moved); });
  std::vector<Index> out;
  std::set_difference(all.begin(), all.end(), band.begin(), band.end(), std::back_inserter(out));
  return out;
}

double FrozenRows::estimate_wrong(const Vector& x, double step, const std::vector<Index>& band, Index some) const {
  const std::vector<Index> all = in_doubt(moved_ + step, band), places = some_of(all, some);
  if (places.empty()) return 0.0;
  Vector z(static_cast<Index>(places.size())), unused = Vector::Zero(x.size());
  level_.table->read(x, places, z.data(), nullptr, no_weight, unused);
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

void FrozenRows::freeze(const Vector& x, const std::vector<Index>& leaving) {
  std::vector<Index> changed;
  for (const Index k : leaving) {
    keys_[k] = moved_ + distance(k);
    if (row(k).state(values_[k]) != level_.state(k)) changed.push_back(k);
  }
  freeze_again(x, changed);
}

// One read: values, and what the change of slopes does to the sum of gradients.
FrozenRows::Wrong FrozenRows::freeze_again(const Vector& x, const std::vector<Index>& places) {
  Vector z(static_cast<Index>(places.size()));
  const auto weight = [&](Index i, double value) {
    const Index k = places[static_cast<std::size_t>(i)];
    const SoftRow soft = row(k);
    return level_.scale * (soft.slope(soft.state(value)) - soft.slope(level_.state(k)));
  };
  level_.table->read(x, places, z.data(), nullptr, weight, level_.gradient);
  Wrong out;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Index k = places[i];
    const SoftRow soft = row(k);
    SoftState& state = level_.states[static_cast<std::size_t>(k)];
    values_[k] = z[static_cast<Index>(i)];
    keys_[k] = moved_ + distance(k);
    const SoftState now = soft.state(values_[k]);
    if (state == now) continue;
    out.rows.push_back(k);
    out.cost += level_.scale * (soft.value(values_[k]) - soft.extended(state, values_[k]));
    level_.constant += level_.scale * (soft.constant(now) - soft.constant(state));
    state = now;
  }
  return out;
}

double FrozenRows::root_mean_square(const Vector& d, const std::vector<Index>& band, Index some) const {
  const std::vector<Index> rows = some_of(band, some);
  Vector z(static_cast<Index>(rows.size())), unused = Vector::Zero(d.size());
  level_.table->read(d, rows, z.data(), nullptr, no_weight, unused);
  return std::sqrt(z.squaredNorm() / static_cast<double>(std::max<Index>(1, z.size())));
}

}  // namespace pliant
