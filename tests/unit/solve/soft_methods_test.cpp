// Methods of gradients on soft rows, and soft rows that are curved: judged from the raw numbers, by the value of the point
// and by the bound that its multipliers give where the objective is strongly convex.
#include "pliant/check.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Random;
using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

// One batch of rows: its values, gradients and prices (empty: hard), from the raw numbers.
struct RawBatch {
  virtual ~RawBatch() = default;
  virtual Index size() const = 0;
  virtual BatchPtr batch() const = 0;
  // a_i(x), and its gradient added to g times `weight`.
  virtual long double row(Index i, const Wide& x, long double weight, Wide& g) const = 0;
  Vector prices;
};

// g_i'x - h_i, or the two sides of lo_i <= g_i'x <= hi_i, the upper one first.
struct RawLinear final : RawBatch {
  Matrix G;
  Vector lo, hi;
  bool two_sided;
  RawLinear(Random& random, Index n, Index m, bool sides) : G(random.matrix(m, n)), lo(m), hi(m), two_sided(sides) {
    for (Index i = 0; i < m; ++i) {
      hi[i] = random.uniform(0.2, 1.0);
      lo[i] = random.uniform() < 0.5 ? hi[i] : -random.uniform(0.2, 1.0);
    }
  }
  Index size() const override { return (two_sided ? 2 : 1) * G.rows(); }
  BatchPtr batch() const override {
    return two_sided ? linear_range(to_array(lo), DataMatrix::from(G), to_array(hi))
                     : linear_le(DataMatrix::from(G), to_array(hi));
  }
  long double row(Index i, const Wide& x, long double weight, Wide& g) const override {
    const Index r = two_sided ? i / 2 : i;
    const long double sign = two_sided && i % 2 == 1 ? -1.0L : 1.0L;
    const Wide gradient = sign * G.row(r).transpose().cast<long double>();
    g += weight * gradient;
    return gradient.dot(x) - (sign > 0 ? static_cast<long double>(hi[r]) : -static_cast<long double>(lo[r]));
  }
};

// 1/2 sum_j D_ij x_j^2 + q_i'x + r_i
struct RawQuadratic final : RawBatch {
  Matrix D, q;
  Vector r;
  RawQuadratic(Random& random, Index n, Index m) : D(m, n), q(random.matrix(m, n)), r(m) {
    for (double& v : D.reshaped()) v = random.uniform(0.0, 1.0);
    for (double& v : r) v = random.uniform(-1.0, -0.1);  // 0 is strictly inside
  }
  Index size() const override { return r.size(); }
  BatchPtr batch() const override {
    const Matrix Dt = D.transpose(), qt = q.transpose();
    const std::vector<Index> shape{r.size(), D.cols()};
    return quadratic_diagonal_le(
        Tensor(shape, Doubles(std::vector<double>(Dt.reshaped().begin(), Dt.reshaped().end()))),
        Tensor(shape, Doubles(std::vector<double>(qt.reshaped().begin(), qt.reshaped().end()))), to_array(r));
  }
  long double row(Index i, const Wide& x, long double weight, Wide& g) const override {
    const Wide d = D.row(i).transpose().cast<long double>(), slope = q.row(i).transpose().cast<long double>();
    g += weight * (d.cwiseProduct(x) + slope);
    return 0.5L * d.dot(x.cwiseProduct(x)) + slope.dot(x) + r[i];
  }
};

