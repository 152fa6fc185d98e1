// The path engine on planted problems, nasty rows and limits; judged from the data alone.
#include "engines/path/path_choices.hpp"
#include "pliant/generate.hpp"
#include "pliant/solve.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <map>

namespace pliant {
namespace {

using testing::planted_qp;
using testing::PlantedQp;
using testing::Random;

Settings tight_path() {
  Settings s;
  s.method = Method::path;
  s.tol_feas = s.tol_gap = 1e-8;
  return s;
}

void expect_certified(const Problem& problem, const Result& r, const Settings& settings) {
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  const Certificate again = certify(problem, r.x, r.multipliers);
  EXPECT_TRUE(again.satisfies(settings));
  EXPECT_NEAR(again.objective, r.certificate.objective, 1e-12 * (1.0 + std::abs(again.objective)));
  EXPECT_NEAR(again.lower_bound, r.certificate.lower_bound, 1e-9 * (1.0 + std::abs(again.objective)));
  EXPECT_LE(std::abs(again.violation_linf - r.certificate.violation_linf), 1e-12);
  EXPECT_EQ(again.active, r.certificate.active);
}

TEST(Path, ReachesPlantedSolutions) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 12), m = random.integer(1, 400);
    const PlantedQp p = planted_qp(random, n, m, std::min(m, random.integer(0, n)), 0);
    const Result r = solve(p.problem, tight_path());
    expect_certified(p.problem, r, tight_path());
    EXPECT_NEAR(r.certificate.objective, p.value, 1e-6 * (1.0 + std::abs(p.value)));
    EXPECT_LE((r.x - p.x).norm(), 1e-3 * (1.0 + p.x.norm()));
    EXPECT_LE(r.certificate.lower_bound, p.value + 1e-10 * (1.0 + std::abs(p.value)));
  }
}

TEST(Path, CertifiesNastyRows) {
  for (const char* family : {"dense_qp", "dense_lp"}) {
    for (const auto& [name, value] : std::map<std::string, double>{
             {"seed", 5}, {"duplicate", 7}, {"correlation", 0.95}, {"heavy", 1}, {"degenerate", 1}}) {
      SCOPED_TRACE(std::string(family) + " " + name);
      const Problem problem = generate(family, {{"n", 12}, {"m", 7000}, {name, value}});
      const Result r = solve(problem, tight_path());
      expect_certified(problem, r, tight_path());
      if (problem.known_optimum) {
        EXPECT_NEAR(r.certificate.objective, problem.known_optimum->objective,
                    1e-7 * (1.0 + std::abs(r.certificate.objective)));
      }
    }
  }
}

// Two-sided rows, equal sides included, a box and l2 squared, several batches, sparse rows.
TEST(Path, HandlesRangesBoxesAndSeveralBatches) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 50);
    const Index n = 8, m = 60;
    const Vector inside = 0.3 * random.vector(n);
    const Matrix G = random.matrix(m, n);
    const Vector middle = G * inside;
    Vector lo(m), hi(m);
    for (Index i = 0; i < m; ++i) {
      lo[i] = i % 5 == 0 ? -kInfinity : middle[i] - random.uniform(0.1, 1.0);
      hi[i] = i % 7 == 1 ? kInfinity : middle[i] + random.uniform(0.1, 1.0);
    }
    Problem problem(n);
    problem.minimize(linear(to_array(random.vector(n))));
    problem.minimize(least_squares(DataMatrix::from(random.matrix(5, n)), to_array(random.vector(5))), 0.5);
    problem.regularize(box(to_array(Vector::Constant(n, -1.0)), to_array(Vector::Constant(n, 1.5))));
    problem.regularize(l2_squared(n, seed % 2 == 0 ? 0.1 : 0.0));
    problem.subject_to(linear_range(to_array(lo), DataMatrix::from(G), to_array(hi)));
    problem.subject_to(linear_le(DataMatrix::csr(1, n, Indices({0, 2}), Indices({1, 4}), Doubles({1.0, -2.0})),
                                 Doubles({inside[1] - 2.0 * inside[4] + 0.05})));
    const Result r = solve(problem, tight_path());
    expect_certified(problem, r, tight_path());
    // Accelerated gradients agree.
    Settings other;
    other.method = Method::apg;
    other.tol_feas = other.tol_gap = 1e-5;
    const Result slow = solve(problem, other);
    EXPECT_NEAR(slow.certificate.objective, r.certificate.objective, 1e-3 * (1.0 + std::abs(r.certificate.objective)));
  }
}

