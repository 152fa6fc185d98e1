// The guarantee of Corollaries 1 and 2: the plain method keeps its rates, forecasts follow from raw numbers, and what
// is not available is named.
#include "pliant/pliant.hpp"

#include "certify/lagrangian_enclosure.hpp"
#include "engines/first_order/plain_accelerated.hpp"
#include "outer/guarantee.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Random;

// min 1/2 mu |x|^2 + q'x, G x <= h with 0 strictly inside: everything is known in closed form.
struct RawQp {
  Index n, m;
  double mu;
  Vector q, h;
  Matrix G;
  Problem problem;
  Handle rows;

  RawQp(Index n_, Index m_, double mu_, std::uint64_t seed, double units = 1.0) : n(n_), m(m_), mu(mu_), problem(n_) {
    Random random(seed);
    q = 3.0 * random.vector(n);
    G = Matrix(m, n);
    h = Vector(m);
    for (Index i = 0; i < m; ++i) {
      G.row(i) = units * random.vector(n).transpose();
      h[i] = units * random.uniform(0.5, 2.0);
    }
    const Matrix P = mu * Matrix::Identity(n, n);
    problem.minimize(quadratic(P, q));
    rows = problem.subject_to(linear_le(G, h));
  }

  double value(const Vector& x) const { return 0.5 * mu * x.squaredNorm() + q.dot(x); }
  double violation(const Vector& x) const { return (G * x - h).cwiseMax(0.0).sum(); }
};

double softplus(double t, double delta) {
  return std::max(t, 0.0) + delta * std::log1p(std::exp(-std::abs(t) / delta));
}

Settings guarantee(double epsilon) {
  Settings settings;
  settings.guarantee = epsilon;
  return settings;
}

std::string refusal(const Problem& problem, const Settings& settings) {
  try {
    solve(problem, settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "solved";
}

// F_{xi,delta}(x_k) - min stays below 2 L |x0 - x_delta|^2/(k+1)^2, and below 2 (1 - sqrt(q))^k of what it began with.
// The second penalty is next to nothing, so that L is what it has to be: a longer step would diverge.
void expect_rates(const RawQp& raw, double xi, double delta, const Vector& x0) {
  const auto value = [&](const Vector& x) {
    double sum = raw.value(x);
    const Vector a = raw.G * x - raw.h;
    for (const double t : a) sum += xi * softplus(t, delta);
    return sum;
  };
  const double L = raw.mu + xi * raw.G.rowwise().squaredNorm().sum() / (4.0 * delta);
  const PenalizedMinimum best = minimize_penalized(raw.problem, xi, delta, 1e-11);
  const double gap0 = value(x0) - best.value, q = raw.mu / L;
  ConstraintSystem system(raw.problem);
  PenalizedFunction phi(raw.problem, system);
  phi.xi = xi;
  phi.delta = delta;
  PlainAccelerated any(x0, L, PlainAccelerated::Momentum::any());
  PlainAccelerated strong(x0, L, PlainAccelerated::Momentum::strongly_convex(q));
  const double rounding = 1e-12 * (1.0 + std::abs(best.value));
  for (Index k = 1; k <= 2000; ++k) {
    any.step(phi);
    strong.step(phi);
    const double steps = static_cast<double>(k);
    ASSERT_LE(value(any.x()) - best.value, 2.0 * L * (x0 - best.x).squaredNorm() / std::pow(steps + 1.0, 2) + rounding);
    ASSERT_LE(value(strong.x()) - best.value, 2.0 * std::pow(1.0 - std::sqrt(q), steps) * gap0 + rounding);
  }
  EXPECT_LE(value(strong.x()) - best.value, 1e-2 * gap0);
}

TEST(PlainAccelerated, KeepsBothRatesAtEveryStep) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const RawQp raw(5, 20, 0.5, seed);
    const Vector x0 = Random(seed + 10).vector(raw.n);
    expect_rates(raw, 4.0, 1e-2, x0);
    expect_rates(raw, 1e-4, 1.0, x0);
  }
}

