// Norms of groups in second-order engines, beside optima planted in the data.
#include "pliant/pliant.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

struct PlantedGroups {
  Problem problem{1};
  Vector x;
  double value = 0.0;
};

struct GroupShape {
  Index n, m;
  Index rank;  // of the quadratic form; 0: a linear objective
  bool equalities = false;
  bool two_sided = false;
};

// Subgradients w_g u_g of the norms: x_g/|x_g|, or anything shorter than 1 where x_g = 0. 0 = Px + q + w u + G'lambda +
// E'nu then makes x optimal.
PlantedGroups planted_groups(Random& random, const GroupShape& shape) {
  const Index n = shape.n, m = shape.m, count = random.integer(1, n);
  PlantedGroups out{Problem(n), random.vector(n), 0.0};
  std::vector<Index> groups(static_cast<std::size_t>(n));
  for (Index& g : groups) g = random.integer(0, count - 1);
  std::vector<double> weights;
  Vector pull = Vector::Zero(n);
  for (Index g = 0; g < count; ++g) {
    const double w = random.uniform() < 0.1 ? 0.0 : random.uniform(0.1, 3.0);
    weights.push_back(w);
    const bool vanishes = random.uniform() < 0.5;
    Vector direction = Vector::Zero(n);
    for (Index j = 0; j < n; ++j) {
      if (groups[static_cast<std::size_t>(j)] != g) continue;
      direction[j] = vanishes ? random.normal() : out.x[j];
      if (vanishes) out.x[j] = 0.0;
    }
    const double length = direction.norm();
    if (length == 0.0) continue;
    pull += (vanishes ? random.uniform(0.0, 0.9) : 1.0) * w / length * direction;
    if (!vanishes) out.value += w * length;
  }
  const Matrix B = random.matrix(n, shape.rank), P = B * B.transpose() / static_cast<double>(n);
  pull += P * out.x;
  const Matrix G = random.matrix(m, n);
  Vector upper = G * out.x, lower = upper;
  const Index tight = random.integer(0, std::min(n / 2, m));
  for (Index i = 0; i < m; ++i) {
    const double room = random.uniform(0.01, 2.0) * std::sqrt(static_cast<double>(n));
    const bool above = !shape.two_sided || random.uniform() < 0.5;
    if (i < tight) pull += (above ? 1.0 : -1.0) * random.uniform(0.1, 1.0) * G.row(i).transpose();
    if (i >= tight || !above) upper[i] += room;
    if (i >= tight || above) lower[i] -= room;
  }
  if (shape.equalities) {
    const Matrix E = random.matrix(std::max<Index>(1, n / 5), n);
    pull += E.transpose() * random.vector(E.rows());
    out.problem.equal(E, Vector(E * out.x));
  }
  out.value += 0.5 * out.x.dot(P * out.x) - pull.dot(out.x);
  if (shape.rank > 0) {
    out.problem.minimize(quadratic(P, -pull));
  } else {
    out.problem.minimize(linear(Vector(-pull)));
  }
  out.problem.subject_to(shape.two_sided ? linear_range(lower, G, upper) : linear_le(G, upper));
  out.problem.regularize(group_l2(groups, weights));
  return out;
}

void expect_solved(const PlantedGroups& planted, const std::string& engine) {
  Settings settings;
  settings.tol_gap = settings.tol_feas = 1e-8;
  const Result result = solve(planted.problem, settings);
  ASSERT_EQ(result.status, Status::optimal) << result.message << " (" << result.choice << ")";
  EXPECT_EQ(result.engine, engine);
  const double scale = 1.0 + std::abs(planted.value);
  EXPECT_NEAR(planted.problem.objective(result.x), planted.value, 1e-7 * scale);
  if (result.certificate.lower_bound_kind != BoundKind::estimate) {
    EXPECT_LE(result.certificate.lower_bound, planted.value + 1e-12 * scale);
  }
  const Certificate again = certify(planted.problem, result.x, result.multipliers);
  EXPECT_TRUE(again.satisfies(settings)) << again.gap_rel();
  SolveHooks hooks;
  hooks.warm_start = &result.x;
  hooks.warm_multipliers = &result.multipliers;
  EXPECT_EQ(solve(planted.problem, settings, hooks).iterations, 0);
}

