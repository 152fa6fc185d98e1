// The exact dual value: below the optimum for every multiplier, equal to it at the solution.
#include "certify/exact_dual.hpp"

#include "pliant/certificate.hpp"
#include "pliant/svec.hpp"
#include "support/covering_ellipsoid.hpp"
#include "support/symmetric.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant::testing {
namespace {

Doubles row_major(const Matrix& M) {
  const Matrix transposed = M.transpose();
  return to_array(transposed.reshaped());
}

Problem covering_problem(const Matrix& points) {
  const Index m = points.rows(), d = points.cols();
  Problem problem(svec_size(d + 1));
  problem.minimize(log_det(d + 1));
  problem.subject_to(rank_one_lifted_le(Tensor({m, d}, row_major(points)), to_array(Vector::Ones(m))));
  return problem;
}

Matrix random_points(Random& random, Index m, Index d) {
  return random.matrix(m, d) * (random.matrix(d, d) + 2.0 * Matrix::Identity(d, d)) +
         Vector::Ones(m) * random.vector(d).transpose();
}

// log det(sum lambda q q' + C) in extended precision.
long double long_dual_log_det(const Matrix& points, const Vector& lambda, const LongMatrix& C) {
  LongMatrix M = C;
  for (Index i = 0; i < points.rows(); ++i) {
    Eigen::Matrix<long double, Eigen::Dynamic, 1> q(points.cols() + 1);
    q << points.row(i).transpose().cast<long double>(), 1.0L;
    M += static_cast<long double>(lambda[i]) * q * q.transpose();
  }
  return long_log_det(M);
}

TEST(ExactDual, IsTightAtTheSolutionOfAnIndependentSolver) {
  for (Index d = 2; d <= 4; ++d) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(::testing::Message() << "d " << d << " seed " << seed);
      Random random(100 * seed + static_cast<std::uint64_t>(d));
      const Matrix points = random_points(random, 200, d);
      const Problem problem = covering_problem(points);
      problem.validate();
      const CoveringEllipsoid solution = covering_ellipsoid(points, 1e-8);
      const Certificate c = certify(problem, svec(solution.X), Multipliers{{solution.multipliers}, {}});
      EXPECT_TRUE(c.lower_bound_rigorous());
      EXPECT_NEAR(c.objective, solution.upper, 1e-10 * (1.0 + std::abs(solution.upper)));
      EXPECT_NEAR(c.lower_bound, solution.lower, 1e-8 * (1.0 + std::abs(solution.lower)));  // rounding is taken off
      EXPECT_LE(c.violation_linf, 1e-12);
      EXPECT_LE(std::abs(c.gap_abs()), 2e-8);
      EXPECT_GE(c.active, d + 1);
      EXPECT_TRUE(c.satisfies(Settings{}));
    }
  }
}

// Any multipliers of any size, at any point, inside the domain of -log det or not.
TEST(ExactDual, NeverExceedsTheOptimum) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(7000 + seed);
    const Index d = random.integer(1, 4), m = 60, n = svec_size(d + 1);
    const Matrix points = random_points(random, m, d);
    const Problem problem = covering_problem(points);
    const CoveringEllipsoid solution = covering_ellipsoid(points, 1e-7);
    for (int trial = 0; trial < 20; ++trial) {
      Vector lambda = solution.multipliers;
      const double noise = trial % 2 == 0 ? random.log_uniform(1e-6, 1.0) : 10.0;
      for (double& t : lambda) t = std::max(0.0, t + noise * random.normal());
      lambda *= random.log_uniform(1e-3, 1e3);
      const Vector x = trial % 3 == 0 ? random.vector(n) : svec(definite_matrix(random, d + 1));
      const Certificate c = certify(problem, x, Multipliers{{lambda}, {}});
      ASSERT_TRUE(c.lower_bound_rigorous());
      EXPECT_LE(c.lower_bound, solution.upper + 1e-10 * (1.0 + std::abs(solution.upper)));
      // Scaled so that sum lambda b = p.
      const double order = static_cast<double>(d + 1);
      const Vector scaled = lambda * (order / lambda.sum());
      const auto expected = static_cast<double>(long_dual_log_det(points, scaled, LongMatrix::Zero(d + 1, d + 1)));
      EXPECT_LE(c.lower_bound, expected + 1e-15 * (1.0 + std::abs(expected)));
      EXPECT_NEAR(c.lower_bound, expected, 1e-8 * (1.0 + std::abs(expected)));
    }
  }
}

TEST(ExactDual, MultipliersThatDoNotSpanProveNothing) {
  Random random(3);
  const Matrix points = random_points(random, 30, 3);
  const Problem problem = covering_problem(points);
  Vector lambda = Vector::Zero(30);
  const Vector x = svec(definite_matrix(random, 4));
  EXPECT_FALSE(certify(problem, x, Multipliers{{lambda}, {}}).lower_bound_rigorous());
  // Outside the domain not even the Lagrangian is an estimate.
  const Certificate outside = certify(problem, -x, Multipliers{{lambda}, {}});
  EXPECT_EQ(outside.objective, kInfinity);
  EXPECT_EQ(outside.lower_bound, -kInfinity);
  EXPECT_FALSE(outside.satisfies(Settings{}));
}

