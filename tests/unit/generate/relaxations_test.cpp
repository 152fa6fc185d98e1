// Relaxations: what they relax stays feasible, and their values lie between bounds that need no solver.
#include "pliant/certificate.hpp"
#include "pliant/solve.hpp"
#include "raw_data.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::least_eigenvalue;
using testing::Random;
using testing::raw_values;
using Values = std::map<std::string, double>;

constexpr double kTolerance = 1e-7;

double seeded(int seed) { return seed + 1000.0 * static_cast<double>(testing::base_seed() % 1000000); }

double solved(const Problem& problem) {
  Settings settings;
  settings.tol_feas = settings.tol_gap = kTolerance;
  const Result result = solve(problem, settings);
  EXPECT_EQ(result.status, Status::optimal) << problem.name << ": " << result.message;
  EXPECT_TRUE(result.certificate.lower_bound_rigorous()) << problem.name;
  return result.certificate.objective;
}

double slack(double value) { return 2.0 * kTolerance * (1.0 + std::abs(value)); }

Vector costs(const Problem& problem) {
  Vector c = Vector::Zero(problem.dimension());
  problem.add_smooth_gradient(Vector::Zero(problem.dimension()), c);
  return c;
}

/// (x, xx'), the lower triangle column by column.
Vector lift(const Vector& x) {
  const Index d = x.size();
  Vector out(d + d * (d + 1) / 2);
  out.head(d) = x;
  Index k = d;
  for (Index j = 0; j < d; ++j) {
    for (Index i = j; i < d; ++i) out[k++] = x[i] * x[j];
  }
  return out;
}

/// The least room any constraint leaves at x; negative: one is violated.
double room(const Problem& problem, const Vector& x) {
  double least = -problem.prox().domain_violation(x);
  for (const BatchPtr& batch : problem.batches()) least = std::min(least, -raw_values(*batch, x).maxCoeff());
  for (const ConicConstraint& conic : problem.conic()) least = std::min(least, least_eigenvalue(conic, x));
  return least;
}

// ---- perspective ----

// max_i y_i'(I + A_i diag(z) A_i'/ridge)^-1 y_i from the stored matrices.
double worst_loss(const Problem& problem, const Vector& z, Index samples) {
  const ConicConstraint& conic = problem.conic().at(0);
  Vector x(z.size() + 1);
  x << z, 0.0;
  double worst = 0.0;
  Index row = 0;
  for (const Cone& cone : conic.cones) {
    Vector s(cone.rows);
    for (Index i = 0; i < cone.rows; ++i, ++row) s[i] = conic.h[row] - conic.G.row(row).dot(x);
    const Matrix M = testing::long_smat(s, samples + 1).cast<double>();
    const Vector y = M.col(samples).head(samples);
    worst = std::max(worst, y.dot(M.topLeftCorner(samples, samples).ldlt().solve(y)));
  }
  return worst;
}

TEST(Perspective, LiesBetweenAllFeaturesAndTheBestSubset) {
  for (int seed = 1; seed <= 3; ++seed) {
    for (const Index samples : {1, 3}) {
      const Index features = 6;
      const double price = 0.05;
      const Problem problem = generate("perspective", {{"n", features + 1.0},
                                                       {"m", 250},
                                                       {"seed", seeded(seed)},
                                                       {"samples", static_cast<double>(samples)},
                                                       {"ridge", 3.0},
                                                       {"price", price}});
      SCOPED_TRACE(problem.name);
      double best = kInfinity;
      for (int subset = 0; subset < 1 << features; ++subset) {
        Vector z(features);
        for (Index j = 0; j < features; ++j) z[j] = (subset >> j) & 1;
        best = std::min(best, worst_loss(problem, z, samples) + price * z.sum());
      }
      const double value = solved(problem), all = worst_loss(problem, Vector::Ones(features), samples);
      EXPECT_LE(value, best + slack(best));
      EXPECT_GE(value, all - slack(all));
      EXPECT_GT(best, all);
    }
  }
}

// ---- box QPs ----

TEST(ShorBoxQp, PointsOfTheBoxStayAndOthersGo) {
  for (int seed = 1; seed <= 4; ++seed) {
    Random random(static_cast<std::uint64_t>(seeded(seed)));
    const Index d = 5;
    for (const double k : {2.0, 3.0, 6.0}) {
      const Problem problem = generate("shor_boxqp", {{"d", static_cast<double>(d)}, {"k", k}, {"seed", seeded(seed)}});
      SCOPED_TRACE(problem.name);
      Vector x(d);
      for (double& v : x) v = random.uniform();
      EXPECT_GE(room(problem, lift(x)), -1e-12);
      Vector off = lift(x);
      off[d] = 0.5 * off[d];  // X_00 < x_0^2
      EXPECT_LT(room(problem, off), 0.0);
    }
  }
}

