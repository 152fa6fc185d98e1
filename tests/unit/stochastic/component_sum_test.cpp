// The components add up to Phi, estimators are unbiased, smoothness constants are bounds, evaluations are counted.
#include "engines/stochastic/component_sum.hpp"

#include "support/sum_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

struct RandomPenalty {
  explicit RandomPenalty(std::uint64_t seed)
      : problem(testing::zoo(seed)), system(problem), phi(problem, system), random(1000 + seed) {
    problem.validate();
    phi.xi = random.log_uniform(0.1, 10.0);
    phi.delta = random.log_uniform(0.01, 1.0);
    phi.shift = 2.0 * phi.delta * random.vector(system.size());
  }
  Vector gradient(const Vector& x) {
    LagrangianEvaluation at;
    phi.evaluate(x, at);
    return at.gradient;
  }
  Index n() const { return problem.dimension(); }

  Problem problem;
  ConstraintSystem system;
  PenalizedFunction phi;
  Random random;
};

TEST(ComponentSum, ComponentsAndRidgeAddUpToTheGradient) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomPenalty s(seed);
    ComponentSum sum(s.phi, "test");
    const Vector x = s.random.vector(s.n());
    sum.refresh(x, 0.0);
    EXPECT_EQ(sum.size(), s.problem.components() - 4 + s.system.size());  // the term without weight is none
    Vector total = sum.ridge() * x;
    for (Index i = 0; i < sum.size(); ++i) sum.add_gradient(i, x, 1.0, total);
    const Vector expected = s.gradient(x);
    EXPECT_LE((total - expected).norm(), 1e-12 * (1.0 + expected.norm()));
    EXPECT_GE(sum.ridge(), 0.29);
  }
}

// sum_i p_i (grad h_i(x) - grad h_i(x~)) / p_i = grad Phi(x) - grad Phi(x~) up to the ridge, whatever p is.
TEST(ComponentSum, TheEstimatorIsUnbiased) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomPenalty s(seed);
    ComponentSum sum(s.phi, "test");
    InnerPoint snapshot;
    snapshot.x = s.random.vector(s.n());
    const Vector x = s.random.vector(s.n());
    if (seed % 2 == 0) {
      sum.refresh(snapshot.x, s.random.uniform());
    } else {
      sum.evaluate(snapshot);
      sum.refresh_around(snapshot.x, snapshot.at.a, 2.0 * (x - snapshot.x).norm(), 0.1);
    }
    sum.evaluate(snapshot);
    Vector mean = Vector::Zero(s.n());
    double probabilities = 0.0;
    for (Index i = 0; i < sum.size(); ++i) {
      probabilities += sum.probability(i);
      if (sum.probability(i) == 0.0) continue;
      const ComponentSum::Correction c = sum.correction(i, x);
      c.row.add(sum.probability(i) * c.coefficient, mean.data());
    }
    const Vector expected = s.gradient(x) - s.gradient(snapshot.x) - sum.ridge() * (x - snapshot.x);
    EXPECT_NEAR(probabilities, 1.0, 1e-12);
    EXPECT_LE((mean - expected).norm(), 1e-11 * (1.0 + expected.norm()));
    EXPECT_LE((snapshot.at.gradient - s.gradient(snapshot.x)).norm(), 1e-12 * (1.0 + snapshot.at.gradient.norm()));
  }
}

void expect_smooth(RandomPenalty& s, ComponentSum& sum, const Vector& x, const Vector& y) {
  for (Index i = 0; i < sum.size(); ++i) {
    Vector difference = Vector::Zero(s.n());
    sum.add_gradient(i, x, 1.0, difference);
    sum.add_gradient(i, y, -1.0, difference);
    const double rounding = 1e-12 * (1.0 + s.phi.xi) * (1.0 + x.squaredNorm() + y.squaredNorm());
    EXPECT_LE(difference.norm(), sum.smoothness(i) * (x - y).norm() + rounding) << "component " << i;
  }
}

TEST(ComponentSum, SmoothnessConstantsAreBounds) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomPenalty s(seed);
    ComponentSum sum(s.phi, "test");
    const Vector x = s.random.log_uniform(0.1, 10.0) * s.random.vector(s.n());
    sum.refresh(x, 0.0);
    EXPECT_NEAR(sum.step_smoothness(), sum.total_smoothness(), 1e-10 * sum.total_smoothness());
    expect_smooth(s, sum, x, x + s.random.log_uniform(1e-3, 10.0) * s.random.vector(s.n()));
  }
}

