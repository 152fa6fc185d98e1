// Projections onto the sets of the baselines, and the baselines on curved sets.
#include "convex_sets.hpp"

#include "baselines.hpp"
#include "rows/constraint_system.hpp"
#include "support/sum_problems.hpp"

#include <gtest/gtest.h>
#include <Eigen/QR>

namespace pliant::bench {
namespace {

using testing::Random;

// Quadratics of every rank, some with q outside the range of P, with 0 inside by `least` to 1.
BatchPtr quadratics(Random& random, Index m, Index n, Index rank, double least) {
  std::vector<double> r(static_cast<std::size_t>(m));
  for (double& t : r) t = -random.log_uniform(least, 1.0);
  return quadratic_lowrank_le(Tensor({m, rank, n}, Doubles(random.numbers(m * rank * n))),
                              Tensor({m, n}, Doubles(random.numbers(m * n))), Doubles(std::move(r)));
}

// Circular cones with 0 inside.
ConicConstraint circular(Random& random, Index m, Index n, Index k) {
  Matrix G(m * (k + 1), n);
  Vector h(m * (k + 1));
  std::vector<Cone> cones(static_cast<std::size_t>(m), Cone{ConeKind::second_order, k + 1});
  for (Index i = 0; i < m; ++i) {
    const Matrix Q = Eigen::HouseholderQR<Matrix>(random.matrix(n, n)).householderQ();
    G.middleRows(i * (k + 1), k + 1) = random.uniform(0.5, 2.0) * Q.leftCols(k + 1).transpose();
    G.row(i * (k + 1)) *= random.uniform(0.2, 3.0);
    h.segment(i * (k + 1), k + 1) = random.vector(k + 1);
    h[i * (k + 1)] = h.segment(i * (k + 1) + 1, k).norm() + random.uniform(0.01, 1.0);
  }
  return conic(DataMatrix::from(G), to_array(h), std::move(cones));
}

// y = x - displacement is in the set and nearest to x: (x - y)'(z - y) <= 0 for all z of the set.
void expect_projections(const Problem& p, Random& random, const std::function<double(Index, const Vector&)>& excess) {
  const ConvexSets sets(p);
  Index outside = 0;
  for (Index j = 0; j < sets.size(); ++j) {
    for (int k = 0; k < 10; ++k) {
      const Vector x = random.log_uniform(0.1, 100.0) * random.vector(p.dimension());
      Vector away;
      sets.displacement(j, x, away);
      const Vector y = x - away;
      const double scale = 1.0 + x.squaredNorm();
      ASSERT_LE(excess(j, y), 1e-9 * scale);
      if (excess(j, x) <= 0.0) {
        ASSERT_EQ(away.norm(), 0.0);
        continue;
      }
      ++outside;
      ASSERT_GT(away.norm(), 0.0);
      for (int l = 0; l < 20; ++l) {
        Vector z = random.log_uniform(0.01, 10.0) * random.vector(p.dimension());
        for (int halved = 0; halved < 60 && excess(j, z) > 0.0; ++halved) z *= 0.5;
        ASSERT_LE(excess(j, z), 0.0);
        ASSERT_LE(away.dot(z - y), 1e-8 * scale);
      }
    }
  }
  EXPECT_GT(outside, sets.size());
}

TEST(ConvexSets, ProjectionsOntoQuadraticSetsAreNearestPoints) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 7);
    Problem p(n);
    const BatchPtr batch = quadratics(random, 6, n, random.integer(1, n), 1e-3);
    p.subject_to(batch);
    expect_projections(p, random, [&](Index j, const Vector& x) { return batch->component_value(j, x); });
  }
}

TEST(ConvexSets, ProjectionsOntoCircularConesAreNearestPoints) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(3, 7), k = random.integer(1, n - 1);
    Problem p(n);
    const ConicConstraint cones = circular(random, 6, n, k);
    p.subject_to(cones);
    expect_projections(p, random, [&](Index j, const Vector& x) {
      Vector s(k + 1);
      for (Index i = 0; i <= k; ++i) s[i] = cones.h[j * (k + 1) + i] - cones.G.dot(j * (k + 1) + i, x.data());
      return s.tail(k).norm() - s[0];
    });
  }
}

// F = least squares + mu/2 |x|^2 over curved sets, solved by the library for reference.
struct Curved {
  Problem problem;
  Vector solution;
  double largest_multiplier = 0.0;
};

Curved curved(std::uint64_t seed) {
  Random random(seed);
  const Index n = 5;
  Curved out{Problem(n), {}};
  const Matrix A = random.matrix(12, n);
  out.problem.minimize(least_squares(DataMatrix::from(A), to_array(Vector(A * random.vector(n)))));
  out.problem.regularize(l2_squared(n, 0.2));
  out.problem.subject_to(quadratics(random, 8, n, 2, 0.5));
  Settings tight;
  tight.tol_feas = tight.tol_gap = 1e-10;
  const Result r = solve(out.problem, tight);
  EXPECT_EQ(r.status, Status::optimal);
  out.solution = r.x;
  out.largest_multiplier = r.multipliers.lambda[0].maxCoeff();
  return out;
}

