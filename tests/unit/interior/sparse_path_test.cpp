// Sparse linear algebra in the path engine: planted optima, proofs, and agreement with the other linear algebras.
#include "pliant/infeasibility.hpp"
#include "pliant/solve.hpp"
#include "support/planted_program.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::planted_program;
using testing::PlantedProgram;
using testing::Random;
using testing::to_problem;

Settings sparse(double tolerance = 1e-7) {
  Settings settings;
  settings.linear_algebra = LinearAlgebra::sparse;
  settings.tol_feas = settings.tol_gap = tolerance;
  return settings;
}

TEST(SparsePath, ReachesPlantedOptima) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PlantedProgram p = planted_program(
        random, {.variables = random.integer(2, 40), .rows = random.integer(0, 60), .quadratic = seed % 2 == 0});
    const Problem problem = to_problem(p.form);
    const Result r = solve(problem, sparse());
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    EXPECT_EQ(r.linear_algebra, LinearAlgebra::sparse);
    EXPECT_NEAR(r.certificate.objective, p.value, 1e-6 * (1.0 + std::abs(p.value)));
    EXPECT_LE(r.iterations, 60);
    const Certificate again = certify(problem, r.x, r.multipliers);
    EXPECT_TRUE(again.satisfies(sparse()))
        << again.gap_rel() << ' ' << again.violation_linf << ' ' << again.dual_residual;
    // The solution is a warm start that takes no step.
    SolveHooks hooks;
    hooks.warm_start = &r.x;
    hooks.warm_multipliers = &r.multipliers;
    EXPECT_EQ(solve(problem, sparse(), hooks).iterations, 0);
  }
}

TEST(SparsePath, ThreadsDoNotChangeAByte) {
  Random random(5);
  const Problem problem = to_problem(planted_program(random, {.variables = 60, .rows = 90}).form);
  Settings settings = sparse();
  settings.threads = 1;
  const Result one = solve(problem, settings);
  settings.threads = 2;
  EXPECT_EQ(one.x, solve(problem, settings).x);
}

// Two copies of a row whose sides exclude each other, in a program that is feasible without one of them.
TEST(SparsePath, ProvesInfeasibility) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PlantedProgram p =
        planted_program(random, {.variables = 15, .rows = 20, .quadratic = seed % 2 == 0, .clutter = false});
    Matrix A = Matrix(p.form.A);
    const double t = A.row(0).dot(p.x), gap = random.log_uniform(0.1, 10.0) * A.row(0).norm();
    A.row(1) = A.row(0) + 1e-3 * A.row(2);  // not a duplicate: presolve does not see it
    A.row(2) *= 1e-3;
    const double t2 = A.row(2).dot(p.x);
    p.form.lo.head(3) << -kInfinity, t + t2 + gap, -kInfinity;
    p.form.hi.head(3) << t, kInfinity, t2;
    p.form.A = A.sparseView();
    const Problem problem = to_problem(p.form);
    const Result r = solve(problem, sparse());
    ASSERT_EQ(r.status, Status::primal_infeasible) << r.message;
    EXPECT_TRUE(prove_infeasible(problem, r.x, r.multipliers).holds);
  }
}

// A free variable with a cost that no row and no curvature holds.
TEST(SparsePath, ProvesUnboundedness) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PlantedProgram p = planted_program(random, {.variables = 12, .rows = 15, .quadratic = false, .clutter = false});
    Vector d = Vector::Zero(12);
    d[0] = 1.0;
    d[1] = -1.0;
    Matrix A = Matrix(p.form.A);
    for (Index i = 0; i < A.rows(); ++i) A(i, 1) = A(i, 0);  // A d = 0
    p.form.A = A.sparseView();
    const Vector Ax = A * p.x;
    p.form.lo = Ax.array() - 1.0;
    p.form.hi = Ax.array() + 1.0;
    p.form.lower.head(2).setConstant(-kInfinity);
    p.form.upper.head(2).setConstant(kInfinity);
    p.form.q.head(2) << -1.0, 0.5;
    const Problem problem = to_problem(p.form);
    const Result r = solve(problem, sparse());
    ASSERT_EQ(r.status, Status::dual_infeasible) << r.message;
    EXPECT_TRUE(prove_unbounded(problem, r.x, r.ray).holds);
  }
}

// All linear algebras on strongly convex programs without bounds, the part they share. Working sets alone may give up
// on programs without an interior, but say so; `auto` goes on with sparse factorisations then.
TEST(SparsePath, AgreesWithDenseAndIterativeLinearAlgebra) {
  int gave_up = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PlantedProgram p = planted_program(random, {.variables = 20, .rows = 40, .clutter = false, .degenerate = false});
    SparseMatrix identity(20, 20);
    identity.setIdentity();
    p.form.P += identity;
    p.form.lower.setConstant(-kInfinity);
    p.form.upper.setConstant(kInfinity);
    p.form.q = -(p.form.P * p.x + p.form.A.transpose() * p.y);
    const double value = p.form.objective(p.x);
    for (const LinearAlgebra algebra :
         {LinearAlgebra::automatic, LinearAlgebra::dense, LinearAlgebra::sparse, LinearAlgebra::iterative}) {
      SCOPED_TRACE(to_string(algebra));
      Settings settings = sparse(1e-7);
      settings.linear_algebra = algebra;
      const Result r = solve(to_problem(p.form), settings);
      if (algebra == LinearAlgebra::dense && r.status == Status::numerical_error) {
        ++gave_up;
        continue;
      }
      ASSERT_EQ(r.status, Status::optimal) << r.message;
      EXPECT_NEAR(r.certificate.objective, value, 1e-6 * (1.0 + std::abs(value)));
    }
  }
  EXPECT_LE(gave_up, 5);
}

TEST(SparsePath, RefusesWhatItCannotTakeInOneLine) {
  Problem problem(2);
  problem.minimize(logistic(DataMatrix::dense(1, 2, Doubles({1.0, 2.0})), Doubles({1.0})));
  problem.regularize(l2_squared(2, 1.0));
  for (const LinearAlgebra algebra : {LinearAlgebra::sparse, LinearAlgebra::iterative}) {
    Settings settings;
    settings.linear_algebra = algebra;
    EXPECT_THROW(solve(problem, settings), InputError);
  }
}

}  // namespace
}  // namespace pliant
