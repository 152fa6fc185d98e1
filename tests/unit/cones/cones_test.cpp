// Distances from cones and the way into dual cones, against their definitions.
#include "cones/distance.hpp"
#include "cones/dual_cone.hpp"
#include "pliant/svec.hpp"
#include "support/cone_samples.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <numeric>

namespace pliant::testing {
namespace {

Vector vector3(double a, double b, double c) {
  Vector v(3);
  v << a, b, c;
  return v;
}

// a(s) is where the line s + t e enters K.
TEST(ConeDistance, IsWhereTheLineEntersTheCone) {
  Random random(1);
  for (const Cone& cone : cone_zoo()) {
    for (int k = 0; k < 40; ++k) {
      SCOPED_TRACE(static_cast<int>(cone.kind));
      const Vector s = random.log_uniform(1e-6, 1e6) * random.vector(cone.rows);
      const double size = s.norm();
      const double a = cone_distance(cone, s);
      ASSERT_TRUE(std::isfinite(a));
      const Vector e = interior_direction(cone);
      const double hair = 1e-9 * (size + std::abs(a));
      EXPECT_TRUE(in_cone(cone, s + (a + hair) * e, 0.0)) << a;
      EXPECT_FALSE(in_cone(cone, s + (a - hair) * e, 0.0)) << a;
    }
  }
}

TEST(ConeDistance, PointsOfTheConeHaveNone) {
  Random random(2);
  for (const Cone& cone : cone_zoo()) {
    for (int k = 0; k < 40; ++k) {
      const Vector s = point_of_cone(random, cone);
      EXPECT_LE(cone_distance(cone, s), 1e-12 * (1.0 + s.norm()));
    }
  }
  EXPECT_LE(cone_distance({ConeKind::exponential, 3}, vector3(-1.0, 0.0, 0.0)), 1e-15);
  EXPECT_LE(cone_distance({ConeKind::power, 3, 0.3}, vector3(0.0, 2.0, 0.0)), 1e-15);
  EXPECT_FALSE(cone_distance({ConeKind::second_order, 3}, vector3(1.0, std::nan(""), 0.0)) <= 0.0);
  EXPECT_FALSE(cone_distance({ConeKind::semidefinite, 3}, vector3(1.0, std::nan(""), 1.0)) <= 0.0);
}

// z in K*: no point of K has a negative product with it; points of K* stay; the others are the nearest ones where the
// cone is symmetric, that is z' - z in K and orthogonal to z'.
TEST(DualCone, EveryPointHasNonnegativeProducts) {
  Random random(3);
  for (const Cone& cone : cone_zoo()) {
    ConicConstraint conic;
    conic.cones = {cone};
    for (int k = 0; k < 40; ++k) {
      SCOPED_TRACE(static_cast<int>(cone.kind));
      const Vector z = random.log_uniform(1e-3, 1e3) * random.vector(cone.rows);
      Vector inside = z;
      move_into_dual_cone(conic, inside);
      for (int j = 0; j < 50; ++j) {
        const Vector s = point_of_cone(random, cone);
        EXPECT_GE(inside.dot(s), -1e-12 * z.norm() * s.norm());
      }
      Vector again = inside;
      move_into_dual_cone(conic, again);
      EXPECT_LE((again - inside).norm(), 1e-12 * z.norm());
      if (cone.kind == ConeKind::exponential || cone.kind == ConeKind::power) continue;
      EXPECT_TRUE(in_cone(cone, inside - z, 1e-12 * z.norm()));
      EXPECT_LE(std::abs(inside.dot(inside - z)), 1e-12 * z.squaredNorm());
    }
  }
}

// Products of K with K* are the tight test for the shifted cones: the shifted point lies on the boundary.
TEST(DualCone, ShiftsGoNoFurtherThanTheBoundary) {
  Random random(4);
  for (const Cone& cone : {Cone{ConeKind::exponential, 3}, Cone{ConeKind::power, 3, 0.3}}) {
    ConicConstraint conic;
    conic.cones = {cone};
    int moved = 0;
    for (int k = 0; k < 40; ++k) {
      const Vector z = random.vector(3);
      Vector inside = z;
      move_into_dual_cone(conic, inside);
      if (inside == z) continue;
      ++moved;
      // Some point of K is almost orthogonal to a boundary point of K*.
      double least = kInfinity;
      for (int j = 0; j < 3000; ++j) {
        const Vector s = point_of_cone(random, cone);
        least = std::min(least, inside.dot(s) / s.norm());
      }
      EXPECT_LE(least, 0.1 * (1.0 + inside.norm()));
    }
    EXPECT_GT(moved, 0);
  }
}

// Empty rows and columns stay empty, and a matrix that is definite beside them is not moved at all.
TEST(DualCone, EmptyRowsOfMatricesNeedNoRoomForRounding) {
  Random random(5);
  for (int k = 0; k < 100; ++k) {
    const Index p = 2 + k % 5, kept = 1 + k % p;
    const Matrix B = random.matrix(kept, kept);
    const bool definite = k % 2 == 0;
    const Matrix part = definite ? Matrix(B * B.transpose() + Matrix::Identity(kept, kept)) : Matrix(B + B.transpose());
    std::vector<Index> places(static_cast<std::size_t>(p));
    std::iota(places.begin(), places.end(), Index{0});
    std::rotate(places.begin(), places.begin() + k / 7 % p, places.end());
    places.resize(static_cast<std::size_t>(kept));
    Matrix Z = Matrix::Zero(p, p);
    Z(places, places) = part;
    Vector z = svec(Z);
    const Vector before = z;
    move_certainly_into_dual_cone({ConeKind::semidefinite, z.size()}, z);
    EXPECT_TRUE(!definite || z == before);
    const Matrix after = smat(z);
    for (Index j = 0; j < p; ++j) {
      const bool empty = std::find(places.begin(), places.end(), j) == places.end();
      EXPECT_TRUE(!empty || after.col(j).isZero(0.0));
    }
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(after, Eigen::EigenvaluesOnly);
    EXPECT_GE(solver.eigenvalues().minCoeff(), -1e-14 * (1.0 + before.norm()));
  }
}

TEST(DualCone, OfAZeroConeIsEverything) {
  ConicConstraint conic;
  conic.cones = {{ConeKind::zero, 2}};
  Vector z(2);
  z << -3.0, 4.0;
  Vector same = z;
  move_into_dual_cone(conic, same);
  EXPECT_EQ(same, z);
}

}  // namespace
}  // namespace pliant::testing
