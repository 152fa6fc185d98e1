// Batches of draws, least radii, and what sampling methods refuse.
#include "engines/make_inner_method.hpp"
#include "engines/stochastic/component_sum.hpp"
#include "parallel/parallel.hpp"
#include "pliant/solve.hpp"
#include "support/fixed_penalty.hpp"
#include "support/sum_problems.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include <cmath>
#include <cstring>

namespace pliant {
namespace {

using testing::FixedPenalty;
using testing::Random;

TEST(Batches, AverageTheirCorrections) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    FixedPenalty f(testing::zoo(seed));
    Random random(seed);
    ComponentSum sum(f.phi, "test");
    InnerPoint snapshot;
    snapshot.x = random.vector(f.problem.dimension());
    sum.refresh(snapshot.x, 0.1);
    sum.evaluate(snapshot);
    const Vector x = random.vector(f.problem.dimension());
    std::vector<Index> drawn;
    Vector expected = Vector::Zero(x.size());
    for (Index b = 0; b < 40; ++b) {
      drawn.push_back(sum.draw(random.uniform()));
      const ComponentSum::Correction c = sum.correction(drawn.back(), x);
      c.row.add(c.coefficient / 40.0, expected.data());
    }
    sum.settle();
    const Index before = f.phi.component_evaluations() + f.system.evaluations();
    Vector mean(x.size());
    sum.mean_correction(drawn, x, mean);
    sum.settle();
    EXPECT_LE((mean - expected).norm(), 1e-12 * (1.0 + expected.norm()));
    Index cost = 0;
    for (const Index i : drawn) cost += sum.scalar(i) ? 1 : 2;
    EXPECT_EQ(f.phi.component_evaluations() + f.system.evaluations() - before, cost);
  }
}

TEST(Batches, TheSumIsAsSmoothAsClaimed) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    FixedPenalty f(testing::zoo(seed));
    Random random(seed);
    ComponentSum sum(f.phi, "test");
    const Vector x = random.vector(f.problem.dimension());
    const Vector y = x + random.log_uniform(1e-3, 1.0) * random.vector(x.size());
    sum.refresh(x, 0.0);
    EXPECT_LE(sum.sum_smoothness(), sum.total_smoothness());
    const Vector change = f.gradient(x) - f.gradient(y) - sum.ridge() * (x - y);
    EXPECT_LE(change.norm(), sum.sum_smoothness() * (x - y).norm() * (1.0 + 1e-9));
  }
}

// Where every penalty has its greatest curvature the bound is all but attained.
TEST(Batches, TheSmoothnessOfTheSumIsTight) {
  Random random(1);
  const Matrix A = random.matrix(400, 20), G = random.matrix(300, 20);
  Problem p(20);
  p.minimize(least_squares(DataMatrix::from(A), Doubles(random.numbers(400))), 2.0);
  p.regularize(l2_squared(20, 0.1));
  p.subject_to(linear_le(DataMatrix::from(G), to_array(Vector(Vector::Zero(300)))));
  FixedPenalty f(std::move(p));
  ComponentSum sum(f.phi, "test");
  sum.refresh(Vector::Zero(20), 0.0);
  const auto largest = [](const Matrix& H) {
    return Eigen::SelfAdjointEigenSolver<Matrix>(H).eigenvalues().maxCoeff();
  };
  const Matrix losses = 2.0 / 400.0 * A.transpose() * A;
  const Matrix penalties = f.phi.xi / (4.0 * f.phi.delta) * G.transpose() * G;
  EXPECT_GE(sum.sum_smoothness(), largest(losses + penalties) * (1.0 - 1e-9));
  EXPECT_LE(sum.sum_smoothness(), (largest(losses) + largest(penalties)) * 1.01);
  EXPECT_LE(sum.sum_smoothness(), 0.3 * sum.total_smoothness());
}

constexpr Method kWithBatches[] = {Method::svrg, Method::loopless_svrg, Method::catalyst_svrg, Method::katyusha,
                                   Method::loopless_katyusha};

class BatchMethods : public ::testing::TestWithParam<Method> {};

TEST_P(BatchMethods, ReachTheMinimiser) {
  for (const Index batch : {3, 16, 1000}) {
    SCOPED_TRACE(batch);
    Problem p = testing::zoo(static_cast<std::uint64_t>(batch));
    p.regularize(l2_squared(p.dimension(), 20.0));
    FixedPenalty f(std::move(p));
    InnerPoint point;
    point.x = Vector::Zero(f.problem.dimension());
    Index count = 0;
    make_inner_method(GetParam(), f.problem, 1, {batch})->minimize(f.phi, point, [&](const InnerPoint& at) {
      return at.residual <= 1e-7 || ++count > 20000;
    });
    Vector r(point.x.size());
    f.problem.prox().residual(point.x, f.gradient(point.x), r);
    EXPECT_LE(r.norm(), 1.1e-7);
  }
}