// ln sum_k exp(A_ik x + b_ik)
struct RawLogSumExp final : RawBatch {
  std::vector<Matrix> A;
  Matrix b;
  RawLogSumExp(Random& random, Index n, Index m) : b(m, 3) {
    for (Index i = 0; i < m; ++i) A.push_back(random.matrix(3, n));
    for (double& v : b.reshaped()) v = random.uniform(-3.0, -1.5);  // 0 is strictly inside
  }
  Index size() const override { return b.rows(); }
  BatchPtr batch() const override {
    std::vector<double> numbers, constants;
    for (Index i = 0; i < size(); ++i) {
      for (Index k = 0; k < 3; ++k) {
        for (Index j = 0; j < A[0].cols(); ++j) numbers.push_back(A[static_cast<std::size_t>(i)](k, j));
        constants.push_back(b(i, k));
      }
    }
    return log_sum_exp_le(Tensor({size(), 3, A[0].cols()}, Doubles(numbers)), Tensor({size(), 3}, Doubles(constants)));
  }
  long double row(Index i, const Wide& x, long double weight, Wide& g) const override {
    const auto& rows = A[static_cast<std::size_t>(i)];
    const Wide e = (rows.cast<long double>() * x + b.row(i).transpose().cast<long double>()).array().exp().matrix();
    g += weight / e.sum() * rows.transpose().cast<long double>() * e;
    return std::log(e.sum());
  }
};

// min 1/2 sum d_j x_j^2 + c'x + the prices of the soft batches, subject to the hard ones.
struct Raw {
  Vector d, c;
  std::vector<std::unique_ptr<RawBatch>> batches;

  Raw(Random& random, Index n) : d(n), c(random.vector(n)) {
    for (double& v : d) v = random.uniform(0.5, 2.0);
  }
  template <class Batch>
  void add(Random& random, Batch batch, bool soft) {
    batches.push_back(std::make_unique<Batch>(std::move(batch)));
    if (!soft) return;
    Vector& prices = batches.back()->prices;
    prices.resize(batches.back()->size());
    for (double& w : prices) w = random.uniform() < 0.1 ? 0.0 : random.log_uniform(1e-2, 3.0);
  }

  Problem problem() const {
    Problem out(c.size());
    out.minimize(quadratic(DataMatrix::from(Matrix(d.asDiagonal())), to_array(c)));
    for (const auto& raw : batches) {
      if (raw->prices.size() > 0) {
        out.minimize(positive_part(raw->batch(), to_array(raw->prices)));
      } else {
        out.subject_to(raw->batch());
      }
    }
    return out;
  }

  // F(x); `bound` = L(x, lambda) - |grad L|^2 / (2 mu), `violation` the worst hard row.
  double value(const Vector& at, const std::vector<Vector>& lambda, double& bound, double& violation) const {
    const Wide x = at.cast<long double>();
    Wide g = d.cast<long double>().cwiseProduct(x) + c.cast<long double>();
    long double F = 0.5L * x.dot(d.cast<long double>().cwiseProduct(x)) + c.cast<long double>().dot(x), L = F;
    violation = 0.0;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      const RawBatch& raw = *batches[b];
      for (Index i = 0; i < raw.size(); ++i) {
        const long double a = raw.row(i, x, lambda[b][i], g);
        L += lambda[b][i] * a;
        if (raw.prices.size() > 0) F += raw.prices[i] * std::max(0.0L, a);
        if (raw.prices.size() == 0) violation = a <= violation ? violation : static_cast<double>(a);
      }
    }
    bound = static_cast<double>(L - g.squaredNorm() / (2.0L * d.minCoeff()));
    return static_cast<double>(F);
  }

  // A solution to the tolerance: by value, bound, rows and prices. Returns the value.
  double expect_solved(const Result& r, double tolerance) const {
    EXPECT_EQ(r.status, Status::optimal) << r.engine << ": " << r.message;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      const Vector& lambda = r.multipliers.lambda[b];
      EXPECT_TRUE((lambda.array() >= 0.0).all());
      if (batches[b]->prices.size() == 0) continue;
      EXPECT_TRUE((lambda.array() <= batches[b]->prices.array()).all());
    }
    double bound = 0.0, violation = kInfinity;
    const double F = value(r.x, r.multipliers.lambda, bound, violation), scale = 1.0 + std::abs(F);
    EXPECT_NEAR(r.certificate.objective, F, 1e-10 * scale);
    EXPECT_LE(violation, 4.0 * tolerance);  // 1 + |constant| of a row is 4 at most
    EXPECT_LE(std::abs(F - bound), 1.1 * tolerance * scale);
    EXPECT_LE(r.certificate.lower_bound, F + r.certificate.violation_worth + 1e-12 * scale);
    return F;
  }
};

