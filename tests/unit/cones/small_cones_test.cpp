// Many small cones end to end: solutions certified from the raw numbers.
#include "pliant/generate.hpp"
#include "pliant/pliant.hpp"
#include "support/cone_samples.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace pliant {
namespace {

using pliant::testing::Random;

constexpr double kAsked = 1e-7;

Settings tight() {
  Settings settings;
  settings.tol_feas = settings.tol_gap = kAsked;
  return settings;
}

// Violation, objective and a lower bound of min c'x over |x_j| <= box and the cones, from the data alone.
struct Truth {
  double violation = 0.0, objective = 0.0, bound = 0.0, scale = 0.0;
};

Truth recompute(const Problem& problem, const Result& result, double box) {
  Truth out;
  Vector c = Vector::Zero(problem.dimension());
  problem.add_smooth_gradient(Vector::Zero(problem.dimension()), c);
  out.objective = c.dot(result.x);
  Vector reduced = c;
  for (std::size_t k = 0; k < problem.conic().size(); ++k) {
    const ConicConstraint& conic = problem.conic()[k];
    const Vector& z = result.multipliers.cones.at(k);
    Index row = 0;
    for (const Cone& cone : conic.cones) {
      Vector s(cone.rows), part = z.segment(row, cone.rows);
      for (Index i = 0; i < cone.rows; ++i, ++row) {
        const Vector g = conic.G.row(row);
        s[i] = conic.h[row] - g.dot(result.x);
        reduced += z[row] * g;
        out.bound -= z[row] * conic.h[row];
        out.scale = std::max(out.scale, std::abs(conic.h[row]));
      }
      const double a =
          cone.kind == ConeKind::second_order ? s.tail(cone.rows - 1).norm() - s[0] : -testing::psd_least_eigenvalue(s);
      out.violation = std::max(out.violation, a);
      EXPECT_TRUE(testing::in_cone(cone, part, 1e-12 * (1.0 + part.norm())));
    }
  }
  out.bound -= box * reduced.lpNorm<1>();
  return out;
}

struct Variant {
  std::string family;
  std::map<std::string, double> parameters;
};

std::vector<Variant> variants() {
  std::vector<Variant> out;
  for (const char* family : {"robust_lp", "small_lmi"}) {
    const double n = family[0] == 'r' ? 12 : 8, m = 600;
    for (const auto& nasty :
         std::vector<std::map<std::string, double>>{{},
                                                    {{"apex", 0.05}},
                                                    {{"parallel", 1e-3}},
                                                    {{"scale", 3}},
                                                    {{"apex", 0.05}, {"parallel", 1e-3}, {"scale", 2}},
                                                    {{"k", 4}}}) {
      std::map<std::string, double> parameters{{"n", n}, {"m", m}};
      parameters.insert(nasty.begin(), nasty.end());
      out.push_back({family, parameters});
    }
  }
  return out;
}

TEST(SmallCones, CertifiedByTheRawNumbers) {
  for (Variant v : variants()) {
    for (int seed = 1; seed <= 3; ++seed) {
      v.parameters["seed"] = seed + 1000.0 * static_cast<double>(testing::base_seed());
      const Problem problem = generate(v.family, v.parameters);
      SCOPED_TRACE(problem.name);
      const Result result = solve(problem, tight());
      ASSERT_EQ(result.status, Status::optimal) << result.message;
      EXPECT_EQ(result.treatment, Nonsmooth::spectral);
      const Truth truth = recompute(problem, result, 10.0);
      EXPECT_LE(truth.violation, 1.01 * kAsked * (1.0 + truth.scale));
      EXPECT_LE(std::abs(truth.objective - truth.bound), 1.01 * kAsked * (1.0 + std::abs(truth.objective)));
      EXPECT_NEAR(result.certificate.objective, truth.objective, 1e-12 * (1.0 + std::abs(truth.objective)));
      EXPECT_NEAR(result.certificate.lower_bound, truth.bound, 1e-9 * (1.0 + std::abs(truth.bound)));
      EXPECT_LE(std::abs(result.certificate.violation_linf - std::max(0.0, truth.violation)),
                1e-9 * (1.0 + truth.scale));
      EXPECT_TRUE(result.certificate.lower_bound_rigorous());
      if (problem.known_optimum) {
        EXPECT_NEAR(truth.objective, problem.known_optimum->objective,
                    2.0 * kAsked * (1.0 + std::abs(truth.objective)) + truth.violation * 1e3);
      }
    }
  }
}

// x, multipliers and bytes do not depend on threads; what was solved once takes no steps.
TEST(SmallCones, ThreadsDoNotMatterAndWarmStartsEndAtOnce) {
  for (const char* family : {"robust_lp", "small_lmi"}) {
    const Problem problem = generate(family, {{"n", 10}, {"m", 900}, {"seed", 4}});
    Settings settings = tight();
    settings.threads = 1;
    const Result one = solve(problem, settings);
    settings.threads = 3;
    const Result three = solve(problem, settings);
    ASSERT_EQ(one.status, Status::optimal);
    EXPECT_EQ(one.x, three.x);
    EXPECT_EQ(one.multipliers.cones[0], three.multipliers.cones[0]);
    SolveHooks hooks;
    hooks.warm_start = &one.x;
    hooks.warm_multipliers = &one.multipliers;
    const Result again = solve(problem, tight(), hooks);
    EXPECT_EQ(again.status, Status::optimal);
    EXPECT_EQ(again.iterations, 0);
  }
}

// What a solve begins with is not what it hands over.
TEST(SmallCones, DualPointsOfAWarmStartAreNotThoseOfTheAnswer) {
  for (const double seed : {1.0, 2.0, 3.0}) {
    const Problem problem = generate("small_lmi", {{"n", 20}, {"m", 200}, {"k", 2}, {"seed", seed}});
    Settings settings;
    settings.method = Method::apg;
    settings.tol_gap = settings.tol_feas = 1e-3;
    Settings short_of_it = settings;
    short_of_it.max_iterations = 8;
    const Result begun = solve(problem, short_of_it);
    SolveHooks hooks;
    hooks.warm_start = &begun.x;
    hooks.warm_multipliers = &begun.multipliers;
    const Result result = solve(problem, settings, hooks);
    ASSERT_EQ(result.status, Status::optimal) << result.message;
    EXPECT_TRUE(check(problem, to_solution(problem, result), settings).satisfied) << "seed " << seed;
  }
}

TEST(SmallCones, AllTreatmentsAgree) {
  for (int seed = 1; seed <= 3; ++seed) {
    for (const char* family : {"robust_lp", "small_lmi"}) {
      // A quadratic objective without box, so that every engine takes it.
      const Problem generated = generate(family, {{"n", 6}, {"m", 200}, {"seed", static_cast<double>(seed)}});
      Vector c = Vector::Zero(6);
      generated.add_smooth_gradient(Vector::Zero(6), c);
      Problem problem(6);
      problem.minimize(quadratic(DataMatrix::from(Matrix::Identity(6, 6)), to_array(5.0 * c)));
      problem.subject_to(generated.conic()[0]);
      SCOPED_TRACE(::testing::Message() << family << " seed " << seed);
      Settings settings = tight();
      settings.nonsmooth = Nonsmooth::spectral;
      const Result spectral = solve(problem, settings);
      ASSERT_EQ(spectral.status, Status::optimal) << spectral.message;
      const double objective = spectral.certificate.objective;
      for (const Method method : {Method::path, Method::lbfgs, Method::apg, Method::katyusha}) {
        Settings smoothed;
        smoothed.tol_gap = smoothed.tol_feas = method == Method::path ? 1e-6 : 1e-3;
        smoothed.nonsmooth = Nonsmooth::logsumexp;
        smoothed.method = method;
        const Result result = solve(problem, smoothed);
        ASSERT_EQ(result.status, Status::optimal) << to_string(method) << ": " << result.message;
        EXPECT_NEAR(result.certificate.objective, objective, 2.0 * smoothed.tol_gap * (1.0 + std::abs(objective)));
      }
      for (const Method method : {Method::lbfgs, Method::apg}) {
        Settings first_order;
        first_order.tol_gap = first_order.tol_feas = 1e-3;
        first_order.nonsmooth = Nonsmooth::spectral;
        first_order.method = method;
        const Result result = solve(problem, first_order);
        ASSERT_EQ(result.status, Status::optimal) << to_string(method) << ": " << result.message;
        EXPECT_NEAR(result.certificate.objective, objective, 4e-3 * (1.0 + std::abs(objective)));
      }
      if (family[0] == 'r') {
        settings.nonsmooth = Nonsmooth::interior;
        const Result interior = solve(problem, settings);
        ASSERT_EQ(interior.status, Status::optimal);
        EXPECT_NEAR(interior.certificate.objective, objective, 3.0 * kAsked * (1.0 + std::abs(objective)));
      }
    }
  }
}

// Cones beside rows, ranges, equalities and a box, against the interior engine.
TEST(SmallCones, BesideEverythingElse) {
  for (int seed = 1; seed <= 4; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Index n = 8;
    const Problem generated = generate("robust_lp", {{"n", 8}, {"m", 300}, {"seed", static_cast<double>(seed)}});
    Problem problem(n);
    problem.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(5.0 * random.vector(n))));
    problem.regularize(box(to_array(Vector::Constant(n, -0.8)), to_array(Vector::Constant(n, 0.9))));
    problem.subject_to(linear_le(DataMatrix::from(random.matrix(20, n)), to_array(Vector::Ones(20))));
    problem.equal(DataMatrix::from(random.matrix(2, n)), to_array(Vector::Zero(2)));
    ConicConstraint conic = generated.conic()[0];
    problem.subject_to(conic);
    problem.subject_to(ConicConstraint{
        DataMatrix::from(random.matrix(5, n)),
        to_array(Vector::Ones(5)),
        {{ConeKind::nonnegative, 2, 0.5}, {ConeKind::second_order, 1, 0.5}, {ConeKind::second_order, 2, 0.5}}});
    Settings settings = tight();
    settings.nonsmooth = Nonsmooth::spectral;
    const Result rows = solve(problem, settings);
    settings.nonsmooth = Nonsmooth::interior;
    const Result interior = solve(problem, settings);
    ASSERT_EQ(rows.status, Status::optimal) << "seed " << seed << ": " << rows.message;
    ASSERT_EQ(interior.status, Status::optimal);
    EXPECT_NEAR(rows.certificate.objective, interior.certificate.objective,
                3.0 * kAsked * (1.0 + std::abs(rows.certificate.objective)));
    const Certificate checked = certify(problem, rows.x, rows.multipliers);
    EXPECT_LE(checked.gap_rel(), kAsked * 1.01);
    EXPECT_NEAR(checked.lower_bound, rows.certificate.lower_bound, 1e-9 * (1.0 + std::abs(checked.lower_bound)));
  }
}

