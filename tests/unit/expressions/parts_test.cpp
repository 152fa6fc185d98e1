// Expressions as terms and rows: domains, and solves whose answers are known.
#include "expressions/expression_parts.hpp"
#include "pliant/problem.hpp"
#include "pliant/solve.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace pliant {
namespace {

TEST(ExpressionParts, StepsEndAtTheDomain) {
  Graph g;  // -log x + 1/(3 - x), on 0 < x < 3
  const Index x = g.variable(0);
  const Index room = g.sum(std::array{g.constant(3.0), g.multiple(-1.0, x)});
  Expression f(g, g.sum(std::array{g.multiple(-1.0, g.unary(Unary::log, x)), g.power(room, -1.0)}));
  EXPECT_TRUE(f.has_domain());
  const Vector one = Vector::Ones(1), right = Vector::Ones(1), left = -Vector::Ones(1);
  f.choose_sides(one);
  const TermPtr term = expression_term(1, f);
  EXPECT_NEAR(term->max_step(one, right), 2.0, 1e-12);
  EXPECT_NEAR(term->max_step(one, left), 1.0, 1e-12);
  EXPECT_EQ(term->value(Vector::Constant(1, 3.5)), kInfinity);
  EXPECT_EQ(term->value(Vector::Constant(1, -1.0)), kInfinity);
  EXPECT_EQ(term->max_step(Vector::Constant(1, 4.0), right), 0.0);
  Graph plain;
  const TermPtr everywhere = expression_term(1, Expression(plain, plain.unary(Unary::exp, plain.variable(0))));
  EXPECT_EQ(everywhere->max_step(one, right), kInfinity);
}

// min exp(x) + exp(-2x): x = ln(2)/3.
TEST(ExpressionParts, ATermIsMinimised) {
  Graph g;
  const Index x = g.variable(0);
  const Index root = g.sum(std::array{g.unary(Unary::exp, x), g.unary(Unary::exp, g.multiple(-2.0, x))});
  Problem problem(1);
  problem.minimize(expression_term(1, Expression(g, root)));
  problem.subject_to(linear_le(DataMatrix::dense(1, 1, Doubles({1.0})), Doubles({5.0})));  // far away
  const Result result = solve(problem);
  EXPECT_EQ(result.status, Status::optimal);
  EXPECT_NEAR(result.x[0], std::log(2.0) / 3.0, 1e-3);
  EXPECT_NEAR(result.certificate.objective, 1.5 * std::cbrt(2.0), 1e-5);
}

// min x + y, 1/x + 1/y <= 2, x, y >= 0.1: x = y = 1 with the multiplier 1.
TEST(ExpressionParts, RowsHoldAndHavePrices) {
  Graph g;
  const Index root = g.sum(std::array{g.power(g.variable(0), -1.0), g.power(g.variable(1), -1.0), g.constant(-2.0)});
  Expression row(g, root);
  row.choose_sides(Vector::Ones(2));
  Problem problem(2);
  problem.minimize(linear(Doubles({1.0, 1.0})));
  problem.regularize(box(Doubles({0.1, 0.1}), Doubles({10.0, 10.0})));
  const Handle handle = problem.subject_to(expression_rows(2, {row}));
  const Result result = solve(problem);
  EXPECT_EQ(result.status, Status::optimal);
  EXPECT_NEAR(result.x[0], 1.0, 1e-3);
  EXPECT_NEAR(result.certificate.objective, 2.0, 1e-5);
  EXPECT_NEAR(result.duals(handle)[0], 1.0, 1e-3);
  EXPECT_NE(result.certificate.lower_bound_kind, BoundKind::proved);  // convexity is the author's word
}

TEST(ExpressionParts, CounterexamplesToConvexityAreFound) {
  Graph g;
  Problem problem(1);
  problem.minimize(expression_term(1, Expression(g, g.unary(Unary::sin, g.variable(0)))));
  problem.subject_to(linear_le(DataMatrix::dense(1, 1, Doubles({1.0})), Doubles({5.0})));
  EXPECT_THROW(solve(problem), InputError);
}

}  // namespace
}  // namespace pliant
