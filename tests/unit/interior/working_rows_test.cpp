// Rows left out of interior steps: which of them join, and what solves that leave rows out end as.
#include "engines/interior/working_rows.hpp"

#include "pliant/infeasibility.hpp"
#include "pliant/solve.hpp"
#include "support/planted_program.hpp"

#include <gtest/gtest.h>

#include <map>

namespace pliant {
namespace {

using testing::PlantedProgram;
using testing::Random;
using testing::to_problem;

// x0 = 1 as an equality; x0 + x1 <= 3, -1 <= x1, 10 x1 <= 25 as rows.
StandardForm small_form() {
  StandardForm form;
  form.P = SparseMatrix(2, 2);
  form.q = Vector::Ones(2);
  form.A = Matrix{{1.0, 1.0}, {1.0, 0.0}, {0.0, 1.0}, {0.0, 10.0}}.sparseView();
  form.lo = Vector{{-kInfinity, 1.0, -1.0, -kInfinity}};
  form.hi = Vector{{3.0, 1.0, kInfinity, 25.0}};
  form.lower = Vector::Zero(2);
  form.upper = Vector::Constant(2, kInfinity);
  return form;
}

TEST(WorkingRows, BeginWithEqualities) {
  const StandardForm form = small_form();
  const WorkingRows rows(form);
  EXPECT_EQ(rows.left_out(), 3);
  EXPECT_EQ(Matrix(rows.part().A), (Matrix{{1.0, 0.0}}));
  EXPECT_EQ(rows.part().lo, Vector::Ones(1));
  EXPECT_EQ(rows.whole_duals(Vector::Constant(1, 7.0)), (Vector{{0.0, 7.0, 0.0, 0.0}}));
}

TEST(WorkingRows, NothingJoinsWhereNothingIsViolated) {
  const StandardForm form = small_form();
  WorkingRows rows(form);
  EXPECT_FALSE(rows.join(Vector{{1.0, 2.0}}, 10.0));  // on the side of the first row, and within reach of two
  EXPECT_EQ(rows.left_out(), 3);
}

TEST(WorkingRows, RowsWithinReachJoinTheViolatedOnes) {
  const StandardForm form = small_form();
  const Vector x{{1.0, 2.2}};  // misses the first row by 0.2, and 12 % of itself from the last one
  EXPECT_EQ(WorkingRows(form).violations(x).size(), 4);
  EXPECT_NEAR(WorkingRows(form).violations(x)[0], 0.2, 1e-15);
  EXPECT_EQ(WorkingRows(form).violations(x).tail(3), Vector::Zero(3));
  WorkingRows violated(form), near(form);
  ASSERT_TRUE(violated.join(x, 0.1));
  EXPECT_EQ(violated.left_out(), 2);
  EXPECT_EQ(violated.places({1}), std::vector<Index>{1});
  ASSERT_TRUE(near.join(x, 0.15));
  EXPECT_EQ(near.left_out(), 1);
  EXPECT_EQ(Matrix(near.part().A), (Matrix{{1.0, 1.0}, {1.0, 0.0}, {0.0, 10.0}}));
  EXPECT_EQ(near.part().hi, (Vector{{3.0, 1.0, 25.0}}));
  EXPECT_EQ(near.whole_duals(Vector{{1.0, 2.0, 3.0}}), (Vector{{1.0, 2.0, 0.0, 3.0}}));
}

TEST(WorkingRows, BoundsHoldEveryCost) {
  StandardForm form = small_form();
  EXPECT_TRUE(bounded_without_rows(form));
  form.q[1] = -1.0;
  EXPECT_FALSE(bounded_without_rows(form));
  form.upper[1] = 5.0;
  EXPECT_TRUE(bounded_without_rows(form));
  form.q[0] = 0.5;
  form.lower[0] = -kInfinity;
  EXPECT_FALSE(bounded_without_rows(form));
  form.l1 = Vector::Constant(2, 0.5);
  EXPECT_TRUE(bounded_without_rows(form));
  form.l1[0] = 0.49;
  EXPECT_FALSE(bounded_without_rows(form));
}

// Goods on a ring with chords: each is sent from one node to another, all share the capacities of the arcs. The chords that
// are too narrow are chosen by the seed; round the ring there is room for everything.
StandardForm flows(Random& random, Index nodes, Index arcs, Index goods, double width) {
  StandardForm f;
  const Index n = goods * arcs, m = goods * nodes + arcs;
  std::vector<Eigen::Triplet<double, int>> entries;
  f.q.resize(n);
  f.lo = Vector::Zero(m);
  for (Index a = 0; a < arcs; ++a) {
    const Index from = a < nodes ? a : random.integer(0, nodes - 1);
    const Index to = a < nodes ? (a + 1) % nodes : (from + random.integer(1, nodes - 1)) % nodes;
    for (Index g = 0; g < goods; ++g) {
      const auto column = static_cast<int>(g * arcs + a);
      entries.emplace_back(static_cast<int>(g * nodes + from), column, 1.0);
      entries.emplace_back(static_cast<int>(g * nodes + to), column, -1.0);
      entries.emplace_back(static_cast<int>(goods * nodes + a), column, 1.0);
      f.q[column] = random.uniform(1.0, 10.0) + (a < nodes ? 20.0 : 0.0);
    }
  }
  for (Index g = 0; g < goods; ++g) {
    const Index from = random.integer(0, nodes - 1), to = (from + random.integer(1, nodes - 1)) % nodes;
    const double amount = random.uniform(1.0, 10.0);
    f.lo[g * nodes + from] += amount;
    f.lo[g * nodes + to] -= amount;
  }
  f.hi = f.lo;
  f.lo.tail(arcs).setConstant(-kInfinity);
  for (Index a = 0; a < arcs; ++a) f.hi[goods * nodes + a] = a < nodes ? 1e3 : width * random.uniform(1.0, 10.0);
  f.P = SparseMatrix(static_cast<int>(n), static_cast<int>(n));
  f.A = SparseMatrix(static_cast<int>(m), static_cast<int>(n));
  f.A.setFromTriplets(entries.begin(), entries.end());
  f.lower = Vector::Zero(n);
  f.upper = Vector::Constant(n, kInfinity);
  return f;
}

Settings sparse_algebra() {
  Settings settings;
  settings.linear_algebra = LinearAlgebra::sparse;
  return settings;
}

// None, few and many capacities bind. The certificate is made from the raw rows, all of them.
TEST(WorkingRows, FlowsAreSolvedWithoutMostCapacities) {
  constexpr Index kArcs = 200;
  const std::map<double, Index> most_joined{{1000.0, kArcs}, {5.0, kArcs / 2}, {0.5, kArcs}};
  for (const auto& [width, most] : most_joined) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(::testing::Message() << width << ' ' << seed);
      Random random(seed);
      const Problem problem = to_problem(flows(random, 50, kArcs, 20, width));
      const Result r = solve(problem, sparse_algebra());
      ASSERT_EQ(r.status, Status::optimal) << r.message;
      EXPECT_TRUE(certify(problem, r.x, r.multipliers).satisfies(sparse_algebra()));
      EXPECT_LE(r.trace.back().working, most);
    }
  }
}

// Capacities that no good fits through: the part has a solution and the whole none.
TEST(WorkingRows, ProofsSeeTheRowsThatWereLeftOut) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    constexpr Index kNodes = 50, kArcs = 200, kGoods = 20;
    StandardForm form = flows(random, kNodes, kArcs, kGoods, 5.0);
    form.hi.tail(kArcs).setConstant(1e-2);
    const Problem problem = to_problem(form);
    const Result r = solve(problem, sparse_algebra());
    ASSERT_EQ(r.status, Status::primal_infeasible) << r.message;
    EXPECT_TRUE(prove_infeasible(problem, r.x, r.multipliers).holds);
  }
}

}  // namespace
}  // namespace pliant
