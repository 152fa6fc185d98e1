// The verifier believes true proofs and refuses false ones.
#include "pliant/infeasibility.hpp"

#include "pliant/generate.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"
#include "support/raw_proofs.hpp"
#include "support/small_problems.hpp"

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>
#include <limits>

namespace pliant {
namespace {

using testing::Random;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Rows g_i'x <= h_i with sum lambda_i g_i = 0 and h = G x0 - margin: infeasible by `margin`.
struct Contradiction {
  Problem problem;
  Vector lambda;
  Vector x0;

  Contradiction(Random& random, Index n, Index rows, double margin, ProxPtr prox = nullptr) : problem(n) {
    Matrix G = random.matrix(rows, n);
    lambda.resize(rows);
    for (double& t : lambda) t = random.uniform(0.5, 2.0);
    lambda[rows - 1] = 1.0;
    G.row(rows - 1) = -(G.topRows(rows - 1).transpose() * lambda.head(rows - 1)).transpose();
    x0 = random.vector(n);
    if (prox) {
      problem.regularize(prox);
      prox->project(x0);
    }
    problem.minimize(linear(to_array(random.vector(n))));
    problem.subject_to(linear_le(DataMatrix::from(G), to_array(Vector((G * x0).array() - margin))));
  }
  InfeasibilityProof prove(const Vector& multipliers, const Vector& x) const {
    return prove_infeasible(problem, x, {{multipliers}, {}});
  }
};

TEST(InfeasibilityProof, HoldsForPlantedContradictionsFromAnyPoint) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 10);
    const Index rows = random.integer(2, 12);
    const Contradiction c(random, n, rows, random.log_uniform(1e-4, 10.0));
    const InfeasibilityProof proof = c.prove(random.log_uniform(1e-6, 1e6) * c.lambda, random.vector(n));
    EXPECT_TRUE(proof.holds);
    EXPECT_GT(proof.excess, 0.0);
    EXPECT_GE(proof.radius, 1e8);
    // More rows than variables: multipliers nearby cancel exactly. Otherwise rounding of the data leaves a gradient, and
    // the rows meet far away.
    EXPECT_EQ(proof.kind() == InfeasibilityKind::proved, rows > n);
    EXPECT_LE(proof.gradient, 1e-14);
  }
}

TEST(InfeasibilityProof, IsUnconditionalOnBoundedDomainsAndAgreesWithTheRawData) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 10);
    const Vector half = Vector::Constant(n, 2.0);
    const ProxPtr prox = box(to_array(Vector(-half)), to_array(half));
    const Contradiction c(random, n, random.integer(2, 12), 1.0, prox);
    // Disturbed multipliers stay a proof as long as the least value over the box stays positive.
    const Vector lambda = (c.lambda + random.log_uniform(1e-6, 1.0) * random.vector(c.lambda.size())).cwiseMax(0.0);
    const Vector x = random.vector(n);
    const InfeasibilityProof proof = c.prove(lambda, x);
    const auto at = testing::raw_combination(c.problem, x, {{lambda}, {}});
    const testing::Long least = testing::raw_minimum(c.problem, x, at, 1e30L) / at.size;
    EXPECT_NEAR(proof.excess, static_cast<double>(least), 1e-10);
    EXPECT_LT(proof.excess, static_cast<double>(least));  // rounding is taken off
    EXPECT_EQ(proof.holds, least > 0.0L);
    EXPECT_EQ(proof.radius, proof.holds ? kInfinity : 0.0);
  }
}

TEST(InfeasibilityProof, NeverHoldsForFeasibleProblems) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 8);
    // Only just feasible, and with multipliers that nearly cancel: as close to a proof as can be.
    const Contradiction c(random, n, random.integer(2, 12), -random.log_uniform(1e-9, 1e-3));
    EXPECT_FALSE(c.prove(c.lambda, c.x0).holds);
    for (int trial = 0; trial < 10; ++trial) {
      const Vector lambda = (c.lambda + random.log_uniform(1e-9, 1.0) * random.vector(c.lambda.size())).cwiseMax(0.0);
      EXPECT_FALSE(c.prove(lambda, random.log_uniform(0.1, 1e6) * random.vector(n)).holds);
    }
  }
}

