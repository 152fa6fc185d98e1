// Handles of all kinds, and the duals behind them.
#include "pliant/pliant.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant {
namespace {

using testing::Random;

Settings tight() {
  Settings settings;
  settings.tol_feas = settings.tol_gap = 1e-9;
  return settings;
}

struct Parts {
  Matrix G1, G2, E1, E2;
  Vector q, h1, lo, hi, e1, e2;
  Problem problem;
  Handle rows, level, ranges, more;

  explicit Parts(Random& random, Index n = 6) : problem(n) {
    const Vector inside = random.vector(n);
    G1 = random.matrix(40, n);
    G2 = random.matrix(30, n);
    E1 = random.matrix(1, n);
    E2 = random.matrix(2, n);
    q = 4.0 * random.vector(n);
    h1 = G1 * inside + 0.3 * random.vector(40).cwiseAbs();
    lo = G2 * inside - 0.3 * random.vector(30).cwiseAbs();
    hi = G2 * inside + 0.3 * random.vector(30).cwiseAbs();
    e1 = E1 * inside;
    e2 = E2 * inside;
    problem.minimize(quadratic(Matrix::Identity(n, n), q));
    rows = problem.subject_to(linear_le(G1, h1), "rows");
    level = problem.subject_to(equal(E1, e1));
    ranges = problem.subject_to(linear_range(lo, G2, hi));
    more = problem.equal(E2, e2);
  }
};

// grad F + sum of data' * dual = 0, with the signs of the duals: recomputed from the raw matrices.
TEST(Handles, DualsOfEveryKindBalanceTheGradient) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Parts p(random);
    const Result r = solve(p.problem, tight());
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    ASSERT_EQ(r.constraint_duals.size(), 4u);
    ASSERT_EQ(r.duals(p.level).size(), 1);
    ASSERT_EQ(r.duals(p.more).size(), 2);
    ASSERT_EQ(r.duals(p.ranges).size(), 30);
    const Vector balance = r.x + p.q + p.G1.transpose() * r.duals(p.rows) + p.G2.transpose() * r.duals(p.ranges) +
                           p.E1.transpose() * r.duals(p.level) + p.E2.transpose() * r.duals(p.more);
    EXPECT_LE(balance.norm(), 1e-5 * (1.0 + p.q.norm()));
    EXPECT_GE(r.duals(p.rows).minCoeff(), 0.0);
    const Vector between = p.G2 * r.x;
    for (Index i = 0; i < 30; ++i) {  // positive at the upper side, negative at the lower one
      const double dual = r.duals(p.ranges)[i];
      if (std::abs(dual) <= 1e-4) continue;
      EXPECT_NEAR(between[i], dual > 0.0 ? p.hi[i] : p.lo[i], 1e-4);
    }
  }
}

// Equalities in two calls are those of one call, whatever the storage.
TEST(Handles, EqualitiesAnyNumberOfTimes) {
  Random random(3);
  const Parts p(random);
  Problem stacked(p.q.size());
  stacked.minimize(quadratic(Matrix::Identity(p.q.size(), p.q.size()), p.q));
  stacked.subject_to(linear_le(p.G1, p.h1));
  stacked.subject_to(linear_range(p.lo, p.G2, p.hi));
  Matrix E(3, p.q.size());
  E << p.E1, p.E2;
  Vector e(3);
  e << p.e1, p.e2;
  const Handle equalities = stacked.subject_to(equal(E, e));
  EXPECT_EQ(p.problem.equality_parts(), (std::vector<Index>{0, 1, 3}));
  EXPECT_EQ(stacked.equality_parts(), (std::vector<Index>{0, 3}));
  const Result a = solve(p.problem, tight()), b = solve(stacked, tight());
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.duals(p.level)[0], b.duals(equalities)[0]);
  EXPECT_EQ(a.duals(p.more), Vector(b.duals(equalities).tail(2)));
  EXPECT_THROW(stacked.subject_to(equal(Matrix::Ones(2, p.q.size()), {1.0})), InputError);
  EXPECT_THROW(stacked.subject_to(equal(Matrix::Ones(1, 2), {1.0})), InputError);
}

