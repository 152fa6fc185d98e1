// Slack columns are not found where they are none.
#include "solve/slack_columns.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

// One row and one column: what keeps the column from being a slack.
struct OneColumn {
  double cost = 1.0, lo = 0.0, hi = kInfinity, coefficient = -1.0, curvature = 0.0;
  bool in_equality = false, in_third_row = false, alone_in_row = false;

  std::size_t found() const {
    Problem problem(2);
    problem.minimize(linear({0.5, cost}));
    if (curvature != 0.0) {
      Matrix P = Matrix::Zero(2, 2);
      P(1, 1) = curvature;
      problem.minimize(quadratic(DataMatrix::from(P), {0.0, 0.0}));
    }
    problem.regularize(box({-1.0, lo}, {1.0, hi}));
    const double a = alone_in_row ? 0.0 : 1.0;
    Matrix G(1, 2);
    G << a, coefficient;
    problem.subject_to(linear_le(DataMatrix::from(G), {0.25}));
    Matrix other(2, 2);
    other << 1.0, -1.0, 2.0, -1.0;
    if (in_third_row) problem.subject_to(linear_le(DataMatrix::from(other), {0.25, 0.5}));
    if (in_equality) problem.equal(DataMatrix::from(G), {0.25});
    return find_slack_columns(problem, 1).columns.size();
  }
};

TEST(SlackColumns, AreNotFoundWhereTheyAreNone) {
  EXPECT_EQ(OneColumn{}.found(), 1U);
  EXPECT_EQ(OneColumn{.cost = 0.0}.found(), 0U) << "costs nothing";
  EXPECT_EQ(OneColumn{.cost = -1.0}.found(), 0U) << "wants to grow";
  EXPECT_EQ(OneColumn{.lo = -kInfinity}.found(), 0U) << "has no floor";
  EXPECT_EQ(OneColumn{.hi = 1e6}.found(), 0U) << "ends somewhere";
  EXPECT_EQ(OneColumn{.coefficient = 1.0}.found(), 0U) << "is pushed down";
  EXPECT_EQ(OneColumn{.curvature = 1e-9}.found(), 0U) << "is curved";
  EXPECT_EQ(OneColumn{.in_equality = true}.found(), 0U) << "is tied";
  EXPECT_EQ(OneColumn{.in_third_row = true}.found(), 0U) << "has three rows";
  EXPECT_EQ(OneColumn{.alone_in_row = true}.found(), 0U) << "nothing but bounds";
}

// price max(0, |2 x - 1| - eps) with a column u for |2 x - 1|: what keeps u from going with t. Variables x, u, t.
struct LinkedColumn {
  double cost = 0.0, price = 1.0, eps = 0.5, lo = -kInfinity, hi = kInfinity, hi_of_t = kInfinity, curvature = 0.0;
  double other_side = -2.0, lift = -1.0, in_link = 1.0, x_in_link = 0.0;
  bool in_third_row = false, in_equality = false;

  std::vector<SlackColumn> found() const {
    Problem problem(3);
    problem.minimize(linear({0.5, cost, price}));
    if (curvature != 0.0) {
      Matrix P = Matrix::Zero(3, 3);
      P(1, 1) = curvature;
      problem.minimize(quadratic(DataMatrix::from(P), {0.0, 0.0, 0.0}));
    }
    problem.regularize(box({-1.0, lo, 0.0}, {1.0, hi, hi_of_t}));
    Matrix G(3, 3);
    G << 2.0, -1.0, 0.0, other_side, lift, 0.0, x_in_link, in_link, -1.0;
    problem.subject_to(linear_le(DataMatrix::from(G), {1.0, -1.0, eps}));
    Matrix more(1, 3);
    more << 1.0, 1.0, 0.0;
    if (in_third_row) problem.subject_to(linear_le(DataMatrix::from(more), {5.0}));
    if (in_equality) problem.equal(DataMatrix::from(more), {2.0});
    return find_slack_columns(problem, 1).columns;
  }
  bool is_tube() const {
    const std::vector<SlackColumn> columns = found();
    return columns.size() == 1 && columns[0].kind == SlackColumn::Kind::tube && columns[0].other_column == 1;
  }
};

