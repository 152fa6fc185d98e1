// Screening between stages: balls that hold the solution, and solves that go on without the rows they rule out.
#include "outer/screening.hpp"

#include "constraints/linear.hpp"
#include "pliant/generate.hpp"
#include "support/planted.hpp"
#include "support/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using testing::plant;
using testing::Planted;
using testing::PlantedFamily;
using testing::PlantedOptions;
using testing::Random;

Planted planted(std::uint64_t seed) {
  Random random(seed + 400);
  PlantedOptions options;
  options.family = static_cast<PlantedFamily>(seed % 4);
  options.n = random.integer(2, 6);
  options.active = random.integer(1, options.n);
  options.inactive = random.integer(0, 40);
  options.mu = random.log_uniform(0.05, 5.0);
  options.weakly_active = seed % 3 == 0;
  return plant(options, seed);
}

// Everything at x with these multipliers, from the problem itself.
InnerPoint at(const Problem& problem, const Vector& x, const Vector& multipliers) {
  InnerPoint point;
  point.x = x;
  ConstraintSystem system(problem);
  evaluate_lagrangian(problem, system, x, multipliers, point.at);
  return point;
}

TEST(SafeBall, HoldsThePlantedSolutionWhateverThePoint) {
  Index finite = 0, balls = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Planted p = planted(seed);
    Random random(seed);
    const double bound = p.lambda.lpNorm<1>();
    for (const double distance : {3.0, 0.1, 1e-3, 1e-6}) {
      const Vector x = p.x_star + distance * random.vector(p.x_star.size());
      Vector lambda = p.lambda;
      for (double& l : lambda) l = std::max(0.0, l + distance * random.normal());
      const InnerPoint point = at(p.problem, x, lambda);
      const double slater_value = p.problem.objective(p.slater_point);
      for (const ProvedBounds& proved : {ProvedBounds{}, ProvedBounds{p.objective, kInfinity, 0.0, kInfinity},
                                         ProvedBounds{kInfinity, slater_value, p.slater_slack, kInfinity},
                                         ProvedBounds{kInfinity, slater_value, p.slater_slack, bound}}) {
        const SafeBall ball = safe_ball(p.problem, point, proved);
        ++balls;
        finite += std::isfinite(ball.radius);
        EXPECT_LE((p.x_star - ball.center).norm(), ball.radius * (1.0 + 1e-9));
      }
    }
  }
  EXPECT_GE(finite, balls / 2);
}

TEST(SafeBall, IsTheDomainWithoutStrongConvexity) {
  Problem problem(2);
  problem.minimize(linear(to_array(Vector::Ones(2))));
  problem.subject_to(linear_le(DataMatrix::from(Matrix::Identity(2, 2)), to_array(Vector::Ones(2))));
  const InnerPoint free = at(problem, Vector::Zero(2), Vector::Zero(2));
  EXPECT_EQ(safe_ball(problem, free, {0.0, 0.0, 1.0, 0.0}).radius, kInfinity);
  problem.regularize(box(to_array(Vector::Constant(2, -3.0)), to_array(Vector::Constant(2, 4.0))));
  EXPECT_NEAR(safe_ball(problem, at(problem, Vector::Zero(2), Vector::Zero(2)), {}).radius, std::sqrt(32.0), 1e-12);
}

TEST(Screening, EveryMethodGoesOnWithFewerRowsAndCertifiesAllOfThem) {
  for (const char* family : {"dense_qp", "ridge", "qcqp_lowrank", "log_sum_exp"}) {
    const Problem problem = generate(family, {{"n", 5.0}, {"m", 400.0}, {"seed", 3.0}});
    for (const Outer outer : {Outer::nested, Outer::multiplier}) {
      for (const Method method : {Method::apg, Method::lbfgs, Method::katyusha, Method::catalyst_svrg, Method::rpdg}) {
        SCOPED_TRACE(std::string(family) + " " + std::string(to_string(method)) + " " + std::string(to_string(outer)));
        Settings settings;
        settings.method = method;
        settings.outer = outer;
        settings.tol_feas = settings.tol_gap = outer == Outer::nested ? 1e-3 : 1e-5;
        const testing::Stages out = testing::run_stages(problem, settings);
        const Result& r = out.result;
        ASSERT_EQ(r.status, Status::optimal) << r.message;
        EXPECT_EQ(r.screened, 400 - static_cast<Index>(out.kept.size()));
        EXPECT_GT(r.screened, 0);
        const Certificate again = certify(problem, r.x, r.multipliers);
        EXPECT_TRUE(again.satisfies(settings));
        EXPECT_EQ(again.violation_linf, r.certificate.violation_linf);
        EXPECT_EQ(again.active, r.certificate.active);
        EXPECT_NEAR(again.lower_bound, r.certificate.lower_bound, 1e-9 * (1.0 + std::abs(again.lower_bound)));
        Vector outside = r.multipliers.lambda.at(0);
        for (const Index i : out.kept) outside[i] = 0.0;
        EXPECT_EQ(outside, Vector::Zero(400));
      }
    }
  }
}

