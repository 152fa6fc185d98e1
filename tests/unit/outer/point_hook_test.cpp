// What the callback for judged points sees, how exact multiplier methods become, uniform sampling, and stalls.
#include "pliant/solve.hpp"

#include "engines/inner_method.hpp"
#include "parallel/stop.hpp"
#include "pliant/constraints.hpp"
#include "support/projection.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant {
namespace {

using testing::Projection;
using testing::projection;
using testing::Random;

Settings settings_of(Method method) {
  Settings s;
  s.method = method;
  s.outer = Outer::multiplier;
  s.tol_feas = s.tol_gap = 1e-8;
  return s;
}

TEST(PointHook, SeesEveryJudgedPointWithItsRow) {
  Random random(1);
  const Projection p = projection(random, 8, 10, 0.1);
  for (const Method method : {Method::apg, Method::katyusha, Method::catalyst_svrg}) {
    SCOPED_TRACE(to_string(method));
    Index calls = 0, evaluations = 0;
    SolveHooks hooks;
    hooks.point = [&](const Progress& row, ConstVectorRef x) {
      ++calls;
      EXPECT_EQ(x.size(), 8);
      EXPECT_NEAR(row.objective, p.problem.objective(x), 1e-12 * (1.0 + std::abs(row.objective)));
      EXPECT_GT(row.component_evaluations, evaluations - 1);
      evaluations = row.component_evaluations;
      return false;
    };
    const Result r = solve(p.problem, settings_of(method), hooks);
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    EXPECT_EQ(calls, static_cast<Index>(r.trace.size()));
    EXPECT_GT(calls, 1);
    EXPECT_GE(r.component_evaluations, evaluations);
  }
}

TEST(PointHook, StopsTheSolve) {
  Random random(2);
  const Projection p = projection(random, 6, 0, 0.1);
  Index calls = 0;
  SolveHooks hooks;
  hooks.point = [&](const Progress&, ConstVectorRef) { return ++calls == 2; };
  EXPECT_EQ(solve(p.problem, settings_of(Method::svrg), hooks).status, Status::user_stopped);
  EXPECT_EQ(calls, 2);
}

// What loops throw at a limit must not go through functions of the caller, which may belong to other languages.
TEST(Hooks, FunctionsOfTheCallerSeeNoLimits) {
  Random random(3);
  const Vector centre = random.vector(4);
  Index calls = 0;
  const auto limited = [&] {
    ++calls;
    return parallel::stop_sign() != nullptr;
  };
  CallbackFunctions ball;  // ||x||^2 <= 1
  ball.values = [&](ConstVectorRef x, Rows, VectorRef a) {
    EXPECT_FALSE(limited());
    a[0] = x.squaredNorm() - 1.0;
  };
  ball.jacobian = [&](ConstVectorRef x, Rows, MatrixRef J) {
    EXPECT_FALSE(limited());
    J.row(0) = 2.0 * x.transpose();
  };
  ball.hessian = [&](ConstVectorRef, ConstVectorRef w, Rows, MatrixRef H) {
    EXPECT_FALSE(limited());
    H.setZero();
    H.diagonal().setConstant(2.0 * w[0]);
  };
  Problem problem(4);
  problem.minimize(linear(Doubles(std::vector<double>(centre.begin(), centre.end()))));
  problem.subject_to(callback_le(1, 4, ball));
  SolveHooks hooks;
  hooks.best_every = 0.0;
  hooks.best = [&](const BestSoFar&) { EXPECT_FALSE(limited()); };
  hooks.progress = [&](const Progress&) {
    EXPECT_FALSE(limited());
    return false;
  };
  hooks.point = [&](const Progress&, ConstVectorRef) {
    EXPECT_FALSE(limited());
    return false;
  };
  Settings settings;
  settings.threads = 1;
  settings.time_limit = 3600.0;
  EXPECT_EQ(solve(problem, settings, hooks).status, Status::optimal);
  EXPECT_GT(calls, 10);
}

// Rows far below zero must not keep the stages from full accuracy.
TEST(Multiplier, ReachesFullAccuracyBesideRowsThatNeverMatter) {
  for (const Method method : {Method::lbfgs, Method::apg, Method::katyusha, Method::loopless_katyusha}) {
    SCOPED_TRACE(to_string(method));
    Random random(3);
    const Projection p = projection(random, 10, 200, 0.1);
    double best = 1.0;
    SolveHooks hooks;
    hooks.point = [&](const Progress& row, ConstVectorRef x) {
      best = std::min(best, (x - p.x).norm() / p.x.norm());
      return best <= 1e-12 || row.component_evaluations > 3'000'000;
    };
    Settings settings = settings_of(method);
    settings.tol_feas = settings.tol_gap = 1e-26;  // never satisfied: only the hook stops
    settings.xi = 3.0;
    settings.screening = false;  // would drop the rows
    solve(p.problem, settings, hooks);
    EXPECT_LE(best, 1e-12);
  }
}

TEST(Sampling, UniformReachesTheSameSolution) {
  Random random(4);
  const Projection p = projection(random, 8, 5, 0.1);
  for (const Method method :
       {Method::svrg, Method::loopless_svrg, Method::catalyst_svrg, Method::katyusha, Method::loopless_katyusha}) {
    SCOPED_TRACE(to_string(method));
    Settings settings = settings_of(method);
    const Result importance = solve(p.problem, settings);
    settings.sampling = Sampling::uniform;
    const Result uniform = solve(p.problem, settings);
    ASSERT_EQ(uniform.status, Status::optimal) << uniform.message;
    EXPECT_LE((uniform.x - p.x).norm(), 1e-3 * p.x.norm());
    EXPECT_NE(uniform.component_evaluations, importance.component_evaluations);
  }
}

// A stall is when neither the residual nor the value falls.
TEST(StallCheck, LooksAtResidualAndValue) {
  Random random(6);
  const Projection p = projection(random, 4, 0, 0.1);
  ConstraintSystem system(p.problem);
  const PenalizedFunction phi(p.problem, system);
  InnerPoint point;
  point.x = Vector::Zero(4);
  point.phi = point.residual = 1.0;
  StallCheck by_value(3), by_residual(3), none(3);
  for (int k = 0; k < 20; ++k) {
    InnerPoint lower = point, flatter = point;
    lower.phi -= 1e-3 * k;
    flatter.residual -= 1e-3 * k;
    EXPECT_FALSE(by_value(phi, lower));
    EXPECT_FALSE(by_residual(phi, flatter));
    EXPECT_EQ(none(phi, point), k > 3);
  }
}

TEST(Sampling, RpdgRefusesUniform) {
  Random random(5);
  const Projection p = projection(random, 4, 0, 0.1);
  Settings settings = settings_of(Method::rpdg);
  settings.sampling = Sampling::uniform;
  EXPECT_THROW(solve(p.problem, settings), InputError);
}

}  // namespace
}  // namespace pliant