Settings with(Method method, double tolerance, Outer outer = Outer::automatic) {
  Settings settings;
  settings.method = method;
  settings.outer = outer;
  settings.tol_gap = settings.tol_feas = tolerance;
  return settings;
}

Raw linear_rows(std::uint64_t seed) {
  Random random(seed);
  const Index n = random.integer(1, 5);
  Raw raw(random, n);
  raw.d.setConstant(raw.d[0]);  // dual coordinates take multiples of the squared norm alone
  raw.add(random, RawLinear(random, n, random.integer(1, 12), false), true);
  raw.add(random, RawLinear(random, n, random.integer(1, 6), true), true);
  if (seed % 2 == 1) raw.add(random, RawLinear(random, n, random.integer(1, 4), false), false);
  return raw;
}

Raw curved_rows(std::uint64_t seed) {
  Random random(seed);
  const Index n = random.integer(1, 5);
  Raw raw(random, n);
  raw.add(random, RawQuadratic(random, n, random.integer(1, 12)), true);
  raw.add(random, RawLogSumExp(random, n, random.integer(1, 8)), true);
  if (seed % 3 == 1) raw.add(random, RawLinear(random, n, random.integer(1, 6), true), true);
  if (seed % 2 == 1) raw.add(random, RawLinear(random, n, random.integer(1, 4), false), false);
  if (seed % 4 == 2) raw.add(random, RawQuadratic(random, n, random.integer(1, 3)), false);
  return raw;
}

// Bands say what it should be, the raw numbers that it is.
TEST(SoftMethods, MethodsOfGradientsTakeThePricesForXi) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const Raw raw = linear_rows(seed);
    const Problem problem = raw.problem();
    const double best = raw.expect_solved(solve(problem, with(Method::automatic, 1e-8)), 1e-8);
    for (const Method method : {Method::apg, Method::lbfgs, Method::svrg, Method::loopless_svrg, Method::catalyst_svrg,
                                Method::katyusha, Method::loopless_katyusha, Method::rpdg, Method::sdca}) {
      SCOPED_TRACE(to_string(method));
      const Result r = solve(problem, with(method, 1e-5));
      EXPECT_EQ(r.method, method);
      EXPECT_NEAR(raw.expect_solved(r, 1e-5), best, 4e-5 * (1.0 + std::abs(best)));
      EXPECT_TRUE(check(problem, to_solution(problem, r), with(method, 1e-5)).satisfied);
    }
  }
}

TEST(SoftMethods, EveryStrategyKeepsThePrices) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const Raw raw = seed % 3 == 0 ? curved_rows(seed) : linear_rows(seed);
    for (const Outer outer : {Outer::fixed, Outer::nested, Outer::multiplier}) {
      SCOPED_TRACE(to_string(outer));
      // One delta for everything, small from the start, leaves L-BFGS kinks to work on: few digits are enough of it.
      const double tolerance = outer == Outer::fixed ? 1e-2 : 1e-4;
      raw.expect_solved(solve(raw.problem(), with(Method::lbfgs, tolerance, outer)), tolerance);
    }
  }
}

TEST(SoftMethods, CurvedRowsHavePrices) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    const Raw raw = curved_rows(seed);
    const Problem problem = raw.problem();
    const Result r = solve(problem, with(Method::automatic, 1e-7));
    EXPECT_EQ(r.attempts.front().engine, "path / all soft rows");
    const double best = raw.expect_solved(r, 1e-7);
    EXPECT_TRUE(check(problem, to_solution(problem, r), with(Method::automatic, 1e-7)).satisfied);
    const Result gradients = solve(problem, with(Method::lbfgs, 1e-5));
    EXPECT_NEAR(raw.expect_solved(gradients, 1e-5), best, 4e-5 * (1.0 + std::abs(best)));
  }
}