// Every number of a forecast from the raw data: the Slater point is the origin, LB lies between that of the objective
// alone, -|q|^2/(2 mu), and F*.
TEST(Guarantee, TheForecastFollowsFromRawNumbers) {
  const RawQp raw(4, 15, 2.0, 7);
  const double epsilon = 1e-2;
  const GuaranteeForecast f = forecast_guarantee(raw.problem, epsilon);
  ASSERT_TRUE(f.available()) << f.missing;
  EXPECT_EQ(f.slater.source, "start");
  EXPECT_NEAR(f.slater.slack, raw.h.minCoeff(), 1e-14);
  const double free = -raw.q.squaredNorm() / (2.0 * raw.mu), lower = f.slater.lower_bound.value;
  Settings exact;
  exact.tol_feas = exact.tol_gap = 1e-10;
  const Result reference = solve(raw.problem, exact);
  ASSERT_EQ(reference.status, Status::optimal);
  EXPECT_GE(lower, free - 1e-12 * std::abs(free));
  EXPECT_LE(lower, reference.certificate.objective + 1e-9);
  EXPECT_EQ(f.slater.lower_bound.kind, BoundKind::proved);
  EXPECT_GE(f.xi, 2.0 * reference.duals(raw.rows).maxCoeff());
  const double bound = -lower / raw.h.minCoeff();
  EXPECT_NEAR(f.slater.multiplier_bound, bound, 1e-11 * bound);
  EXPECT_NEAR(f.xi, 2.0 * bound, 1e-10 * bound);
  EXPECT_DOUBLE_EQ(f.delta, epsilon / (4.0 * 15.0 * std::log(2.0)));
  const double L = raw.mu + f.xi * raw.G.rowwise().squaredNorm().sum() / (4.0 * f.delta);
  EXPECT_NEAR(f.smoothness, L, 1e-10 * L);
  const double distance = std::sqrt(2.0 * -lower / raw.mu);
  EXPECT_NEAR(f.distance, distance, 1e-10 * distance);
  double gap = -lower;
  for (const double t : raw.h) gap += f.xi * softplus(-t, f.delta);
  EXPECT_NEAR(f.initial_gap, gap, 1e-10 * gap);
  const double first = distance * std::sqrt(8.0 * L / (f.xi * epsilon));
  const double second = std::sqrt(L / raw.mu) * std::log(8.0 * gap / (f.xi * epsilon));
  EXPECT_EQ(f.corollary, first < second ? 1 : 2);
  EXPECT_NEAR(f.iterations, std::min(first, second), 1.0 + 1e-9 * first);
  EXPECT_DOUBLE_EQ(f.objective_gap, f.xi * epsilon / 2.0);
}

// A point that is not strictly feasible for certain is none: s is rounded down.
TEST(Guarantee, SlackIsWhatIsLeftAfterRounding) {
  Problem problem(2);
  problem.minimize(quadratic(Matrix(Matrix::Identity(2, 2)), Vector(Vector::Zero(2))));
  Matrix G(1, 2);
  G << 1e17, -1e17;
  problem.subject_to(linear_le(G, Vector(Vector::Constant(1, 1.0))));
  ConstraintSystem system(problem);
  EXPECT_LT(certain_slack(system, Vector::Constant(2, 3.0)), 0.0);  // 1e17 * 3 - 1e17 * 3 is 0 up to 1e2
  EXPECT_NEAR(certain_slack(system, Vector::Zero(2)), 1.0, 1e-12);
  problem.slater_point = Vector::Constant(2, 3.0);
  EXPECT_EQ(slater_constants(problem, false).source, "start");  // the origin, where nothing is rounded
}

// Where no known point will do one is searched for and moved inside: the feasible set is a small ball far away.
TEST(Guarantee, ASlaterPointIsFound) {
  const Index n = 3;
  const Vector centre = Vector::Constant(n, 10.0);
  Problem problem(n);
  problem.minimize(quadratic(Matrix(Matrix::Identity(n, n)), Vector(Vector::Zero(n))));
  Matrix G(2 * n, n);
  Vector h(2 * n);
  for (Index j = 0; j < n; ++j) {
    G.row(2 * j).setZero();
    G(2 * j, j) = 1.0;
    h[2 * j] = centre[j] + 0.5;
    G.row(2 * j + 1) = -G.row(2 * j);
    h[2 * j + 1] = -centre[j] + 0.5;
  }
  problem.subject_to(linear_le(G, h));
  const SlaterConstants none = slater_constants(problem, false);
  EXPECT_FALSE(none.known());
  const SlaterConstants found = slater_constants(problem, true);
  ASSERT_TRUE(found.known()) << found.source;
  EXPECT_EQ(found.source, "found by a search");
  EXPECT_LE((G * found.point - h).maxCoeff(), -found.slack);
  EXPECT_GE(found.slack, 0.1);  // 0.5 is the most there is
  const GuaranteeForecast f = forecast_guarantee(problem, 0.1);
  ASSERT_TRUE(f.available()) << f.missing;
  const Result r = solve(problem, guarantee(0.1));
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_LE((G * r.x - h).cwiseMax(0.0).sum(), 0.1);
  const double optimum = 0.5 * 3.0 * 9.5 * 9.5;
  EXPECT_NEAR(0.5 * r.x.squaredNorm(), optimum, r.guarantee->predicted.objective_gap);
}

