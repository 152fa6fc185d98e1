// What all interior-point methods share: ratio tests, centring, the loop.
#include "engines/interior/steps.hpp"

#include "engines/interior/predictor_corrector.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <limits>
#include <string>

namespace pliant::interior {
namespace {

using testing::Random;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(LongestStep, EndsAtTheFirstCoordinateThatVanishes) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 20);
    const Vector z = random.vector(n).cwiseAbs(), d = random.vector(n), ceiling = 1.5 * z + Vector::Ones(n);
    const double t = longest_step(z, d, 10.0);
    EXPECT_GE(t, 0.0);
    EXPECT_LE(t, 10.0);
    EXPECT_GE((z + t * d).minCoeff(), -1e-12);
    if (t < 10.0) {  // no longer one would do
      EXPECT_LT((z + (1.0 + 1e-9) * t * d).minCoeff(), 0.0);
    }
    const double u = longest_step_between(z, ceiling, d, 10.0);
    EXPECT_LE(u, t);
    EXPECT_GE((z + u * d).minCoeff(), -1e-12);
    EXPECT_GE((ceiling - z - u * d).minCoeff(), -1e-12);
    if (u < 10.0) {
      const Vector beyond = z + (1.0 + 1e-9) * u * d;
      EXPECT_LT(std::min(beyond.minCoeff(), (ceiling - beyond).minCoeff()), 0.0);
    }
  }
}

TEST(LongestStep, OddDirections) {
  EXPECT_EQ(longest_step(1.0, 0.0, 7.0), 7.0);
  EXPECT_EQ(longest_step(1.0, -0.0, 7.0), 7.0);
  EXPECT_EQ(longest_step(0.0, 0.0, 7.0), 7.0);
  EXPECT_EQ(longest_step(0.0, -1.0, 7.0), 0.0);
  EXPECT_EQ(longest_step(1.0, kInfinity, 7.0), 7.0);
  EXPECT_EQ(longest_step(1.0, -kInfinity, 7.0), 0.0);
  EXPECT_EQ(longest_step(1.0, kNan, 7.0), 0.0);
  EXPECT_EQ(longest_step(kNan, -1.0, 7.0), 0.0);
  EXPECT_EQ(longest_step(kInfinity, -kInfinity, 7.0), 0.0);
  EXPECT_EQ(longest_step(2.0, -1.0, kInfinity), 2.0);
  EXPECT_EQ(longest_step(Vector(), Vector(), 7.0), 7.0);
  const Vector z{{1.0, 1.0}}, ceiling{{2.0, 2.0}};
  EXPECT_EQ(longest_step(z, Vector{{1.0, kNan}}, 7.0), 0.0);
  EXPECT_EQ(longest_step_between(z, ceiling, Vector{{0.0, 0.0}}, 7.0), 7.0);
  EXPECT_EQ(longest_step_between(z, ceiling, Vector{{0.0, 0.5}}, 7.0), 2.0);
  EXPECT_EQ(longest_step_between(z, ceiling, Vector{{-0.25, 0.0}}, 7.0), 4.0);
  EXPECT_EQ(longest_step_between(z, ceiling, Vector{{0.0, kInfinity}}, 7.0), 0.0);
  EXPECT_EQ(longest_step_between(z, ceiling, Vector{{kNan, 0.0}}, 7.0), 0.0);
}

TEST(LongestStep, OfMatricesLeavesNoNegativeEigenvalue) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 8);
    const Matrix B = random.matrix(n, n), C = random.matrix(n, n);
    const Matrix Z = B * B.transpose() + Matrix::Identity(n, n), D = C + C.transpose();
    const Matrix L = Z.llt().matrixL();
    const double t = longest_matrix_step(L, D);
    const auto smallest = [&](double at) {
      return Eigen::SelfAdjointEigenSolver<Matrix>(Z + at * D).eigenvalues().minCoeff();
    };
    ASSERT_GT(t, 0.0);
    if (t == kInfinity) {
      EXPECT_GE(smallest(1e6), -1e-6);
    } else {
      EXPECT_NEAR(smallest(t), 0.0, 1e-8 * Z.norm() * (1.0 + t));
      EXPECT_GT(smallest(0.99 * t), 0.0);
    }
    EXPECT_EQ(longest_matrix_step(L, B * B.transpose()), kInfinity);
  }
  EXPECT_EQ(longest_matrix_step(Matrix::Identity(2, 2), Matrix::Constant(2, 2, kNan)), 0.0);
}

TEST(Damping, FullStepsWhereNothingStopsThem) {
  EXPECT_EQ(damped_where_stopped(1.0, 0.99), 1.0);
  EXPECT_DOUBLE_EQ(damped_where_stopped(0.5, 0.99), 0.495);
  EXPECT_EQ(damped(kInfinity, 0.95), 1.0);
  EXPECT_DOUBLE_EQ(damped(1.0, 0.95), 0.95);  // it ends at the boundary: not all the way
  const Steps t = damped(Steps{2.0, 0.5}, 0.9);
  EXPECT_EQ(t.primal, 1.0);
  EXPECT_DOUBLE_EQ(t.dual, 0.45);
  EXPECT_EQ(t.shorter(), t.dual);
  EXPECT_EQ(t.joined().primal, t.dual);
}

TEST(Centring, IsAPowerOfWhatThePredictorLeaves) {
  EXPECT_DOUBLE_EQ(centring(0.5, {}), 0.125);
  EXPECT_DOUBLE_EQ(centring(0.5, {.power = 1.0}), 0.5);
  EXPECT_EQ(centring(0.0, {.least = 1e-8}), 1e-8);
  EXPECT_EQ(centring(-1e-17, {.least = 1e-8, .power = 1.5}), 1e-8);  // rounding below 0
  EXPECT_EQ(centring(1.5, {}), 1.0);
  EXPECT_EQ(centring(0.1, {.least = 3.0}), 1.0);
  EXPECT_EQ(centring(0.1, {.least = 3.0, .most = kInfinity}), 3.0);
}

// Writes down what it is asked for; one of its steps fails in the round asked for.
struct Recorder {
  std::string calls;
  char failing = ' ';
  int rounds = 0, failing_round = 0;

  bool note(char step) {
    calls += step;
    return !(step == failing && rounds == failing_round);
  }
  void evaluate() { note('e'); }
  bool factorize() { return note('f'); }
  bool predict() { return note('p'); }
  double centring() {
    note('s');
    return 0.25;
  }
  bool correct(double sigma) {
    EXPECT_EQ(sigma, 0.25);
    return note('c');
  }
  bool move() {
    const bool moved = note('m');
    ++rounds;
    return moved;
  }
};

TEST(FollowPath, AsksInOrderAndStopsWhereToldTo) {
  Recorder engine;
  EXPECT_TRUE(follow_path(engine, [&] { return engine.rounds == 2; }));
  EXPECT_EQ(engine.calls, "efpscmefpscme");
  for (const std::string step : {"f", "p", "c", "m"}) {
    Recorder broken;
    broken.failing = step[0];
    broken.failing_round = 1;
    EXPECT_FALSE(follow_path(broken, [] { return false; }));
    const std::string whole = "efpscm";
    EXPECT_EQ(broken.calls, whole + whole.substr(0, whole.find(step) + 1));
  }
}

}  // namespace
}  // namespace pliant::interior