TEST(InfeasibilityProof, PerturbedMultipliersAreRefusedWithoutBounds) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 8);
    const Contradiction c(random, n, n, 1e-2);
    Vector lambda = c.lambda;
    lambda[random.integer(0, n - 1)] *= 1.0 + 1e-4;
    EXPECT_FALSE(c.prove(lambda, c.x0).holds);
    EXPECT_FALSE(c.prove(Vector::Zero(n), c.x0).holds);
    const Contradiction more(random, n, n + 1, 1e-2);  // the right multipliers are found beside the given ones
    lambda = more.lambda;
    lambda[random.integer(0, n)] *= 1.0 + 1e-4;
    EXPECT_EQ(more.prove(lambda, more.x0).kind(), InfeasibilityKind::proved);
    EXPECT_FALSE(c.prove(-c.lambda, c.x0).holds);
    lambda = c.lambda;
    lambda[0] = kNan;
    EXPECT_FALSE(c.prove(lambda, c.x0).holds);
    lambda[0] = kInfinity;
    EXPECT_FALSE(c.prove(lambda, c.x0).holds);
    Vector x = c.x0;
    x[0] = kNan;
    EXPECT_FALSE(c.prove(c.lambda, x).holds);
  }
}

TEST(InfeasibilityProof, RegularizersAreNoDomain) {
  // x <= -1 and -x <= -1 + 1e-3 x: l1 or l2 terms must not help a combination that is positive near 0 only.
  for (const ProxPtr& prox : {l1(1, 5.0), l2_squared(1, 5.0), elastic_net(1, 3.0, 2.0)}) {
    Problem problem(1);
    problem.regularize(prox);
    problem.subject_to(linear_le(DataMatrix::dense(1, 1, Doubles({1.0})), Doubles({-1.0})));
    EXPECT_FALSE(prove_infeasible(problem, Vector::Zero(1), {{Vector::Ones(1)}, {}}).holds);
  }
}

TEST(InfeasibilityProof, UsesSimplexBallAndEqualities) {
  Problem in_simplex(3);
  in_simplex.regularize(simplex(3, 1.0));
  in_simplex.subject_to(linear_le(DataMatrix::dense(1, 3, Doubles({1.0, 1.0, 2.0})), Doubles({0.9})));
  EXPECT_TRUE(prove_infeasible(in_simplex, Vector::Zero(3), {{Vector::Ones(1)}, {}}).holds);
  Problem in_ball(2);
  in_ball.regularize(ball(2, 1.0));
  in_ball.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({3.0, 4.0})), Doubles({-5.1})));
  EXPECT_TRUE(prove_infeasible(in_ball, Vector::Zero(2), {{Vector::Ones(1)}, {}}).holds);
  Problem touching(2);
  touching.regularize(ball(2, 1.0));
  touching.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({3.0, 4.0})), Doubles({-4.9})));
  EXPECT_FALSE(prove_infeasible(touching, Vector::Zero(2), {{Vector::Ones(1)}, {}}).holds);
  Problem equal(2);
  equal.equal(DataMatrix::dense(2, 2, Doubles({1.0, 1.0, 2.0, 2.0})), Doubles({1.0, 3.0}));
  Vector nu(2);
  nu << 2.0, -1.0;  // 2 (x + y - 1) - (2x + 2y - 3) = 1 for every x, y
  EXPECT_TRUE(prove_infeasible(equal, Vector::Zero(2), {{}, nu}).holds);
  EXPECT_FALSE(prove_infeasible(equal, Vector::Zero(2), {{}, Vector(-nu)}).holds);
}

// ---- rays ----

