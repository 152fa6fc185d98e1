// Lazy checks on curved rows and on rows that were appended, forgotten or shifted; what selections compute.
#include "engines/path/variable_scaling.hpp"
#include "engines/path/working_set.hpp"
#include "pliant/solver.hpp"
#include "pliant/svec.hpp"
#include "rows/local_rows.hpp"
#include "solve/solve_remembering.hpp"

#include "support/path_zoo.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace pliant {
namespace {

using testing::path_zoo;
using testing::Random;
using testing::ZooBuilder;

using Form = ZooBuilder::Form;

// Every family of rows in one problem; without callbacks of unknown curvature if `known_curvature`.
Problem all_families(Random& random, Index n, Index m, bool known_curvature) {
  ZooBuilder b(random, n);
  b.quadratic_objective();
  b.linear_rows(b.rows(m));
  b.quadratic_rows(m, Form::dense);
  b.quadratic_rows(m, known_curvature ? Form::callback_with_constants : Form::callback);
  b.quadratic_rows(m, Form::low_rank);
  b.log_sum_exp_rows(m);
  b.range_rows(m);
  b.quadratic_rows(m, Form::diagonal);
  return b.raw().problem;
}

Vector exact_values(const Problem& problem, const Vector& x) {
  ConstraintSystem system(problem);
  Vector a(system.size());
  system.values(x, a);
  return a.head(system.inequalities());
}

void expect_truth(LocalRows& lazy, const Problem& problem, const Vector& x, double dense_fraction) {
  const StepwiseRows::Found found = lazy.check(x, 0.3, dense_fraction);
  const Vector exact = exact_values(problem, x);
  const double worst = std::max(0.0, exact.maxCoeff());
  EXPECT_NEAR(found.worst, worst, 1e-11 * (1.0 + worst));
  EXPECT_TRUE(std::is_sorted(found.rows.begin(), found.rows.end()));
  Vector bounds(exact.size());
  lazy.values(x, bounds);
  for (Index i = 0; i < exact.size(); ++i) {
    EXPECT_LE(exact[i], bounds[i] + 1e-11 * (1.0 + std::abs(exact[i]))) << i;
    EXPECT_TRUE(bounds[i] <= -1e-6 || std::abs(bounds[i] - exact[i]) <= 1e-11 * (1.0 + std::abs(exact[i]))) << i;
    if (exact[i] > 1e-9) {
      EXPECT_TRUE(std::binary_search(found.rows.begin(), found.rows.end(), i)) << i;
    }
  }
  // inactive_within: a row named is negative at random points of the ball.
  Random random(17);
  const double radius = 0.05;
  const std::vector<Index> inactive = lazy.list_inactive_within(x, radius);
  for (int k = 0; k < 5; ++k) {
    const Vector there = exact_values(problem, x + radius * random.vector(x.size()).normalized());
    for (const Index i : inactive) EXPECT_LT(there[i], 0.0) << i;
  }
}

TEST(LazyCheck, NeverMissesACurvedRow) {
  Index lazily = 0;  // where x moves far each time, everything is read
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 6);
    const Problem problem = all_families(random, n, 25, seed % 2 == 0);
    ConstraintSystem system(problem);
    RowKnowledge known;
    LocalRows lazy(problem, system, known, 1e-6);
    Vector x = random.vector(n);
    for (int k = 0; k < 8; ++k) {
      expect_truth(lazy, problem, x, 0.8);
      x += random.log_uniform(1e-4, 0.3) * random.vector(n);
    }
    lazily += known.points.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(lazily, 15);
}