TEST(SlackColumns, AColumnWithoutCostGoesWithItsTubeOnlyWhereNothingElseDependsOnIt) {
  EXPECT_TRUE(LinkedColumn{}.is_tube());
  EXPECT_TRUE(LinkedColumn{.eps = 0.0}.is_tube());
  EXPECT_TRUE((LinkedColumn{.lo = 0.0}.is_tube())) << "|r| is never below 0";
  EXPECT_TRUE((LinkedColumn{.other_side = -4.0, .lift = -2.0}.is_tube())) << "sides with constants of their own";
  EXPECT_FALSE(LinkedColumn{.cost = 0.1}.is_tube()) << "costs something";
  EXPECT_FALSE(LinkedColumn{.cost = -0.1}.is_tube()) << "wants to grow";
  EXPECT_FALSE(LinkedColumn{.lo = 0.1}.is_tube()) << "is more than |r|";
  EXPECT_FALSE(LinkedColumn{.hi = 5.0}.is_tube()) << "is an upper bound of |r|";
  EXPECT_FALSE(LinkedColumn{.curvature = 1e-9}.is_tube()) << "is curved";
  EXPECT_FALSE(LinkedColumn{.in_third_row = true}.is_tube()) << "stands in another row";
  EXPECT_FALSE(LinkedColumn{.in_equality = true}.is_tube()) << "is tied";
  EXPECT_FALSE(LinkedColumn{.other_side = -1.0}.is_tube()) << "sides that are not opposite";
  EXPECT_FALSE(LinkedColumn{.in_link = -1.0}.is_tube()) << "has no reason to be small";
  EXPECT_FALSE(LinkedColumn{.x_in_link = 1.0}.is_tube()) << "a width that depends on x";
  EXPECT_FALSE(LinkedColumn{.eps = -0.5}.is_tube()) << "both sides are above the floor";
  EXPECT_TRUE(LinkedColumn{.price = 0.0}.found().empty()) << "costs nothing";
  EXPECT_TRUE(LinkedColumn{.price = -1.0}.found().empty()) << "wants to grow";
  EXPECT_TRUE(LinkedColumn{.hi_of_t = 9.0}.found().empty()) << "ends somewhere";
}

// |r| by two rows with t >= lo: the bound says nothing up to 0, and the width of a tube from there on.
TEST(SlackColumns, ABoundBesideTwoRows) {
  for (const double lo : {-1.0, 0.0, 1e-12}) {
    Problem problem(2);
    problem.minimize(linear({0.0, 1.0}));
    problem.regularize(box({-1.0, lo}, {1.0, kInfinity}));
    Matrix G(2, 2);
    G << 2.0, -1.0, -2.0, -1.0;
    problem.subject_to(linear_le(DataMatrix::from(G), {0.5, -0.5}));
    const std::vector<SlackColumn> found = find_slack_columns(problem, 1).columns;
    ASSERT_EQ(found.size(), 1U) << lo;
    EXPECT_EQ(found[0].kind, lo <= 0.0 ? SlackColumn::Kind::pair : SlackColumn::Kind::tube) << lo;
    Problem uneven(2);
    uneven.minimize(linear({0.0, 1.0}));
    uneven.regularize(box({-1.0, lo}, {1.0, kInfinity}));
    G(1, 0) = -1.0;
    uneven.subject_to(linear_le(DataMatrix::from(G), {0.5, -0.5}));
    EXPECT_EQ(find_slack_columns(uneven, 1).columns.size(), 0U) << lo;
  }
}

// Two columns that lift the same row: only one of them can be its price.
TEST(SlackColumns, ARowBelongsToOneColumn) {
  Problem problem(3);
  problem.minimize(linear({0.0, 1.0, 2.0}));
  problem.regularize(box({-1.0, 0.0, 0.0}, {1.0, kInfinity, kInfinity}));
  Matrix G(1, 3);
  G << 1.0, -1.0, -1.0;
  problem.subject_to(linear_le(DataMatrix::from(G), {-0.5}));
  EXPECT_EQ(find_slack_columns(problem, 1).columns.size(), 1U);
}

}  // namespace
}  // namespace pliant
