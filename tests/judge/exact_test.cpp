// The judge's own arithmetic: answers of the exact simplex method prove themselves, enclosures hold known numbers.
#include "judge/enclosure.hpp"
#include "judge/exact_lp.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pliant::judge {
namespace {

using testing::Random;

Rational value_of(const RationalVector& row, const RationalVector& x) {
  Rational sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += row[j] * x[j];
  return sum;
}

// sum lambda_i row_i
RationalVector combine(const Polyhedron& set, const RationalVector& lambda) {
  RationalVector out(static_cast<std::size_t>(set.n));
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += lambda[i] * set.rows[i][j];
  }
  return out;
}

TEST(Exact, DoublesAreTheRationalsTheyStandFor) {
  EXPECT_EQ(exact(0.5), Rational(1, 2));
  EXPECT_NE(exact(0.1), Rational(1, 10));
  EXPECT_THROW(exact(kInfinity), std::logic_error);
  EXPECT_TRUE(exceeds(std::nextafter(1.0, 2.0), 1));
  EXPECT_FALSE(exceeds(1.0, 1));
  EXPECT_FALSE(exceeds(-kInfinity, -1000));
  EXPECT_TRUE(exceeds(kInfinity, 1000));
  EXPECT_TRUE(exceeds(std::numeric_limits<double>::quiet_NaN(), 1000));
}

TEST(Exact, SurdsHaveTheSignOfTheNumber) {
  EXPECT_EQ(Surd(7, -5).sign(), -1);  // 7 - 7.07
  EXPECT_EQ(Surd(-7, 5).sign(), 1);
  EXPECT_EQ(Surd(3, -2).sign(), 1);  // 3 - 2.83
  EXPECT_EQ(Surd(0, -1).sign(), -1);
  EXPECT_EQ((Surd(1, 1) * Surd(-1, 1) - Surd(1)).sign(), 0);  // (sqrt 2 + 1)(sqrt 2 - 1) = 1
  EXPECT_EQ((Surd(1) / Surd(1, 1) - Surd(-1, 1)).sign(), 0);
}

TEST(Exact, SemidefinitenessIsDecidedOnTheEdge) {
  // [1 s/sqrt(2); s/sqrt(2) b] is semidefinite iff b >= s^2/2.
  const Rational tiny = exact(1e-300);
  EXPECT_TRUE(is_semidefinite_svec({1, 2, 2}));
  EXPECT_FALSE(is_semidefinite_svec({1, 2, 2 - tiny}));
  EXPECT_TRUE(is_semidefinite_svec({0, 0, 1}));
  EXPECT_FALSE(is_semidefinite_svec({0, tiny, 1}));
  EXPECT_FALSE(is_semidefinite_svec({-tiny}));
  EXPECT_FALSE(positive_determinant_svec({1, 2, 2}));
  const std::optional<Surd> determinant = positive_determinant_svec({2, 2, 3});
  ASSERT_TRUE(determinant);
  EXPECT_EQ((*determinant - Surd(4)).sign(), 0);
}

TEST(Exact, EnclosuresHoldWhatTheyEnclose) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Rational x = exact(random.normal() * random.log_uniform(1e-6, 30.0));
    const Enclosure e = enclose_exp(x);
    ASSERT_LE(e.low, e.high);
    EXPECT_LT(Rational((e.high - e.low) / e.high), exact(1e-35));
    // log is increasing: its enclosures at both ends must hold x between them.
    EXPECT_LE(enclose_log(e.low).low, x);
    EXPECT_GE(enclose_log(e.high).high, x);
    const double value = std::exp(x.get_d());
    EXPECT_NEAR(e.low.get_d(), value, 1e-12 * value);
    const Rational y = exact(random.log_uniform(1e-100, 1e100));
    EXPECT_NEAR(enclose_log(y).low.get_d(), std::log(y.get_d()), 1e-12 * (1.0 + std::abs(std::log(y.get_d()))));
  }
  const Enclosure root = enclose(Surd(0, 1));
  EXPECT_LT(Rational(root.low * root.low), 2);
  EXPECT_GT(Rational(root.high * root.high), 2);
  EXPECT_THROW(enclose_exp(kLargestExponent + 1), std::overflow_error);
}

TEST(ExactLp, KnownPrograms) {
  Polyhedron wall;  // 2e-9 x + y <= 1, x, y >= 0
  wall.n = 2;
  wall.add({exact(2e-9), 1}, 1);
  wall.add_bound(0, -1, 0);
  wall.add_bound(1, -1, 0);
  const LpAnswer bounded = minimise(wall, {-1, 0});
  ASSERT_EQ(bounded.end, LpEnd::optimal);
  EXPECT_EQ(bounded.value, -1 / exact(2e-9));
  EXPECT_EQ(minimise(wall, {1, -1}).value, -1);
  wall.rows[0][0] = -exact(1e-300);
  EXPECT_EQ(minimise(wall, {-1, 0}).end, LpEnd::unbounded);
  wall.add_bound(1, 1, -exact(1e-300));
  EXPECT_EQ(minimise(wall, {-1, 0}).end, LpEnd::infeasible);

  Polyhedron line;  // x = 1 alone: a line of points
  line.n = 2;
  line.add_bound(0, 1, 1);
  line.add_bound(0, -1, -1);
  EXPECT_EQ(minimise(line, {2, 0}).value, 2);
  EXPECT_EQ(minimise(line, {2, 1}).end, LpEnd::unbounded);
  const auto nearest = nearest_point(line, {Rational(3), Rational(5)});
  ASSERT_TRUE(nearest);
  EXPECT_EQ((*nearest)[0], 1);
}

// Whatever the method says comes with its proof, which is checked here.
TEST(ExactLp, AnswersProveThemselves) {
  int ends[3] = {0, 0, 0};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Polyhedron set;
    set.n = random.integer(1, 5);
    const Index m = random.integer(1, 14);
    for (Index i = 0; i < m; ++i) {
      Vector g = random.vector(set.n);
      if (random.uniform() < 0.3) g = (4.0 * g).array().round();
      set.add(exact(g), exact(random.uniform() < 0.3 ? 0.0 : random.normal() + 0.7));
    }
    const RationalVector cost = exact(random.vector(set.n));
    const LpAnswer answer = minimise(set, cost);
    ++ends[static_cast<int>(answer.end)];
    for (std::size_t i = 0; i < set.rows.size() && !answer.x.empty(); ++i) {
      EXPECT_LE(value_of(set.rows[i], answer.x), set.rhs[i]);
    }
    for (const Rational& lambda : answer.multipliers) EXPECT_GE(lambda, 0);
    if (answer.end == LpEnd::unbounded) {
      const LpAnswer direction = minimise(set.recession(), cost);
      EXPECT_EQ(direction.end, LpEnd::unbounded);
      continue;
    }
    const RationalVector gradient = combine(set, answer.multipliers);
    const Rational constant = value_of(set.rhs, answer.multipliers);
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      EXPECT_EQ(gradient[j] + (answer.end == LpEnd::optimal ? cost[j] : Rational(0)), 0);
    }
    if (answer.end == LpEnd::optimal) {
      EXPECT_EQ(answer.value, -constant);
    } else {
      EXPECT_LT(constant, 0);
    }
  }
  for (const int count : ends) EXPECT_GT(count, 10);
}

}  // namespace
}  // namespace pliant::judge
