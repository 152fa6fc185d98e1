// Soft rows on a device, or the imitation of one: what a read sums up, finds and keeps against the raw data, and whole solves
// against those of this memory.
#include "rows/device_soft.hpp"
#include "pliant/device.hpp"
#include "pliant/pliant.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "support/soft_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace pliant::testing {
namespace soft_on_device {
namespace {

using ::testing::HasSubstr;

constexpr double kRounding = 1e-12;
constexpr SoftLoss kLosses[] = {SoftLoss::positive_part, SoftLoss::quantile, SoftLoss::absolute,
                                SoftLoss::epsilon_insensitive, SoftLoss::hinge};

DeviceBatchPtr on_card(const SoftData& data) {
  const BatchPtr rows = linear_le(DataMatrix::from(data.G), to_array(data.h));
  return DeviceBatch::copy_of(*rows, 0);
}

SoftOnDevice soft_on_card(const SoftData& data) {
  SoftOnDevice out{on_card(data), data.soft.loss, data.soft.parameter, data.soft.weight};
  if (data.weights.size() > 0) out.weights = {data.weights.data(), false, false};
  return out;
}

Settings tight() {
  Settings out;
  out.tol_gap = out.tol_feas = 1e-8;
  return out;
}

/// Rows at their kinks, twice, of zeros, long and short ones.
void make_awkward(Random& random, SoftData& data) {
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
  Held(const SoftData& data, const SoftOnDevice& soft) : problem(data.beside()), account(problem) {
    mass = std::make_unique<DeviceSoft>(soft.rows, prices_of(soft.loss, soft.parameter, soft.weight, data.h.size()),
                                        soft.weights, account);
  }
  Problem problem;
  ConstraintSystem account;
  std::unique_ptr<DeviceSoft> mass;
};

// The linear functions that rows that are not here are frozen to.
void expect_far(const SoftData& data, const Truth& truth, const DeviceSoft& mass) {
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
void expect_nearest(const Truth& truth, const DeviceSoft& mass, Index count) {
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

void expect_rows(const SoftData& data, const SoftTable& table, const std::vector<Index>& numbers) {
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

struct Shape {
  Index n, m;
};
// Around the sizes where packs, lanes, pieces and chunks change.
constexpr Shape kShapes[] = {{1, 5},     {2, 1},      {3, 1023},  {7, 1025},   {20, 3000}, {32, 2049},
                             {33, 1500}, {64, 2000},  {65, 900},  {100, 1100}, {128, 700}, {129, 1030},
                             {200, 600}, {256, 1040}, {257, 500}, {500, 300},  {768, 1029}};

TEST(DeviceSoft, ReadsFindAndSumUpWhatTheDataSay) {
  std::uint64_t seed = 0;
  for (const Shape& shape : kShapes) {
    const SoftLoss loss = kLosses[seed % 5];
    SCOPED_TRACE("n " + std::to_string(shape.n) + ", loss " + std::to_string(static_cast<int>(loss)));
    Random random(++seed);
    SoftData data(random, loss, shape.n, shape.m);
    make_awkward(random, data);
    if (seed % 3 == 0) data.weights = random.vector(shape.m).cwiseAbs();
    Held held(data);
    Vector units = Vector::Ones(shape.n);
    if (seed % 2 == 0) {
      for (double& u : units) u = random.log_uniform(0.1, 10.0);
      held.mass->set_units(units);
    }
    const Vector x = random.vector(shape.n) / std::sqrt(static_cast<double>(shape.n));
    const Truth truth(data, x, units);
    const Index count = random.integer(0, shape.m);
    const RowsHere here = held.mass->read(x, {count, -1.0});
    expect_nearest(truth, *held.mass, count);
    expect_rows(data, *here.copies, held.mass->numbers());
    expect_far(data, truth, *held.mass);
    const auto before = held.mass->numbers();
    const std::unique_ptr<SoftTable> more = held.mass->nearest(shape.m);
    expect_nearest(truth, *held.mass, shape.m);
    const std::set<Index> once(held.mass->numbers().begin(), held.mass->numbers().end());
    EXPECT_EQ(once.size(), held.mass->numbers().size());
    expect_far(data, truth, *held.mass);
  }
}

TEST(DeviceSoft, AsManyAsAreWithinReach) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    SoftData data(random, kLosses[seed % 5], random.integer(2, 40), random.integer(500, 5000));
    Held held(data);
    const Vector x = random.vector(data.G.cols()), ones = Vector::Ones(data.G.cols());
    const Truth truth(data, x, ones);
    const double reach = random.log_uniform(0.01, 1.0);
    Index within = 0;
    for (const TruthOfRow& row : truth.rows) within += row.from_kink <= reach ? 1 : 0;
    const Index least = random.integer(1, 300);
    held.mass->read(x, {least, reach});
    EXPECT_EQ(static_cast<Index>(held.mass->numbers().size()), std::max(least, within)) << "seed " << seed;
  }
}

// x wanders: no row on another side is ever missed, and none that is not comes.
TEST(DeviceSoft, ChecksMissNothing) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    SoftData data(random, kLosses[seed % 5], random.integer(2, 70), random.integer(500, 4000));
    make_awkward(random, data);
    if (seed % 2 == 0) data.weights = random.vector(data.h.size()).cwiseAbs();
    Held held(data);
    const Vector units = Vector::Ones(data.G.cols());
    Vector x = random.vector(data.G.cols());
    held.mass->read(x, {random.integer(0, 200), -1.0});
    const Truth frozen(data, x, units);
    std::set<Index> here(held.mass->numbers().begin(), held.mass->numbers().end());
    std::set<Index> ever;  // those that came since
    for (int step = 0; step < 6; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      x += random.log_uniform(1e-4, 0.3) * random.vector(x.size());
      const Truth now(data, x, units);
      std::set<Index> wrong;
      for (Index i = 0; i < data.h.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (now.rows[k].slope != frozen.rows[k].slope && here.count(i) == 0) wrong.insert(i);
      }
      const bool too_many = step == 2;
      const WrongRows found = held.mass->check(x, too_many ? -1 : data.h.size());
      EXPECT_EQ(found.count, static_cast<Index>(wrong.size()));
      if (too_many || wrong.empty()) {
        EXPECT_EQ(found.copies, nullptr);
        continue;
      }
      const std::set<Index> all(held.mass->numbers().begin(), held.mass->numbers().end());
      std::set<Index> came;
      std::set_difference(all.begin(), all.end(), here.begin(), here.end(), std::inserter(came, came.end()));
      EXPECT_EQ(came, wrong);
      here = all;
      expect_far(data, frozen, *held.mass);
      EXPECT_EQ(held.mass->check(x, data.h.size()).count, 0);
    }
  }
}

// Floats, and numbers that begin between the borders of wide loads.
TEST(DeviceSoft, NumbersAsTheyAreStored) {
  if (std::string(std::getenv("PLIANT_CUDA_LIBRARY")) != PLIANT_CUDA_EMULATION)
    GTEST_SKIP() << "host memory is no device's";
  std::uint64_t seed = 0;
  for (const Index n : {1, 2, 3, 4, 6, 20, 65, 132, 260}) {
    SCOPED_TRACE("n " + std::to_string(n));
    Random random(++seed);
    SoftData data(random, kLosses[seed % 5], n, 1300);
    std::vector<float> singles;
    std::vector<double> doubles(seed % 2), targets(seed % 3);  // some begin later
    for (Index i = 0; i < data.G.rows(); ++i) {
      for (Index j = 0; j < n; ++j) {
        singles.push_back(static_cast<float>(data.G(i, j)));
        if (seed % 4 != 0) data.G(i, j) = static_cast<double>(singles.back());
        doubles.push_back(data.G(i, j));
      }
      targets.push_back(data.h[i]);
    }
    const bool single = seed % 4 != 0;
    const void* const numbers = single ? static_cast<const void*>(singles.data()) : doubles.data() + seed % 2;
    const DeviceBatchPtr rows = linear_le_on_device({numbers, data.G.rows(), n, single, 0}, targets.data() + seed % 3);
    Held held(data, {rows, data.soft.loss, data.soft.parameter, data.soft.weight});
    const Vector x = random.vector(n) / std::sqrt(static_cast<double>(n));
    const Truth truth(data, x, Vector::Ones(n));
    const RowsHere here = held.mass->read(x, {100, -1.0});
    expect_nearest(truth, *held.mass, 100);
    expect_rows(data, *here.copies, held.mass->numbers());
    expect_far(data, truth, *held.mass);
  }
}

TEST(DeviceSoft, SamplesMayNameARowTwice) {
  Random random(3);
  SoftData data(random, SoftLoss::hinge, 5, 2000);
  Held held(data);
  const std::vector<Index> sample{0, 4, 4, 17, 1024, 1024, 1999};
  expect_rows(data, *held.mass->copy(sample), sample);
}

// ---- whole solves ----

// From the data alone: what x costs, and that the slopes of the rows near a kink, with those that all others have where they
// are, prove it.
void expect_optimal(const SoftData& data, const DeviceResult& found) {
  const Result& r = found.result;
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  const double objective = data.objective(r.x), scale = 1.0 + std::abs(objective);
  EXPECT_NEAR(r.certificate.objective, objective, 1e-10 * scale);
  EXPECT_LE(r.certificate.lower_bound, objective + 1e-10 * scale);
  EXPECT_GE(r.certificate.lower_bound, objective - 2e-8 * scale);
  ASSERT_EQ(found.rows.size(), found.slopes.size());
  const Truth truth(data, r.x, Vector::Ones(r.x.size()));
  Vector slopes(data.h.size());
  for (Index i = 0; i < slopes.size(); ++i) slopes[i] = truth.rows[static_cast<std::size_t>(i)].slope;
  for (std::size_t k = 0; k < found.rows.size(); ++k) slopes[found.rows[k]] = found.slopes[k];
  Vector gradient = data.curvature * r.x;
  for (Index i = 0; i < slopes.size(); ++i) {
    const SoftData::Price p = data.price(i);
    const double rounding = kRounding * (p.below + p.above);
    EXPECT_TRUE(slopes[i] >= -p.below - rounding && slopes[i] <= p.above + rounding) << "row " << i;
    gradient += slopes[i] * data.G.row(i).transpose();
  }
  if (data.box == 0.0) {
    EXPECT_LE(gradient.lpNorm<Eigen::Infinity>(), 1e-6);
  }
}

TEST(DeviceSoft, AsInThisMemory) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    for (const SoftLoss loss : kLosses) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", loss " + std::to_string(static_cast<int>(loss)));
      Random random(100 * seed + static_cast<std::uint64_t>(loss));
      SoftData data(random, loss, random.integer(2, 9), random.integer(40, 12000));
      if (seed % 2 == 1) data.box = random.uniform(0.5, 5.0);
      if (seed % 3 == 1) data.weights = (random.vector(data.h.size()).cwiseAbs().array() + 0.1).matrix();
      if (seed % 3 == 2) make_awkward(random, data);
      const Result whole = solve(data.whole(), tight());
      ASSERT_EQ(whole.status, Status::optimal) << whole.message;
      const DeviceResult found = solve(data.beside(), soft_on_card(data), tight());
      expect_optimal(data, found);
      EXPECT_NEAR(found.result.certificate.objective, whole.certificate.objective,
                  3e-8 * (1.0 + std::abs(whole.certificate.objective)));
      EXPECT_GE(found.reads, 1);
      for (int again = 0; again < 2; ++again) {
        const DeviceResult other = solve(data.beside(), soft_on_card(data), tight());
        EXPECT_EQ(other.result.x, found.result.x);
        EXPECT_EQ(other.slopes, found.slopes);
        EXPECT_EQ(other.result.certificate.lower_bound, found.result.certificate.lower_bound);
      }
    }
  }
}