// Two cones that contradict each other among thousands.
TEST(SmallCones, ContradictionsAreProved) {
  for (int seed = 1; seed <= 3; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Index n = 5;
    Problem problem = generate("robust_lp", {{"n", 5}, {"m", 400}, {"seed", static_cast<double>(seed)}});
    const Vector g = random.vector(n).normalized();
    Matrix G = Matrix::Zero(6, n);
    G.row(0) = g;
    G.row(3) = -g;
    G.row(1) = 0.1 * random.vector(n).transpose();
    Vector h = Vector::Zero(6);
    h[0] = -0.1;  // g'x + |.| <= -0.1
    h[3] = -0.1;  // and -g'x <= -0.1
    problem.subject_to(ConicConstraint{
        DataMatrix::from(G), to_array(h), {{ConeKind::second_order, 3, 0.5}, {ConeKind::second_order, 3, 0.5}}});
    const Result result = solve(problem, tight());
    EXPECT_EQ(result.status, Status::primal_infeasible) << result.message;
    ASSERT_TRUE(result.infeasibility);
    EXPECT_TRUE(prove_infeasible(problem, result.x, result.multipliers).holds);
  }
}

TEST(SmallCones, BatchesMeanWhatTheySay) {
  for (int seed = 1; seed <= 5; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Index m = 4, n = 5, k = 3;
    const std::vector<double> A = random.numbers(m * k * n), b = random.numbers(m * k), c = random.numbers(m * n),
                              d = random.numbers(m);
    Problem soc(n);
    soc.subject_to(soc_le(Tensor({m, k, n}, A), Tensor({m, k}, b), Tensor({m, n}, c), d));
    std::vector<double> F0(static_cast<std::size_t>(m * k * k)), F(static_cast<std::size_t>(m * n * k * k));
    for (std::vector<double>* M : {&F0, &F}) {
      for (std::size_t i = 0; i < M->size(); i += 9) {
        Matrix S = random.matrix(k, k);
        S = (S + S.transpose()).eval();
        std::copy_n(S.data(), 9, M->data() + i);
      }
    }
    Problem lmi(n);
    lmi.subject_to(lmi_le(Tensor({m, k, k}, F0), Tensor({m, n, k, k}, F)));
    const Vector x = random.vector(n);
    double worst_soc = -kInfinity, worst_lmi = -kInfinity;
    for (Index i = 0; i < m; ++i) {
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const Vector u =
          Eigen::Map<const Rows>(A.data() + i * k * n, k, n) * x + Eigen::Map<const Vector>(b.data() + i * k, k);
      const double right = Eigen::Map<const Vector>(c.data() + i * n, n).dot(x) + d[static_cast<std::size_t>(i)];
      worst_soc = std::max(worst_soc, u.norm() - right);
      Matrix M = Eigen::Map<const Matrix>(F0.data() + i * k * k, k, k);
      for (Index j = 0; j < n; ++j) M += x[j] * Eigen::Map<const Matrix>(F.data() + (i * n + j) * k * k, k, k);
      worst_lmi = std::max(worst_lmi, Eigen::SelfAdjointEigenSolver<Matrix>(M).eigenvalues()[k - 1]);
    }
    EXPECT_NEAR(certify(soc, x).violation_linf, std::max(0.0, worst_soc), 1e-12);
    EXPECT_NEAR(certify(lmi, x).violation_linf, std::max(0.0, worst_lmi), 1e-12);
    F[1] += 1.0;
    EXPECT_THROW(lmi_le(Tensor({m, k, k}, F0), Tensor({m, n, k, k}, F)), InputError);
    EXPECT_THROW(soc_le(Tensor({m, k, n}, A), Tensor({m, k}, b), Tensor({m, n}, c), {}), InputError);
  }
}

TEST(SmallCones, WhatDoesNotApplyIsRefused) {
  const Problem problem = generate("robust_lp", {{"n", 5}, {"m", 200}});
  const auto refused = [&](const auto& change) {
    Settings settings;
    change(settings);
    EXPECT_THROW(solve(problem, settings), InputError);
  };
  refused([](Settings& s) { s.method = Method::katyusha; });
  refused([](Settings& s) { s.nu = 0.1; });
  refused([](Settings& s) {
    s.method = Method::lbfgs;
    s.outer = Outer::multiplier;
  });
  refused([](Settings& s) {
    s.nonsmooth = Nonsmooth::interior;
    s.method = Method::apg;
  });
}

}  // namespace
}  // namespace pliant