struct Unbounded {
  Problem problem;
  Vector d, x;

  Unbounded(Random& random, Index n, Index m) : problem(n), d(random.vector(n).normalized()), x(Vector::Zero(n)) {
    Matrix G = random.matrix(m, n);
    for (Index i = 0; i < m; ++i) {
      const double along = G.row(i).dot(d);
      if (along > 0.0) G.row(i) -= 2.0 * along * d.transpose();
      if (i % 3 == 0) {
        for (int round = 0; round < 2; ++round) G.row(i) -= G.row(i).dot(d) * d.transpose();
      }
    }
    Matrix B = random.matrix(n, n);
    B -= B * d * d.transpose();
    B -= B * d * d.transpose();
    Vector q = random.vector(n);
    q -= (q.dot(d) + 0.5) * d;
    const Matrix P = B.transpose() * B;
    problem.minimize(quadratic(DataMatrix::from(0.5 * (P + P.transpose())), to_array(q)));
    problem.subject_to(linear_le(DataMatrix::from(G), to_array(Vector::Ones(m))));
  }
};

// Squares of numbers below 1e-154 underflow, and with them the length of a gradient: x <= -1 in the ball of radius 2.
TEST(InfeasibilityProof, TinyMultipliersProveNoMoreThanOthers) {
  Problem problem(2);
  problem.minimize(linear(Doubles({1.0, 1.0})));
  problem.regularize(ball(2, 2.0));
  problem.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({1.0, 0.0})), Doubles(std::vector<double>{-1.0})));
  for (const double lambda : {1.0, 1e-100, 1e-150, 1e-170, 1e-197, 1e-250, 1e-310}) {
    EXPECT_FALSE(prove_infeasible(problem, Vector::Zero(2), {{Vector::Constant(1, lambda)}, {}}).holds) << lambda;
  }
}

TEST(UnboundednessProof, HoldsForPlantedRaysAndRefusesOthers) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(3, 10);
    const Unbounded u(random, n, random.integer(6, 30));
    const UnboundednessProof proof = prove_unbounded(u.problem, u.x, random.log_uniform(1e-3, 1e3) * u.d);
    EXPECT_TRUE(proof.holds) << proof.descent << " " << proof.leaving;
    EXPECT_LE(proof.violation, 0.0);
    EXPECT_FALSE(prove_unbounded(u.problem, u.x, -u.d).holds);
    EXPECT_FALSE(prove_unbounded(u.problem, u.x, Vector::Zero(n)).holds);
    EXPECT_FALSE(prove_unbounded(u.problem, u.x, u.d + 1e-4 * random.vector(n)).holds);  // leaves a row, or curves up
    Vector broken = u.d;
    broken[0] = kNan;
    EXPECT_FALSE(prove_unbounded(u.problem, u.x, broken).holds);
    EXPECT_FALSE(prove_unbounded(u.problem, broken, u.d).holds);

    Problem closed = u.problem;  // one row more ends the ray
    closed.subject_to(linear_le(DataMatrix::from(u.d.transpose()), Doubles({1e6})));
    EXPECT_FALSE(prove_unbounded(closed, u.x, u.d).holds);
    Problem boxed = u.problem;
    boxed.regularize(box(to_array(Vector::Constant(n, -1e9)), to_array(Vector::Constant(n, 1e9))));
    EXPECT_FALSE(prove_unbounded(boxed, u.x, u.d).holds);
    Problem curved = u.problem;
    curved.regularize(l2_squared(n, 1e-6));
    EXPECT_FALSE(prove_unbounded(curved, u.x, u.d).holds);
    Problem priced = u.problem;
    priced.regularize(l1(n, 10.0));
    EXPECT_FALSE(prove_unbounded(priced, u.x, u.d).holds);
  }
}