TEST(Path, BothFormsAgree) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 900);
    const Index n = random.integer(1, 10), m = random.integer(1, 300);
    const PlantedQp p = planted_qp(random, n, m, std::min(m, random.integer(0, n)), 0);
    Settings settings = tight_path();
    settings.path_form = PathKind::primal;
    const Result primal = solve(p.problem, settings);
    expect_certified(p.problem, primal, settings);
    settings.path_form = PathKind::primal_dual;
    const Result dual = solve(p.problem, settings);
    expect_certified(p.problem, dual, settings);
    EXPECT_NEAR(primal.certificate.objective, dual.certificate.objective, 1e-7 * (1.0 + std::abs(p.value)));
  }
  Settings settings = tight_path();
  settings.path_form = PathKind::primal_dual;
  EXPECT_THROW(solve(generate("qcqp", {{"n", 5}, {"m", 10}}), settings), InputError);
}

TEST(Path, FewPassesOnManyRows) {
  const Problem problem = generate("dense_qp", {{"n", 20}, {"m", 100000}, {"seed", 2}});
  const Result r = solve(problem, tight_path());
  expect_certified(problem, r, tight_path());
  EXPECT_LE(r.passes, 4.0);
}

TEST(Path, SameBytesForAnyThreadCountAndFreeWarmStart) {
  const Problem problem = generate("dense_lp", {{"n", 15}, {"m", 30000}, {"seed", 4}});
  Settings settings = tight_path();
  settings.threads = 1;
  const Result one = solve(problem, settings);
  settings.threads = 2;
  const Result two = solve(problem, settings);
  ASSERT_EQ(one.x.size(), two.x.size());
  EXPECT_EQ(std::memcmp(one.x.data(), two.x.data(), static_cast<std::size_t>(one.x.size()) * sizeof(double)), 0);

  SolveHooks hooks;
  hooks.warm_start = &one.x;
  hooks.warm_multipliers = &one.multipliers;
  const Result warm = solve(problem, settings, hooks);
  EXPECT_EQ(warm.status, Status::optimal);
  EXPECT_EQ(warm.iterations, 0);
}

TEST(Path, LimitsAndWrongProblems) {
  const Problem problem = generate("dense_qp", {{"n", 10}, {"m", 5000}});
  Settings settings = tight_path();
  settings.max_iterations = 3;
  const Result r = solve(problem, settings);
  EXPECT_EQ(r.status, Status::iteration_limit);
  EXPECT_EQ(certify(problem, r.x, r.multipliers).violation_linf, r.certificate.violation_linf);
  Problem grouped(2);
  grouped.regularize(group_l2(Indices({0, 0}), Doubles({1.0})));
  grouped.subject_to(
      quadratic_diagonal_le(Tensor({1, 2}, Doubles({1.0, 1.0})), Tensor({1, 2}, Doubles({0.0, 0.0})), Doubles({-1.0})));
  EXPECT_THROW(solve(grouped, tight_path()), InputError);
  settings = tight_path();
  settings.xi = 3.0;
  EXPECT_THROW(solve(problem, settings), InputError);
}

TEST(Path, InfeasibleAndUnboundedProblemsEndWithAProof) {
  Problem infeasible(1);
  infeasible.minimize(quadratic(DataMatrix::dense(1, 1, Doubles({1.0})), Doubles({0.0})));
  infeasible.subject_to(linear_le(DataMatrix::dense(2, 1, Doubles({1.0, -1.0})), Doubles({-1.0, -1.0})));
  Result r = solve(infeasible, tight_path());
  EXPECT_EQ(r.status, Status::primal_infeasible) << r.message;

  Problem unbounded(2);
  unbounded.minimize(linear(Doubles({1.0, 0.0})));
  unbounded.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({0.0, 1.0})), Doubles({1.0})));
  r = solve(unbounded, tight_path());
  EXPECT_EQ(r.status, Status::dual_infeasible) << r.message;
}