// The second problem is the first with more rows and other constants.
TEST(LazyCheck, AppendedShiftedAndForgottenRows) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = 4, m = 200, more = 30;
    const bool curved = seed % 2 == 0;
    const Matrix G = random.matrix(m, n), D = random.matrix(more, n).cwiseAbs(), q = random.matrix(more, n);
    const Vector h = Vector::Constant(m, 2.0), change = 0.3 * random.vector(m);
    const auto build = [&](const Vector& constants, bool appended) {
      Problem p(n);
      p.subject_to(linear_le(DataMatrix::from(G), to_array(constants)));
      if (appended && !curved) p.subject_to(linear_le(DataMatrix::from(q), to_array(Vector::Ones(more))));
      if (appended && curved) {
        p.subject_to(quadratic_diagonal_le(Tensor({more, n}, to_array(Matrix(D.transpose()).reshaped())),
                                           Tensor({more, n}, to_array(Matrix(q.transpose()).reshaped())),
                                           to_array(Vector::Constant(more, -1.0))));
      }
      return p;
    };
    RowKnowledge known;
    Vector x = 0.3 * random.vector(n);
    {
      const Problem before = build(h, false);
      ConstraintSystem system(before);
      LocalRows lazy(before, system, known, 1e-6);
      expect_truth(lazy, before, x, 0.8);
    }
    known.append(more);
    known.shift(0, change);
    known.forget(5, 20);
    const Problem after = build(h - change, true);
    ConstraintSystem system(after);
    LocalRows lazy(after, system, known, 1e-6);
    ASSERT_EQ(known.size(), m + more);
    // Never read means unknown: no bound, not inactive anywhere.
    Vector bounds(m + more);
    lazy.values(x, bounds);
    EXPECT_TRUE((bounds.segment(5, 20).array() == kInfinity).all() && (bounds.tail(more).array() == kInfinity).all());
    for (const Index i : lazy.list_inactive_within(x, 0.0)) EXPECT_TRUE(i < 5 || (i >= 25 && i < m)) << i;
    for (int k = 0; k < 4; ++k) {
      expect_truth(lazy, after, x, 1.0);
      x += 0.05 * random.vector(n);
    }
  }
}

// Constants that were large for a while leave nothing of their rounding behind.
TEST(LazyCheck, ConstantsThatWereLargeDoNoHarm) {
  Index kept = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = 3, m = 50;
    const Matrix G = random.matrix(m, n);
    const Vector h = random.vector(m), x = random.vector(n);
    Problem problem(n);
    problem.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
    ConstraintSystem system(problem);
    RowKnowledge known;
    LocalRows lazy(problem, system, known, 1e-6);
    lazy.check(x, 0.3, 0.8);
    const double size = random.log_uniform(1e-3, 1e18);
    for (int times = 0; times < 3; ++times) {
      const Vector large = (h + size * random.vector(m)).eval();
      known.shift(0, h - large);
      known.shift(0, large - h);
    }
    kept += (known.point_of.array() >= 0).count();
    Vector bounds(m);
    lazy.values(x, bounds);
    const Vector truth = G * x - h;
    EXPECT_LE((truth - bounds).maxCoeff(), 1e-11);
  }
  EXPECT_GT(kept, 0);  // most changes are small
}

TEST(LazyCheck, RowsThatCannotBeEvaluatedAreViolated) {
  Problem problem(2);
  const std::vector<double> G{0.0, 0.0, 1e308, 1e308, 0.0, 0.0};  // the second row: infinity minus infinity
  problem.subject_to(linear_le(DataMatrix::dense(3, 2, G), std::vector<double>{1.0, 1.0, 1.0}));
  ConstraintSystem system(problem);
  RowKnowledge known;
  LocalRows lazy(problem, system, known, 1e-6);
  EXPECT_EQ(lazy.check(Vector{{10.0, -10.0}}, 0.3, 0.8).worst, kInfinity);
}