TEST(UnboundednessProof, ADirectionThatLeavesOneRowIsRefusedHoweverSlowly) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 8), m = random.integer(3, 30);
    const Vector d = random.vector(n).normalized();
    Matrix G = random.matrix(m, n);
    for (Index i = 0; i < m; ++i) G.row(i) -= (G.row(i).dot(d) + random.uniform()) * d.transpose();
    const Index leaving = random.integer(0, m - 1);
    const double tilt = random.log_uniform(1e-6, 1.0);
    const double scale = random.log_uniform(1e-3, 1e3);  // of the row: must not matter
    const auto make = [&](double slope) {
      G.row(leaving) -= G.row(leaving).dot(d) * d.transpose();
      G.row(leaving) = scale * (G.row(leaving).normalized() + slope * d.transpose());
      Problem problem(n);
      problem.minimize(linear(to_array(Vector(-3.0 * d))));
      problem.subject_to(linear_le(DataMatrix::from(G), to_array(Vector::Ones(m))));
      return problem;
    };
    EXPECT_FALSE(prove_unbounded(make(tilt), Vector::Zero(n), d).holds);
    EXPECT_TRUE(prove_unbounded(make(-tilt), Vector::Zero(n), d).holds);
  }
}

TEST(UnboundednessProof, KnowsEachFamilyAndAdmitsWhatItDoesNotKnow) {
  const Vector x = Vector::Zero(2);
  Vector d(2);
  d << -1.0, 0.0;
  const auto with = [](BatchPtr batch) {
    Problem problem(2);
    problem.minimize(linear(Doubles({1.0, 0.0})));
    problem.subject_to(std::move(batch));
    return problem;
  };
  EXPECT_TRUE(prove_unbounded(with(log_sum_exp_le(Tensor({1, 2, 2}, Doubles({1.0, 0.0, 0.5, 1.0})),
                                                  Tensor({1, 2}, Doubles({-2.0, -2.0})))),
                              x, d)
                  .holds);
  EXPECT_FALSE(prove_unbounded(with(log_sum_exp_le(Tensor({1, 2, 2}, Doubles({1.0, 0.0, -0.5, 1.0})),
                                                   Tensor({1, 2}, Doubles({-2.0, -2.0})))),
                               x, d)
                   .holds);
  EXPECT_TRUE(prove_unbounded(with(quadratic_diagonal_le(Tensor({1, 2}, Doubles({0.0, 1.0})),
                                                         Tensor({1, 2}, Doubles({1.0, 0.0})), Doubles({-1.0}))),
                              x, d)
                  .holds);
  EXPECT_FALSE(prove_unbounded(with(quadratic_diagonal_le(Tensor({1, 2}, Doubles({1e-6, 1.0})),
                                                          Tensor({1, 2}, Doubles({1.0, 0.0})), Doubles({-1.0}))),
                               x, d)
                   .holds);
  CallbackFunctions functions;
  functions.values = [](ConstVectorRef y, Rows, VectorRef a) { a[0] = y[1] - 1.0; };
  functions.jacobian = [](ConstVectorRef, Rows, MatrixRef J) { J << 0.0, 1.0; };
  EXPECT_FALSE(prove_unbounded(with(callback_le(1, 2, functions)), x, d).holds);
  Problem equal = with(linear_le(DataMatrix::dense(1, 2, Doubles({1.0, 0.0})), Doubles({0.0})));
  equal.equal(DataMatrix::dense(1, 2, Doubles({0.0, 1.0})), Doubles({0.0}));
  EXPECT_TRUE(prove_unbounded(equal, x, d).holds);
  Problem held = with(linear_le(DataMatrix::dense(1, 2, Doubles({1.0, 0.0})), Doubles({0.0})));
  held.equal(DataMatrix::dense(1, 2, Doubles({1.0, 1.0})), Doubles({0.0}));
  EXPECT_FALSE(prove_unbounded(held, x, d).holds);
}

