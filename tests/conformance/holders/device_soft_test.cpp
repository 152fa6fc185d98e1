// Soft rows on a device: what a read sums up, finds and keeps against the raw data.
#include "conformance/holders/device_soft.hpp"

#include <cstdlib>
#include <string>

namespace pliant::testing {
namespace soft_on_device {
namespace {

struct Shape {
  Index n, m;
};
// Around the sizes where packs, lanes, pieces and chunks change.
constexpr Shape kShapes[] = {{1, 5},     {2, 1},      {3, 1023},  {7, 1025},   {20, 9000}, {32, 2049},
                             {33, 1500}, {64, 2000},  {65, 900},  {100, 1100}, {128, 700}, {129, 1030},
                             {200, 600}, {256, 1040}, {257, 500}, {500, 300},  {512, 5029}};

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

// At the x where it was drawn, a sample of rows near a kink and the rest are the exact sum; its rows are near ones, each at most
// once, and about as many as they stand for.
TEST(DeviceSoft, SamplesOfRowsNearAKink) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    SoftData data(random, kLosses[seed], random.integer(2, 30), 20000);
    if (seed % 2 == 0) data.weights = random.vector(data.h.size()).cwiseAbs();
    Held held(data, soft_on_card(data), {1, 10, 1, 20});
    const Index n = data.G.cols(), near = random.integer(20 * n + 1, 5000);
    const Vector x = random.vector(n) / std::sqrt(static_cast<double>(n));
    const Truth truth(data, x, Vector::Ones(n));
    const NearSample sample = held.mass->sample_near(x, {near, -1.0});
    ASSERT_NE(sample.copies, nullptr);
    const auto count = static_cast<double>(sample.copies->size()), stands_for = sample.scale * count;
    EXPECT_NEAR(stands_for, static_cast<double>(near),
                0.15 * static_cast<double>(near) + 6.0 * sample.scale * std::sqrt(count));
    Vector gradient = sample.rest.gradient, whole = Vector::Zero(n), sizes = whole;
    double constant = sample.rest.constant, all = 0.0, size = 0.0;
    for (Index k = 0; k < sample.copies->size(); ++k) {
      const SoftRow row = sample.copies->row(k);
      const Eigen::Map<const Vector> g(sample.copies->matrix().values().data() + k * n, n);
      const SoftState side = row.state(g.dot(x));
      gradient += sample.scale * row.slope(side) * g;
      constant += sample.scale * row.constant(side);
    }
    for (Index i = 0; i < data.h.size(); ++i) {
      const TruthOfRow& row = truth.rows[static_cast<std::size_t>(i)];
      whole += row.slope * data.G.row(i).transpose();
      sizes += std::abs(row.slope) * data.G.row(i).transpose().cwiseAbs();
      all += row.constant;
      size += std::abs(row.constant);
    }
    EXPECT_LE((gradient - whole).cwiseAbs().maxCoeff(), 10.0 * kRounding * (1.0 + sizes.maxCoeff()));
    EXPECT_NEAR(constant, all, 10.0 * kRounding * (1.0 + size));
    held.mass->read(x, {near, -1.0});  // which costs nothing
    expect_nearest(truth, *held.mass, near);
    expect_far(data, truth, *held.mass);
  }
}

}  // namespace
}  // namespace soft_on_device
}  // namespace pliant::testing
