// The published baselines of bench/ solve what they claim to solve.
#include "baselines.hpp"

#include "support/projection.hpp"
#include "support/sum_problems.hpp"

#include <gtest/gtest.h>

namespace pliant::bench {
namespace {

using testing::Projection;
using testing::projection;
using testing::Random;

// Error of the last point within the budget, relative to the given solution.
double final_error(Baseline baseline, const Projection& p, double parameter, Index budget, const Vector& solution) {
  const ConstrainedSum form(p.problem);
  double error = 1.0;
  Index last = -1;
  baseline(form, {parameter, 1.0, 7}, [&](Index evaluations, const Vector& x) {
    EXPECT_GT(evaluations, last);
    last = evaluations;
    error = (x - solution).norm() / solution.norm();
    return evaluations >= budget;
  });
  return error;
}

// Where x_j <= h_j is active: (1 + mu) x - c + w (x - h) = 0.
TEST(Baselines, QuadraticDistanceConvergesToItsPenalisedSolution) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Projection p = projection(random, 6, 4, 0.2);
    for (const double w : {1.0, 30.0}) {
      Vector penalised = p.c / (1.0 + p.mu);
      for (Index j = 0; j < 6; ++j) {
        if (penalised[j] > p.h[j]) penalised[j] = (p.c[j] + w * p.h[j]) / (1.0 + p.mu + w);
      }
      EXPECT_LE(final_error(quadratic_distance, p, w, 200'000, penalised), 1e-10);
      EXPECT_GT(final_error(quadratic_distance, p, w, 200'000, p.x), 1e-3);
    }
  }
}

TEST(Baselines, PrimalDualAndHomotopyApproachTheSolution) {
  for (std::uint64_t seed = 10; seed < 13; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Projection p = projection(random, 6, 4, 0.2);
    EXPECT_LE(final_error(spdhg, p, 1.0, 400'000, p.x), 1e-3);
    EXPECT_LE(final_error(sasc_sgd, p, 1.0, 400'000, p.x), 5e-2);
  }
}

// z = prox of t phi at v satisfies z + t phi'(z) = v.
TEST(Baselines, ProximalStepsOfLossesAreExact) {
  Random random(20);
  const Index n = 4, l = 12;
  Problem p(n);
  p.minimize(logistic(DataMatrix::from(random.matrix(l, n)), Doubles(testing::signs(random, l))), 5.0);
  p.regularize(l2_squared(n, 1.0));
  p.subject_to(testing::random_linear(random, 3, n));
  const ConstrainedSum form(p);
  for (int k = 0; k < 200; ++k) {
    const Index i = random.integer(0, l - 1);
    const double t = random.log_uniform(1e-3, 1e4), v = 30.0 * random.normal();
    const double z = form.prox(i, v, t);
    // phi'(z) from the component's own gradient at a point with row'x = z.
    const Vector x = form.row(i) * (z / form.row(i).squaredNorm());
    Vector gradient = Vector::Zero(n);
    form.add_gradient(i, x, 1.0, gradient);
    const double slope = gradient.dot(form.row(i)) / form.row(i).squaredNorm();
    EXPECT_NEAR(z + t * slope, v, 1e-9 * (1.0 + std::abs(v) + t));
  }
}

TEST(Baselines, RefuseOtherProblems) {
  Random random(30);
  Problem curved(4);
  curved.regularize(l2_squared(4, 1.0));
  curved.subject_to(testing::random_log_sum_exp(random, 3, 4));
  EXPECT_THROW(ConstrainedSum{curved}, InputError);
  Problem flat(4);
  flat.subject_to(testing::random_linear(random, 3, 4));
  EXPECT_THROW(ConstrainedSum{flat}, InputError);
  EXPECT_THROW(find_baseline("spdgh"), InputError);
}

}  // namespace
}  // namespace pliant::bench
