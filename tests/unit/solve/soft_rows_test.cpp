// Soft rows, judged by brute force from the raw numbers: the value of the point and the dual function of its multipliers.
#include "parallel/long_vectors.hpp"
#include "pliant/check.hpp"
#include "pliant/solver.hpp"
#include "solve/slack_form.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Random;

// min 1/2 sum d_j x_j^2 + c'x + sum w_i max(0, g_i'x - h_i) subject to H x <= k and |x_j| <= reach.
struct RawSoft {
  Vector d, c, h, w, k;
  Matrix G, H;
  double reach = 3.0;

  RawSoft(Random& random, Index n, Index m, Index hard)
      : d(n), c(random.vector(n)), h(m), w(m), k(hard), G(m, n), H(hard, n) {
    for (double& v : d) v = random.uniform(0.1, 2.0);
    // Small whole numbers: ties at kinks, rows that are copies of each other, rows without entries.
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) G(i, j) = static_cast<double>(random.integer(-2, 2));
      h[i] = static_cast<double>(random.integer(-2, 2));
      w[i] = random.uniform() < 0.2 ? 0.0 : random.log_uniform(1e-6, 1e3);
    }
    for (Index i = 0; i < hard; ++i) {  // 0 satisfies them
      for (Index j = 0; j < n; ++j) H(i, j) = static_cast<double>(random.integer(-2, 2));
      k[i] = static_cast<double>(random.integer(0, 1));
    }
  }

  Problem problem() const {
    Problem out(c.size());
    out.minimize(quadratic(DataMatrix::from(Matrix(d.asDiagonal())), to_array(c)));
    out.minimize(positive_part(DataMatrix::from(G), to_array(h), to_array(w)));
    out.regularize(box(to_array(Vector::Constant(c.size(), -reach)), to_array(Vector::Constant(c.size(), reach))));
    if (k.size() > 0) out.subject_to(linear_le(DataMatrix::from(H), to_array(k)));
    return out;
  }

  long double value(const Vector& x) const {
    long double sum = 0.0L;
    for (Index j = 0; j < x.size(); ++j) sum += 0.5L * d[j] * x[j] * x[j] + static_cast<long double>(c[j]) * x[j];
    for (Index i = 0; i < h.size(); ++i) {
      long double a = -h[i];
      for (Index j = 0; j < x.size(); ++j) a += static_cast<long double>(G(i, j)) * x[j];
      sum += w[i] * std::max(0.0L, a);
    }
    return sum;
  }

  // min over the box of the Lagrangian, one variable after the other.
  long double dual(const Vector& soft, const Vector& hard) const {
    long double sum = 0.0L;
    for (Index i = 0; i < h.size(); ++i) sum -= static_cast<long double>(soft[i]) * h[i];
    for (Index i = 0; i < k.size(); ++i) sum -= static_cast<long double>(hard[i]) * k[i];
    for (Index j = 0; j < c.size(); ++j) {
      long double q = c[j];
      for (Index i = 0; i < h.size(); ++i) q += static_cast<long double>(soft[i]) * G(i, j);
      for (Index i = 0; i < k.size(); ++i) q += static_cast<long double>(hard[i]) * H(i, j);
      const long double t = std::clamp(-q / d[j], -static_cast<long double>(reach), static_cast<long double>(reach));
      sum += 0.5L * d[j] * t * t + q * t;
    }
    return sum;
  }
};

TEST(SoftRows, ValuesAndBoundsAgreeWithBruteForce) {
  int short_of_tolerances = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const RawSoft raw(random, random.integer(1, 6), random.integer(0, 25), random.integer(0, 5));
    const Problem problem = raw.problem();
    const Result r = solve(problem);
    SCOPED_TRACE(seed);
    const bool optimal = r.status == Status::optimal;
    ASSERT_TRUE(optimal || r.status == Status::numerical_error) << r.message;
    if (!optimal) ++short_of_tolerances;
    const Vector none;
    const Vector& soft = r.multipliers.lambda[0];
    const Vector& hard = raw.k.size() > 0 ? r.multipliers.lambda[1] : none;
    const double F = static_cast<double>(raw.value(r.x));
    const double D = static_cast<double>(raw.dual(soft, hard));
    EXPECT_TRUE((soft.array() >= 0.0).all() && (soft.array() <= raw.w.array()).all());
    EXPECT_TRUE((hard.array() >= 0.0).all());
    EXPECT_NEAR(r.certificate.objective, F, 1e-10 * (1.0 + std::abs(F)));
    EXPECT_LE(F - D, optimal ? 2e-6 * (1.0 + std::abs(F)) : kInfinity);
    // A point that violates hard rows a little may lie below the bound, by what that is worth.
    EXPECT_LE(r.certificate.lower_bound, F + r.certificate.violation_worth + 1e-12 * (1.0 + std::abs(F)));
    const Verdict verdict = check(problem, to_solution(problem, r));
    EXPECT_EQ(verdict.satisfied, optimal);
    EXPECT_EQ(verdict.certificate.objective, r.certificate.objective);
    EXPECT_EQ(verdict.certificate.violation_linf, r.certificate.violation_linf);
  }
  EXPECT_LE(short_of_tolerances, 2);  // prices nine decades apart may cost the last digits
}

