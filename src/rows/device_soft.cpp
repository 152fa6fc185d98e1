#include "rows/device_soft.hpp"

#include "constraints/linear.hpp"
#include "linalg/absolute_rows.hpp"
#include "rows/soft_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pliant {
namespace {

// So many keys, about, tell how many there are of any size; what is found in this way is taken so much more often than needed,
// in vain once in a while.
constexpr Index kLookedAt = 100'000;
constexpr double kAmple = 1.1, kMore = 20.0;
// Additions to the sum over a chunk, of 4096 rows, and over chunks, 64 at a time.
constexpr Index kSumLength = 4096 + 512;

}  // namespace

DeviceSoft::DeviceSoft(DeviceBatchPtr rows, const LossPrices& prices, const DeviceVector& weights,
                       ConstraintSystem& account, const SoftTransfers& transfers)
    : rows_(std::move(rows)),
      account_(account),
      prices_(prices),
      transfers_(transfers),
      weighted_(weights.numbers != nullptr) {
  account_.count_held(rows_->bytes());
  const pliant_cuda_prices there{prices.below, prices.above, prices.half_width, prices.labels ? 1 : 0};
  double largest = 0.0;
  rows_->call([&](const auto& api, auto* object) {
    return api.soft_prices(object, &there, weights.numbers, weights.on_device ? 1 : 0,
                           static_cast<std::int32_t>(weights.single ? sizeof(float) : sizeof(double)), &largest);
  });
  largest_price_ = std::max(prices.below, prices.above) * largest;
}

Vector DeviceSoft::units_there() const { return units_.size() > 0 ? units_ : Vector::Ones(columns()); }

// ---- rows that come here ----

Index DeviceSoft::rows_of(Index bytes, Index for_each_column) const {
  return std::max(for_each_column * columns(), bytes / (columns() * static_cast<Index>(sizeof(double))));
}

Index DeviceSoft::most_sample() const { return rows_of(transfers_.sample_bytes, transfers_.sample_rows); }

std::unique_ptr<SoftTable> DeviceSoft::fetch(const std::vector<Index>& rows) {
  const BatchPtr batch = rows_->fetch(rows);
  const LinearRows& linear = *batch->linear_rows();
  Doubles weights;
  if (weighted_) {
    std::vector<double> own(rows.size());
    rows_->call([&](const auto& api, auto* object) {
      return api.soft_weights(object, rows.data(), static_cast<Index>(rows.size()), own.data());
    });
    weights = Doubles(std::move(own));
  }
  account_.charge_components(static_cast<Index>(rows.size()), rows_->bytes(static_cast<Index>(rows.size())));
  auto out = std::make_unique<SoftTable>(DataMatrix(linear.matrix()), sides_of(prices_, linear.upper(), weights));
  out->set_units(units_);
  return out;
}

std::unique_ptr<SoftTable> DeviceSoft::copy(const std::vector<Index>& rows) {
  std::vector<Index> once = rows;  // a sample may have a row twice
  once.erase(std::unique(once.begin(), once.end()), once.end());
  std::unique_ptr<SoftTable> out = fetch(once);
  if (once.size() == rows.size()) return out;
  std::vector<Index> places;
  for (const Index row : rows) places.push_back(std::lower_bound(once.begin(), once.end(), row) - once.begin());
  out = out->copy(places);
  out->set_units(units_);
  return out;
}

void DeviceSoft::take_back(const Found& found, const SoftTable& rows, double scale, FrozenSum& sum) {
  const auto count = static_cast<Index>(found.rows.size());
  Vector slopes(count);
  for (Index k = 0; k < count; ++k) {
    const SoftRow row = rows.row(k);
    const auto side = static_cast<SoftState>(found.sides[static_cast<std::size_t>(k)]);
    const double slope = scale * row.slope(side), constant = scale * row.constant(side);
    slopes[k] = -slope;
    absolute_axpy(rows.matrix(), k, std::abs(slope), sum.gradient_size.data());
    sum.constant -= constant;
    sum.constant_size += std::abs(constant);
  }
  rows.matrix().add_transposed(Rows::range(0, count), slopes.data(), sum.gradient.data());
  sum.length += count;
}

std::unique_ptr<SoftTable> DeviceSoft::keep(const Found& found) {
  if (found.rows.empty()) return nullptr;
  fresh_ = false;
  std::unique_ptr<SoftTable> out = fetch(found.rows);
  take_back(found, *out, 1.0, far_);
  numbers_.insert(numbers_.end(), found.rows.begin(), found.rows.end());
  rows_->call([&](const auto& api, auto* object) {
    return api.soft_give(object, found.rows.data(), static_cast<Index>(found.rows.size()));
  });
  return out;
}

// ---- all rows ----