// A selection computes what its rows do one by one.
TEST(RowSelection, AgreesWithTheRowsOneByOne) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 6);
    const Problem problem = all_families(random, n, 15, true);
    ConstraintSystem system(problem);
    std::vector<Index> rows;
    for (Index i = 0; i < system.inequalities(); ++i) {
      if (random.uniform() < 0.4) rows.push_back(i);
    }
    RowSelection selection(system);
    selection.select(rows);
    const Index count = selection.size();
    const Vector x = random.vector(n), d = random.vector(n), weights = random.vector(count);
    // Gradients through add_component_gradient of each batch.
    Matrix J = Matrix::Zero(n, count);
    for (Index k = 0; k < count; ++k) {
      Index s = 0;
      while (s + 1 < system.segments() && system.segment_begin(s + 1) <= rows[static_cast<std::size_t>(k)]) ++s;
      Vector g = Vector::Zero(n);
      system.batch(s).add_component_gradient(rows[static_cast<std::size_t>(k)] - system.segment_begin(s), x, 1.0, g);
      J.col(k) = g;
    }
    const double size = 1.0 + J.norm();
    Vector slope(count), w(count), gradient = Vector::Ones(n);
    const auto map = [&](Index first, Index number, const double* s, double* out) {
      for (Index k = 0; k < number; ++k) out[k] = weights[first + k] * s[k];
    };
    selection.sweep_slopes(x, d, map, slope, w, gradient);
    const Vector expected = J.transpose() * d;
    EXPECT_LE((slope - expected).norm(), 1e-11 * size);
    EXPECT_LE((w - weights.cwiseProduct(expected)).norm(), 1e-11 * size * (1.0 + weights.norm()));
    EXPECT_LE((gradient - Vector::Ones(n) - J * weights.cwiseProduct(expected)).norm(),
              1e-10 * size * size * (1.0 + weights.norm()));
    selection.slopes(x, d, slope);
    EXPECT_LE((slope - expected).norm(), 1e-11 * size);
    selection.prepare_line(x, d);
    for (const double t : {0.0, 0.4, 1.0, 2.5}) {
      Vector a(count), line_slope(count), there(count), there_slope(count);
      selection.line_values(t, a, line_slope);
      selection.values(x + t * d, there);
      selection.slopes(x + t * d, d, there_slope);
      EXPECT_LE((a - there).norm(), 1e-11 * (1.0 + there.norm()));
      EXPECT_LE((line_slope - there_slope).norm(), 1e-11 * (1.0 + there_slope.norm()));
    }
  }
}

// What is known of rows holds in the coordinates of the latest solve, although appended points change them.
TEST(RowKnowledge, StaysInTheCoordinatesOfTheLatestSolve) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index d = 2, m = 150, more = 20, order = d + 1;
    const Matrix points = random.matrix(d, m), others = 3.0 * random.matrix(d, more);
    Problem problem(svec_size(order));
    problem.minimize(log_det(order));
    problem.subject_to(rank_one_lifted_le(Tensor({m, d}, to_array(points.reshaped())), to_array(Vector::Ones(m))));
    Settings settings;
    settings.tol_feas = settings.tol_gap = 1e-8;
    RowKnowledge known;
    SolveHooks hooks;
    const Result first = solve_remembering(problem, settings, hooks, &known);
    ASSERT_EQ(first.status, Status::optimal) << first.message;
    problem.subject_to(
        rank_one_lifted_le(Tensor({more, d}, to_array(others.reshaped())), to_array(Vector::Ones(more))));
    known.append(more);
    Multipliers multipliers = first.multipliers;
    multipliers.lambda.emplace_back(Vector::Zero(more));
    hooks.warm_start = &first.x;
    hooks.warm_multipliers = &multipliers;
    const Result second = solve_remembering(problem, settings, hooks, &known);
    ASSERT_EQ(second.status, Status::optimal) << second.message;
    ConstraintSystem system(problem);
    std::vector<Index> sample(static_cast<std::size_t>(m + more));  // so few that all are in the engine's sample
    std::iota(sample.begin(), sample.end(), Index{0});
    RowKnowledge other;
    LocalRows rows(problem, system, other, 1e-6);
    const auto scaling = VariableScaling::create(problem, rows, sample);
    ASSERT_NE(scaling, nullptr);
    Index checked = 0;
    for (std::size_t p = 0; p < known.points.size(); ++p) {
      const Vector exact = exact_values(problem, scaling->to_original(known.points[p]));
      for (Index i = 0; i < known.size(); ++i) {
        if (known.point_of[i] != static_cast<std::int32_t>(p)) continue;
        ++checked;
        EXPECT_NEAR(known.values[i], exact[i], 1e-9 * (1.0 + std::abs(exact[i]))) << i;
      }
    }
    EXPECT_EQ(checked, m + more);
  }
}

TEST(Path, StartOutsideTheDomainIsNamed) {
  Problem problem(3);
  problem.minimize(log_det(2));
  problem.subject_to(linear_le(DataMatrix::from(Matrix::Identity(3, 3)), to_array(Vector::Ones(3))));
  EXPECT_THROW(solve(problem), InputError);
  problem.start = svec(Matrix(0.5 * Matrix::Identity(2, 2)));
  const Result r = solve(problem);
  EXPECT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_NEAR(r.certificate.objective, 0.0, 1e-6);  // X = I: the largest determinant under X_ii <= 1
}

}  // namespace
}  // namespace pliant