TEST(Guarantee, InfeasibleProblemsAreProvedToBe) {
  const Result r = solve(generate("infeasible", {{"n", 4.0}, {"m", 20.0}}), guarantee(1e-2));
  EXPECT_EQ(r.status, Status::primal_infeasible) << r.message;
  EXPECT_FALSE(r.guarantee.has_value());
}

// What tolerances think of a point does not matter: `optimal` is the guarantee's word.
TEST(Guarantee, OptimalMeansTheGuarantee) {
  const RawQp raw(4, 15, 1.0, 3);
  Settings settings = guarantee(1e-5);
  settings.tol_feas = settings.tol_gap = 10.0;
  settings.max_iterations = 5;
  const Result early = solve(raw.problem, settings);
  EXPECT_EQ(early.status, Status::iteration_limit);
  ASSERT_TRUE(early.guarantee.has_value());
  EXPECT_FALSE(early.guarantee->reached);
  EXPECT_EQ(early.guarantee->iterations, 5);
  EXPECT_NEAR(early.guarantee->violation, raw.violation(early.x), 1e-12);
}

TEST(Guarantee, HugeCountsAreHonest) {
  const RawQp raw(3, 10, 1.0, 5);
  for (const double epsilon : {1e-40, 1e-200, 1e-300}) {
    Settings settings = guarantee(epsilon);
    settings.max_iterations = 3;
    const Result r = solve(raw.problem, settings);
    EXPECT_EQ(r.status, Status::iteration_limit);
    EXPECT_EQ(r.iterations, 3);
    EXPECT_GE(r.guarantee->predicted.iterations, 0.1 / std::sqrt(epsilon));
    EXPECT_TRUE(std::isfinite(r.guarantee->predicted.iterations));
  }
}

// The start may be the solution: no step is needed once the certificate has multipliers, and never more than N.
TEST(Guarantee, StartAtTheSolution) {
  const RawQp raw(4, 15, 1.0, 9);
  Settings exact;
  exact.tol_feas = exact.tol_gap = 1e-10;
  const Result reference = solve(raw.problem, exact);
  ASSERT_EQ(reference.status, Status::optimal);
  SolveHooks hooks;
  hooks.warm_start = &reference.x;
  const Result r = solve(raw.problem, guarantee(1e-2), hooks);
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_LE(static_cast<double>(r.iterations), r.guarantee->predicted.iterations);
  EXPECT_LE(raw.violation(r.x), 1e-2);
  EXPECT_LE(std::abs(raw.value(r.x) - reference.certificate.objective), r.guarantee->predicted.objective_gap);
}

// Rows in other units: the promise is about other numbers, and is kept.
TEST(Guarantee, OtherUnits) {
  for (const double units : {1e-3, 1e3}) {
    const RawQp raw(3, 8, 1.0, 21, units);
    const double epsilon = 2e-2 * units;
    const Result r = solve(raw.problem, guarantee(epsilon));
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    EXPECT_LE(static_cast<double>(r.iterations), r.guarantee->predicted.iterations);
    EXPECT_LE(raw.violation(r.x), epsilon);
    const Result reference = solve(raw.problem);
    EXPECT_LE(std::abs(raw.value(r.x) - reference.certificate.objective), r.guarantee->predicted.objective_gap + 1e-5);
  }
}

// mu next to nothing: Corollary 1 takes over where the domain is bounded.
TEST(Guarantee, TinyStrongConvexity) {
  const Index n = 3;
  const RawQp tiny(n, 8, 1e-9, 4);
  Problem boxed(n);
  boxed.minimize(quadratic(Matrix(1e-9 * Matrix::Identity(n, n)), tiny.q));
  boxed.regularize(box(Vector(Vector::Constant(n, -2.0)), Vector(Vector::Constant(n, 2.0))));
  boxed.subject_to(linear_le(tiny.G, tiny.h));
  const Result r = solve(boxed, guarantee(5e-2));
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_EQ(r.guarantee->predicted.corollary, 1);
  EXPECT_EQ(r.guarantee->predicted.distance_source, "domain");
  EXPECT_LE(static_cast<double>(r.iterations), r.guarantee->predicted.iterations);
  EXPECT_LE(tiny.violation(r.x), 5e-2);
  EXPECT_LE(std::abs(tiny.value(r.x) - solve(boxed).certificate.objective),
            r.guarantee->predicted.objective_gap + 1e-5);
}