Vector last_point(Baseline baseline, const Problem& p, const BaselineOptions& options, Index budget) {
  const ConstrainedSum form(p);
  Vector last;
  baseline(form, options, [&](Index evaluations, const Vector& x) {
    last = x;
    return evaluations >= budget;
  });
  return last;
}

Vector objective_gradient(const Problem& p, const Vector& x) {
  Vector g = 0.2 * x;
  p.add_smooth_gradient(x, g);
  return g;
}

TEST(CurvedBaselines, ProjectionMethodsSolveWhatTheyClaim) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    const Curved c = curved(seed);
    const ConvexSets sets(c.problem);
    const double w = 5.0;
    const Vector x = last_point(quadratic_distance, c.problem, {w, 1.0, 7}, 2'000'000);
    Vector g = objective_gradient(c.problem, x), away;
    const double size = g.norm();
    for (Index j = 0; j < sets.size(); ++j) {
      sets.displacement(j, x, away);
      g += w * away;
    }
    EXPECT_LE(g.norm(), 1e-6 * (1.0 + size));  // the minimiser of its penalty
    EXPECT_LE((last_point(spdhg, c.problem, {0.1, 1.0, 7}, 1'000'000) - c.solution).norm(), 2e-2 * c.solution.norm());
    EXPECT_LE((last_point(sasc_sgd, c.problem, {1.0, 1.0, 7}, 1'000'000) - c.solution).norm(), 0.2 * c.solution.norm());
  }
}

TEST(CurvedBaselines, PenaltiesOfFunctionsConvergeToTheSolutionAsTheirParametersDo) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    const Curved c = curved(seed);
    const double xi = 2.0 * c.largest_multiplier;
    const auto error = [&](Baseline baseline, double parameter) {
      const Vector x = last_point(baseline, c.problem, {parameter, xi, 7}, 2'000'000);
      return (x - c.solution).norm() / c.solution.norm();
    };
    EXPECT_LE(error(quadratic_penalty, 1e5), 1e-3);
    EXPECT_GT(error(quadratic_penalty, 1e1), 10.0 * error(quadratic_penalty, 1e3));
    EXPECT_LE(error(huber_penalty, 1e-4), 1e-3);
    EXPECT_GT(error(huber_penalty, 1e-1), 10.0 * error(huber_penalty, 1e-3));
  }
}

// The gradient of F + (w/2) sum dist(h - Gx, K)^2 vanishes at its minimiser: differences of the value, from raw numbers.
TEST(CurvedBaselines, QuadraticPenaltyOfConesIsMinimised) {
  Random random(4);
  const Index n = 5, k = 2, m = 6;
  Problem p(n);
  const Matrix A = random.matrix(12, n);
  const Vector b = 3.0 * random.vector(12);
  p.minimize(least_squares(DataMatrix::from(A), to_array(b)));
  p.regularize(l2_squared(n, 0.2));
  const ConicConstraint cones = circular(random, m, n, k);
  p.subject_to(cones);
  const double w = 30.0;
  const auto penalised = [&](const Vector& x) {
    double value = (A * x - b).squaredNorm() / 24.0 + 0.1 * x.squaredNorm();
    for (Index j = 0; j < m; ++j) {
      Vector s(k + 1);
      for (Index i = 0; i <= k; ++i) s[i] = cones.h[j * (k + 1) + i] - cones.G.dot(j * (k + 1) + i, x.data());
      // Distance to the cone: 0, to its apex, or to its surface.
      const double length = s.tail(k).norm();
      const double distance = length <= s[0] ? 0.0 : length <= -s[0] ? s.norm() : (length - s[0]) / std::sqrt(2.0);
      value += 0.5 * w * distance * distance;
    }
    return value;
  };
  const Vector x = last_point(quadratic_penalty, p, {w, 1.0, 7}, 500'000);
  EXPECT_GT(penalised(x), (A * x - b).squaredNorm() / 24.0 + 0.1 * x.squaredNorm());  // some cone is left
  for (Index j = 0; j < n; ++j) {
    Vector there = x, back = x;
    there[j] += 1e-5;
    back[j] -= 1e-5;
    EXPECT_NEAR((penalised(there) - penalised(back)) / 2e-5, 0.0, 1e-6);
  }
  EXPECT_THROW(last_point(huber_penalty, p, {0.1, 1.0, 7}, 100), InputError);
}

}  // namespace
}  // namespace pliant::bench