// w (-log det X) + <C, X> + constant: the value is w (log det(N/w) + p) - sum lambda b + constant, N = C + sum lambda
// qq'.
TEST(ExactDual, TakesWeightsAndLinearTerms) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(9000 + seed);
    const Index d = 2, p = 3, m = 15;
    const double w = random.log_uniform(0.1, 10.0), constant = random.normal();
    const Matrix points = random_points(random, m, d);
    const Matrix C = definite_matrix(random, p);
    const Vector b = random.vector(m).cwiseAbs() + Vector::Ones(m);
    Problem problem(svec_size(p));
    problem.minimize(log_det(p), w).minimize(linear(to_array(svec(C)), constant));
    problem.subject_to(rank_one_lifted_le(Tensor({m, d}, row_major(points)), to_array(b)));
    Vector lambda = random.vector(m).cwiseMax(0.0);
    ConstraintSystem system(problem);
    const double dual = exact_dual_value(problem, system, lambda).value();
    const long double log_det_N = long_dual_log_det(points, lambda, C.cast<long double>());
    const auto expected =
        static_cast<double>(w * (log_det_N - p * std::log(static_cast<long double>(w)) + p) - lambda.dot(b) + constant);
    EXPECT_LE(dual, expected + 1e-15 * (1.0 + std::abs(expected)));
    EXPECT_NEAR(dual, expected, 1e-9 * (1.0 + std::abs(expected)));
    // Only rows with a multiplier are read.
    EXPECT_NEAR(system.passes(), static_cast<double>((lambda.array() > 0.0).count()) / m, 1e-12);
    for (int trial = 0; trial < 20; ++trial) {
      Vector x = svec(definite_matrix(random, p)), a(m);
      problem.batches()[0]->values(Vector::Zero(x.size()), Rows::range(0, m), a);
      const Vector constants = -a;
      problem.batches()[0]->values(x, Rows::range(0, m), a);
      x /= ((a + constants).array() / constants.array()).maxCoeff();  // now feasible
      EXPECT_LE(dual, problem.objective(x) + 1e-9);
    }
  }
}

// min -log det X under trace X = tau: X = tau/p I with multiplier p/tau.
TEST(ExactDual, TakesEqualitiesOfEitherSign) {
  for (const double sign : {1.0, -1.0}) {
    const Index p = 4;
    const double tau = 2.5;
    Problem problem(svec_size(p));
    problem.minimize(log_det(p));
    problem.equal(DataMatrix::from(sign * svec(Matrix::Identity(p, p)).transpose()), Doubles({sign * tau}));
    const Vector x = svec(Matrix::Identity(p, p) * (tau / p));
    const double optimum = -p * std::log(tau / p);
    const Certificate c = certify(problem, x, Multipliers{{}, Vector::Constant(1, sign * p / tau)});
    EXPECT_TRUE(c.lower_bound_rigorous());
    EXPECT_NEAR(c.lower_bound, optimum, 1e-13);
    EXPECT_FALSE(certify(problem, x, Multipliers{{}, Vector::Constant(1, -sign)}).lower_bound_rigorous());
  }
}

TEST(ExactDual, AppliesOnlyWhereItIsExact) {
  Random random(5);
  const Index p = 2, n = 3;
  const Vector x = svec(definite_matrix(random, p));
  const auto applies = [&](const Problem& problem, const Vector& multipliers) {
    ConstraintSystem system(problem);
    return exact_dual_value(problem, system, multipliers).has_value();
  };
  Problem problem(n);
  problem.minimize(log_det(p));
  problem.subject_to(linear_le(DataMatrix::from(random.matrix(2, n)), Doubles({1.0, 1.0})));
  problem.subject_to(quadratic_diagonal_le(Tensor({1, n}, Doubles({1.0, 1.0, 1.0})),
                                           Tensor({1, n}, Doubles({0.0, 0.0, 0.0})), Doubles({-1.0})));
  EXPECT_TRUE(applies(problem, Vector{{1.0, 0.0, 0.0}}));  // the curved row has no multiplier
  EXPECT_FALSE(applies(problem, Vector{{1.0, 0.0, 1e-9}}));
  Problem two = problem;
  two.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(Vector::Zero(n))));
  EXPECT_FALSE(applies(two, Vector::Zero(3)));
  Problem with_prox = problem;
  with_prox.regularize(l1(n, 0.1));
  EXPECT_FALSE(applies(with_prox, Vector::Zero(3)));
}

}  // namespace
}  // namespace pliant::testing