TEST(Screening, CanBeSwitchedOff) {
  const Problem problem = generate("dense_qp", {{"n", 5.0}, {"m", 400.0}});
  Settings settings;
  settings.method = Method::apg;
  const Result with = solve(problem, settings);
  settings.screening = false;
  const Result without = solve(problem, settings);
  EXPECT_EQ(with.status, Status::optimal);
  EXPECT_EQ(without.status, Status::optimal);
  EXPECT_GT(with.screened, 0);
  EXPECT_EQ(without.screened, 0);
  EXPECT_LT(with.component_evaluations, without.component_evaluations);
  EXPECT_LT(with.passes, without.passes);
}

// However a solve ends, rows that were dropped count in what it says about its last point.
TEST(Screening, DroppedRowsCountInTheCertificateOfAnyPoint) {
  const Problem problem = generate("dense_qp", {{"n", 5.0}, {"m", 400.0}, {"seed", 8.0}});
  const Result solved = solve(problem);
  ASSERT_EQ(solved.status, Status::optimal);
  const Settings settings;
  const SolveHooks hooks;
  Context context(problem, settings, hooks);
  PenaltyRun run(context);
  InnerPoint point = at(problem, solved.x, solved.multipliers.lambda.at(0));
  run.screen(point);
  const Index left = run.phi().system().size();
  ASSERT_LT(left, 200);
  std::vector<bool> dropped(400, true);
  for (Index k = 0; k < left; ++k) dropped[static_cast<std::size_t>(context.view().original(k))] = false;
  const auto& rows = dynamic_cast<const LinearBatch&>(*problem.batches().at(0));
  const Index i = std::find(dropped.begin(), dropped.end(), true) - dropped.begin();
  InnerPoint far;
  far.x = 50.0 * rows.matrix().row(i);
  run.phi().evaluate(far.x, far.at);
  const Result r = context.finish(far);
  Vector a(400);
  rows.values(far.x, Rows::range(0, 400), a);
  EXPECT_EQ(r.certificate.violation_linf, a.maxCoeff());
  EXPECT_GT(r.certificate.violation_linf, far.at.a.maxCoeff());
  EXPECT_EQ(r.multipliers.lambda.at(0)[i], 0.0);
  EXPECT_NE(r.status, Status::optimal);
}

TEST(Screening, KeepsEqualitiesAndSidesOfRows) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = 4, m = 60;
    // A box keeps the radius finite although equalities leave no Slater point.
    Problem problem(n);
    problem.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(3.0 * random.vector(n))));
    problem.regularize(box(to_array(Vector::Constant(n, -1.0)), to_array(Vector::Constant(n, 1.0))));
    const Matrix G = random.matrix(m, n);
    Vector lo(m), hi(m);
    for (Index i = 0; i < m; ++i) {
      lo[i] = i % 3 == 0 ? -0.5 : -30.0;
      hi[i] = i % 4 == 0 ? 0.5 : 30.0;
    }
    problem.subject_to(linear_range(to_array(lo), DataMatrix::from(G), to_array(hi)));
    problem.equal(DataMatrix::from(random.matrix(1, n)), to_array(Vector::Constant(1, 0.05)));
    Settings settings;
    settings.method = Method::apg;
    const Result screened = solve(problem, settings);
    settings.screening = false;
    const Result plain = solve(problem, settings);
    ASSERT_EQ(screened.status, Status::optimal) << screened.message;
    ASSERT_EQ(plain.status, Status::optimal);
    EXPECT_GE(screened.screened, m);  // of 2 m sides
    EXPECT_EQ(plain.screened, 0);
    EXPECT_LE((screened.x - plain.x).norm(), 1e-2);
    EXPECT_TRUE(certify(problem, screened.x, screened.multipliers).satisfies(settings));
  }
}

TEST(Screening, DoesNotDependOnTheThreadCount) {
  const Problem problem = generate("ridge", {{"n", 8.0}, {"m", 20000.0}, {"l", 50.0}, {"seed", 5.0}});
  Settings settings;
  settings.method = Method::apg;
  settings.outer = Outer::nested;
  settings.tol_feas = settings.tol_gap = 1e-4;
  settings.threads = 1;
  const Result one = solve(problem, settings);
  settings.threads = 3;
  const Result three = solve(problem, settings);
  EXPECT_GT(one.screened, 0);
  EXPECT_EQ(one.screened, three.screened);
  EXPECT_EQ(one.x, three.x);
  EXPECT_EQ(one.component_evaluations, three.component_evaluations);
}

}  // namespace
}  // namespace pliant
