// Sparse linear algebra in the path engine: planted optima, proofs, and agreement with the other linear algebras.
#include "pliant/infeasibility.hpp"
#include "pliant/solve.hpp"
#include "support/planted_program.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::Interval;
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

// Rows of which some exclude each other by `gap`, none of them a multiple of another.
StandardForm contradictory(Random& random, bool quadratic, double gap) {
  PlantedProgram p = planted_program(random, {.variables = 15, .rows = 20, .quadratic = quadratic, .clutter = false});
  Matrix A = Matrix(p.form.A);
  const double t = A.row(0).dot(p.x), miss = gap * A.row(0).norm();
  A.row(1) = A.row(0) + 1e-3 * A.row(2);
  A.row(2) *= 1e-3;
  const double t2 = A.row(2).dot(p.x);
  p.form.lo.head(3) << -kInfinity, t + t2 + miss, -kInfinity;
  p.form.hi.head(3) << t, kInfinity, t2;
  p.form.A = A.sparseView();
  return p.form;
}

// The objective falls for ever along directions that leave no row: there is no dual point whose distance could tell.
TEST(SparsePath, ProvesInfeasibilityWhereTheObjectiveHasNoLimitEither) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    StandardForm form = contradictory(random, false, random.log_uniform(0.01, 10.0));
    const auto n = static_cast<int>(form.variables());
    form.A.conservativeResize(static_cast<int>(form.rows()),
                              n + 2);  // two variables in no row but the last one, x_n = x_n+1
    form.A.conservativeResize(static_cast<int>(form.rows()) + 1, n + 2);
    form.A.insert(static_cast<int>(form.rows()), n) = 1.0;
    form.A.insert(static_cast<int>(form.rows()), n + 1) = -1.0;
    form.A.makeCompressed();
    form.P.conservativeResize(n + 2, n + 2);
    const auto longer = [](Vector& v, std::initializer_list<double> more) {
      Vector out(v.size() + static_cast<Index>(more.size()));
      out << v, Eigen::Map<const Vector>(more.begin(), static_cast<Index>(more.size()));
      v = out;
    };
    longer(form.lo, {0.0});
    longer(form.hi, {0.0});
    longer(form.q, {-1.0, 0.5});
    longer(form.lower, {-kInfinity, 0.0});
    longer(form.upper, {kInfinity, kInfinity});
    const Problem problem = to_problem(form);
    const Result r = solve(problem, sparse());
    ASSERT_EQ(r.status, Status::primal_infeasible) << r.message;
    EXPECT_TRUE(prove_infeasible(problem, r.x, r.multipliers).holds);
  }
}

// Without an objective there is no path to follow but the one to a point, or to a proof that there is none.
TEST(SparsePath, ConstraintsAloneTakeFewSteps) {
  Index steps = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    StandardForm form = contradictory(random, false, random.log_uniform(0.01, 10.0));
    form.q.setZero();
    const Problem none = to_problem(form);
    const Result r = solve(none, sparse());
    ASSERT_EQ(r.status, Status::primal_infeasible) << r.message;
    EXPECT_TRUE(prove_infeasible(none, r.x, r.multipliers).holds);
    PlantedProgram p = planted_program(random, {.variables = 30, .rows = 40, .quadratic = false});
    p.form.q.setZero();
    const Problem some = to_problem(p.form);
    const Result point = solve(some, sparse());
    ASSERT_EQ(point.status, Status::optimal) << point.message;
    EXPECT_TRUE(certify(some, point.x, point.multipliers).satisfies(sparse()));
    steps += r.iterations + point.iterations;
  }
  EXPECT_LE(steps, 80 * 7);  // 5 to 6 as a rule, 8 where rows are left out first and xi grows
}

