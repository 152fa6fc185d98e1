// Where a bound is an estimate, tolerances decide: what they accept must be near the optimum, whatever size objective and
// domain have.
#include "pliant/certificate.hpp"
#include "pliant/solve.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

// A term psi, how large its domain is, and the least value of c'x over it.
struct Domain {
  ProxPtr psi;
  double least;
};

Vector signed_costs(Random& random, Index n, double size) {
  Vector c(n);
  for (double& entry : c) entry = size * random.uniform(0.5, 1.0) * (random.uniform() < 0.5 ? -1.0 : 1.0);
  return c;
}

std::vector<Domain> domains(const Vector& c, double radius) {
  const Index n = c.size();
  const Doubles lower = to_array(Vector::Constant(n, -radius)), upper = to_array(Vector::Constant(n, radius));
  return {{ball(n, radius), -radius * c.norm()},
          {simplex(n, radius), radius * c.minCoeff()},
          {box(lower, upper), -radius * c.lpNorm<1>()}};
}

// Points that are not near the solution, under objectives of any size and with constants beside which much looks small.
TEST(Estimate, DoesNotTakeANarrowDomainForASmallGradient) {
  int satisfied = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 6);
    const double size = random.log_uniform(1e-3, 1e12), radius = random.log_uniform(1e-6, 1e4);
    const Vector c = signed_costs(random, n, size);
    const double constant = seed % 3 == 0 ? size * random.log_uniform(1e-3, 1e5) : 0.0;
    for (const Domain& domain : domains(c, radius)) {
      SCOPED_TRACE(domain.psi->kind());
      Problem problem(n);
      problem.minimize(linear(to_array(c), constant));
      problem.regularize(domain.psi);
      Vector x = radius * random.log_uniform(1e-9, 1.0) * random.vector(n);
      domain.psi->project(x);
      const Certificate certificate = certify(problem, x, {});
      Settings settings;
      settings.tol_feas = settings.tol_gap = random.log_uniform(1e-9, 1e-3);
      if (!certificate.satisfies(settings)) continue;
      ++satisfied;
      const double value = c.dot(x) + constant;
      EXPECT_LE(value - (domain.least + constant), 2.0 * settings.tol_gap * (1.0 + std::abs(value)));
    }
  }
  EXPECT_GT(satisfied, 0);  // domains narrow enough for any point to do
}

// kappa/2 |x - a|^2 + sum of w_g |x_g|, whose minimiser shrinks every group of a.
TEST(Estimate, CountsTheGapOfGroupsUnderStrongConvexity) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = 4;
    const double kappa = random.log_uniform(1e-3, 1e9);
    const Vector a = random.vector(n), w = kappa * random.log_uniform(1e-3, 1e3) * Vector::Ones(2);
    Problem problem(n);
    problem.minimize(quadratic(DataMatrix::from(kappa * Matrix::Identity(n, n)), to_array(Vector(-kappa * a))));
    problem.regularize(group_l2(Indices({0, 0, 1, 1}), to_array(w)));
    Vector best = a;
    for (const Index g : {0, 2}) {
      best.segment(g, 2) *= std::max(0.0, 1.0 - w[g / 2] / kappa / a.segment(g, 2).norm());
    }
    const Vector x = random.log_uniform(1e-9, 1.0) * random.vector(n);
    Settings settings;
    settings.tol_feas = settings.tol_gap = random.log_uniform(1e-9, 1e-3);
    if (!certify(problem, x, {}).satisfies(settings)) continue;
    const double value = problem.objective(x);
    EXPECT_LE(value - problem.objective(best), 2.0 * settings.tol_gap * (1.0 + std::abs(value)));
  }
}

TEST(Estimate, SolvesOverSmallSetsEndAtTheSolution) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 8);
    const double radius = random.log_uniform(1e-4, 10.0);
    const Vector c = random.log_uniform(1e2, 1e12) * random.vector(n);
    for (const Domain& domain : domains(c, radius)) {
      SCOPED_TRACE(domain.psi->kind());
      Problem problem(n);
      problem.minimize(linear(to_array(c)));
      problem.regularize(domain.psi);
      const Result r = solve(problem);
      ASSERT_EQ(r.status, Status::optimal) << r.message;
      EXPECT_NEAR(r.certificate.objective, domain.least, 2e-6 * (1.0 + std::abs(domain.least)));
    }
  }
}

// Costs of all sizes beside each other over boxes of all widths: what looks small beside other gradients, or at all, still
// pushes its variable to the bound, for ever where there is none.
struct Separable {
  Problem problem;
  Vector c, lo, hi;
  double constant, least;
};

Separable separable(Random& random) {
  const Index n = random.integer(1, 5);
  Separable out{Problem(n), Vector(n), Vector(n), Vector(n), 0.0, 0.0};
  for (Index j = 0; j < n; ++j) {
    out.c[j] = random.log_uniform(1e-6, 1e9) * random.normal();
    const double width = random.log_uniform(1e-2, 1e8);
    out.lo[j] = -width * random.uniform();
    out.hi[j] = width * random.uniform();
  }
  if (random.uniform() < 0.4) out.constant = random.log_uniform(1.0, 1e12);
  out.least = out.constant + out.c.cwiseProduct(out.lo).cwiseMin(out.c.cwiseProduct(out.hi)).sum();
  out.problem.minimize(linear(to_array(out.c), out.constant));
  out.problem.regularize(box(out.lo, out.hi));
  return out;
}

TEST(Estimate, APushThatNothingHoldsIsNoNoise) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Separable s = separable(random);
    Settings settings;
    settings.tol_feas = settings.tol_gap = random.log_uniform(1e-8, 1e-3);
    const Result r = solve(s.problem, settings);
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    EXPECT_LE(s.c.dot(r.x) + s.constant - s.least, 2.0 * settings.tol_gap * (1.0 + std::abs(s.least)));
    for (int k = 0; k < 5; ++k) {
      Vector x = random.log_uniform(1e-6, 1e8) * random.vector(s.c.size());
      if (k < 3) x = (random.vector(s.c.size()).array() > 0.0).select(r.x, 0.0);
      x = x.cwiseMax(s.lo).cwiseMin(s.hi);
      if (!certify(s.problem, x, {}).satisfies(settings)) continue;
      const double value = s.c.dot(x) + s.constant;
      EXPECT_LE(value - s.least, 2.0 * settings.tol_gap * (1.0 + std::abs(value)));
    }
  }
}

TEST(Estimate, AVariableThatNothingStopsIsUnbounded) {
  for (const double cost : {1e-13, 1e-7, -1e-7, 1e-3}) {
    SCOPED_TRACE(cost);
    Problem problem(2);
    problem.minimize(linear(Doubles({1.0, cost}), 1.0));
    problem.regularize(box(Doubles({0.0, -kInfinity}), Doubles({1.0, kInfinity})));
    const Status status = solve(problem).status;
    EXPECT_NE(status, Status::optimal);
    EXPECT_TRUE(status == Status::dual_infeasible || std::abs(cost) < 1e-9);  // slower descents are not proved
  }
}

}  // namespace
}  // namespace pliant