// Feasible sets far away, and walls that rise slowly: nothing is proved, and the problems are solved or left.
TEST(InfeasibilityProof, FarSetsAreNotCalledEmpty) {
  for (const double far : {1e6, 1e8, 1e10, 1e12, 1e14}) {
    SCOPED_TRACE(far);
    Problem problem(2);  // x + y >= far, x - y <= 1
    problem.minimize(linear(Doubles({1.0, 1.0})));
    problem.subject_to(linear_le(DataMatrix::dense(2, 2, Doubles({-1.0, -1.0, 1.0, -1.0})), Doubles({-far, 1.0})));
    for (const double share : {0.0, 1e-9, 0.5, 1.0}) {
      EXPECT_FALSE(prove_infeasible(problem, Vector::Zero(2), {{Vector{{1.0, share}}}, {}}).holds);
    }
    const Result r = solve(problem);
    EXPECT_NE(r.status, Status::primal_infeasible) << r.message;
    EXPECT_NE(r.status, Status::dual_infeasible) << r.message;
    if (r.status == Status::optimal) {
      EXPECT_NEAR(r.certificate.objective, far, 1e-5 * far);
    }
    // {y >= 1, y <= x/far}: empty for |x| < far alone.
    Problem wall(2);
    wall.subject_to(linear_le(DataMatrix::dense(2, 2, Doubles({0.0, -1.0, -1.0 / far, 1.0})), Doubles({-1.0, 0.0})));
    EXPECT_FALSE(prove_infeasible(wall, Vector::Zero(2), {{Vector::Ones(2)}, {}}).holds);
  }
}

TEST(InfeasibilityProof, ContradictionsAreProvedWithoutABox) {
  Problem line(1);  // x <= 0, x >= 1
  line.subject_to(linear_le(DataMatrix::dense(2, 1, Doubles({1.0, -1.0})), Doubles({0.0, -1.0})));
  const InfeasibilityProof proof = prove_infeasible(line, Vector::Zero(1), {{Vector{{1.0, 1.0 - 1e-10}}}, {}});
  EXPECT_TRUE(proof.holds);
  EXPECT_EQ(proof.kind(), InfeasibilityKind::proved);
  EXPECT_EQ(proof.radius, kInfinity);
  // Parallel rows in space: fewer rows than variables, but simple multipliers cancel exactly.
  const Vector g{{0.1, -0.7, 1.3}};
  Matrix G(2, 3);
  G << g.transpose(), -g.transpose();
  Problem slab(3);
  slab.subject_to(linear_le(DataMatrix::from(G), Doubles({0.0, -1.0})));
  EXPECT_EQ(prove_infeasible(slab, Vector::Zero(3), {{Vector{{2.0, 2.0}}}, {}}).kind(), InfeasibilityKind::proved);
  // x >= 0 stops the positive part of the combination: x + y <= -1.
  Problem cone(2);
  cone.regularize(nonnegative(2));
  cone.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({1.0, 1.0})), Doubles({-1.0})));
  EXPECT_EQ(prove_infeasible(cone, Vector::Zero(2), {{Vector::Ones(1)}, {}}).kind(), InfeasibilityKind::proved);
  const Result r = solve(line);
  EXPECT_EQ(r.status, Status::primal_infeasible);
  ASSERT_TRUE(r.infeasibility.has_value());
  EXPECT_EQ(r.infeasibility->kind(), InfeasibilityKind::proved);
  EXPECT_EQ(r.certificate.lower_bound, kInfinity);
}

