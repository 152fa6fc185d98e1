// Soft rows by bands: the answer is that of the same problem with slacks, and of the raw data.
#include "engines/path/frozen_rows.hpp"
#include "engines/path/soft_samples.hpp"
#include "pliant/check.hpp"
#include "pliant/solve.hpp"
#include "solve/slack_form.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant {
namespace {

using testing::Random;

constexpr std::uint64_t kSeeds = 60;

// sum_i below_i max(0, lower_i - z_i) + above_i max(0, z_i - upper_i), z = G x, kept beside the problem.
struct RawSoft {
  Matrix G;
  Vector lower, upper, below, above;

  double value(const Vector& x) const {
    const Vector z = G * x;
    double sum = 0.0;
    for (Index i = 0; i < z.size(); ++i) {
      if (below[i] > 0.0 && z[i] < lower[i]) sum += below[i] * (lower[i] - z[i]);
      if (above[i] > 0.0 && z[i] > upper[i]) sum += above[i] * (z[i] - upper[i]);
    }
    return sum;
  }
};

struct Instance {
  explicit Instance(Index n) : problem(n), P(Matrix::Zero(n, n)), q(Vector::Zero(n)) {}
  Problem problem;
  RawSoft soft;
  Matrix P;
  Vector q;
  double l1 = 0.0;

