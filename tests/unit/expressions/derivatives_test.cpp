// Derivatives of graphs against differences, and polynomials against the functions they stand for.
#include "expressions/expression.hpp"
#include "expressions/polynomial.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace pliant {
namespace {

using testing::Random;

struct Sample {
  Unary function;
  double exponent;
  double at;
};
constexpr std::array kSamples{
    Sample{Unary::power, 2.0, -1.3},  Sample{Unary::power, 0.5, 0.7},  Sample{Unary::power, -1.0, 0.4},
    Sample{Unary::power, -1.0, -2.0}, Sample{Unary::power, 3.0, -0.8}, Sample{Unary::power, 4.0, 1.1},
    Sample{Unary::power, -2.5, 1.7},  Sample{Unary::exp, 0.0, -0.4},   Sample{Unary::log, 0.0, 0.3},
    Sample{Unary::sin, 0.0, 0.9},     Sample{Unary::cos, 0.0, 2.2},    Sample{Unary::tan, 0.0, 0.5},
    Sample{Unary::asin, 0.0, -0.6},   Sample{Unary::acos, 0.0, 0.35},  Sample{Unary::atan, 0.0, 1.9},
    Sample{Unary::sinh, 0.0, -1.2},   Sample{Unary::cosh, 0.0, 0.8},   Sample{Unary::tanh, 0.0, 0.45},
    Sample{Unary::asinh, 0.0, -2.0},  Sample{Unary::acosh, 0.0, 1.6},  Sample{Unary::atanh, 0.0, 0.25},
};

TEST(Expressions, FunctionsOfOneVariable) {
  constexpr double kStep = 1e-4;
  for (const Sample& s : kSamples) {
    SCOPED_TRACE(static_cast<int>(s.function));
    const auto f = [&](double v) { return evaluate(s.function, s.exponent, v); };
    const UnaryValue here = f(s.at), before = f(s.at - kStep), after = f(s.at + kStep);
    EXPECT_NEAR(here.first, (after.value - before.value) / (2.0 * kStep), 1e-5 * (1.0 + std::abs(here.first)));
    EXPECT_NEAR(here.second, (after.first - before.first) / (2.0 * kStep), 1e-5 * (1.0 + std::abs(here.second)));
  }
  EXPECT_DOUBLE_EQ(evaluate(Unary::power, 0.5, 2.25).value, 1.5);
  EXPECT_DOUBLE_EQ(evaluate(Unary::log, 0.0, std::exp(1.5)).value, 1.5);
  EXPECT_DOUBLE_EQ(evaluate(Unary::acosh, 0.0, std::cosh(1.5)).value, 1.5);
}

// Bounded functions of bounded functions, so that differences are accurate whatever the seed.
Index random_node(Graph& g, Random& random, Index n, int depth) {
  if (depth == 0) return g.variable(random.integer(0, n - 1));
  const auto next = [&] { return random_node(g, random, n, depth - 1); };
  const auto tame = [&] { return g.unary(Unary::tanh, next()); };
  switch (random.integer(0, 7)) {
    case 0:
      return g.sum(std::array{tame(), g.constant(random.normal()), tame()});
    case 1:
      return g.product(tame(), tame());
    case 2:
      return g.multiple(random.uniform(-2.0, 2.0), tame());
    case 3:
      return g.unary(Unary::exp, tame());
    case 4:
      return g.unary(Unary::log, g.sum(std::array{g.constant(2.0), tame()}));
    case 5:
      return g.quotient(tame(), g.sum(std::array{g.constant(3.0), tame()}));
    case 6:
      return g.general_power(g.sum(std::array{g.constant(2.5), tame()}), tame());
    default:
      return g.power(g.sum(std::array{g.constant(2.5), tame()}), random.uniform(-2.0, 3.0));
  }
}

TEST(Expressions, GradientsAndHessiansOfRandomGraphs) {
  constexpr double kStep = 1e-5, kTolerance = 1e-5;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 4);
    Graph graph;
    const Index shared = random_node(graph, random, n, 2);  // used several times
    const Index root = graph.sum(std::array{graph.product(shared, shared), random_node(graph, random, n, 3), shared});
    const Expression f(graph, root);
    Vector x(n), gradient = Vector::Zero(n);
    for (double& t : x) t = random.uniform(-1.5, 1.5);
    Matrix H = Matrix::Zero(n, n);
    EXPECT_EQ(f.add_gradient(x, 2.0, gradient), f.value(x));
    f.add_hessian(x, 2.0, H);
    for (Index j = 0; j < n; ++j) {
      Vector before = x, after = x, low = Vector::Zero(n), high = Vector::Zero(n);
      before[j] -= kStep;
      after[j] += kStep;
      const double slope = (f.value(after) - f.value(before)) / kStep;
      EXPECT_NEAR(gradient[j], slope, kTolerance * (1.0 + std::abs(slope)));
      f.add_gradient(before, 1.0, low);
      f.add_gradient(after, 1.0, high);
      const Vector column = (high - low) / kStep;
      for (Index i = j; i < n; ++i)
        EXPECT_NEAR(H(i, j), column[i], kTolerance * (1.0 + column.lpNorm<Eigen::Infinity>()));
    }
  }
}

double value_of(const Polynomial& p, const Vector& x) {
  double out = p.constant;
  for (const auto& [j, value] : p.linear) out += value * x[j];
  for (const auto& [place, value] : p.products) out += value * x[place.first] * x[place.second];
  return out;
}

TEST(Expressions, PolynomialsAreFoundAndNothingElse) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Graph g;
    const auto affine = [&] {
      std::vector<Index> parts{g.constant(random.normal())};
      for (Index j = 0; j < 4; ++j) parts.push_back(g.multiple(random.normal(), g.variable(j)));
      return g.sum(parts);
    };
    const Index a = affine();
    std::vector<Index> parts{g.power(a, 2.0), g.product(a, affine()), g.multiple(-1.5, affine()), a};
    const Index root = g.sum(parts);
    const std::optional<Polynomial> p = as_polynomial(g, root);
    ASSERT_TRUE(p.has_value());
    const Vector x = random.vector(4);
    const double value = Expression(g, root).value(x);
    EXPECT_NEAR(value_of(*p, x), value, 1e-12 * (100.0 + x.squaredNorm() * 100.0));
    EXPECT_FALSE(as_polynomial(g, g.product(g.power(a, 2.0), a)).has_value());
    EXPECT_FALSE(as_polynomial(g, g.unary(Unary::exp, a)).has_value());
    EXPECT_FALSE(as_polynomial(g, g.power(a, 3.0)).has_value());
  }
}

// A chain of sums as long as files have them: neither recursion nor copies of what was collected.
TEST(Expressions, LongChains) {
  Graph g;
  constexpr Index kLong = 200000;
  Index chain = g.variable(0);
  for (Index k = 1; k < kLong; ++k) chain = g.sum(std::array{chain, g.variable(k % 1000)});
  const std::optional<Polynomial> p = as_polynomial(g, chain);
  ASSERT_TRUE(p.has_value());
  EXPECT_EQ(p->linear.at(7), static_cast<double>(kLong / 1000));
  EXPECT_EQ(Expression(g, chain).value(Vector::Ones(1000)), static_cast<double>(kLong));
}

}  // namespace
}  // namespace pliant