// No multipliers, however wild, prove more than is true: the dual function of what is within the prices.
TEST(SoftRows, NoMultipliersProveTooMuch) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(100 + seed);
    const RawSoft raw(random, random.integer(1, 5), random.integer(1, 15), random.integer(0, 4));
    const Problem problem = raw.problem();
    const double best = static_cast<double>(raw.value(solve(problem).x));
    for (int k = 0; k < 5; ++k) {
      Solution wild;
      wild.x = 3.0 * random.vector(raw.c.size());
      problem.prox().project(wild.x);
      wild.duals = {random.log_uniform(1e-3, 1e6) * random.vector(raw.h.size())};
      if (raw.k.size() > 0) wild.duals.push_back(random.vector(raw.k.size()).cwiseAbs());
      const Verdict verdict = check(problem, wild);
      EXPECT_LE(verdict.certificate.lower_bound, best + 1e-6 * (1.0 + std::abs(best)));
      EXPECT_LE(verdict.certificate.proof.value, best + 1e-6 * (1.0 + std::abs(best)));
      EXPECT_FALSE(verdict.infeasible.holds);
    }
  }
}

TEST(SoftRows, ReportsSayWhereTheyStandAndCallNoneViolated) {
  Problem problem(1);  // min -x + 0.4 max(0, x) + 5 max(0, x - 2) + max(0, -x - 1) subject to x <= 5
  problem.minimize(linear({-1.0}));
  problem.minimize(positive_part(DataMatrix::dense(3, 1, {1.0, 1.0, -1.0}), {0.0, 2.0, 1.0}, {0.4, 5.0, 1.0}));
  problem.subject_to(linear_le(DataMatrix::dense(1, 1, {1.0}), {5.0}));
  const Result r = solve(problem);
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  const ConstraintOverview& overview = r.overview;
  EXPECT_EQ(overview.soft.at_zero, 1);
  EXPECT_EQ(overview.soft.at_kink, 1);
  EXPECT_EQ(overview.soft.at_price, 1);
  EXPECT_NEAR(overview.soft.cost, 0.8, 1e-5);
  EXPECT_EQ(overview.slacks.total(), 1);  // the hard row
  for (const Index violated : overview.slacks.violated) EXPECT_EQ(violated, 0);
  EXPECT_EQ(r.certificate.violation_linf, 0.0);
}

TEST(SoftRows, InfeasibleHardRowsAreProvedWithoutTheSoftOnes) {
  Random random(7);
  const Matrix g = random.matrix(1, 3);
  Matrix both(2, 3);
  both << g, -g;
  Problem problem(3);
  problem.minimize(absolute(DataMatrix::from(random.matrix(5, 3)), random.numbers(5)));
  problem.subject_to(linear_le(DataMatrix::from(both), {-1.0, -1.0}));
  const Result r = solve(problem);
  ASSERT_EQ(r.status, Status::primal_infeasible) << r.message;
  EXPECT_TRUE(check(problem, to_solution(problem, r)).infeasible.holds);
}

TEST(SoftRows, UnboundedObjectivesAreProved) {
  Problem problem(2);  // x_1 falls at a price of 1 a unit, and brings 3
  problem.minimize(linear({0.5, 3.0}));
  problem.minimize(absolute(DataMatrix::dense(1, 2, {0.0, 1.0}), {0.0}));
  problem.minimize(absolute(DataMatrix::dense(1, 2, {1.0, 0.0}), {1.0}));
  const Result r = solve(problem);
  ASSERT_EQ(r.status, Status::dual_infeasible) << r.message;
  ASSERT_EQ(r.ray.size(), 2);
  EXPECT_EQ(r.certificate.objective, problem.objective(r.x));
  EXPECT_EQ(r.certificate.lower_bound, -kInfinity);
  EXPECT_EQ(r.overview.soft.total(), 4);
  const Verdict verdict = check(problem, to_solution(problem, r));
  ASSERT_TRUE(verdict.unbounded.has_value());
  EXPECT_TRUE(verdict.unbounded->holds);
  // A direction that costs more than it brings proves nothing.
  Solution wrong = to_solution(problem, r);
  wrong.ray = -wrong.ray;
  EXPECT_FALSE(check(problem, wrong).unbounded->holds);
}

