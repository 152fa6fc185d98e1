// Soft rows on a device, or the imitation of one, and what the raw data say of them.
#pragma once

#include "pliant/device.hpp"
#include "pliant/pliant.hpp"
#include "rows/device_soft.hpp"
#include "support/random.hpp"
#include "support/soft_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

namespace pliant::testing {
namespace soft_on_device {

inline constexpr double kRounding = 1e-12;
inline constexpr SoftLoss kLosses[] = {SoftLoss::positive_part, SoftLoss::quantile, SoftLoss::absolute,
                                       SoftLoss::epsilon_insensitive, SoftLoss::hinge};

inline DeviceBatchPtr on_card(const SoftData& data) {
  const BatchPtr rows = linear_le(DataMatrix::from(data.G), to_array(data.h));
  return DeviceBatch::copy_of(*rows, 0);
}

inline SoftOnDevice soft_on_card(const SoftData& data) {
  SoftOnDevice out{on_card(data), data.soft.loss, data.soft.parameter, data.soft.weight};
  if (data.weights.size() > 0) out.weights = {data.weights.data(), false, false};
  return out;
}

inline Settings tight() {
  Settings out;
  out.tol_gap = out.tol_feas = 1e-8;
  return out;
}

/// Rows at their kinks, twice, of zeros, long and short ones.
inline void make_awkward(Random& random, SoftData& data) {
  for (Index i = 0; i < data.G.rows(); ++i) {
    const double which = random.uniform();
    if (which < 0.05 && i > 0) data.G.row(i) = data.G.row(random.integer(0, i - 1));
    if (which > 0.95) data.G.row(i) *= random.log_uniform(1e-2, 1e2);
    if (which > 0.5 && which < 0.51) data.G.row(i).setZero();
  }
}

// ---- the holder against the truth ----

struct TruthOfRow {
  double z, key, slope, from_kink, constant;
};

class Truth {
 public:
  Truth(const SoftData& data, const Vector& x, const Vector& units) {
    for (Index i = 0; i < data.h.size(); ++i) {
      const SoftData::Price p = data.price(i);
      long double z = 0.0L, square = 0.0L;
      for (Index j = 0; j < x.size(); ++j) {
        z += static_cast<long double>(data.G(i, j)) * x[j];
        square += std::pow(static_cast<long double>(data.G(i, j)) * units[j], 2.0L);
      }
      TruthOfRow row{static_cast<double>(z), 0.0, 0.0, kInfinity, 0.0};
      if (p.above > 0.0) row.from_kink = std::abs(row.z - p.upper);
      if (p.below > 0.0) row.from_kink = std::min(row.from_kink, std::abs(row.z - p.lower));
      row.key = square > 0.0L ? row.from_kink / static_cast<double>(std::sqrt(square)) : kInfinity;
      if (p.above > 0.0 && row.z > p.upper) {
        row.slope = p.above;
        row.constant = -p.above * p.upper;
      } else if (p.below > 0.0 && row.z < p.lower) {
        row.slope = -p.below;
        row.constant = p.below * p.lower;
      }
      rows.push_back(row);
    }
  }
  std::vector<TruthOfRow> rows;
};

struct Held {
  explicit Held(const SoftData& data) : Held(data, soft_on_card(data)) {}
  Held(const SoftData& data, const SoftOnDevice& soft, const SoftTransfers& transfers = {})
      : problem(data.beside()), account(problem) {
    mass = std::make_unique<DeviceSoft>(soft.rows, prices_of(soft.loss, soft.parameter, soft.weight, data.h.size()),
                                        soft.weights, account, transfers);
  }
  Problem problem;
  ConstraintSystem account;
  std::unique_ptr<DeviceSoft> mass;
};

// The linear functions that rows that are not here are frozen to.
inline void expect_far(const SoftData& data, const Truth& truth, const DeviceSoft& mass) {
  const std::set<Index> here(mass.numbers().begin(), mass.numbers().end());
  Vector gradient = Vector::Zero(data.G.cols()), sizes = gradient;
  double constant = 0.0, size = 0.0;
  for (Index i = 0; i < data.h.size(); ++i) {
    const TruthOfRow& row = truth.rows[static_cast<std::size_t>(i)];
    const double times = here.count(i) > 0 ? 2.0 : 1.0;  // taken back: added once more
    size += times * std::abs(row.constant);
    sizes += times * std::abs(row.slope) * data.G.row(i).transpose().cwiseAbs();
    if (here.count(i) > 0) continue;
    gradient += row.slope * data.G.row(i).transpose();
    constant += row.constant;
  }
  const FrozenSum& far = mass.far();
  EXPECT_LE((far.gradient - gradient).cwiseAbs().maxCoeff(), kRounding * (1.0 + sizes.maxCoeff()));
  EXPECT_NEAR(far.constant, constant, kRounding * (1.0 + size));
  EXPECT_NEAR(far.constant_size, size, 1e-9 * (1.0 + size));
  EXPECT_LE((far.gradient_size - sizes).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + sizes.maxCoeff()));
}

// Those that came are the nearest ones: no other row has a smaller key.
inline void expect_nearest(const Truth& truth, const DeviceSoft& mass, Index count) {
  std::vector<double> keys;
  for (const TruthOfRow& row : truth.rows) keys.push_back(row.key);
  std::sort(keys.begin(), keys.end());
  const auto finite = std::lower_bound(keys.begin(), keys.end(), kInfinity) - keys.begin();
  const auto came = static_cast<Index>(mass.numbers().size());
  ASSERT_GE(came, std::min(count, finite));
  if (count >= finite) {
    EXPECT_EQ(came, finite);
    return;
  }
  const double reach = keys[static_cast<std::size_t>(count) - 1];
  for (const Index row : mass.numbers()) {
    EXPECT_LE(truth.rows[static_cast<std::size_t>(row)].key, reach * (1.0 + 1e-9) + 1e-300) << "row " << row;
  }
}

inline void expect_rows(const SoftData& data, const SoftTable& table, const std::vector<Index>& numbers) {
  ASSERT_EQ(table.size(), static_cast<Index>(numbers.size()));
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const Index i = numbers[k];
    const SoftRow row = table.row(static_cast<Index>(k));
    const SoftData::Price p = data.price(i);
    for (Index j = 0; j < data.G.cols(); ++j) {
      ASSERT_EQ(table.matrix().values()[static_cast<Index>(k) * data.G.cols() + j], data.G(i, j));
    }
    ASSERT_NEAR(row.above, p.above, kRounding * p.above);
    ASSERT_NEAR(row.below, p.below, kRounding * p.below);
    EXPECT_TRUE(p.above == 0.0 || std::abs(row.upper - p.upper) <= kRounding) << "row " << i;
    EXPECT_TRUE(p.below == 0.0 || std::abs(row.lower - p.lower) <= kRounding) << "row " << i;
  }
}

}  // namespace soft_on_device
}  // namespace pliant::testing