TEST(Handles, ConesToo) {
  Problem problem(2);
  problem.minimize(linear({-3.0, -4.0}));
  const Handle box_rows = problem.subject_to(linear_le(Matrix::Identity(2, 2), {9.0, 9.0}));
  const std::vector<Matrix> identity{Matrix::Identity(2, 2)};
  const Handle cone = problem.subject_to(soc_le(identity, Matrix::Zero(1, 2), Matrix::Zero(1, 2), {5.0}), "ball");
  const Result r = solve(problem);
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  ASSERT_EQ(r.duals(cone).size(), 3);
  EXPECT_LE(r.duals(box_rows).norm(), 1e-4);
  // (t, z) in the cone, z = -c = the gradient, t = |z|
  EXPECT_NEAR(r.duals(cone)[0], 5.0, 1e-3);
  EXPECT_NEAR(r.duals(cone)[1], -3.0, 1e-3);
  EXPECT_NEAR(r.duals(cone)[2], -4.0, 1e-3);
}

TEST(Handles, WrongOnesAreRefused) {
  Random random(4);
  Parts p(random), other(random);
  EXPECT_EQ(&p.problem.batch(p.ranges), p.problem.batches()[1].get());
  EXPECT_THROW(p.problem.batch(p.level), InputError);
  EXPECT_THROW(p.problem.batch(Handle{}), InputError);
  EXPECT_THROW(p.problem.replace_constants(p.level, {1.0}), InputError);
  EXPECT_THROW(p.problem.replace_constants(Handle{0, ConstraintKind::batch, 1}, {1.0}), InputError);
  const Result r = solve(p.problem);
  EXPECT_THROW(r.duals(Handle{}), InputError);
  EXPECT_THROW(r.duals(Handle{4, ConstraintKind::batch, 2}), InputError);
  Solver solver(p.problem);
  EXPECT_THROW(solver.update(p.more, p.e2), InputError);
  EXPECT_THROW(solver.append(p.level, linear_le(p.G1, p.h1)), InputError);
}

// Appended rows stand behind the handle they were appended to.
TEST(Handles, SolversUseThem) {
  Random random(5);
  Parts p(random);
  Solver solver(p.problem, tight());
  ASSERT_EQ(solver.solve().status, Status::optimal);
  solver.append(p.rows, linear_le(0.9 * p.G1.topRows(5), 0.9 * p.h1.head(5)));
  const Result r = solver.solve();
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_EQ(r.duals(p.rows).size(), 45);
  const Handle appended = solver.problem().handles().back();
  EXPECT_EQ(r.duals(appended), Vector(r.duals(p.rows).tail(5)));
  EXPECT_THROW(solver.update(appended, p.h1.head(5)), InputError);
  Vector h(45);
  h << 1.2 * p.h1.cwiseAbs() + p.h1, 0.9 * p.h1.head(5).cwiseAbs() + Vector::Ones(5);
  solver.update(p.rows, h);
  EXPECT_EQ(solver.solve().status, Status::optimal);
}

// min 1/2 |x - w|^2 over {0 <= x <= u, sum x = r}: x = clamp(w - nu) with nu the multiplier of the sum.
TEST(Handles, SimplexBesideABoxIsAnEqualityOfItsOwn) {
  for (const bool simplex_first : {true, false}) {
    Random random(6);
    const Index n = 7;
    const Vector w = random.vector(n), u = Vector::Constant(n, 0.4);
    Problem problem(n);
    problem.minimize(quadratic(Matrix::Identity(n, n), -w));
    const ProxPtr bounds = box(Vector(Vector::Constant(n, -1.0)), u), sum = simplex(n, 1.5);
    problem.regularize(simplex_first ? sum : bounds).regularize(simplex_first ? bounds : sum);
    const Matrix difference = Matrix::Identity(n, n).topRows(1) - Matrix::Identity(n, n).middleRows(1, 1);
    const Handle rows = problem.subject_to(equal(difference, Vector(Vector::Zero(1))));
    const Result r = solve(problem, tight());
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    EXPECT_NEAR(r.x.sum(), 1.5, 1e-8);
    EXPECT_NEAR(r.x[0], r.x[1], 1e-8);
    EXPECT_GE(r.x.minCoeff(), -1e-8);
    EXPECT_LE(r.x.maxCoeff(), 0.4 + 1e-8);
    const double nu = r.duals(problem.handles().front())[0], y = r.duals(rows)[0];
    for (Index j = 0; j < n; ++j) {
      const double pull = j == 0 ? y : j == 1 ? -y : 0.0;
      EXPECT_NEAR(r.x[j], std::clamp(w[j] - nu - pull, 0.0, 0.4), 1e-6) << j;
    }
  }
  Problem problem(2);
  problem.regularize(simplex(2, 1.0));
  EXPECT_THROW(problem.regularize(ball(2, 1.0)), InputError);
}

}  // namespace
}  // namespace pliant