// Rows and bounds that recede along a planted direction, which some of them touch; along it the squares vanish. None may be called
// anything else; few may be left.
TEST(SparsePath, FindsRaysInFewSteps) {
  Index steps = 0;
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PlantedProgram p =
        planted_program(random, {.variables = 30, .rows = 25, .quadratic = seed % 2 == 0, .clutter = false});
    StandardForm& f = p.form;
    Vector d = Vector::Zero(30);
    for (Index j = 0; j < 10; ++j) d[j] = random.uniform(0.1, 2.0);
    Matrix A = Matrix(f.A), P = Matrix(f.P);
    P.topRows(10).setZero();
    P.leftCols(10).setZero();
    for (Index i = 0; i < A.rows(); ++i) {
      const bool one_sided = std::isinf(f.lo[i]) || std::isinf(f.hi[i]);
      const double along = A.row(i).dot(d);
      if (one_sided && (along > 0.0) == (f.hi[i] < kInfinity)) A.row(i).head(10) *= -1.0;
      if (!one_sided) A(i, 0) -= A.row(i).dot(d) / d[0];
      const Interval side{f.lo[i] - f.A.row(i).dot(p.x), f.hi[i] - f.A.row(i).dot(p.x), 0.0};
      f.lo[i] = side.lo + A.row(i).dot(p.x);
      f.hi[i] = side.hi + A.row(i).dot(p.x);
    }
    f.A = A.sparseView();
    f.P = P.sparseView();
    f.lower.head(10) = p.x.head(10).array() - 1.0;
    f.upper.head(10).setConstant(kInfinity);
    f.q.head(10) -= (f.q.dot(d) + random.log_uniform(1e-2, 1.0) * d.norm()) / d.squaredNorm() * d.head(10);
    const Problem problem = to_problem(f);
    const Result r = solve(problem, sparse());
    if (r.status == Status::numerical_error) {
      ++lost;
      continue;
    }
    ASSERT_EQ(r.status, Status::dual_infeasible) << r.message;
    EXPECT_TRUE(prove_unbounded(problem, r.x, r.ray).holds);
    EXPECT_LT(f.q.dot(r.ray), 0.0);
    EXPECT_LE((f.P * r.ray).cwiseAbs().maxCoeff(), 1e-12 * r.ray.lpNorm<Eigen::Infinity>());
    const double violation = problem.constraints() > 0 ? certify(problem, r.x, r.multipliers).violation_linf : 0.0;
    EXPECT_LE(violation, 1e-5);  // unbounded, not only without a dual point
    steps += r.iterations;
  }
  EXPECT_LE(steps, 40 * 45);
  EXPECT_LE(lost, 2);  // one of 40 on some seeds, where rounding hides a ray of a quadratic program
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

// Stages whose rows see their own variables and those of the stage before; half of the rows are equalities. x >= 0 is planted
// with strictly complementary multipliers.
PlantedProgram staircase(Random& random, Index stages, Index width, Index height) {
  const Index n = stages * width, m = stages * height;
  PlantedProgram out;
  StandardForm& f = out.form;
  std::vector<Eigen::Triplet<double, int>> entries;
  const auto add = [&](Index row, Index column, double value) {
    entries.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  };
  for (Index i = 0; i < m; ++i) {
    const Index stage = i / height;
    add(i, stage * width + i % height, 1.0);
    for (Index j = 0; j < width; ++j) {
      if (random.uniform() < 0.3) add(i, stage * width + j, random.normal());
      if (stage > 0 && random.uniform() < 0.15) add(i, (stage - 1) * width + j, random.normal());
    }
  }
  f.A = SparseMatrix(static_cast<int>(m), static_cast<int>(n));
  f.A.setFromTriplets(entries.begin(), entries.end());
  f.P = SparseMatrix(static_cast<int>(n), static_cast<int>(n));
  out.x = Vector::Zero(n);
  f.q = Vector::Zero(n);
  for (Index j = 0; j < n; ++j) (random.uniform() < 0.5 ? out.x : f.q)[j] = -std::log(1.0 - random.uniform(0.0, 0.999));
  f.lower = Vector::Zero(n);
  f.upper = Vector::Constant(n, kInfinity);
  f.hi = f.A * out.x;
  f.lo = f.hi;
  out.y = random.vector(m);
  for (Index i = 0; i < m; ++i) {
    if (random.uniform() < 0.5) continue;
    f.lo[i] = -kInfinity;
    const bool active = random.uniform() < 0.6;
    out.y[i] = active ? std::abs(out.y[i]) : 0.0;
    if (!active) f.hi[i] += random.uniform(0.01, 2.0);
  }
  f.q -= f.A.transpose() * out.y;
  out.value = f.q.dot(out.x);
  return out;
}

// Where directions lose their digits near the solution the regularisation rises: no new start, no stalled steps.
TEST(SparsePath, LongStaircasesKeepTheirDigits) {
  Index steps = 0;
  constexpr int kSeeds = 3;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PlantedProgram p = staircase(random, 200, 20, 12);
    const Result r = solve(to_problem(p.form), sparse(1e-6));
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    EXPECT_NEAR(r.certificate.objective, p.value, 1e-5 * (1.0 + std::abs(p.value)));
    steps += r.iterations;
  }
  EXPECT_LE(steps, kSeeds * 60);  // about 40 as a rule, twice as many with a new start for each
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
