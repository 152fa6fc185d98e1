// Several problems in one call: the bytes of each alone, fewer reads, limits and failures of a call.
#include "pliant/pliant.hpp"

#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace pliant {
namespace {

using testing::Random;

bool same(const Vector& a, const Vector& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * 8) == 0;
}

std::vector<std::reference_wrapper<const Problem>> references(const std::vector<Problem>& problems) {
  return {problems.begin(), problems.end()};
}

// One matrix, a quantile for each tau.
std::vector<Problem> quantiles(const DataMatrix& A, const Vector& b, const std::vector<double>& taus) {
  std::vector<Problem> out;
  for (const double tau : taus) {
    out.emplace_back(A.cols());
    out.back().minimize(quantile(A, to_array(b), tau));
  }
  return out;
}

void expect_as_alone(const std::vector<Problem>& problems, const std::vector<Result>& together,
                     const Settings& settings) {
  ASSERT_EQ(together.size(), problems.size());
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Result alone = solve(problems[k], settings);
    EXPECT_EQ(together[k].status, alone.status) << "problem " << k;
    EXPECT_TRUE(same(together[k].x, alone.x)) << "problem " << k;
    EXPECT_EQ(together[k].certificate.lower_bound, alone.certificate.lower_bound) << "problem " << k;
    EXPECT_EQ(together[k].certificate.lower_bound_kind, alone.certificate.lower_bound_kind) << "problem " << k;
    EXPECT_EQ(together[k].iterations, alone.iterations) << "problem " << k;
    EXPECT_LE(together[k].passes, alone.passes * (1.0 + 1e-12)) << "problem " << k;
  }
}

TEST(Together, QuantilesAreThoseOfEachAloneForFewerReads) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Random random(seed);
    const Index n = random.integer(1, 6), m = random.integer(2000, 20000);
    const DataMatrix A = DataMatrix::from(random.matrix(m, n));
    const std::vector<Problem> problems = quantiles(A, random.vector(m), {0.1, 0.3, 0.5, 0.9});
    Settings settings;
    settings.tol_gap = settings.tol_feas = 1e-8;
    const std::vector<Result> together = solve_together(references(problems), settings);
    expect_as_alone(problems, together, settings);
    double passes = 0.0, alone = 0.0;
    for (std::size_t k = 0; k < problems.size(); ++k) {
      passes += together[k].passes;
      alone += solve(problems[k], settings).passes;
      EXPECT_GT(together[k].passes, 0.0);
    }
    EXPECT_LT(passes, alone) << "n = " << n << ", m = " << m;
  }
}

TEST(Together, ProblemsThatHaveNothingInCommonAreSolvedAsWell) {
  Random random(31);
  std::vector<Problem> problems = quantiles(DataMatrix::from(random.matrix(3000, 3)), random.vector(3000), {0.5});
  problems.emplace_back(2);  // x1 + x2 <= 1
  problems.back().minimize(quadratic(Matrix::Identity(2, 2), Vector(Vector::Constant(2, -1.0))));
  problems.back().subject_to(linear_le(Matrix(Matrix::Ones(1, 2)), Vector(Vector::Ones(1))));
  problems.emplace_back(1);  // x <= -1, -x <= -1
  problems.back().minimize(linear(Vector(Vector::Ones(1))));
  Matrix both(2, 1);
  both << 1.0, -1.0;
  problems.back().subject_to(linear_le(both, Vector(Vector::Constant(2, -1.0))));
  const std::vector<Result> together = solve_together(references(problems));
  expect_as_alone(problems, together, {});
  EXPECT_EQ(together[1].status, Status::optimal);
  EXPECT_NEAR(together[1].x[0], 0.5, 1e-5);
  EXPECT_EQ(together[2].status, Status::primal_infeasible);
  EXPECT_TRUE(solve_together({}).empty());
}

TEST(Together, AnInterruptAndALimitEndAllOfThem) {
  Random random(32);
  const std::vector<Problem> problems =
      quantiles(DataMatrix::from(random.matrix(20000, 5)), random.vector(20000), {0.2, 0.5, 0.8});
  const std::atomic<bool> stop = true;
  for (const Result& r : solve_together(references(problems), {}, &stop)) {
    EXPECT_EQ(r.status, Status::interrupted);
    EXPECT_EQ(r.x.size(), 5);
    EXPECT_TRUE(r.x.allFinite());
  }
  Settings settings;
  settings.time_limit = 1e-6;
  for (const Result& r : solve_together(references(problems), settings)) EXPECT_EQ(r.status, Status::time_limit);
}

TEST(Together, BadInputIsAnErrorThatNamesTheProblem) {
  Random random(33);
  std::vector<Problem> problems = quantiles(DataMatrix::from(random.matrix(9000, 3)), random.vector(9000), {0.3, 0.6});
  problems.emplace_back(2);
  problems.back().minimize(quadratic(Matrix(-Matrix::Identity(2, 2)), Vector(Vector::Zero(2))));
  try {
    solve_together(references(problems));
    FAIL() << "a problem that is not convex was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("problem 2: quadratic: P is not convex"));
  }
}

}  // namespace
}  // namespace pliant