// No multipliers of curved rows, however wild, prove more than is true.
TEST(SoftMethods, NoMultipliersOfCurvedRowsProveTooMuch) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Raw raw = curved_rows(seed);
    const Problem problem = raw.problem();
    const double best = solve(problem, with(Method::automatic, 1e-7)).certificate.objective;
    for (int k = 0; k < 5; ++k) {
      Solution wild;
      wild.x = random.vector(raw.c.size());
      for (const auto& batch : problem.batches()) {
        wild.duals.push_back(random.log_uniform(1e-3, 1e3) * random.vector(batch->dual_size()));
      }
      const Verdict verdict = check(problem, wild);
      EXPECT_LE(verdict.certificate.lower_bound, best + 1e-6 * (1.0 + std::abs(best)));
      EXPECT_LE(verdict.certificate.proof.value, best + 1e-6 * (1.0 + std::abs(best)));
    }
  }
}

// CVaR: what is left of the gradient of a linear objective is measured by the way from the start, which says little where that
// is near the solution. Stages ended at once, and delta fell until its reciprocal overflowed.
TEST(SoftMethods, GoOnFromAnyOfTheirPoints) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    const Index assets = random.integer(2, 6), n = assets + 1, m = random.integer(20, 60);
    Matrix losses(m, n);
    losses << 0.1 * random.matrix(m, assets), Vector::Constant(m, -1.0);
    Vector cost(n), low(n), high(n), one(n);
    cost << -0.01 * random.vector(assets).cwiseAbs(), 1.0;
    low << Vector::Zero(assets), -1.0;
    high << Vector::Constant(assets, 1.0), 1.0;
    one << Vector::Ones(assets), 0.0;
    Problem problem(n);
    problem.minimize(linear(to_array(cost)));
    problem.minimize(positive_part(DataMatrix::from(losses), to_array(Vector::Zero(m)),
                                   to_array(Vector::Constant(m, 2.0 / static_cast<double>(m)))));
    problem.regularize(box(to_array(low), to_array(high)));
    problem.equal(DataMatrix::from(Matrix(one.transpose())), {1.0});
    for (const Method method : {Method::katyusha, Method::apg}) {
      for (Index steps = 1; steps <= 20; ++steps) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << to_string(method) << " from step " << steps);
        Settings settings = with(method, 1e-3);
        settings.max_iterations = steps;
        const Result early = solve(problem, settings);
        settings.max_iterations.reset();
        SolveHooks hooks;
        hooks.warm_start = &early.x;
        hooks.warm_multipliers = &early.multipliers;
        const Result late = solve(problem, settings, hooks);
        ASSERT_EQ(late.status, Status::optimal) << late.message;
        EXPECT_TRUE(certify(problem, late.x, late.multipliers).satisfies(settings));
      }
    }
  }
}

TEST(SoftMethods, WhatDoesNotApplyIsSaid) {
  const Raw raw = linear_rows(1);
  Problem problem = raw.problem();
  const auto message = [&](const Settings& settings) -> std::string {
    try {
      (void)choose(problem, settings);
    } catch (const InputError& error) {
      return error.what();
    }
    return "(no error)";
  };
  Settings settings = with(Method::path, 1e-6, Outer::nested);
  EXPECT_THAT(message(settings), HasSubstr("do not apply to --method path"));
  settings = with(Method::apg, 1e-6);
  settings.linear_algebra = LinearAlgebra::sparse;
  EXPECT_THAT(message(settings), HasSubstr("do not apply to methods of gradients"));
  settings = with(Method::apg, 1e-6);
  settings.guarantee = 1e-3;
  EXPECT_THAT(message(settings), HasSubstr("does not take soft rows"));
  problem.subject_to(
      ConicConstraint{DataMatrix::dense(1, raw.c.size(), std::vector<double>(raw.c.begin(), raw.c.end())),
                      {1.0},
                      {Cone{ConeKind::nonnegative, 1}}});
  EXPECT_THAT(message(with(Method::apg, 1e-6)), HasSubstr("does not take soft rows beside cones"));
}

}  // namespace
}  // namespace pliant