  double objective(const Vector& x) const { return 0.5 * x.dot(P * x) + q.dot(x) + l1 * x.lpNorm<1>() + soft.value(x); }
};

// Whole numbers make ties and duplicated rows.
Vector draw(Random& random, Index size, bool ties) {
  Vector v = random.vector(size);
  if (ties) v = v.array().round();
  return v;
}

void add_soft(Random& random, Index m, bool ties, Instance& out) {
  const Index n = out.problem.dimension();
  out.soft.G.resize(m, n);
  for (Index i = 0; i < m; ++i) out.soft.G.row(i) = draw(random, n, ties);
  Vector b = draw(random, m, ties) * 2.0, y(m), weights = Vector::Ones(m);
  for (Index i = 0; i < m; ++i) {
    y[i] = random.uniform() < 0.5 ? 1.0 : -1.0;
    if (random.uniform() < 0.1) weights[i] = 0.0;
    if (random.uniform() < 0.1) weights[i] = std::pow(10.0, random.uniform(-6.0, 3.0));
  }
  const Doubles w = to_array(weights);
  const auto l = static_cast<double>(m);
  const double weight = random.uniform(0.5, 20.0);
  out.soft.lower = out.soft.upper = b;
  out.soft.below = out.soft.above = weight / l * weights;
  switch (random.integer(0, 4)) {
    case 0: {
      const double tau = random.uniform(0.02, 0.98);
      out.soft.above *= 1.0 - tau;
      out.soft.below *= tau;
      out.problem.minimize(quantile(out.soft.G, b, tau, w), weight);
      break;
    }
    case 1:
      out.problem.minimize(absolute(out.soft.G, b, w), weight);
      break;
    case 2: {
      const double eps = ties ? 1.0 : random.uniform(0.0, 0.5);
      out.soft.lower.array() -= eps;
      out.soft.upper.array() += eps;
      out.problem.minimize(epsilon_insensitive(out.soft.G, b, eps, w), weight);
      break;
    }
    case 3:
      for (Index i = 0; i < m; ++i) {
        (y[i] > 0.0 ? out.soft.above : out.soft.below)[i] = 0.0;
        (y[i] > 0.0 ? out.soft.lower : out.soft.upper)[i] = y[i];
      }
      out.problem.minimize(hinge(out.soft.G, y, w), weight);
      break;
    default:
      out.soft.below.setZero();
      out.problem.minimize(positive_part(out.soft.G, b, to_array(weights / l)), weight);
  }
}

// Something that keeps x from running away: a box, squares, or an l1 term beside a strictly convex one.
Instance random_instance(Random& random) {
  const Index n = random.integer(1, 4), m = random.integer(1, 2500);
  Instance out(n);
  const bool ties = random.uniform() < 0.3;
  add_soft(random, m, ties, out);
  out.q = 0.1 * draw(random, n, ties);
  out.problem.minimize(linear(out.q));
  const Index kind = random.integer(0, 3);
  if (kind != 0) {
    const Matrix B = random.matrix(n, n);
    out.P = B.transpose() * B + 0.1 * Matrix::Identity(n, n);
    out.problem.minimize(quadratic(out.P, to_array(Vector::Zero(n))));
  }
  if (kind == 0 || kind == 1) out.problem.regularize(box(Vector::Constant(n, -3.0), Vector::Constant(n, 2.0)));
  if (kind == 2) {
    out.l1 = random.uniform(0.0, 0.3);
    out.problem.regularize(l1(n, out.l1));
  }
  if (random.uniform() < 0.3) {  // satisfied at 0
    const Index hard = random.integer(1, 5);
    out.problem.subject_to(linear_le(random.matrix(hard, n), Vector::Constant(hard, 0.5)));
  }
  if (random.uniform() < 0.2) out.problem.equal(random.matrix(1, n), {0.0});  // so is this
  return out;
}

Settings settings_of(LinearAlgebra algebra) {
  Settings out;
  out.tol_feas = out.tol_gap = 1e-8;
  out.linear_algebra = algebra;
  return out;
}

// With a slack for each of thousands of rows, some of hardly any weight, 1e-8 is too much to ask for, and some give up.
Settings rough_settings_of(LinearAlgebra algebra) {
  Settings out;
  out.linear_algebra = algebra;
  return out;
}

TEST(SoftBands, AgreeWithSlacksAndWithTheRawData) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Instance instance = random_instance(random);
    const Result bands = solve(instance.problem, settings_of(LinearAlgebra::automatic));
    const Result slacks = solve(instance.problem, rough_settings_of(LinearAlgebra::sparse));
    ASSERT_EQ(bands.status, Status::optimal) << bands.message;
    const double scale = 1.0 + std::abs(bands.certificate.objective);
    if (slacks.status == Status::optimal) {
      ++compared;
      EXPECT_NEAR(bands.certificate.objective, slacks.certificate.objective, 3e-6 * scale);
    }
    for (const Result* result : {&bands, &slacks}) {
      const double truth = instance.objective(result->x);
      EXPECT_NEAR(result->certificate.objective, truth, 1e-10 * (1.0 + std::abs(truth)));
      EXPECT_LE(result->certificate.lower_bound, truth + 1e-7 * scale);
      if (result->certificate.lower_bound_kind == BoundKind::proved) {
        // Both points satisfy the hard rows up to the tolerance only, so that their values may lie below F* by as much.
        EXPECT_LE(result->certificate.proof.value, instance.objective(bands.x) + 1e-6 * scale);
        EXPECT_LE(result->certificate.proof.value, instance.objective(slacks.x) + 1e-6 * scale);
      }
      for (std::size_t b = 0; b < instance.problem.batches().size(); ++b) {
        const Doubles& caps = instance.problem.caps(static_cast<Index>(b));
        for (Index i = 0; i < caps.size(); ++i) {
          ASSERT_GE(result->multipliers.lambda[b][i], 0.0);
          ASSERT_LE(result->multipliers.lambda[b][i], caps[i]);
        }
      }
    }
  }
  EXPECT_GE(compared, kSeeds / 2);
}

