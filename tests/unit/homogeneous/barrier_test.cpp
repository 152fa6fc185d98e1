// The barriers against their definitions: derivatives by differences, conjugacy, homogeneity.
#include "cone_zoo.hpp"
#include "engines/conic/barrier3.hpp"

namespace pliant::testing {
namespace {

class Barrier : public ::testing::TestWithParam<int> {
 protected:
  Barrier() : random_(static_cast<std::uint64_t>(GetParam())) {
    cone_ = GetParam() % 2 == 0 ? Cone{ConeKind::exponential, 3, 0.5}
                                : Cone{ConeKind::power, 3, random_.uniform(0.05, 0.95)};
    const ConePair pair = interior_pair(cone_, random_);
    s_ = pair.s;
    z_ = pair.z;
  }
  Random random_;
  Cone cone_;
  Vector3 s_, z_;
};

TEST_P(Barrier, DerivativesAreThoseOfTheValue) {
  const auto at = DualBarrier3::at(cone_, z_);
  ASSERT_TRUE(at);
  const double h = 1e-5 * z_.norm();
  const Vector3 u = random_.vector(3);
  for (int i = 0; i < 3; ++i) {
    const Vector3 e = h * Vector3::Unit(i);
    const auto up = DualBarrier3::at(cone_, z_ + e), down = DualBarrier3::at(cone_, z_ - e);
    ASSERT_TRUE(up && down);
    const double size = 1.0 + at->hessian().norm();
    EXPECT_NEAR((up->value() - down->value()) / (2 * h), at->gradient()[i], 1e-6 * size);
    const Vector3 column = (up->gradient() - down->gradient()) / (2 * h);
    EXPECT_LE((column - at->hessian().col(i)).norm(), 1e-6 * size * size);
    const Vector3 third = (up->hessian() - down->hessian()) * u / (2 * h);
    EXPECT_LE((third - at->third(u, Vector3::Unit(i))).norm(), 1e-5 * u.norm() * size * size);
  }
}

TEST_P(Barrier, IsLogarithmicallyHomogeneousOfDegreeThree) {
  const auto at = DualBarrier3::at(cone_, z_);
  ASSERT_TRUE(at);
  EXPECT_NEAR(at->gradient().dot(z_), -3.0, 1e-10);
  EXPECT_LE((at->hessian() * z_ + at->gradient()).norm(), 1e-9 * at->gradient().norm());
  const auto twice = DualBarrier3::at(cone_, 2.0 * z_);
  ASSERT_TRUE(twice);
  EXPECT_NEAR(twice->value(), at->value() - 3.0 * std::log(2.0), 1e-10);
}

TEST_P(Barrier, GradientsOfPrimalAndDualAreInverse) {
  for (const double scale : {1.0, 1e-6, 1e6}) {
    const Vector3 s = scale * s_;
    const auto z = negative_gradient3(cone_, s);
    ASSERT_TRUE(z);
    EXPECT_LE(outside_dual(cone_, *z), 0.0);
    const auto back = DualBarrier3::at(cone_, *z);
    ASSERT_TRUE(back);
    EXPECT_LE((-back->gradient() - s).norm(), 1e-8 * s.norm());
  }
}

TEST_P(Barrier, TheCentreIsItsOwnImage) {
  const Vector3 centre = centre3(cone_);
  const auto at = DualBarrier3::at(cone_, centre);
  ASSERT_TRUE(at);
  EXPECT_LE((at->gradient() + centre).norm(), 1e-12);
  const auto image = negative_gradient3(cone_, centre);
  ASSERT_TRUE(image);
  EXPECT_LE((*image - centre).norm(), 1e-12);
}

TEST_P(Barrier, PointsOutsideAreRefused) {
  const ConePair edge = complementary_pair(cone_, random_);
  const Vector3 s = edge.s, z = edge.z;
  EXPECT_FALSE(inside3(cone_, s - 1e-6 * z.normalized()));
  EXPECT_TRUE(inside3(cone_, s + 1e-3 * s_));
  EXPECT_FALSE(negative_gradient3(cone_, s - 1e-6 * z.normalized()));
  EXPECT_FALSE(DualBarrier3::at(cone_, z - 1e-6 * s.normalized()));
  EXPECT_TRUE(DualBarrier3::at(cone_, z + 1e-3 * z_).has_value());
  EXPECT_FALSE(inside3(cone_, Vector3::Constant(std::nan(""))));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Barrier, ::testing::Range(0, 40));

}  // namespace
}  // namespace pliant::testing