TEST(Groups, AreSecondOrderConesBesideFewRows) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 700);
    const Index n = random.integer(2, 30);
    const bool two_sided = seed % 5 == 2;  // a side is a row
    const GroupShape shape{n, random.integer(1, (two_sided ? 10 : 20) * n), seed % 3 == 0 ? 0 : random.integer(1, n),
                           seed % 4 == 1, two_sided};
    expect_solved(planted_groups(random, shape), "path / homogeneous embedding");
  }
}

TEST(Groups, ManyRowsAreWorkingSets) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 800);
    const Index n = random.integer(2, 12);
    const GroupShape shape{n, 20 * n + random.integer(1, 3000), seed % 3 == 0 ? 0 : random.integer(1, n), seed % 4 == 1,
                           false};
    expect_solved(planted_groups(random, shape), "path / working sets");
  }
}

// One row more than the embedding of all rows takes.
TEST(Groups, TheNumberOfRowsDecides) {
  Random random(9);
  const auto first = [&](Index m, Settings settings = {}) {
    return choose(planted_groups(random, {5, m, 5}).problem, settings).attempts.front();
  };
  EXPECT_EQ(first(100).engine, "path / homogeneous embedding");
  EXPECT_EQ(first(101).engine, "path / working sets");
  EXPECT_EQ(first(0).method, Method::apg);  // no rows: steps of the prox
  Settings asked;
  asked.method = Method::apg;
  EXPECT_EQ(first(100, asked).method, Method::apg);
  const Plan plan = choose(planted_groups(random, {5, 101, 5}).problem, {});
  ASSERT_EQ(plan.attempts.size(), 3u);
  EXPECT_EQ(plan.attempts[1].engine, "path / homogeneous embedding");
  EXPECT_EQ(plan.attempts[2].method, Method::apg);
}

// Prices and norms are different paths: only methods of gradients take both.
TEST(Groups, BesideSoftRowsAreForMethodsOfGradients) {
  Random random(10);
  PlantedGroups planted = planted_groups(random, {5, 101, 5});
  planted.problem.minimize(positive_part(DataMatrix::from(random.matrix(200, 5)), to_array(random.vector(200))));
  for (const auto& attempt : choose(planted.problem, {}).attempts) EXPECT_NE(attempt.method, Method::path);
  Settings settings;
  settings.tol_gap = settings.tol_feas = 1e-5;
  const Result result = solve(planted.problem, settings);
  EXPECT_EQ(result.status, Status::optimal) << result.message;
}

// Rows x_1 <= -1 and x_1 >= 1 among others.
TEST(Groups, ContradictionsAreProved) {
  for (const Index more : {10, 400}) {
    SCOPED_TRACE(more);
    Random random(11);
    PlantedGroups planted = planted_groups(random, {4, more, 4});
    Matrix G = Matrix::Zero(2, 4);
    G(0, 0) = 1.0;
    G(1, 0) = -1.0;
    planted.problem.subject_to(linear_le(G, Vector::Constant(2, -1.0)));
    const Result result = solve(planted.problem);
    ASSERT_EQ(result.status, Status::primal_infeasible) << result.message;
    EXPECT_TRUE(prove_infeasible(planted.problem, result.x, result.multipliers).holds);
  }
}

// The objective falls along (1, ..., 1) by more than the norms rise.
TEST(Groups, ThatCannotHoldTheObjectiveAreUnbounded) {
  for (const Index m : {3, 300}) {
    SCOPED_TRACE(m);
    Random random(12);
    Problem problem(4);
    problem.minimize(linear(Vector::Constant(4, -5.0)));
    Matrix G = random.matrix(m, 4);
    for (Index i = 0; i < m; ++i) G.row(i).array() -= std::max(0.0, G.row(i).sum()) / 4.0 + 0.1;
    problem.subject_to(linear_le(G, Vector::Ones(m)));
    problem.regularize(group_l2({0, 0, 1, 1}, {1.0, 1.0}));
    const Result result = solve(problem);
    EXPECT_EQ(result.status, Status::dual_infeasible) << result.message;
  }
}

}  // namespace
}  // namespace pliant