TEST(SoftRows, SlacksStandForPrices) {
  Random random(9);
  const RawSoft raw(random, 4, 12, 3);
  const Problem problem = raw.problem();
  const SlackForm form(problem);
  for (int k = 0; k < 5; ++k) {
    Vector x = random.vector(4);
    problem.prox().project(x);
    const Vector lifted = form.lift(x);
    EXPECT_NEAR(form.problem().objective(lifted), problem.objective(x), 1e-12 * (1.0 + std::abs(problem.objective(x))));
  }
}

TEST(SoftRows, BadNumbersAreNamed) {
  const auto message = [](const Doubles& weights, double weight) -> std::string {
    try {
      Problem problem(1);
      problem.minimize(positive_part(DataMatrix::dense(2, 1, {1.0, 2.0}), {0.0, 0.0}, weights), weight);
      problem.validate();
    } catch (const InputError& error) {
      return error.what();
    }
    return "(no error)";
  };
  EXPECT_EQ(message({1.0, -2.0}, 1.0), "soft rows 0 (linear): weights: entry 1 is -2, expected a finite number >= 0");
  EXPECT_THAT(message({std::nan(""), 1.0}, 1.0), HasSubstr("weights: entry 0 is nan"));
  EXPECT_THAT(message({1.0, 1.0}, -1.0), HasSubstr("weight must be finite and >= 0, got -1"));
  EXPECT_THAT(message({1.0, 1e300}, 1e300), HasSubstr("weights: entry 1 is inf"));
  EXPECT_THAT(message({1.0}, 1.0), HasSubstr("expected 2 entries, got 1"));
  EXPECT_EQ(message({0.0, 0.0}, 0.0), "(no error)");
}

TEST(SoftRows, AppendedRowsKeepToTheirKind) {
  Problem problem(1);
  problem.minimize(linear({-1.0}));
  const Handle soft = problem.minimize(positive_part(DataMatrix::dense(1, 1, {1.0}), {0.0}, {0.5}));
  const Handle hard = problem.subject_to(linear_le(DataMatrix::dense(1, 1, {1.0}), {9.0}));
  const BatchPtr rows = linear_le(DataMatrix::dense(1, 1, {1.0}), {4.0});
  Solver solver(problem);
  EXPECT_NEAR(solver.solve().x[0], 9.0, 1e-4);
  EXPECT_THROW(solver.append(soft, rows), InputError);
  EXPECT_THROW(solver.append(hard, positive_part(rows)), InputError);
  EXPECT_THROW(solver.append(soft, positive_part(rows, {-1.0})), InputError);
  solver.append(soft, positive_part(rows, {0.7}));
  const Result r = solver.solve();
  EXPECT_NEAR(r.x[0], 4.0, 1e-4);
  ASSERT_EQ(r.duals(soft).size(), 2);
  EXPECT_NEAR(r.duals(soft)[1], 0.5, 1e-4);
}

// Of any kind: what is soft has no part in the proof, which holds for the raw rows.
TEST(SoftRows, HardOnesThatExcludeEachOtherAreProvedTo) {
  for (const int kind : {0, 1, 2, 3}) {
    SCOPED_TRACE(kind);
    Random random(static_cast<std::uint64_t>(kind) + 40);
    const Index n = 4, m = kind == 0 ? 6000 : 30;
    Problem problem(n);
    const Vector sums = Vector::Ones(n);
    const auto exclude = [&](double least) {
      Matrix G(2, n);
      G << sums.transpose(), -sums.transpose();
      problem.subject_to(linear_le(DataMatrix(G), {1.0, -least}));
    };
    problem.subject_to(linear_le(DataMatrix(Matrix::Identity(n, n)), to_array(Vector(5.0 * sums))));
    if (kind == 0 || kind == 3) {
      problem.minimize(absolute(DataMatrix(random.matrix(m, n)), to_array(random.vector(m))));
    } else if (kind == 1) {
      problem.minimize(positive_part(quadratic_diagonal_le(Tensor({m, n}, to_array(Vector::Ones(m * n))),
                                                           Tensor({m, n}, to_array(random.vector(m * n))),
                                                           to_array(Vector(Vector::Constant(m, -1.0))))));
    } else {
      problem.minimize(positive_part(
          soc_le(Tensor({m, 2, n}, to_array(random.vector(m * 2 * n))), Tensor({m, 2}, to_array(random.vector(m * 2))),
                 Tensor({m, n}, to_array(Vector(Vector::Zero(m * n)))), to_array(Vector(Vector::Zero(m))))));
    }
    exclude(1.5);
    if (kind == 3) problem.equal(DataMatrix(Matrix(Matrix::Identity(1, n))), {0.5});
    const Result none = solve(problem);
    ASSERT_EQ(none.status, Status::primal_infeasible) << none.message;
    ASSERT_TRUE(none.infeasibility.has_value());
    EXPECT_EQ(none.infeasibility->kind(), InfeasibilityKind::proved);
    ASSERT_EQ(none.multipliers.lambda.size(), 3U);
    EXPECT_TRUE(none.multipliers.lambda[1].isZero(0.0));
    // sum of y'(G x - h) + nu'(x_0 - 1/2) = a positive number, whatever x is.
    const Vector& wide = none.multipliers.lambda[0];
    const Vector& narrow = none.multipliers.lambda[2];
    Vector slope = wide + (narrow[0] - narrow[1]) * sums;
    double constant = -5.0 * wide.sum() - narrow[0] + 1.5 * narrow[1];
    if (kind == 3) {
      slope[0] += none.multipliers.nu[0];
      constant -= 0.5 * none.multipliers.nu[0];
    }
    EXPECT_LE(slope.lpNorm<Eigen::Infinity>(), 1e-12);
    EXPECT_GT(constant, 0.1);
    EXPECT_TRUE(prove_infeasible(problem, none.x, none.multipliers).holds);
  }
}

