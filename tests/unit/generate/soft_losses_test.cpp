// The soft families stand for the losses they are named after: judged by the stored numbers and plain formulas.
#include "raw_data.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using testing::Random;
using testing::to_dense;
using Values = std::map<std::string, double>;

struct Soft {
  Problem problem;
  Matrix G;
  Vector h, weights;

  Soft(const std::string& family, Values values) : problem(generate(family, with_seed(std::move(values)))) {
    G = to_dense(testing::linear_matrix(problem));
    const Doubles& rhs = testing::linear_rhs(problem);
    h = Eigen::Map<const Vector>(rhs.data(), rhs.size());
    const Doubles& caps = problem.caps(0);
    weights = Eigen::Map<const Vector>(caps.data(), caps.size());
  }
  static Values with_seed(Values values) {
    values["seed"] = static_cast<double>(testing::base_seed() % 100000);
    return values;
  }
};

double pinball(double tau, double r) { return std::max(tau * r, (tau - 1.0) * r); }

TEST(SoftLosses, QuantileIsTheMeanPinballLoss) {
  Random random(testing::base_seed() + 1);
  for (const double tau : {0.05, 0.5, 0.9}) {
    const Soft soft("quantile", {{"n", 5}, {"m", 400}, {"tau", tau}});
    EXPECT_TRUE((soft.G.col(0).array() == 1.0).all());
    for (int k = 0; k < 5; ++k) {
      const Vector x = random.vector(5);
      double mean = 0.0;
      for (Index i = 0; i < 400; ++i) mean += pinball(tau, soft.h[i] - soft.G.row(i).dot(x)) / 400.0;
      EXPECT_NEAR(soft.problem.objective(x), mean, 1e-11 * (1.0 + mean));
    }
  }
}

TEST(SoftLosses, AbsoluteIsTheMeanDeviationWithTheAskedShareOfGrossErrors) {
  Random random(testing::base_seed() + 2);
  const Soft soft("absolute", {{"n", 4}, {"m", 2000}, {"outliers", 0.25}});
  const Vector x = random.vector(4);
  const Vector r = soft.h - soft.G * x;
  EXPECT_NEAR(soft.problem.objective(x), r.cwiseAbs().mean(), 1e-11 * (1.0 + r.cwiseAbs().mean()));
  // The planted coefficients are not stored: least squares on all samples is off by the mean of the errors, so that
  // what lies 25 above its fit is an error of at least 50. Six standard deviations of the share are 0.06.
  const Vector fit = soft.G.colPivHouseholderQr().solve(soft.h);
  const Vector left = soft.h - soft.G * fit;
  EXPECT_NEAR(static_cast<double>((left.array() > 25.0).count()) / 2000.0, 0.25, 0.06);
}

TEST(SoftLosses, HingeIsTheSoftMargin) {
  Random random(testing::base_seed() + 3);
  const Soft soft("hinge", {{"n", 6}, {"m", 300}, {"C", 7.0}, {"intercept", 0.5}});
  EXPECT_TRUE((soft.G.col(5).array().abs() == 1.0).all());
  EXPECT_TRUE((soft.h.array() == -1.0).all());
  const Vector w = random.vector(6);
  const double margin = 0.5 * w.head(5).squaredNorm() + 0.25 * w[5] * w[5];
  const double loss = (1.0 + (soft.G * w).array()).max(0.0).mean();
  EXPECT_NEAR(soft.problem.objective(w), margin + 7.0 * loss, 1e-11 * (1.0 + margin + 7.0 * loss));
}

// The least over alpha is the mean of the worst losses.
TEST(SoftLosses, CvarIsTheMeanOfTheWorstLosses) {
  const Index n = 6, m = 400;
  const Soft soft("cvar", {{"n", 6.0}, {"m", 400.0}, {"beta", 0.9}});
  Random random(testing::base_seed() + 4);
  Vector w(n - 1);
  for (Index j = 0; j < n - 1; ++j) w[j] = random.uniform();
  w /= w.sum();
  std::vector<double> losses;
  for (Index i = 0; i < m; ++i) losses.push_back(soft.G.row(i).head(n - 1).dot(w));
  std::sort(losses.begin(), losses.end(), std::greater<>());
  double worst = 0.0;
  for (std::size_t k = 0; k < 40; ++k) worst += losses[k] / 40.0;
  Vector x(n);
  x << w, losses[39];
  Vector only_means = x;
  only_means[n - 1] = 0.0;
  const double means = soft.problem.smooth_value(only_means);  // - mean'w
  EXPECT_NEAR(soft.problem.objective(x) - means, worst, 1e-12);
  EXPECT_LT(means, 0.0);
  for (const double step : {-1e-3, 1e-3}) {
    Vector other = x;
    other[n - 1] += step;
    EXPECT_GE(soft.problem.objective(other), soft.problem.objective(x) - 1e-12);
  }
}

TEST(SoftLosses, TooFewSamplesAreRefused) {
  EXPECT_THROW(generate("quantile", {{"n", 5}, {"m", 4}}), InputError);
  EXPECT_THROW(generate("absolute", {{"n", 5}, {"m", 4}}), InputError);
  EXPECT_THROW(generate("quantile", {{"tau", 1.0}}), InputError);
  EXPECT_THROW(generate("cvar", {{"beta", 0.0}}), InputError);
}

}  // namespace
}  // namespace pliant
