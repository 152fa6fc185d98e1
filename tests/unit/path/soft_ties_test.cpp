// Support vector machines on categories: columns of 0 and 1 that add up to each other, many rows at their kinks together, prices
// far above all multipliers, and an intercept without curvature.
#include "pliant/solve.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using testing::Random;

struct Categories {
  Matrix A;  // of every group one column is 1, the last column is the intercept
  Vector y;
};

// Some levels are rare. Separable with a margin: whole weights decide, and rows that they hardly tell apart are left out.
Categories categories(Random& random, Index points, Index groups, Index levels) {
  const Index n = groups * levels + 1;
  Matrix shares(groups, levels);
  for (double& share : shares.reshaped()) share = -std::log(random.uniform(1e-12, 1.0));
  Vector weights(n);
  for (double& w : weights) w = static_cast<double>(random.integer(-2, 2));
  Categories out{Matrix::Zero(points, n), Vector::Zero(points)};
  Index kept = 0;
  while (kept < points) {
    out.A.row(kept).setZero();
    out.A(kept, n - 1) = 1.0;
    for (Index g = 0; g < groups; ++g) {
      double at = random.uniform(0.0, shares.row(g).sum());
      Index level = 0;
      while (level + 1 < levels && at > shares(g, level)) at -= shares(g, level++);
      out.A(kept, g * levels + level) = 1.0;
    }
    const double side = out.A.row(kept).dot(weights) - weights[n - 1];
    if (std::abs(side) < 2.0) continue;
    out.y[kept++] = side > 0.0 ? 1.0 : -1.0;
  }
  return out;
}

// 1/2 |w|^2 + price sum_i max(0, 1 - y_i (a_i'w + b)), by bands, and what is said of it from the raw data.
Result solved(const Categories& data, double price) {
  const Index n = data.A.cols();
  const auto m = static_cast<double>(data.y.size());
  Matrix P = Matrix::Identity(n, n);
  P(n - 1, n - 1) = 0.0;
  Problem problem(n);
  problem.minimize(quadratic(P, Vector::Zero(n)));
  problem.minimize(hinge(DataMatrix::from(data.A), to_array(data.y)), price * m);
  Settings settings;
  settings.tol_feas = settings.tol_gap = 1e-8;
  const Result result = solve(problem, settings);
  EXPECT_EQ(result.status, Status::optimal) << result.message;
  EXPECT_EQ(result.engine, "path / bands of soft rows");
  const Vector margins = data.y.cwiseProduct(data.A * result.x);
  const double value = 0.5 * result.x.dot(P * result.x) + price * (1.0 - margins.array()).max(0.0).sum();
  EXPECT_NEAR(result.certificate.objective, value, 1e-9 * (1.0 + value));
  EXPECT_LE(value - result.certificate.lower_bound, 1e-8 * (1.0 + value));
  return result;
}

// A ridge relative to the weights of rows at their kinks is more than the objective's curvature: the residual of the intercept was
// not worked off, and one instance in ten went to another engine after some 200 steps.
TEST(SoftTies, StepsComeToSomethingAlongDirectionsThatRowsLeaveFree) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 300);
    const Result result = solved(categories(random, 600, 12, 4), 1e4);
    EXPECT_LE(result.iterations, 40);
  }
}

// Multipliers of a hundredth of their prices lie five widths from their kinks: bands within fewer widths lost rows that tie, and
// were solved on again and again, 33 to 63 passes on average.
TEST(SoftTies, BandsKeepRowsThatTie) {
  const std::uint64_t seeds = 8;
  double passes = 0.0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 400);
    passes += solved(categories(random, 3000, 12, 6), 1.0).passes;
  }
  EXPECT_LE(passes / static_cast<double>(seeds), 36.0);
}

}  // namespace
}  // namespace pliant