// x + y <= 1e-4, t z <= x, y z >= 1, x, y >= 0: y z <= 1e-8 / t. Rows that differ by decades from the cone.
TEST(InfeasibilityProof, RowsAreBalancedBesideCones) {
  for (const double t : {0.25, 0.125, 1e-2, 1e-4, 1e-6}) {
    SCOPED_TRACE(t);
    Problem hyperbola(3);
    hyperbola.regularize(box(Doubles({0.0, 0.0, -kInfinity}), Doubles({kInfinity, kInfinity, kInfinity})));
    hyperbola.subject_to(
        linear_le(DataMatrix::dense(2, 3, Doubles({1.0, 1.0, 0.0, -1.0, 0.0, t})), Doubles({1e-4, 0.0})));
    hyperbola.subject_to(
        ConicConstraint{DataMatrix::dense(3, 3, Doubles({0.0, -1.0, -1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0})),
                        Doubles({0.0, 0.0, 2.0}),
                        {{ConeKind::second_order, 3}}});
    const Result r = solve(hyperbola);
    const bool claimed = r.status == Status::primal_infeasible;
    EXPECT_TRUE(claimed && prove_infeasible(hyperbola, r.x, r.multipliers).holds) << r.message;
  }
}

TEST(UnboundednessProof, SlowWallsEndTheRay) {
  for (const double angle : {1e-6, 2e-9, 1e-10, 1e-12, 4e-14}) {
    SCOPED_TRACE(angle);
    Problem wall(2);  // min -x, angle x + y <= 1, x, y >= 0: -1/angle
    wall.minimize(linear(Doubles({-1.0, 0.0})));
    wall.regularize(nonnegative(2));
    wall.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({angle, 1.0})), Doubles({1.0})));
    EXPECT_FALSE(prove_unbounded(wall, Vector::Zero(2), Vector{{1.0, 0.0}}).holds);
    const Result r = solve(wall);
    EXPECT_NE(r.status, Status::dual_infeasible) << r.message;
    if (r.status == Status::optimal) {
      EXPECT_NEAR(r.certificate.objective * angle, -1.0, 1e-5);
    }
    Problem wedge(2);
    wedge.minimize(linear(Doubles({-1.0, 0.0})));
    wedge.subject_to(linear_le(DataMatrix::dense(2, 2, Doubles({angle, 1.0, angle, -1.0})), Doubles({0.1, 0.7})));
    EXPECT_FALSE(prove_unbounded(wedge, Vector::Zero(2), Vector{{1.0, 0.0}}).holds);
    Problem bent(2);  // curvature within rounding of the largest eigenvalue is still curvature
    bent.minimize(quadratic(DataMatrix::dense(2, 2, Doubles({angle * 1e-3, 0.0, 0.0, 1e4})), Doubles({-40.0, 0.0})));
    EXPECT_FALSE(prove_unbounded(bent, Vector::Zero(2), Vector{{1.0, 0.0}}).holds);
  }
}

TEST(UnboundednessProof, IsUnconditionalWhereNoRowGrowsForCertain) {
  Problem open(2);  // y - x <= 1: d = (1, 0) goes away from it
  open.minimize(linear(Doubles({-1.0, 0.0})));
  open.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({-1.0, 1.0})), Doubles({1.0})));
  EXPECT_EQ(prove_unbounded(open, Vector::Zero(2), Vector{{1.0, 0.5}}).kind(), InfeasibilityKind::proved);
  const Result r = solve(open);
  EXPECT_EQ(r.status, Status::dual_infeasible);
  ASSERT_TRUE(r.unboundedness.has_value());
  EXPECT_EQ(r.unboundedness->kind(), InfeasibilityKind::proved);
  EXPECT_EQ(r.certificate.lower_bound_kind, BoundKind::proved);
  // On equalities that doubles meet only nearly: an exact direction nearby is enclosed.
  Problem held(3);
  held.minimize(linear(Doubles({-1.0, 0.0, 0.0})));
  held.equal(DataMatrix::dense(1, 3, Doubles({0.1, 0.3, -0.7})), Doubles({0.0}));
  const Vector d{{1.0, 2.0, 1.0}};
  EXPECT_EQ(prove_unbounded(held, Vector::Zero(3), d).kind(), InfeasibilityKind::proved);
  EXPECT_FALSE(prove_unbounded(held, Vector::Zero(3), Vector{{1.0, 2.0, 1.0 + 1e-9}}).holds);
}

}  // namespace
}  // namespace pliant