void DeviceSoft::freeze(const Vector& x, double reach) {
  if (fresh_ && x == x_ && reach == reach_) return;
  const SoftReadLayout at(columns());
  Vector sums(at.numbers);
  Index invalid = -1;
  settled_ = fresh_ = false;
  rows_->call([&](const auto& api, auto* object) {
    return api.soft_read(object, x.data(), units_there().data(), reach, sums.data(), &invalid);
  });
  if (invalid >= 0) {
    throw InputError(fmt::format("rows on a device: row {} contains NaN or infinite numbers", invalid));
  }
  account_.charge_components(size(), static_cast<double>(rows_->bytes()));
  far_ = {sums.head(columns()), sums[at.constant], sums.segment(at.gradient_size, columns()), sums[at.constant_size],
          kSumLength};
  numbers_.clear();
  within_ = static_cast<Index>(sums[at.within]);
  reach_ = reach;
  x_ = x;
  settled_ = fresh_ = true;
  moved_ = certain_to_ = 0.0;
}

NearSample DeviceSoft::sample_near(const Vector& x, const NearWish& wish) {
  freeze(x, wish.reach);
  NearSample out;
  const Index near = wanted(wish), some = rows_of(transfers_.sample_bytes, transfers_.sample_rows);
  if (near <= rows_of(transfers_.near_bytes, transfers_.near_rows)) return out;
  const Index apart = (near + some - 1) / some;
  const Found found = find(reach_of(static_cast<double>(near)), apart);
  if (found.rows.empty()) return out;
  out.copies = fetch(found.rows);
  out.scale = static_cast<double>(apart);
  out.rest = far_;
  take_back(found, *out.copies, out.scale, out.rest);
  return out;
}

RowsHere DeviceSoft::read(const Vector& x, const NearWish& wish) {
  freeze(x, wish.reach);
  fresh_ = false;
  RowsHere out{nullptr, nearest(wanted(wish))};
  if (!out.copies) {
    out.copies = std::make_unique<SoftTable>(DataMatrix::dense(0, columns(), Doubles()), SoftSides());
    out.copies->set_units(units_);
  }
  return out;
}

double DeviceSoft::reach_of(double count) {
  const Index stride = std::max<Index>(1, size() / kLookedAt), looked_at = (size() + stride - 1) / stride;
  std::vector<double> keys(static_cast<std::size_t>(looked_at));
  rows_->call([&](const auto& api, auto* object) { return api.soft_sample(object, stride, looked_at, keys.data()); });
  const double wanted = stride == 1 ? count : kAmple * count / static_cast<double>(stride) + kMore;
  constexpr double kAll = std::numeric_limits<double>::max();
  if (!(wanted < static_cast<double>(keys.size()))) return kAll;
  const auto last = keys.begin() + static_cast<std::ptrdiff_t>(std::max(1.0, wanted)) - 1;
  std::nth_element(keys.begin(), last, keys.end());
  return std::min(*last, kAll);
}

DeviceSoft::Found DeviceSoft::find(double up_to, Index apart) {
  Index count = 0;
  rows_->call([&](const auto& api, auto* object) { return api.soft_find(object, up_to, apart, &count); });
  Found out{std::vector<Index>(static_cast<std::size_t>(count)), std::vector<double>(static_cast<std::size_t>(count)),
            std::vector<double>(static_cast<std::size_t>(count))};
  if (count == 0) return out;
  rows_->call([&](const auto& api, auto* object) {
    return api.soft_take(object, out.rows.data(), out.keys.data(), out.sides.data());
  });
  return out;
}

// The rows with the smallest keys, ties included, from all those up to a length that a look at some suggests.
std::unique_ptr<SoftTable> DeviceSoft::nearest(Index count) {
  if (!elsewhere() || count == 0) return nullptr;
  constexpr double kAll = std::numeric_limits<double>::max();
  double sought = static_cast<double>(count), reach = reach_of(sought);
  Found found = find(reach);
  while (static_cast<Index>(found.rows.size()) < count && reach < kAll) {
    sought *= 2.0;
    reach = reach_of(sought);
    found = find(reach);
  }
  if (static_cast<Index>(found.rows.size()) > count) {
    std::vector<double> keys = found.keys;
    const auto last = keys.begin() + static_cast<std::ptrdiff_t>(count) - 1;
    std::nth_element(keys.begin(), last, keys.end());
    std::size_t kept = 0;
    for (std::size_t k = 0; k < found.rows.size(); ++k) {
      if (found.keys[k] > *last) continue;
      found.rows[kept] = found.rows[k];
      found.sides[kept++] = found.sides[k];
    }
    found.rows.resize(kept);
  }
  return keep(found);
}

// Nothing is asked where no row can have left its side.
WrongRows DeviceSoft::check(const Vector& x, Index most) {
  if (settled_ && x == x_) return {};
  moved_ += units_.size() > 0 ? (x - x_).cwiseQuotient(units_).norm() : (x - x_).norm();
  x_ = x;
  fresh_ = false;
  WrongRows out;
  settled_ = true;
  if (!elsewhere() || moved_ < kCertainOfSide * certain_to_) return out;
  settled_ = false;  // until it has answered
  pliant_cuda_soft_check found{};
  rows_->call([&](const auto& api, auto* object) {
    return api.soft_check(object, x.data(), units_there().data(), moved_, kCertainOfSide, &found);
  });
  account_.charge_components(found.doubtful, rows_->bytes(found.doubtful));
  out.count = found.wrong;
  settled_ = out.count <= most;
  certain_to_ = settled_ ? found.certain_to : 0.0;
  if (settled_ && out.count > 0) out.copies = keep(find(-1.0));
  return out;
}

}  // namespace pliant