// Linear objectives under curved rows, without bounds: a penalty that is too small at first would let x run away.
TEST(Path, LinearObjectivesDoNotRunAway) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 5), m = random.integer(4 * n, 60), terms = random.integer(1, 4);
    std::vector<double> A = random.numbers(m * terms * n), b = random.numbers(m * terms);
    const double scale = random.log_uniform(1e-6, 1e6);  // of the units of x
    for (double& v : A) v *= scale;
    for (double& v : b) v = -std::log(static_cast<double>(terms)) - 1.0 + 0.1 * std::abs(v);
    Problem problem(n);
    // Minus a combination of gradients at 0: bounded below, because the dual has a feasible point.
    Vector c = Vector::Zero(n);
    for (Index i = 0; i < 2 * n; ++i) {
      const double lambda = random.uniform(0.1, 1.0);
      for (Index j = 0; j < n; ++j) c[j] -= lambda * A[static_cast<std::size_t>(i * terms * n + j)];
    }
    problem.minimize(linear(to_array(c)));
    problem.subject_to(log_sum_exp_le(Tensor({m, terms, n}, A), Tensor({m, terms}, b)));
    expect_certified(problem, solve(problem, tight_path()), tight_path());
  }
  Problem one(1);
  one.minimize(linear(std::vector<double>{-1.0}));
  one.subject_to(
      log_sum_exp_le(Tensor({1, 2, 1}, std::vector<double>{1.0, 1.0}), Tensor({1, 2}, std::vector<double>{0.0, 0.0})));
  const Result r = solve(one, tight_path());
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_NEAR(r.x[0], -std::log(2.0), 1e-7);
}

// A few rows among many hold the objective: samples without them let x run away as far as it likes, and it comes back.
TEST(Path, SamplesThatDoNotHoldTheObjectiveAreNoVerdict) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = 2, m = 400, terms = 2, holding = 3;
    std::vector<double> A = random.numbers(m * terms * n), b(static_cast<std::size_t>(m * terms), -1.0);
    for (std::size_t k = 0; k < A.size(); ++k) {
      A[k] = static_cast<Index>(k) < holding * terms * n ? 0.5 + std::abs(A[k]) : -std::abs(A[k]);
    }
    const double unit = std::pow(10.0, static_cast<double>(random.integer(-6, 6)));  // of x
    for (double& v : A) v /= unit;
    Problem problem(n);
    problem.minimize(linear({-1.0 / unit, -1.0 / unit}));
    problem.regularize(box({-9.0 * unit, -9.0 * unit}, {kInfinity, kInfinity}));
    problem.subject_to(log_sum_exp_le(Tensor({m, terms, n}, A), Tensor({m, terms}, b)));
    const Result r = solve(problem, tight_path());
    EXPECT_EQ(r.status, Status::optimal) << r.message;
  }
}

// An interrupt is seen inside of loops, too: whatever it cuts off, the point that is handed over is one that was reached.
TEST(Path, AnInterruptLeavesThePointReached) {
  for (const char* family : {"dense_qp", "quantile"}) {
    SCOPED_TRACE(family);
    const Problem problem = generate(family, {{"n", 20}, {"m", 50000}, {"seed", 3}});
    Settings settings = tight_path();
    settings.tol_feas = settings.tol_gap = 1e-14;  // it goes on
    for (const Index rows : {1, 2, 3}) {
      std::atomic<bool> interrupt{false};
      Index seen = 0;
      SolveHooks hooks;
      hooks.interrupt = &interrupt;
      hooks.progress = [&](const Progress&) {
        interrupt = interrupt || ++seen == rows;
        return false;
      };
      const Result r = solve(problem, settings, hooks);
      if (r.status == Status::optimal) continue;  // nothing was left to interrupt
      EXPECT_EQ(r.status, Status::interrupted) << r.message;
      EXPECT_GT(r.x.norm(), 0.0);
      const double reached = certify(problem, r.x, r.multipliers).objective;
      EXPECT_NEAR(r.certificate.objective, reached, 1e-12 * (1.0 + std::abs(reached)));
    }
  }
}