// The dual value by hand: with slopes s of all rows and no other constraint, inf_x x'Px/2 + (q + G's)'x - (constants).
TEST(SoftBands, ProveTheirBoundWithMultipliersAlone) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Instance instance(random.integer(1, 4));
    const Index n = instance.problem.dimension();
    add_soft(random, random.integer(200, 2500), false, instance);
    const Matrix B = random.matrix(n, n);
    instance.P = B.transpose() * B + 0.1 * Matrix::Identity(n, n);
    instance.problem.minimize(quadratic(instance.P, to_array(Vector::Zero(n))));
    const Result result = solve(instance.problem, settings_of(LinearAlgebra::automatic));
    ASSERT_EQ(result.status, Status::optimal) << result.message;
    const LinearRows& rows = *instance.problem.batches()[0]->linear_rows();
    Vector g = Vector::Zero(n);
    double constant = 0.0;
    for (Index i = 0; i < rows.constraints(); ++i) {
      const double lambda = result.multipliers.lambda[0][i];
      g += lambda * rows.side(i).sign * instance.soft.G.row(rows.side(i).row).transpose();
      constant -= lambda * rows.constant(i);
    }
    const double dual = constant - 0.5 * g.dot(instance.P.ldlt().solve(g));
    const double scale = 1.0 + std::abs(result.certificate.objective);
    EXPECT_GE(dual, result.certificate.objective - 2e-8 * scale);
    EXPECT_LE(dual, result.certificate.objective + 1e-12 * scale);
  }
}

TEST(SoftBands, AreProvedWhereVariablesAreFree) {
  Random random(7);
  const Index n = 3, m = 4000;
  Problem problem(n);
  Matrix A = random.matrix(m, n);
  A.col(0).setOnes();
  problem.minimize(quantile(A, random.vector(m), 0.3));
  const Result result = solve(problem, settings_of(LinearAlgebra::automatic));
  ASSERT_EQ(result.status, Status::optimal) << result.message;
  EXPECT_EQ(result.certificate.lower_bound_kind, BoundKind::proved);
  EXPECT_EQ(result.engine, "path / bands of soft rows");
}

// The same points in other units, and other units of the prices: the same answer, by bands.
TEST(SoftBands, DoNotDependOnUnits) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = 3, m = 3000;
    Matrix A = random.matrix(m, n);
    A.col(0).setOnes();
    const Vector b = random.vector(m);
    double values[2];
    for (const bool scaled : {false, true}) {
      const Vector units = scaled ? Vector{{1.0, 1e6, 1e-6}} : Vector{{1.0, 1.0, 1.0}};
      const double price = scaled ? 1e6 : 1.0;
      Problem problem(n);
      problem.minimize(quantile(Matrix(A * units.asDiagonal()), b, 0.3), price);
      const Result result = solve(problem, settings_of(LinearAlgebra::automatic));
      ASSERT_EQ(result.status, Status::optimal) << result.message;
      EXPECT_EQ(result.engine, "path / bands of soft rows");
      values[scaled ? 1 : 0] = result.certificate.objective / price;
    }
    EXPECT_NEAR(values[0], values[1], 5e-8);
  }
}

// Rows g = 1 with kinks at given places, read at x = 0: the nearest `count`, by putting all of them in order.
void expect_nearest(const std::vector<double>& kinks, Index count) {
  const auto m = static_cast<Index>(kinks.size());
  Problem problem(1);
  problem.minimize(
      positive_part(DataMatrix(Matrix(Matrix::Ones(m, 1))), kinks, std::vector<double>(kinks.size(), 1.0)));
  ConstraintSystem system(problem);
  const SoftTable table(problem, system);
  FrozenRows rows;
  rows.read(whole_level({&table, nullptr}, m), Vector::Zero(1));
  std::vector<double> sorted = kinks;
  for (double& k : sorted) k = std::abs(k);
  std::sort(sorted.begin(), sorted.end());
  const double reach = sorted[static_cast<std::size_t>(std::min(count, m)) - 1];
  std::vector<Index> expected;
  for (Index k = 0; k < m; ++k) {
    if (std::abs(kinks[static_cast<std::size_t>(k)]) <= reach) expected.push_back(k);
  }
  EXPECT_EQ(rows.nearest(count), expected) << m << " rows, " << count;
}

