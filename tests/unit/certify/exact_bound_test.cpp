// Bounds without a bounded domain: multipliers nearby are moved or enclosed until the Lagrangian has a minimum.
#include "pliant/certificate.hpp"
#include "pliant/constraints.hpp"
#include "pliant/objectives.hpp"
#include "pliant/regularizers.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

// A linear program in small integers whose solution, multipliers and value are integers: exact in double.
struct IntegerProgram {
  Problem problem;
  Vector x, lambda;
  double value = 0.0;
};

constexpr double kLeastEntry = 10.0;  // on the diagonal, more than the rest of a row: every square part is regular

// n active rows and a few others; the first `bounded` variables are >= 0, some of them at 0 with a cost of their own.
IntegerProgram integer_program(Random& random, Index n, Index bounded, bool curved) {
  const Index others = random.integer(0, 3);
  IntegerProgram out{Problem(n), Vector(n), Vector::Zero(n + others)};
  Matrix G(n + others, n);
  for (double& g : G.reshaped()) g = static_cast<double>(random.integer(-1, 1));
  G.diagonal().array() += kLeastEntry;
  Vector reduced = Vector::Zero(n), lo = Vector::Constant(n, -kInfinity);
  for (Index j = 0; j < n; ++j) {
    out.x[j] = static_cast<double>(random.integer(j < bounded ? 1 : -3, 3));
    out.lambda[j] = static_cast<double>(random.integer(1, 5));
    if (j >= bounded) continue;
    lo[j] = 0.0;
    if (random.uniform() < 0.5) {
      out.x[j] = 0.0;
      reduced[j] = static_cast<double>(random.integer(1, 4));
    }
  }
  Vector h = G * out.x;
  for (Index i = n; i < h.size(); ++i) h[i] += static_cast<double>(random.integer(1, 5));
  Vector c = reduced - G.transpose() * out.lambda;
  if (curved) {  // 1/2 x_0^2: convex, but not strongly
    Matrix P = Matrix::Zero(n, n);
    P(0, 0) = 1.0;
    c[0] -= out.x[0];
    out.value = 0.5 * out.x[0] * out.x[0];
    out.problem.minimize(quadratic(DataMatrix::from(P), to_array(Vector::Zero(n))));
  }
  out.problem.minimize(linear(to_array(c)));
  out.value += c.dot(out.x);
  if (bounded > 0) out.problem.regularize(box(to_array(lo), to_array(Vector::Constant(n, kInfinity))));
  out.problem.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
  return out;
}

TEST(ExactBound, IsProvedFromMultipliersThatAreOffAndStaysBelowTheValue) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 7);
    const IntegerProgram p = integer_program(random, n, random.integer(0, n), seed % 3 == 0);
    const double off = seed % 2 == 0 ? 0.0 : random.log_uniform(1e-16, 1e-8);
    Vector lambda = p.lambda, x = p.x;
    for (double& t : lambda) t *= 1.0 + off * random.normal();
    for (double& t : x) t += off * random.normal();
    const Certificate c = certify(p.problem, x, {{lambda}, {}});
    ASSERT_EQ(c.proof.kind, BoundKind::proved);
    ASSERT_LE(c.proof.value, p.value);
    ASSERT_GE(c.proof.value, p.value - (1e-10 + 100.0 * off) * (1.0 + std::abs(p.value)));
  }
}

TEST(ExactBound, EqualitiesTakeMultipliersOfEitherSign) {
  // min x + y, x - y = 1, x + y >= 3 without bounds: 3 at (2, 1).
  Problem problem(2);
  problem.minimize(linear(Doubles({1.0, 1.0})));
  problem.equal(DataMatrix::dense(1, 2, Doubles({1.0, -1.0})), Doubles({1.0}));
  problem.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({-1.0, -1.0})), Doubles({-3.0})));
  for (const double nu : {0.0, 1e-13, -1e-13}) {
    const Certificate c = certify(problem, Vector{{2.0, 1.0}}, {{Vector{{1.0 + nu}}}, Vector{{nu}}});
    ASSERT_EQ(c.proof.kind, BoundKind::proved);
    EXPECT_LE(c.proof.value, 3.0);
    EXPECT_NEAR(c.proof.value, 3.0, 1e-11);
  }
}

TEST(ExactBound, NothingIsProvedWhereTheObjectiveFalls) {
  // min -x subject to -x <= 0, and with a wall that only the second variable meets.
  for (const Index n : {1, 2}) {
    Problem problem(n);
    problem.minimize(linear(to_array(-Vector::Unit(n, 0))));
    problem.subject_to(linear_le(DataMatrix::from(-Matrix::Identity(n, n)), to_array(Vector::Zero(n))));
    for (const double lambda : {0.0, 1.0, 1e-12, 1e17}) {
      const Certificate c = certify(problem, Vector::Zero(n), {{Vector::Constant(n, lambda)}, {}});
      EXPECT_NE(c.proof.kind, BoundKind::proved);
      EXPECT_EQ(c.proof.value, -kInfinity);
    }
  }
}

TEST(ExactBound, VariablesThatNobodyMentionsDoNotMatter) {
  Problem problem(3);
  problem.minimize(linear(Doubles({1.0, 0.0, 0.0})));
  problem.subject_to(linear_le(DataMatrix::dense(1, 3, Doubles({-1.0, 0.0, 0.0})), Doubles({-2.0})));
  const Certificate c = certify(problem, Vector{{2.0, 5.0, -7.0}}, {{Vector{{1.0}}}, {}});
  EXPECT_EQ(c.proof.kind, BoundKind::proved);
  EXPECT_LE(c.proof.value, 2.0);
  EXPECT_NEAR(c.proof.value, 2.0, 1e-12);
}

// A gradient is a sum over the few entries of a column, however long x is: rounding may not cost more.
TEST(ProvedBound, RoundingIsThatOfTheEntriesNotOfTheDimension) {
  constexpr Index n = 20000;
  std::vector<Index> starts{0}, columns;
  std::vector<double> ones;
  for (Index j = 0; j < n; ++j) {
    columns.push_back(j);
    ones.push_back(1.0);
    starts.push_back(j + 1);
  }
  Random random(1);
  const Vector x = random.vector(n);
  Problem problem(n);
  problem.minimize(quadratic(DataMatrix::csr(n, n, starts, columns, ones), to_array(-x)));
  const Certificate c = certify(problem, x, {});
  ASSERT_EQ(c.proof.kind, BoundKind::proved);
  const double value = -0.5 * x.squaredNorm(), size = 1.5 * x.squaredNorm();
  EXPECT_LE(c.proof.value, value + 1e-15 * size);
  EXPECT_GE(c.proof.value, value - 1e-13 * size);
}

}  // namespace
}  // namespace pliant
