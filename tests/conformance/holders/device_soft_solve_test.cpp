// Whole solves with soft rows on a device against those of this memory, and what is refused.
#include "conformance/holders/device_soft.hpp"
#include "solve/solve_beside.hpp"
#include "solve/solve_soft_beside.hpp"
#include "support/refusal.hpp"

#include <gmock/gmock.h>

namespace pliant::testing {
namespace soft_on_device {
namespace {

using ::testing::HasSubstr;

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

// Where hardly anything may come here.
TEST(DeviceSoft, SharpenedBySamples) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    SoftData data(random, kLosses[seed], random.integer(2, 6), random.integer(20000, 40000));
    const SoftOnDevice soft = soft_on_card(data);
    const Problem problem = data.beside();
    const Settings settings = tight();
    Vector first;
    for (int again = 0; again < 2; ++again) {
      const SolveHooks hooks;
      Context context(problem, settings, hooks);
      DeviceSoft mass(soft.rows, prices_of(soft.loss, soft.parameter, soft.weight, data.h.size()), soft.weights,
                      context.system(), {1, 100, 1, 100});
      InnerPoint point = start_beside(problem, hooks);
      const EndBesideSoft end =
          solve_beside_soft(context, point, mass, hooks, "on a device", [](const EndBesideSoft&) {});
      ASSERT_EQ(end.result.status, Status::optimal) << end.result.message;
      const double objective = data.objective(end.result.x);
      EXPECT_NEAR(end.result.certificate.objective, objective, 1e-10 * (1.0 + objective));
      EXPECT_NEAR(objective, solve(data.whole(), settings).certificate.objective, 3e-8 * (1.0 + objective));
      if (again == 0) {
        first = end.result.x;
      } else {
        EXPECT_EQ(end.result.x, first);
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
  SoftData wide(random, SoftLoss::absolute, 513, 4);
  EXPECT_THAT(refusal_of([&] { solve(wide.beside(), soft_on_card(wide), tight()); }), HasSubstr("at most 512"));
}

}  // namespace
}  // namespace soft_on_device
}  // namespace pliant::testing