TEST(ComponentSum, LocalConstantsAreBoundsInTheBallAndNeverLarger) {
  double saved = 0.0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomPenalty s(seed);
    ComponentSum sum(s.phi, "test");
    InnerPoint centre;
    centre.x = s.random.vector(s.n());
    sum.evaluate(centre);
    const double radius = s.random.log_uniform(1e-3, 3.0);
    sum.refresh(centre.x, 0.0);
    const double everywhere = sum.total_smoothness();
    sum.refresh_around(centre.x, centre.at.a, radius, 0.0);
    EXPECT_LE(sum.total_smoothness(), everywhere * (1.0 + 1e-12));
    saved += sum.total_smoothness() < 0.9 * everywhere ? 1.0 : 0.0;
    for (int k = 0; k < 5; ++k) {
      const auto inside = [&] {
        const Vector d = s.random.vector(s.n());
        return Vector(centre.x + s.random.uniform() * radius / d.norm() * d);
      };
      expect_smooth(s, sum, inside(), inside());
    }
  }
  EXPECT_GE(saved, 30.0);
}

TEST(ComponentSum, CountsTheComponentsItEvaluates) {
  RandomPenalty s(5);
  ComponentSum sum(s.phi, "test");
  InnerPoint point;
  point.x = s.random.vector(s.n());
  sum.refresh(point.x, 0.0);
  sum.evaluate(point);
  const Index objective = s.phi.component_evaluations(), rows = s.system.evaluations();
  const double passes = s.system.passes();
  Index scalar = 0, other = 0;
  for (Index i = 0; i < sum.size(); ++i) {
    if (sum.probability(i) == 0.0) continue;
    sum.correction(i, point.x);
    (sum.scalar(i) ? scalar : other) += 1;
  }
  sum.settle();
  EXPECT_EQ(s.phi.component_evaluations() + s.system.evaluations(), objective + rows + scalar + 2 * other);
  EXPECT_GT(scalar, 0);
  EXPECT_GT(other, 0);
  EXPECT_GT(s.system.passes(), passes);
  EXPECT_LE(s.system.passes(), passes + 3.0);
}

TEST(ComponentSum, RowsWithoutAnyConstantAreRefusedInOneLine) {
  // a = x0^2/2 + x1: no C0, C1 exist, and nothing bounds the variables.
  Problem problem(2);
  problem.minimize(linear(Doubles({1.0, 1.0})));
  problem.subject_to(quadratic_le(Tensor({1, 2, 2}, Doubles({1.0, 0.0, 0.0, 0.0})), Tensor({1, 2}, Doubles({0.0, 1.0})),
                                  Doubles({-1.0})));
  ConstraintSystem system(problem);
  PenalizedFunction phi(problem, system);
  ComponentSum sum(phi, "test");
  EXPECT_THROW(sum.refresh(Vector::Zero(2), 0.0), InputError);
  problem.regularize(box(Doubles({-1.0, -1.0}), Doubles({1.0, 1.0})));
  ComponentSum bounded(phi, "test");
  bounded.refresh(Vector::Zero(2), 0.0);
  EXPECT_TRUE(std::isfinite(bounded.total_smoothness()));
}

// Rows so far below zero that their curvature is a denormal number, or 0, or just not: steps stay finite.
TEST(ComponentSum, FlatPenaltiesHaveFiniteSteps) {
  for (double depth = 300.0; depth < 800.0; depth += 1.0) {
    SCOPED_TRACE(depth);
    Problem p(1);
    p.regularize(l2_squared(1, 1.0));
    p.subject_to(linear_le(DataMatrix::from(Matrix::Ones(1, 1)), to_array(Vector::Constant(1, depth))));
    ConstraintSystem system(p);
    PenalizedFunction phi(p, system);
    phi.xi = phi.delta = 1.0;
    ComponentSum sum(phi, "test");
    InnerPoint point;
    point.x = Vector::Zero(1);
    sum.evaluate(point);
    sum.refresh_around(point.x, point.at.a, 1e-3, 0.0);
    EXPECT_GT(sum.step_smoothness(), 0.0);
    EXPECT_TRUE(std::isfinite(1.0 / sum.step_smoothness()));
    EXPECT_EQ(sum.probability(0), 1.0);
  }
}

}  // namespace
}  // namespace pliant
