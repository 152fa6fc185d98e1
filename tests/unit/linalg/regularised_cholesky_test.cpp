// Regularised Cholesky: exact where H is definite, still useful where rounding has made it slightly indefinite.
#include "linalg/regularised_cholesky.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pliant {
namespace {

using testing::Random;

TEST(RegularisedCholesky, SolvesDefiniteSystems) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 30);
    const Matrix B = random.matrix(n, n);
    Vector scale(n);
    for (double& t : scale) t = random.log_uniform(1e-3, 1e3);
    const Matrix H = scale.asDiagonal() * (B * B.transpose() + Matrix::Identity(n, n)) * scale.asDiagonal();
    RegularisedCholesky kkt;
    ASSERT_TRUE(kkt.factorize(H));
    const Vector rhs = H * random.vector(n);
    Vector dx, dy;
    ASSERT_TRUE(kkt.solve(rhs, Vector(), dx, dy));
    EXPECT_EQ(dy.size(), 0);
    EXPECT_LE((H * dx - rhs).norm(), 1e-9 * rhs.norm());
  }
}

// A singular H and a right-hand side in its range.
TEST(RegularisedCholesky, SingularMatricesWithConsistentSides) {
  Random random(5);
  const Matrix B = random.matrix(12, 7);
  const Matrix H = B * B.transpose();
  RegularisedCholesky kkt;
  ASSERT_TRUE(kkt.factorize(H));
  const Vector rhs = H * random.vector(12);
  Vector dx, dy;
  ASSERT_TRUE(kkt.solve(rhs, Vector(), dx, dy));
  EXPECT_LE((H * dx - rhs).norm(), 1e-8 * rhs.norm());
}

TEST(RegularisedCholesky, SaysNo) {
  RegularisedCholesky kkt;
  Matrix H = Matrix::Identity(3, 3);
  H(2, 2) = -1.0;
  EXPECT_FALSE(kkt.factorize(H));
  H(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(kkt.factorize(H));
}

}  // namespace
}  // namespace pliant