// Batches are taken in their order while there is room; of the others no row is.
TEST(PathChoices, SmallBatchesTakePartAsAWhole) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<Index> sizes;
    for (Index k = random.integer(1, 6); k > 0; --k) sizes.push_back(random.integer(1, 40));
    const Index most = random.integer(0, 100);
    std::vector<Index> rows{7}, expected{7};
    add_small_batches(RowLayout(sizes), most, rows);
    Index room = most, begin = 0;
    for (const Index size : sizes) {
      for (Index i = begin; i < begin + size && size <= room; ++i) expected.push_back(i);
      if (size <= room) room -= size;
      begin += size;
    }
    EXPECT_EQ(rows, expected);
  }
}

// Four rows beside 20000 that never bind decide everything, and hardly any sample has one of them.
TEST(Path, FewRowsBesideManyAreThereFromTheStart) {
  constexpr Index n = 4, m = 20000;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Matrix G = random.matrix(m, n).cwiseAbs();
    Problem problem(n);
    problem.minimize(linear(Vector::Constant(n, -1.0)));
    problem.regularize(box(Vector::Zero(n), Vector::Constant(n, 10.0)));
    problem.subject_to(linear_le(G, Vector(11.0 * G.rowwise().sum())));
    problem.subject_to(linear_le(Matrix(Matrix::Identity(n, n)), Vector(Vector::Ones(n))));
    const Result r = solve(problem, tight_path());
    expect_certified(problem, r, tight_path());
    EXPECT_NEAR(r.certificate.objective, -4.0, 1e-6);
    ASSERT_FALSE(r.trace.empty());
    EXPECT_NEAR(r.trace.front().objective, -4.0, 0.5);  // of a loose solve on the first rows
  }
}

TEST(PathChoices, LargeConesCountForSeveralRows) {
  const WorkingSetParameters parameters;
  const auto weight = [&](Index group, Index cone_rows) {
    return rows_behind_a_group(RowLayout(std::vector<RowLayout::Segment>{{0, 20 * group, group, cone_rows}}),
                               parameters);
  };
  EXPECT_EQ(weight(1, 0), 1);
  EXPECT_EQ(weight(2, 4), 1);
  EXPECT_EQ(weight(4, 10), 1);
  EXPECT_EQ(weight(5, 15), 10);  // one for 1.5 numbers
}

// All rows pass through the solution, the corner of a box, so that every check is a read of everything; a certificate of
// another point than the one checked last would cost one more.
TEST(Path, WhatWasCheckedIsWhatIsCertified) {
  constexpr Index n = 3, m = 4000;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Matrix G = random.matrix(m, n).cwiseAbs();
    const Vector corner = random.vector(n).cwiseAbs() + Vector::Constant(n, 0.1);
    const Vector c = -random.vector(n).cwiseAbs() - Vector::Constant(n, 0.1);
    Problem problem(n);
    problem.minimize(linear(c));
    problem.regularize(box(Vector::Zero(n), corner));
    problem.subject_to(linear_le(G, Vector(G * corner)));
    Settings settings = tight_path();
    settings.path_form = PathKind::primal;
    const Result r = solve(problem, settings);
    expect_certified(problem, r, settings);
    EXPECT_NEAR(r.certificate.objective, c.dot(corner), 1e-6 * (1.0 + std::abs(c.dot(corner))));
    ASSERT_GE(r.trace.size(), 2U);
    EXPECT_LT(r.trace.back().passes - r.trace[r.trace.size() - 2].passes, 0.5);
  }
}

}  // namespace
}  // namespace pliant