TEST(DeviceSoft, WhatIsRefused) {
  Random random(1);
  SoftData data(random, SoftLoss::quantile, 3, 200);
  const auto said = [&] { return refusal_of([&] { solve(data.beside(), soft_on_card(data), tight()); }); };
  data.soft.parameter = 1.0;
  EXPECT_THAT(said(), HasSubstr("tau"));
  data.soft = {SoftLoss::hinge, 0.0, 1.0};
  EXPECT_THAT(said(), HasSubstr("neither -1 nor 1"));
  data.soft = {SoftLoss::absolute, 0.0, 1.0};
  data.weights = -Vector::Ones(200);
  EXPECT_THAT(said(), HasSubstr("weights"));
  data.weights.resize(0);
  data.h[7] = kInfinity;
  EXPECT_THAT(said(), HasSubstr("finite target"));
  data.h[7] = 0.0;
  data.G(5, 1) = std::nan("");
  EXPECT_THAT(refusal_of([&] {
                Held held(data);
                held.mass->read(Vector::Ones(3), {});
              }),
              HasSubstr("row 5"));
  SoftData wide(random, SoftLoss::absolute, 769, 4);
  EXPECT_THAT(refusal_of([&] { solve(wide.beside(), soft_on_card(wide), tight()); }), HasSubstr("at most 768"));
}

}  // namespace
}  // namespace soft_on_device
}  // namespace pliant::testing
