// The search for a feasible point or a contradiction, over every family and domain, and rays through solve().
#include "engines/phase_one/feasibility_search.hpp"
#include "pliant/generate.hpp"
#include "pliant/solve.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

namespace pliant {
namespace {

using testing::Random;

FeasibilityOutcome search(const Problem& problem) {
  ConstraintSystem system(problem);
  return search_feasibility(problem, system, Vector::Zero(problem.dimension()), {}, [] { return false; });
}

double worst_value(const Problem& problem, const Vector& x) {
  ConstraintSystem system(problem);
  Vector a(system.size());
  system.values(x, a);
  return a.maxCoeff();
}

// Balls |x - c_i|^2 <= r_i^2 around points at distance 2 from each other along an axis, as quadratics or log-sum-exps.
Problem two_balls(Index n, double radius) {
  Problem problem(n);
  std::vector<double> D(static_cast<std::size_t>(2 * n), 2.0), q(static_cast<std::size_t>(2 * n), 0.0);
  q[0] = -2.0;
  q[static_cast<std::size_t>(n)] = 2.0;
  const double r = 1.0 - radius * radius;
  problem.subject_to(quadratic_diagonal_le(Tensor({2, n}, D), Tensor({2, n}, q), Doubles({r, r})));
  return problem;
}

TEST(PhaseOne, DecidesTwoBallsFromBothSides) {
  for (const double gap : {1.0, 1e-2, 1e-4}) {
    for (const Index n : {1, 3, 8}) {
      SCOPED_TRACE(gap);
      const FeasibilityOutcome apart = search(two_balls(n, 1.0 - gap));
      EXPECT_EQ(apart.answer, Feasibility::infeasible);
      const Problem meeting = two_balls(n, 1.0 + gap);
      const FeasibilityOutcome together = search(meeting);
      EXPECT_EQ(together.answer, Feasibility::feasible);
      EXPECT_LE(worst_value(meeting, together.x), 0.0);
    }
  }
}

// ln(exp(x) + exp(y)) <= -1 and ln(exp(-x) + exp(-y)) <= level: the sum of both is at least 2 ln 2.
TEST(PhaseOne, DecidesLogSumExp) {
  const auto make = [](double level) {
    Problem problem(2);
    problem.subject_to(log_sum_exp_le(Tensor({2, 2, 2}, Doubles({1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -1.0})),
                                      Tensor({2, 2}, Doubles({1.0, 1.0, -level, -level}))));
    return problem;
  };
  const double border = 1.0 + 2.0 * std::log(2.0);
  EXPECT_EQ(search(make(border - 1e-3)).answer, Feasibility::infeasible);
  EXPECT_EQ(search(make(border + 1e-3)).answer, Feasibility::feasible);
}

TEST(PhaseOne, KnowsDomainsAndEqualities) {
  const auto row = [](std::vector<double> g, double h) {
    return linear_le(DataMatrix::dense(1, static_cast<Index>(g.size()), Doubles(g)), Doubles({h}));
  };
  for (const double slack : {-0.01, 0.01}) {
    const Feasibility expected = slack > 0.0 ? Feasibility::feasible : Feasibility::infeasible;
    Problem in_simplex(3);
    in_simplex.regularize(simplex(3, 2.0));
    in_simplex.subject_to(row({1.0, 2.0, 3.0}, 2.0 + slack));
    // Nothing lies strictly inside an equality: the search may stay open, but must not err.
    const Feasibility answer = search(in_simplex).answer;
    EXPECT_TRUE(answer == expected || (slack > 0.0 && answer == Feasibility::open));
    Problem in_ball(2);
    in_ball.regularize(ball(2, 2.0));
    in_ball.subject_to(row({3.0, 4.0}, -10.0 + slack));
    EXPECT_EQ(search(in_ball).answer, expected);
    Problem in_box(2);
    in_box.regularize(box(Doubles({-1.0, 0.0}), Doubles({kInfinity, 5.0})));
    in_box.subject_to(row({1.0, -1.0}, -6.0 + slack));
    EXPECT_EQ(search(in_box).answer, expected);
    Problem equal(2);
    equal.equal(DataMatrix::dense(1, 2, Doubles({1.0, 1.0})), Doubles({1.0}));
    equal.subject_to(row({1.0, 1.0}, 1.0 + slack));
    const Feasibility with_equality = search(equal).answer;
    EXPECT_TRUE(with_equality == expected || (slack > 0.0 && with_equality == Feasibility::open));
  }
}

// n + 1 rows contradict each other, hidden among thousands: the proof names these and balances to rounding.
TEST(PhaseOne, ProofsAreSharp) {
  for (int seed = 0; seed < 10; ++seed) {
    const double margin = seed % 2 == 0 ? 1e-2 : 1e-5;
    const Problem problem = generate("infeasible", {{"n", 9}, {"m", 3000}, {"margin", margin}, {"seed", seed}});
    const FeasibilityOutcome found = search(problem);
    ASSERT_EQ(found.answer, Feasibility::infeasible);
    EXPECT_EQ(found.proof.rows, 10);
    EXPECT_NEAR(found.proof.excess, margin, 1e-2 * margin + 1e-5);
    EXPECT_LE(found.proof.gradient, 5e-16);
    EXPECT_LE(found.multipliers.maxCoeff(), 1.0);
    EXPECT_GE(found.multipliers.minCoeff(), 0.0);
  }
}

TEST(PhaseOne, WorkingSetsAndThreadsDoNotChangeTheAnswer) {
  for (const char* family : {"infeasible", "barely_feasible"}) {
    for (const double curved : {0.0, 1.0}) {
      Problem problem = generate(family, {{"n", 6}, {"m", 5000}, {"curved", curved}, {"seed", 5}});
      problem.slater_point.reset();
      Vector first;
      for (const int threads : {1, 2, 3}) {
        Settings settings;
        settings.threads = threads;
        settings.max_iterations = 300;
        const Result r = solve(problem, settings);
        EXPECT_EQ(r.status == Status::primal_infeasible, std::string(family) == "infeasible") << r.message;
        if (first.size() == 0) first = r.x;
        EXPECT_EQ(std::memcmp(first.data(), r.x.data(), sizeof(double) * static_cast<std::size_t>(first.size())), 0);
      }
    }
  }
}

TEST(PhaseOne, CallbacksWithoutHessianStayOpen) {
  Problem problem(1);
  CallbackFunctions functions;
  functions.values = [](ConstVectorRef, Rows rows, VectorRef a) { a.head(rows.size()).setOnes(); };
  functions.jacobian = [](ConstVectorRef, Rows, MatrixRef J) { J.setZero(); };
  problem.subject_to(callback_le(1, 1, functions));
  EXPECT_EQ(search(problem).answer, Feasibility::open);
}

// Rays through quadratic and log-sum-exp rows, l1 terms and equalities, for any engine; and their absence.
TEST(Rays, AreFoundThroughEveryFamilyAndNotInvented) {
  for (const bool open : {true, false}) {
    Problem problem(3);
    problem.minimize(linear(Doubles({-1.0, 0.5, 0.0})));
    problem.subject_to(quadratic_diagonal_le(Tensor({1, 3}, Doubles({0.0, 1.0, 0.0})),
                                             Tensor({1, 3}, Doubles({-1.0, 0.0, 0.0})), Doubles({-1.0})));
    problem.subject_to(log_sum_exp_le(Tensor({1, 2, 3}, Doubles({-1.0, 1.0, 0.0, -2.0, 0.0, 1.0})),
                                      Tensor({1, 2}, Doubles({-2.0, -2.0}))));
    problem.regularize(l1(3, open ? 0.1 : 1.2));  // dearer than the gain: bounded
    problem.equal(DataMatrix::dense(1, 3, Doubles({0.0, 0.0, 1.0})), Doubles({0.0}));
    Settings settings;
    settings.max_iterations = 20000;
    const Result r = solve(problem, settings);
    EXPECT_EQ(r.status == Status::dual_infeasible, open) << to_string(r.status) << ": " << r.message;
    EXPECT_EQ(r.status == Status::optimal, !open) << to_string(r.status) << ": " << r.message;
    if (!open) continue;
    ASSERT_EQ(r.ray.size(), 3);
    EXPECT_GT(r.ray[0], 0.99);
    EXPECT_LE(std::abs(r.ray[1]) + std::abs(r.ray[2]), 1e-12);
    EXPECT_TRUE(prove_unbounded(problem, r.x, r.ray).holds);
  }
}

// An LP without bounds whose sampled rows are unbounded while all of them together are not.
TEST(Rays, AreNotBelievedFromASample) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Index n = 5, m = 4000;
    Matrix G(m, n);
    for (Index i = 0; i < m; ++i) G.row(i) = random.vector(n).normalized();
    const Vector d = random.vector(n).normalized();
    for (Index i = 0; i < m; ++i) {
      if (i != 1234 && G.row(i).dot(d) > 0.0) G.row(i) -= 2.0 * G.row(i).dot(d) * d.transpose();
    }
    G.row(1234) = d;  // the only row that ends the ray
    Problem problem(n);
    problem.minimize(linear(to_array(Vector(-d))));
    problem.subject_to(linear_le(DataMatrix::from(G), to_array(Vector::Ones(m))));
    const Result r = solve(problem);
    EXPECT_NE(r.status, Status::dual_infeasible) << r.message;
    EXPECT_NE(r.status, Status::primal_infeasible) << r.message;
  }
}

}  // namespace
}  // namespace pliant
