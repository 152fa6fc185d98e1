// Point sets without a smallest ellipsoid are named as such; others are not.
#include "solve/degenerate_points.hpp"

#include "pliant/pliant.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Random;

Problem around(const Matrix& points, bool lifted) {
  const Index order = points.cols() + (lifted ? 1 : 0);
  Problem problem(order * (order + 1) / 2);
  problem.minimize(log_det(order));
  const Tensor data({points.rows(), points.cols()}, DataMatrix(points).values());
  const Doubles b = to_array(Vector::Ones(points.rows()));
  problem.subject_to(lifted ? rank_one_lifted_le(data, b) : rank_one_le(data, b));
  return problem;
}

// A random hyperplane (through the origin unless lifted), units of all sizes, and points `off` away from it.
Matrix near_hyperplane(Random& random, Index count, Index d, bool lifted, double off) {
  Matrix points = random.matrix(count, d);
  Vector normal = random.vector(d);
  normal.normalize();
  const double shift = lifted ? 0.7 : 0.0;
  for (Index i = 0; i < count; ++i) {
    const double wanted = shift + off * random.uniform(0.5, 1.0) * (i % 2 == 0 ? 1.0 : -1.0);
    points.row(i) += (wanted - points.row(i).dot(normal)) * normal.transpose();
  }
  for (Index j = 0; j < d; ++j) points.col(j) *= random.log_uniform(1e-3, 1e3);
  return points;
}

TEST(DegeneratePoints, FewPointsAndHyperplanesAreNamed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 50);
    const bool lifted = seed % 2 == 0;
    const Index d = random.integer(2, 6), order = d + (lifted ? 1 : 0);
    EXPECT_THAT(degenerate_points(around(random.matrix(order - 1, d), lifted)), HasSubstr("fewer"));
    const Matrix flat = near_hyperplane(random, 5 * order, d, lifted, 0.0);
    EXPECT_THAT(degenerate_points(around(flat, lifted)), HasSubstr("hyperplane"));
    EXPECT_EQ(degenerate_points(around(near_hyperplane(random, 5 * order, d, lifted, 1e-3), lifted)), "");
    EXPECT_EQ(degenerate_points(around(random.matrix(5 * order, d), lifted)), "");
  }
}

TEST(DegeneratePoints, TheSolveSaysSo) {
  Random random(3);
  const Result flat = solve(around(near_hyperplane(random, 60, 3, true, 0.0), true));
  EXPECT_EQ(flat.status, Status::numerical_error);
  EXPECT_THAT(flat.message, HasSubstr("hyperplane"));
  const Result few = solve(around(random.matrix(3, 3), true));
  EXPECT_EQ(few.status, Status::numerical_error);
  EXPECT_THAT(few.message, HasSubstr("3 points are fewer than the 4"));
  EXPECT_EQ(solve(around(random.matrix(60, 3), true)).status, Status::optimal);
}

TEST(DegeneratePoints, OtherProblemsAreLeftAlone) {
  Problem problem(2);
  problem.minimize(linear(Vector::Ones(2)));
  EXPECT_EQ(degenerate_points(problem), "");
}

}  // namespace
}  // namespace pliant