// x^2/2 + y <= 0 has no global C0 (correction 6), but one on a box; N holds there.
TEST(Guarantee, RowsWithoutGrowthConditionNeedABoundedDomain) {
  Problem open(2);
  Tensor diagonal({1, 2}, Doubles(std::vector<double>{1.0, 0.0}));
  const auto rows = [&] {
    return quadratic_diagonal_le(diagonal, Tensor({1, 2}, Doubles(std::vector<double>{0.0, 1.0})),
                                 Vector(Vector::Constant(1, -1.0)));
  };
  open.minimize(quadratic(Matrix(Matrix::Identity(2, 2)), Vector(Vector::Constant(2, -3.0))));
  open.subject_to(rows());
  EXPECT_THAT(refusal(open, guarantee(1e-2)), HasSubstr("C0 of batch 0"));
  EXPECT_THAT(forecast_guarantee(open, 1e-2).missing, HasSubstr("bounded domain"));
  Problem closed(2);
  closed.minimize(quadratic(Matrix(Matrix::Identity(2, 2)), Vector(Vector::Constant(2, -3.0))));
  closed.regularize(box(Vector(Vector::Constant(2, -2.0)), Vector(Vector::Constant(2, 2.0))));
  closed.subject_to(rows());
  const Result r = solve(closed, guarantee(5e-2));
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_LE(static_cast<double>(r.iterations), r.guarantee->predicted.iterations);
  EXPECT_LE(0.5 * r.x[0] * r.x[0] + r.x[1] - 1.0, 5e-2);
}

TEST(Guarantee, WhatIsNotAvailableIsNamed) {
  const Problem qp = generate("dense_qp", {{"n", 3.0}, {"m", 10.0}});
  const auto with = [](auto change) {
    Settings settings = guarantee(1e-2);
    change(settings);
    return settings;
  };
  EXPECT_THAT(refusal(qp, with([](Settings& s) { s.method = Method::path; })), HasSubstr("--method path"));
  EXPECT_THAT(refusal(qp, with([](Settings& s) { s.outer = Outer::multiplier; })), HasSubstr("--outer multiplier"));
  EXPECT_THAT(refusal(qp, with([](Settings& s) { s.delta = 1.0; })), HasSubstr("--delta"));
  Settings alone;
  alone.distance = 1.0;
  EXPECT_THAT(refusal(qp, alone), HasSubstr("applies to --guarantee"));
  EXPECT_THAT(refusal(generate("robust_lp", {{"n", 3.0}, {"m", 10.0}}), guarantee(1e-2)), HasSubstr("cones"));
  Problem equal(2);
  equal.minimize(quadratic(Matrix(Matrix::Identity(2, 2)), Vector(Vector::Zero(2))));
  equal.subject_to(linear_le(Matrix(Matrix::Identity(2, 2)), Vector(Vector::Ones(2))));
  equal.equal(DataMatrix(Matrix(Matrix::Ones(1, 2))), Vector(Vector::Ones(1)));
  EXPECT_THAT(refusal(equal, guarantee(1e-2)), HasSubstr("equalities"));
  Problem free(2);
  free.minimize(linear(Vector(Vector::Ones(2))));
  EXPECT_THAT(refusal(free, guarantee(1e-2)), HasSubstr("no constraints"));
  CallbackFunctions row;
  row.values = [](ConstVectorRef x, Rows, VectorRef a) { a[0] = x.sum() - 1.0; };
  row.jacobian = [](ConstVectorRef, Rows, MatrixRef J) { J.setOnes(); };
  const auto own = [&](std::optional<Approximation> approximates) {
    Problem problem(2);
    problem.minimize(quadratic(Matrix(Matrix::Identity(2, 2)), Vector(Vector::Zero(2))));
    problem.subject_to(callback_le(1, 2, row, std::nullopt, std::move(approximates)));
    return problem;
  };
  EXPECT_THAT(refusal(own(std::nullopt), guarantee(1e-2)), HasSubstr("no constants L_a, C0 and C1"));
  EXPECT_THAT(refusal(own(Approximation{Vector::Constant(1, 0.1)}), guarantee(1e-2)), HasSubstr("stands for other"));
  const Problem unbounded = generate("entrywise_convex", {{"n", 3.0}, {"m", 3.0}});
  EXPECT_THAT(refusal(unbounded, guarantee(1e-2)), HasSubstr("|x0 - x*|"));  // F* >= 0 is proved by exact multipliers
  EXPECT_THAT(refusal(unbounded, with([](Settings& s) { s.xi = 2.0; })), HasSubstr("|x0 - x*|"));
  Problem endless(2);
  endless.minimize(linear(Vector(Vector::Ones(2))));
  endless.subject_to(linear_le(Matrix(Matrix::Identity(2, 2)), Vector(Vector::Ones(2))));
  EXPECT_THAT(refusal(endless, guarantee(1e-2)), HasSubstr("no lower bound of F*"));
}

