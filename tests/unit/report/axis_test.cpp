// Axes hold for whatever a trace may contain.
#include "report/page/axis.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace pliant::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Values of every size and sign, none, one, equal ones, and those that are no numbers.
std::vector<double> any_values(testing::Random& random) {
  std::vector<double> out;
  const double size = std::pow(10.0, random.uniform(-300.0, 300.0)),
               centre = random.normal() * random.log_uniform(1e-9, 1e9);
  const Index kind = random.integer(0, 5);
  for (Index k = random.integer(0, 20); k > 0; --k) {
    const Index special = random.integer(0, 12);
    if (special == 0) out.push_back(kNan);
    if (special == 1) out.push_back(kInfinite);
    if (special == 2) out.push_back(0.0);
    if (kind == 0) out.push_back(size * random.normal());
    if (kind == 1) out.push_back(centre * (1.0 + 1e-14 * random.normal()));
    if (kind == 2) out.push_back(std::pow(10.0, random.uniform(-300.0, 300.0)));
    if (kind == 3) out.push_back(size);
    if (kind == 4) out.push_back(random.uniform() * 1e308 * (random.uniform() < 0.5 ? -1.7 : 1.7));
    if (kind == 5) out.push_back(random.uniform(1.0, 3.0));
  }
  return out;
}

void expect_sound(const Axis& axis, const std::vector<double>& values, double from, double to) {
  const double lowest = std::min(from, to), highest = std::max(from, to);
  ASSERT_TRUE(std::isfinite(axis.low()) && std::isfinite(axis.high()));
  ASSERT_LT(axis.low(), axis.high());
  for (double v : values) {
    if (!std::isfinite(v)) continue;
    const double place = axis.place(v);
    EXPECT_TRUE(place >= lowest && place <= highest) << v << " at " << place;
  }
  std::vector<double> ordered;
  for (double v : values) {
    if (std::isfinite(v)) ordered.push_back(v);
  }
  std::sort(ordered.begin(), ordered.end());
  for (std::size_t i = 1; i < ordered.size(); ++i) {  // in the same order as the values
    EXPECT_LE((axis.place(ordered[i - 1]) - axis.place(ordered[i])) * (to > from ? 1.0 : -1.0), 1e-9);
  }
  const auto ticks = axis.ticks();
  EXPECT_LE(ticks.size(), 16u);
  for (const Axis::Tick& tick : ticks) {
    EXPECT_TRUE(tick.place >= lowest - 1e-6 && tick.place <= highest + 1e-6) << tick.label;
    EXPECT_FALSE(tick.label.empty());
    EXPECT_LE(tick.label.size(), 20u) << tick.label;
  }
}

TEST(ChartAxis, AnyValuesFindTheirPlace) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    testing::Random random(seed);
    const std::vector<double> values = any_values(random);
    for (AxisKind kind : {AxisKind::linear, AxisKind::logarithmic}) {
      expect_sound(Axis(kind, values, 250.0, 10.0), values, 250.0, 10.0);
      expect_sound(Axis(kind, values, 70.0, 500.0), values, 70.0, 500.0);
    }
    std::vector<double> forward;
    for (double v : values) forward.push_back(std::abs(v));
    expect_sound(Axis::from_zero(forward, 70.0, 500.0), forward, 70.0, 500.0);
    expect_sound(Axis::from_zero(forward, 70.0, 500.0, true), forward, 70.0, 500.0);
    if (::testing::Test::HasFailure()) return;
  }
}

// The label of a tick is the value at its place.
TEST(ChartAxis, TicksAreWhereTheirLabelsSay) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    testing::Random random(seed);
    const double low = random.log_uniform(1e-12, 1e3), high = low * random.log_uniform(1.5, 1e12);
    for (AxisKind kind : {AxisKind::linear, AxisKind::logarithmic}) {
      const Axis axis(kind, std::vector<double>{low, high}, 0.0, 100.0);
      const auto ticks = axis.ticks();
      EXPECT_GE(ticks.size(), 2u);
      for (const Axis::Tick& tick : ticks) {
        EXPECT_NEAR(axis.place(std::strtod(tick.label.c_str(), nullptr)), tick.place, 0.6) << tick.label;
      }
    }
  }
}

// There are no half iterations, nor tenths of them where there was none.
TEST(ChartAxis, WhatIsCountedHasWholeTicks) {
  for (int most = 0; most < 300; ++most) {
    const auto ticks = Axis::from_zero(std::vector<double>{0.0, static_cast<double>(most)}, 0.0, 100.0, true).ticks();
    EXPECT_GE(ticks.size(), 2u) << most;
    EXPECT_LE(ticks.size(), 12u) << most;
    for (const Axis::Tick& tick : ticks) {
      EXPECT_EQ(tick.value, std::floor(tick.value)) << most;
      EXPECT_EQ(tick.label, std::to_string(static_cast<int>(tick.value))) << most;
    }
  }
}

TEST(ChartAxis, ZeroHasAPlaceBelowEverythingElse) {
  const Axis axis(AxisKind::logarithmic, std::vector<double>{0.0, 1e-300, 1e-8, 1.0}, 250.0, 10.0);
  EXPECT_EQ(axis.place(0.0), 250.0);
  EXPECT_EQ(axis.place(-3.0), 250.0);
  EXPECT_EQ(axis.place(1e-300), 250.0);  // too small to be told from it
  EXPECT_LT(axis.place(1e-8), 240.0);
  EXPECT_LT(axis.place(1.0), axis.place(1e-8));
}

}  // namespace
}  // namespace pliant::report
