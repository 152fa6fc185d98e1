// Newton's steps of the primal path on cones: what they read, and that none leads astray.
#include "engines/path/primal_path.hpp"
#include "pliant/constraints.hpp"
#include "pliant/generate.hpp"
#include "pliant/objectives.hpp"
#include "pliant/solve.hpp"
#include "solve/cone_rows.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace pliant {
namespace {

struct Solved {
  bool done = false, exhausted = false;
  double passes = 0.0;
  Index steps = 0;
  Vector x, claimed, values;  // values of rows: as the path says, and read at x
};

Solved solve_on_all_rows(const Problem& problem, const PrimalPathParameters& parameters) {
  const PathModel model(problem);
  ConstraintSystem system(problem);
  RowSelection rows(system);
  std::vector<Index> all(static_cast<std::size_t>(system.size()));
  std::iota(all.begin(), all.end(), Index{0});
  rows.select(std::move(all));
  Vector values(rows.size()), norms(rows.size()), smoothness(rows.size());
  Solved out;
  out.x = Vector::Zero(problem.dimension());
  rows.values_and_bounds(out.x, values, norms, smoothness);
  PrimalPath path(model, parameters);
  const double before = system.passes();
  out.done = path.solve({rows, values, norms, smoothness}, 1e-7, out.x, [] { return false; });
  out.passes = system.passes() - before;
  out.steps = path.steps();
  out.exhausted = path.exhausted();
  out.claimed = path.values();
  out.values.resize(rows.size());
  rows.values(out.x, out.values);
  return out;
}

TEST(PrimalPath, RowsThatSleepAreReadLessAndMissNothing) {
  for (const char* family : {"robust_lp", "small_lmi"}) {
    for (const int seed : {1, 2, 3}) {
      SCOPED_TRACE(::testing::Message() << family << ", seed " << seed);
      const Problem cones = generate(family, {{"n", 8}, {"m", 400}, {"seed", seed}});
      const ConeRows as_rows(cones, Nonsmooth::spectral, 0.0);
      const Problem& problem = as_rows.problem();
      PrimalPathParameters never, mostly;
      never.most_awake = 0.0;
      mostly.most_awake = 1.0;
      const Solved without = solve_on_all_rows(problem, never), with = solve_on_all_rows(problem, mostly);
      ASSERT_TRUE(without.done && with.done);
      EXPECT_LT(with.passes, without.passes);
      const double value = problem.objective(without.x);
      EXPECT_NEAR(problem.objective(with.x), value, 1e-6 * (1.0 + std::abs(value)));
      for (const Solved& s : {without, with}) {
        // Upper bounds of what is there, and no bound says that a row is violated that is not.
        EXPECT_LE((s.values - s.claimed).maxCoeff(), 1e-12);
        EXPECT_LE(s.claimed.maxCoeff(), 1e-7);
        EXPECT_NEAR(s.claimed.maxCoeff(), s.values.maxCoeff(), 1e-9);
      }
    }
  }
}

// Cones that are nearly all tight leave the Hessian nearly singular: a long step that was accepted although Phi rose on it,
// and a prediction along a tangent of length 1e6, once led so far from the path that its stages ended at 60 steps each
// (1339 in all).
TEST(PrimalPath, StepsAndPredictionsStayOnThePathOfTightCones) {
  Settings settings;
  settings.method = Method::path;
  settings.tol_feas = settings.tol_gap = 1e-7;
  const Problem problem = generate("opf", {{"k", 1}, {"m", 10000}, {"seed", 3}});
  const Result r = solve(problem, settings);
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_TRUE(certify(problem, r.x, r.multipliers).satisfies(settings));
  EXPECT_LE(r.iterations, 600);
}

// Close to the path at every delta, delta falling by ten, and polishes that go on however far they lead: what was before.
TEST(PrimalPath, StagesOfAFewStepsTakeFewerInAll) {
  PrimalPathParameters closely;
  closely.reduction = 0.1;
  closely.decrement = 1e-2;
  closely.polish_from = 1.0;
  closely.polish_astray = kInfinity;
  Index steps = 0, before = 0;
  for (const char* family : {"qcqp_lowrank", "log_sum_exp", "qcqp"}) {
    for (const int seed : {1, 2, 3}) {
      SCOPED_TRACE(::testing::Message() << family << ", seed " << seed);
      const Problem problem = generate(family, {{"n", 10}, {"m", 300}, {"seed", seed}});
      const Solved now = solve_on_all_rows(problem, {}), then = solve_on_all_rows(problem, closely);
      ASSERT_TRUE(now.done && then.done);
      const double value = problem.objective(then.x);
      EXPECT_NEAR(problem.objective(now.x), value, 1e-6 * (1.0 + std::abs(value)));
      steps += now.steps;
      before += then.steps;
    }
  }
  EXPECT_LE(static_cast<double>(steps), 0.8 * static_cast<double>(before));
}

// Whatever the units: rises of the penalty that change nothing are left out, but not all of them.
TEST(PrimalPath, RowsThatExcludeEachOtherDriveThePenaltyToItsLimit) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    SCOPED_TRACE(unit);
    Problem problem(2);
    problem.minimize(quadratic(DataMatrix::from(Matrix::Identity(2, 2)), to_array(Vector::Ones(2))));
    Matrix sides(2, 2);
    sides << 1.0, 2.0, -1.0, -2.0;
    problem.subject_to(linear_le(DataMatrix::from(Matrix(unit * sides)), to_array(Vector::Constant(2, -unit))));
    const Solved never = solve_on_all_rows(problem, {});
    EXPECT_FALSE(never.done);
    EXPECT_TRUE(never.exhausted);
    EXPECT_LE(never.steps, 600);
    PrimalPathParameters once;
    once.raise_in_vain = kInfinity;
    EXPECT_FALSE(solve_on_all_rows(problem, once).exhausted);
  }
}

// Rows that hardly depend on x make distances of 1e12 and stages that end at once: the first step of the polish leads farther off,
// the second to the solution.
TEST(PrimalPath, OneStepOfAPolishMayLeadFartherOff) {
  const Problem problem = generate("fairness", {{"seed", 109628}, {"l", 471}, {"m", 19}, {"n", 5}});
  Settings settings;
  settings.method = Method::path;
  const Result r = solve(problem, settings);
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_TRUE(certify(problem, r.x, r.multipliers).satisfies(settings));
}

}  // namespace
}  // namespace pliant
