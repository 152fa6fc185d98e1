// The path engine computes the same bytes wherever the rows are and however many holders share them.
#include "conformance/holders/holders.hpp"
#include "engines/path/working_set.hpp"
#include "support/group_of_holders.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace pliant::testing {
namespace {

Settings tight() {
  Settings settings;
  settings.method = Method::path;
  settings.tol_feas = settings.tol_gap = 1e-8;
  return settings;
}

Result solve_in_parts(const Problem& problem, const Settings& settings, Index parts, Index* rounds) {
  const SolveHooks hooks;
  const WorkingSetParameters parameters;
  Context run(problem, settings, hooks);
  GroupOfHolders rows(problem, run.system(), check_slack(problem, parameters), parts);
  InnerPoint point;
  point.x = problem.start ? *problem.start : Vector(Vector::Zero(problem.dimension()));
  solve_with_working_sets(run, point, rows, RowsAre::here, parameters);
  if (rounds != nullptr) *rounds = rows.rounds();
  return run.finish(point);
}

void expect_same_bytes(const Result& a, const Result& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.passes, b.passes);
  EXPECT_EQ(a.screened, b.screened);
  EXPECT_TRUE(a.x == b.x) << (a.x - b.x).lpNorm<Eigen::Infinity>();
  ASSERT_EQ(a.multipliers.lambda.size(), b.multipliers.lambda.size());
  for (std::size_t k = 0; k < a.multipliers.lambda.size(); ++k) {
    EXPECT_TRUE(a.multipliers.lambda[k] == b.multipliers.lambda[k]) << k;
  }
  EXPECT_EQ(a.certificate.objective, b.certificate.objective);
  EXPECT_EQ(a.certificate.lower_bound, b.certificate.lower_bound);
}

void expect_same_in_parts(const Problem& problem) {
  const Settings settings = tight();
  const Result whole = solve(problem, settings);
  ASSERT_EQ(whole.status, Status::optimal) << whole.message;
  for (const Index parts : {1, 2, 3}) {
    SCOPED_TRACE(parts);
    Index rounds = 0;
    expect_same_bytes(whole, solve_in_parts(problem, settings, parts, &rounds));
    EXPECT_GT(rounds, 0);
    EXPECT_LT(rounds, 60);
  }
}

// G x <= h around a centre, with a quadratic or a linear objective that pulls away from it.
Problem half_spaces(std::uint64_t seed, bool linear_objective) {
  Random random(seed);
  const Index n = 12, m = 9000;
  const Vector centre = random.vector(n);
  const Matrix G = random.matrix(m, n);
  Vector h = G * centre;
  for (Index i = 0; i < m; ++i) h[i] += random.uniform(0.3, 2.0) * G.row(i).norm();
  Problem out(n);
  if (linear_objective) {
    out.minimize(linear(to_array(random.vector(n))));
  } else {
    out.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(Vector(-4.0 * random.vector(n)))));
  }
  out.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
  return out;
}

TEST(SolveOnHolders, PrimalDualFormOnLinearRows) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    expect_same_in_parts(half_spaces(seed, seed % 2 == 1));
  }
}

TEST(SolveOnHolders, PrimalFormOnRowsOfManyFamilies) { expect_same_in_parts(mixed_rows(20)); }

TEST(SolveOnHolders, RowsThatComeInGroups) { expect_same_in_parts(grouped_rows(21)); }

TEST(SolveOnHolders, RowsInOtherCoordinates) { expect_same_in_parts(points(22)); }

}  // namespace
}  // namespace pliant::testing