// Only some of many distances are looked at first: rows that deceive whoever looks at every other one change nothing.
TEST(SoftBands, FindTheNearestRowsHoweverTheyLie) {
  Random random(1);
  for (const Index m : {Index{7}, Index{19'999}, Index{40'000}, Index{100'003}}) {
    std::vector<double> any, near_first, far_first, ties;
    for (Index i = 0; i < m; ++i) {
      // Distances are kept in single precision: those that differ do so there as well.
      any.push_back(std::round(std::ldexp(random.uniform() - 0.5, 18)) / std::ldexp(1.0, 18));
      near_first.push_back(i % std::max<Index>(1, m / 20000) == 0 ? 1e-3 * any.back() : 1.0 + any.back());
      far_first.push_back(i % std::max<Index>(1, m / 20000) == 0 ? 5.0 + any.back() : any.back());
      ties.push_back(std::round(3.0 * any.back()));
    }
    for (const std::vector<double>& kinks : {any, near_first, far_first, ties}) {
      for (const Index count : {Index{1}, Index{5}, m / 10 + 1, m / 2, m - 1, m, 2 * m}) expect_nearest(kinks, count);
    }
  }
}

// Far below all rows there is nothing to pay, and the objective falls for ever.
TEST(SoftRows, UnboundedProblemsAreProvedToBe) {
  Problem problem(2);
  problem.minimize(linear({1.0, 0.0}));
  problem.minimize(positive_part(DataMatrix(Matrix::Identity(2, 2)), {0.0, 0.0}));
  const Result result = solve(problem, {});
  ASSERT_EQ(result.status, Status::dual_infeasible) << result.message;
  Solution solution;
  solution.x = result.x;
  solution.ray = result.ray;
  const Verdict verdict = check(problem, solution, {});
  ASSERT_TRUE(verdict.unbounded.has_value());
  EXPECT_TRUE(verdict.unbounded->holds);
}

TEST(SoftRows, ContradictNothing) {
  Problem problem(1);
  problem.minimize(positive_part(DataMatrix(Matrix::Ones(1, 1)), {-1.0}));  // x <= -1 if it can be
  problem.subject_to(linear_le(DataMatrix(-Matrix::Ones(1, 1)), {-2.0}));   // x >= 2
  const Result result = solve(problem, settings_of(LinearAlgebra::automatic));
  ASSERT_EQ(result.status, Status::optimal) << result.message;
  EXPECT_NEAR(result.certificate.objective, 3.0, 1e-7);
  problem.subject_to(linear_le(DataMatrix(Matrix::Ones(1, 1)), {1.0}));  // x <= 1
  const Result none = solve(problem, {});
  EXPECT_EQ(none.status, Status::primal_infeasible) << none.message;
}

// No row has a price, or none that has depends on x: what is left is a quadratic program.
TEST(SoftRows, MayAllBeIdle) {
  for (const bool priced_rows : {false, true}) {
    Problem problem(3);
    const DataMatrix G(Matrix(priced_rows ? Matrix::Zero(40, 3) : Matrix::Ones(40, 3)));
    problem.minimize(positive_part(G, Vector::Constant(40, -1.0), Vector::Constant(40, priced_rows ? 0.5 : 0.0)));
    problem.minimize(quadratic(Matrix(Matrix::Identity(3, 3)), {1.0, 1.0, 1.0}));
    const Result result = solve(problem, settings_of(LinearAlgebra::automatic));
    ASSERT_EQ(result.status, Status::optimal) << result.message;
    EXPECT_NEAR(result.certificate.objective, -1.5 + (priced_rows ? 20.0 : 0.0), 1e-7);
  }
}

TEST(SoftRows, WeightsAreChecked) {
  const DataMatrix G(Matrix::Ones(2, 1));
  for (const double bad : {-1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    Problem problem(1);
    EXPECT_THROW(
        {
          problem.minimize(positive_part(G, {0.0, 0.0}, {1.0, bad}));
          problem.validate();
        },
        InputError);
  }
  EXPECT_THROW(positive_part(G, {0.0, 0.0}, {1.0}), InputError);
  EXPECT_THROW(quantile(G, {0.0, 0.0}, 1.0), InputError);
  EXPECT_THROW(quantile(G, {0.0, INFINITY}, 0.5), InputError);
  EXPECT_THROW(hinge(G, {1.0, 0.5}), InputError);
  EXPECT_THROW(epsilon_insensitive(G, {0.0, 0.0}, -1.0), InputError);
}

}  // namespace
}  // namespace pliant