// Example 1 of the paper with what its author knows: xi = 2 xi_bar and the distance.
TEST(Guarantee, GivenConstantsAreTakenAtTheirWord) {
  Problem problem = generate("entrywise_convex", {{"n", 3.0}, {"m", 3.0}});
  problem.start = Vector::Constant(3, 1.0);
  Settings settings = guarantee(1e-2);
  settings.xi = 2.0;
  settings.distance = std::sqrt(3.0);
  const Result r = solve(problem, settings);
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_EQ(r.guarantee->predicted.xi_source, "given");
  EXPECT_EQ(r.guarantee->by, "certificate");  // a proof ends it before the last step
  EXPECT_LE(static_cast<double>(r.iterations), r.guarantee->predicted.iterations);
  EXPECT_LE((-r.x).cwiseMax(0.0).sum(), 1e-2);
  EXPECT_LE(std::abs(r.x.sum()), r.guarantee->predicted.objective_gap);
}

// Cones: the slack is how far inside a point lies, |x| <= 2 at the origin.
TEST(Guarantee, SlaterConstantsOfCones) {
  Problem problem(2);
  problem.minimize(quadratic(Matrix(Matrix::Identity(2, 2)), Vector(Vector::Constant(2, -3.0))));
  problem.subject_to(soc_le(Tensor({1, 2, 2}, Doubles(std::vector<double>{1.0, 0.0, 0.0, 1.0})),
                            Tensor({1, 2}, Doubles(std::vector<double>{0.0, 0.0})),
                            Tensor({1, 2}, Doubles(std::vector<double>{0.0, 0.0})), Vector(Vector::Constant(1, 2.0))));
  const SlaterConstants c = slater_constants(problem, true);
  EXPECT_DOUBLE_EQ(c.slack, 2.0);
  EXPECT_NEAR(c.multiplier_bound, 9.0 / 2.0, 1e-9);  // F(0) = 0, min F = -9
}

// The bound of F* uses multipliers: in a box a thousand times too wide it stays near F*, and so does xi.
TEST(Guarantee, WideBoxesCostLittle) {
  double bounds[2];
  for (const int k : {0, 1}) {
    const double width = k == 0 ? 2.0 : 2e3;
    Problem problem(2);
    problem.minimize(linear(Vector(Vector::Constant(2, -1.0))));
    problem.regularize(box(Vector(Vector::Constant(2, -width)), Vector(Vector::Constant(2, width))));
    problem.subject_to(linear_le(Matrix(Matrix::Identity(2, 2)), Vector(Vector::Ones(2))));
    bounds[k] = slater_constants(problem, true).multiplier_bound;
    EXPECT_GE(bounds[k], 2.0);  // lambda* = (1, 1)
  }
  EXPECT_LE(bounds[1], 500.0);  // without multipliers 4000
}

// Variables in other units are not scaled behind the guarantee's back: N is that of the forecast.
TEST(Guarantee, VariablesStayAsTheyAre) {
  Problem problem(2);
  Matrix P = Matrix::Zero(2, 2);
  P(0, 0) = 1e-12;
  P(1, 1) = 1.0;
  Vector q(2);
  q << -1e-6, -1.0;
  problem.minimize(quadratic(P, q));
  Matrix G(1, 2);
  G << 1e-6, 1.0;
  problem.subject_to(linear_le(G, Vector(Vector::Ones(1))));
  Settings settings = guarantee(1e-2);
  settings.max_iterations = 20;
  const Result r = solve(problem, settings);
  ASSERT_TRUE(r.guarantee.has_value());
  EXPECT_EQ(r.guarantee->predicted.iterations, forecast_guarantee(problem, 1e-2).iterations);
  EXPECT_NEAR(r.guarantee->violation, std::max(0.0, (G * r.x)[0] - 1.0), 1e-12);
}

}  // namespace
}  // namespace pliant
