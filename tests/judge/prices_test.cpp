// Multipliers of cones with a price, moved for certain between 0 and it: judged exactly.
#include "cones/dual_cone.hpp"
#include "judge/exact.hpp"
#include "pliant/svec.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace pliant::judge {
namespace {

using testing::Random;

Rational square_of_tail(const RationalVector& z) {
  Rational sum = 0;
  for (std::size_t j = 1; j < z.size(); ++j) sum += z[j] * z[j];
  return sum;
}

// The eigenvalues of (t, v), which are (t +- |v|)/2.
bool between_second_order(const RationalVector& z, const Rational& price) {
  const Rational squares = square_of_tail(z), above = 2 * price - z[0];
  return z[0] >= 0 && z[0] * z[0] >= squares && above >= 0 && above * above >= squares;
}

bool between_semidefinite(const RationalVector& z, const Rational& price) {
  RationalVector left = z;
  for (Rational& v : left) v = -v;
  const std::size_t order = svec_order(z.size());
  for (std::size_t j = 0, place = 0; j < order; place += order - j, ++j) left[place] += price;
  return is_semidefinite_svec(z) && is_semidefinite_svec(left);
}

bool between(const Cone& cone, const Vector& z, double price) {
  const RationalVector entries = exact(z);
  return cone.kind == ConeKind::second_order ? between_second_order(entries, exact(price))
                                             : between_semidefinite(entries, exact(price));
}

/// A point with these eigenvalues: the first two count in a second-order cone.
Vector point_with(Random& random, const Cone& cone, const Vector& eigenvalues) {
  if (cone.kind == ConeKind::second_order) {
    Vector z(cone.rows);
    z[0] = eigenvalues[0] + eigenvalues[1];
    const Vector direction = random.vector(cone.rows - 1);
    z.tail(cone.rows - 1) = (eigenvalues[0] - eigenvalues[1]) / direction.norm() * direction;
    return z;
  }
  const Index order = eigenvalues.size();
  const Matrix Q = Eigen::HouseholderQR<Matrix>(random.matrix(order, order)).householderQ();
  const Matrix Z = Q * eigenvalues.asDiagonal() * Q.transpose();
  return svec(Matrix(0.5 * (Z + Z.transpose())));
}

// Of every kind, from the apex to the price itself, and a hair beyond both.
Vector hostile_eigenvalues(Random& random, Index count, double price) {
  Vector out(count);
  for (double& v : out) {
    switch (random.integer(0, 5)) {
      case 0:
        v = 0.0;
        break;
      case 1:
        v = price;
        break;
      case 2:
        v = price * (1.0 + 1e-15 * random.normal());
        break;
      case 3:
        v = 1e-16 * price * random.normal();
        break;
      default:
        v = price * random.uniform();
    }
  }
  return out;
}

Cone hostile_cone(Random& random, Index& eigenvalues) {
  const Index order = random.integer(1, 5);
  if (random.uniform() < 0.5) {
    eigenvalues = 2;
    return {ConeKind::second_order, order + 1};
  }
  eigenvalues = order;
  return {ConeKind::semidefinite, order * (order + 1) / 2};
}

TEST(Prices, MultipliersOfConesNeverExceedThem) {
  Random random(1);
  for (int k = 0; k < 4000; ++k) {
    Index count = 0;
    const Cone cone = hostile_cone(random, count);
    const double price = std::exp2(random.uniform(-1.0, 1.0) * (k % 4 == 0 ? 900.0 : 20.0));
    const Vector given = point_with(random, cone, hostile_eigenvalues(random, count, price));
    Vector z = given;
    move_certainly_below_price(cone, price, z);
    ASSERT_TRUE(between(cone, z, price)) << k << ": " << given.transpose() << " -> " << z.transpose() << ", " << price;
    EXPECT_LE((z - given).lpNorm<Eigen::Infinity>(), 1e-10 * price) << k;  // not thrown away
  }
}

// What lies clear of both ends stays to the last bit; what has no business there is no multiplier any more.
TEST(Prices, OnlyWhatIsNearThemMoves) {
  Random random(2);
  for (int k = 0; k < 500; ++k) {
    Index count = 0;
    const Cone cone = hostile_cone(random, count);
    const double price = std::exp2(random.uniform(-30.0, 30.0));
    Vector eigenvalues(count);
    for (double& v : eigenvalues) v = price * random.uniform(1e-6, 1.0 - 1e-6);
    const Vector given = point_with(random, cone, eigenvalues);
    Vector z = given;
    move_certainly_below_price(cone, price, z);
    EXPECT_EQ(z, given) << k;
    move_certainly_below_price(cone, 0.0, z);
    EXPECT_TRUE(z.isZero(0.0));
    for (const double wrong : {std::nan(""), kInfinity}) {
      z = given;
      z[0] = wrong;
      move_certainly_below_price(cone, price, z);
      EXPECT_TRUE(between(cone, z, price));
      EXPECT_LE(z.lpNorm<Eigen::Infinity>(), 1e-280);
    }
    z = 3.0 * given;
    move_certainly_below_price(cone, price, z);
    EXPECT_TRUE(between(cone, z, price));
  }
}

// Twice a price may be no number.
TEST(Prices, TheLargestNumbers) {
  const double price = 1.2e308;
  Vector z(2);
  z << 1.7e308, 1.6e308;
  move_certainly_below_price({ConeKind::second_order, 2}, price, z);
  EXPECT_TRUE(between({ConeKind::second_order, 2}, z, price));
  Vector one = Vector::Constant(1, 1.3e308);
  move_certainly_below_price({ConeKind::semidefinite, 1}, price, one);
  EXPECT_TRUE(between({ConeKind::semidefinite, 1}, one, price));
}

}  // namespace
}  // namespace pliant::judge