TEST(ShorBoxQp, AllMinorsAreThereOnce) {
  const Index d = 6, k = 3, size = d + 1;
  const Problem problem = generate("shor_boxqp", {{"d", 6}, {"k", 3}});
  const ConicConstraint& conic = problem.conic().at(0);
  ASSERT_EQ(conic.cones.size(), static_cast<std::size_t>(size * (size - 1) * (size - 2) / 6));
  std::set<std::vector<Index>> found;
  Index row = 0;
  for (const Cone& cone : conic.cones) {
    std::vector<Index> columns;
    for (Index i = 0; i < cone.rows; ++i, ++row) {
      const Vector g = conic.G.row(row);
      const auto touched = (g.array() != 0.0).count();
      EXPECT_EQ(touched, conic.h[row] == 0.0 ? 1 : 0);
      for (Index j = 0; j < g.size(); ++j) {
        if (g[j] != 0.0) columns.push_back(j);
      }
    }
    EXPECT_TRUE(found.insert(columns).second);
    EXPECT_EQ(static_cast<Index>(columns.size()) == k * (k + 1) / 2, columns.front() >= d);
  }
}

TEST(ShorBoxQp, LargerMinorsAndVerticesBoundIt) {
  for (int seed = 1; seed <= 3; ++seed) {
    const Index d = 6;
    double previous = -kInfinity;
    for (const double k : {1.0, 2.0, 3.0, 4.0, 7.0}) {
      const Problem problem = generate("shor_boxqp", {{"d", static_cast<double>(d)}, {"k", k}, {"seed", seeded(seed)}});
      SCOPED_TRACE(problem.name);
      const Vector c = costs(problem);
      double best = kInfinity;
      for (int vertex = 0; vertex < 1 << d; ++vertex) {
        Vector x(d);
        for (Index j = 0; j < d; ++j) x[j] = (vertex >> j) & 1;
        best = std::min(best, c.dot(lift(x)));
      }
      const double value = solved(problem);
      EXPECT_LE(value, best + slack(best));
      EXPECT_GE(value, c.cwiseMin(0.0).sum() - slack(value));
      EXPECT_GE(value, previous - slack(value));
      previous = value;
      EXPECT_TRUE((c.array() * 2.0 == (c.array() * 2.0).round()).all() && c.lpNorm<Eigen::Infinity>() <= 50.0);
    }
  }
}

// ---- trust regions ----

TEST(SocRlt, PointsOfTheSetStayAndBoundIt) {
  for (int seed = 1; seed <= 3; ++seed) {
    Random random(static_cast<std::uint64_t>(seeded(seed)));
    const Index d = 4;
    const Problem problem = generate("soc_rlt", {{"d", static_cast<double>(d)}, {"m", 300}, {"seed", seeded(seed)}});
    SCOPED_TRACE(problem.name);
    const ConicConstraint& conic = problem.conic().at(1);
    const Vector c = costs(problem);
    double best = kInfinity;
    Index outside = 0;
    for (int trial = 0; trial < 60; ++trial) {
      const Vector x = random.uniform() * 1.2 * random.vector(d).normalized();
      bool feasible = x.norm() <= 1.0;
      for (std::size_t i = 0; i < conic.cones.size(); ++i) {  // row 0 of cone i is a_i, h there is b_i
        const Index row = static_cast<Index>(i) * (d + 1);
        feasible = feasible && conic.G.row(row).head(d).dot(x) <= conic.h[row];
      }
      const double left = room(problem, lift(x));
      if (feasible) {
        EXPECT_GE(left, -1e-12);
        best = std::min(best, c.dot(lift(x)));
      } else {
        EXPECT_LT(left, 0.0);
        ++outside;
      }
    }
    ASSERT_GT(outside, 0);
    ASSERT_TRUE(std::isfinite(best));
    EXPECT_LE(solved(problem), best + slack(best));
  }
}

// ---- power flow ----

// The optimum of the network is 8081.5 dollars per hour (MATPOWER's case14). That of its second-order cone relaxation is
// from a second model, written with CVXPY from the numbers of the IEEE archive (python/tests/test_power_flow.py) and
// solved by Clarabel to 1e-10: 8075.12318.
TEST(PowerFlow, HasTheKnownValue) {
  const double value = solved(generate("opf", {}));
  EXPECT_NEAR(value, 8.07512318, 1e-5);
  EXPECT_LT(value, 8.0815);
}

TEST(PowerFlow, MoreLoadsCostMore) {
  const double plain = solved(generate("opf", {}));
  double previous = plain;
  for (const double m : {3000.0, 5000.0}) {
    const Problem problem = generate("opf", {{"k", 1}, {"m", m}, {"seed", seeded(1)}});
    const double value = solved(problem);
    EXPECT_GE(value, previous - slack(value));
    previous = value;
  }
  EXPECT_GT(previous, plain);
}

// ---- errors ----

TEST(Relaxations, NameSizesThatCannotBe) {
  const auto message = [](const std::string& family, const Values& values) -> std::string {
    try {
      generate(family, values);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("shor_boxqp", {{"d", 3}, {"k", 5}}), "shor_boxqp: k: expected d + 1 = 4 at most, got 5");
  EXPECT_EQ(message("soc_rlt", {{"d", 3}, {"n", 5}}),
            "soc_rlt: n: follows from d, expected d(d+3)/2 = 9 for d = 3, got 5");
  EXPECT_EQ(message("opf", {{"k", 1}, {"n", 64}}), "opf: n: follows from k, expected 64 (k + 1) = 128, got 64");
  EXPECT_THAT(message("shor_boxqp", {{"d", 300}, {"k", 12}}), HasSubstr("minors"));
}

}  // namespace
}  // namespace pliant
