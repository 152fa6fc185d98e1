// The points of `ellipsoid` and the point it starts from.
#include "raw_data.hpp"

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>

namespace pliant {
namespace {

using namespace pliant::testing;

enum { gauss, student, uniform };

// In one dimension, centred and scaled, the mean fourth power is 3 for normal numbers, 9/5 for uniform ones and 9 for
// Student's t with five degrees of freedom, whose sample mean comes from far below.
TEST(Ellipsoid, PointsFollowTheChosenDistribution) {
  const auto radii = [](int dist) {
    const Index d = 1, m = 20000;
    const Problem problem = generate("ellipsoid", {{"d", 1.0}, {"m", 20000.0}, {"dist", static_cast<double>(dist)}});
    const auto& batch = only_batch<RankOneBatch>(problem);
    EXPECT_EQ(batch.width(), d);
    EXPECT_TRUE(batch.lifted());
    Vector z = Eigen::Map<const Vector>(batch.points().data(), m);
    z.array() -= z.mean();
    return Vector(z / std::sqrt(z.squaredNorm() / static_cast<double>(m)));
  };
  const auto fourth = [](const Vector& z) { return z.array().pow(4).mean(); };
  EXPECT_NEAR(fourth(radii(gauss)), 3.0, 0.3);
  EXPECT_GT(fourth(radii(student)), 4.5);
  EXPECT_NEAR(fourth(radii(uniform)), 1.8, 0.05);
  EXPECT_NEAR(radii(uniform).cwiseAbs().maxCoeff(), std::sqrt(3.0), 0.05);
}

TEST(Ellipsoid, StartsInsideAndIsShapedLikeThePoints) {
  for (double seed = 0.0; seed < 6.0; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem =
        generate("ellipsoid", {{"d", 4.0}, {"m", 500.0}, {"dist", std::fmod(seed, 3.0)}, {"seed", seed}});
    const auto& batch = only_batch<RankOneBatch>(problem);
    ASSERT_EQ(batch.order(), 5);
    EXPECT_EQ(term<LogDetTerm>(problem).order(), 5);
    for (const double b : batch.b()) EXPECT_EQ(b, 1.0);
    ASSERT_TRUE(problem.start.has_value());
    EXPECT_EQ(*problem.start, *problem.slater_point);
    EXPECT_NEAR(raw_values(batch, *problem.start).maxCoeff(), -0.5, 1e-9);
    // X M is a multiple of the identity, M the second moments of (p, 1).
    Matrix M = Matrix::Zero(5, 5);
    for (Index i = 0; i < batch.size(); ++i) {
      Vector q = Vector::Ones(5);
      for (Index j = 0; j < 4; ++j) q[j] = batch.points()[i * 4 + j];
      M += q * q.transpose();
    }
    const Matrix product = long_smat(*problem.start, 5).cast<double>() * M;
    const double scale = product.trace() / 5.0;
    EXPECT_LE((product / scale - Matrix::Identity(5, 5)).norm(), 1e-9);
  }
}

}  // namespace
}  // namespace pliant