// Large enough for threads to share a batch.
TEST_P(BatchMethods, DoNotDependOnThreads) {
  Random random(4);
  Problem p(200);
  p.minimize(least_squares(DataMatrix::from(random.matrix(3000, 200)), Doubles(random.numbers(3000))));
  p.regularize(l2_squared(200, 0.1));
  FixedPenalty f(std::move(p));
  const auto x = [&](int threads) {
    const parallel::ThreadScope scope(threads);
    InnerPoint point;
    point.x = Vector::Zero(200);
    make_inner_method(GetParam(), f.problem, 5, {1000})
        ->advance(
            f.phi, point, [](const InnerPoint&) { return false; }, 3);
    return point.x;
  };
  const Vector one = x(1), three = x(3);
  EXPECT_GT(one.norm(), 0.0);
  EXPECT_EQ(std::memcmp(one.data(), three.data(), 200 * sizeof(double)), 0);
}

INSTANTIATE_TEST_SUITE_P(Methods, BatchMethods, ::testing::ValuesIn(kWithBatches));

// At a minimiser |r|/mu leaves no room for a step; a ball in which no penalty changes its curvature costs nothing.
TEST(Balls, AreNeverSmallerThanWhatPenaltiesNotice) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = 8, m = 30;
    const Matrix G = random.matrix(m, n);
    Problem p(n);
    p.minimize(least_squares(DataMatrix::from(random.matrix(5, n)), Doubles(random.numbers(5))));
    p.regularize(l2_squared(n, 1.0));
    FixedPenalty free(p);
    p.subject_to(linear_le(DataMatrix::from(G), to_array(random.vector(m))));
    FixedPenalty f(std::move(p));
    f.phi.delta = random.log_uniform(1e-4, 1.0);
    InnerPoint point;
    point.x = random.vector(n);
    ComponentSum sum(f.phi, "test");
    sum.evaluate(point);
    const double steepest = G.rowwise().norm().maxCoeff();
    const double radius = sum.refresh_around(point.x, point.at.a, 0.0, 0.0);
    EXPECT_NEAR(radius * steepest / f.phi.delta, 0.01, 1e-6);
    const double given = sum.refresh_around(point.x, point.at.a, 3.0 * radius, 0.0);
    EXPECT_EQ(given, 3.0 * radius);

    ComponentSum losses(free.phi, "test");
    losses.evaluate(point);
    EXPECT_EQ(losses.refresh_around(point.x, point.at.a, 0.0, 0.0), kInfinity);
  }
}

std::string refusal(const Problem& p, Method method, Index batch = 1, std::optional<Index> memory = {}) {
  Settings s;
  s.method = method;
  s.batch_size = batch;
  s.memory_limit = memory;
  try {
    choose(p, s);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SamplingMethods, RefuseBeforeTheyStart) {
  Random random(1);
  Problem flat(3);
  flat.minimize(linear(Doubles({1.0, 2.0, 3.0})));
  flat.regularize(l2_squared(3, 1.0));
  EXPECT_EQ(refusal(flat, Method::svrg), "--method svrg: nothing to sample, every component is linear");
  EXPECT_EQ(refusal(flat, Method::rpdg), "--method rpdg: nothing to sample, every component is linear");

  Problem norm(3);  // goes to the prox as a whole
  norm.minimize(quadratic(DataMatrix::from(2.0 * Matrix::Identity(3, 3)), Doubles({1.0, 2.0, 3.0})));
  EXPECT_EQ(refusal(norm, Method::katyusha), "--method katyusha: nothing to sample, every component is linear");

  Problem huge(2);  // squares of its entries overflow
  huge.regularize(l2_squared(2, 1.0));
  huge.subject_to(linear_le(DataMatrix::from((Matrix(2, 2) << 1.0, 0.0, 1e200, 1.0).finished()), Doubles({1.0, 1.0})));
  EXPECT_EQ(refusal(huge, Method::katyusha),
            "--method katyusha: row 1 of the linear constraints has no finite smoothness constant");

  Problem unbounded(2);  // no C0, C1, no strong convexity, no bounds
  unbounded.minimize(linear(Doubles({1.0, 1.0})));
  unbounded.subject_to(quadratic_le(Tensor({1, 2, 2}, Doubles({1.0, 0.0, 0.0, 0.0})),
                                    Tensor({1, 2}, Doubles({0.0, 1.0})), Doubles({-1.0})));
  EXPECT_EQ(refusal(unbounded, Method::svrg).find("--method svrg: there is no step size"), 0u);

  Problem curved(3);
  curved.regularize(l2_squared(3, 1.0));
  curved.subject_to(testing::random_quadratic(random, 50, 3));
  EXPECT_EQ(refusal(curved, Method::rpdg), "accepted");
  EXPECT_EQ(refusal(curved, Method::rpdg, 1, 2399).find("--method rpdg: keeps two vectors"), 0u);
  EXPECT_EQ(refusal(curved, Method::rpdg, 1, 2400), "accepted");
}

TEST(SamplingMethods, TakeBatchesWhereTheyCan) {
  Problem p = testing::zoo(1);
  for (const Method method : kWithBatches) EXPECT_EQ(refusal(p, method, 4), "accepted");
  for (const Method method :
       {Method::automatic, Method::path, Method::apg, Method::lbfgs, Method::rpdg, Method::sdca}) {
    EXPECT_EQ(refusal(p, method, 4).find("--batch-size: does not apply to --method " + std::string(to_string(method))),
              0u);
  }
}

}  // namespace
}  // namespace pliant