// sum_i max(0, lower_i - z_i) and max(0, z_i - upper_i) at their weights, z = G x; infinite sides have none.
struct Sides {
  Matrix G;
  Vector lower, upper, weights;  // weights: that of the upper side first

  Sides(Random& random, Index n, Index m, bool two) : G(random.matrix(m, n)), lower(m), upper(m), weights(2 * m) {
    Index sides = 0;
    for (Index i = 0; i < m; ++i) {
      lower[i] = upper[i] = random.normal();
      if (!two || i % 3 == 1) lower[i] = -kInfinity;
      if (two && i % 3 == 2) upper[i] = kInfinity;
      if (upper[i] < kInfinity) weights[sides++] = i % 7 == 0 ? 2.0 : 1.0;
      if (lower[i] > -kInfinity) weights[sides++] = i % 11 == 0 ? 2.0 : 0.5;
    }
    weights.conservativeResize(sides);
    // Rows that chunks begin in, or beside, weigh more.
    for (const Index first : parallel::parts<Index>(sides, [](Index begin, Index) { return begin; })) {
      weights.segment(std::max<Index>(0, first - 1), 2).setConstant(3.0);
    }
  }
  SoftRows rows() const {
    if (std::isinf(lower.maxCoeff())) return positive_part(DataMatrix(G), to_array(upper), to_array(weights));
    return positive_part(linear_range(to_array(lower), DataMatrix(G), to_array(upper)), to_array(weights));
  }
};

// Of very many equal multipliers the first count, wherever chunks begin: within rows with two sides, too.
TEST(SoftRows, AnOverviewIsOneOfTheRawRows) {
  for (const bool two : {true, false}) {
    SCOPED_TRACE(two);
    Random random(50);
    const Index n = 3, m = 200000;
    const Sides raw(random, n, m, two);
    Problem problem(n);
    const Handle soft = problem.minimize(raw.rows(), 1.0 / static_cast<double>(m));
    problem.minimize(quadratic(Matrix(1e-2 * Matrix::Identity(n, n)), to_array(Vector::Zero(n))));
    const Result result = solve(problem);
    ASSERT_EQ(result.status, Status::optimal) << result.message;
    const Vector dual = result.duals(soft);
    std::vector<Index> order(static_cast<std::size_t>(m));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return std::abs(dual[a]) > std::abs(dual[b]); });
    ASSERT_EQ(static_cast<Index>(result.overview.leading.size()), ConstraintOverview::kLeading);
    for (std::size_t k = 0; k < result.overview.leading.size(); ++k) {
      const LeadingMultiplier& leader = result.overview.leading[k];
      EXPECT_EQ(leader.row, order[k]) << k;
      EXPECT_EQ(leader.multiplier, dual[order[k]]);
      const double z = raw.G.row(leader.row).dot(result.x);
      EXPECT_NEAR(leader.value, leader.multiplier > 0.0 ? z - raw.upper[leader.row] : raw.lower[leader.row] - z, 1e-12);
    }
    EXPECT_EQ(result.overview.soft.total(), raw.weights.size());
    EXPECT_NEAR(result.overview.soft.cost, result.certificate.objective - 5e-3 * result.x.squaredNorm(), 1e-12);
  }
}

}  // namespace
}  // namespace pliant
