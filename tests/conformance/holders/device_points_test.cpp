// Points on a device, the rows of covering ellipsoids, against the truth recomputed from raw data.
#include "constraints/rank_one.hpp"
#include "pliant/certificate.hpp"
#include "pliant/device.hpp"
#include "pliant/pliant.hpp"
#include "pliant/svec.hpp"
#include "rows/device_rows.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant::testing {
namespace {

constexpr double kPointSlack = 1e-6;

struct Cloud {
  Matrix points;  // one in each row
  Vector b;
  bool lifted;
  Index order() const { return points.cols() + (lifted ? 1 : 0); }
  Vector q(Index i) const {
    Vector out = Vector::Ones(order());
    out.head(points.cols()) = points.row(i);
    return out;
  }
  BatchPtr batch() const {
    std::vector<double> numbers;
    for (Index i = 0; i < points.rows(); ++i) {
      for (Index j = 0; j < points.cols(); ++j) numbers.push_back(points(i, j));
    }
    Tensor tensor({points.rows(), points.cols()}, std::move(numbers));
    return lifted ? rank_one_lifted_le(tensor, to_array(b)) : rank_one_le(tensor, to_array(b));
  }
};

Cloud random_cloud(Random& random, Index m, Index d, bool lifted) {
  Cloud out{random.matrix(m, d), Vector(m), lifted};
  for (double& c : out.b) c = random.uniform(0.5, 2.0) * static_cast<double>(d);
  return out;
}

TEST(DevicePoints, ReadsAndListsAreThoseOfTheForms) {
  Random random(50);
  for (const Index d : {1, 2, 3, 5, 8, 9, 13, 20, 21, 32}) {
    SCOPED_TRACE(d);
    const Cloud cloud = random_cloud(random, 1500, d, d % 2 == 0);
    Problem problem(svec_size(cloud.order()));
    problem.subject_to(cloud.batch());
    ConstraintSystem account(problem);
    DeviceRows rows(problem, account, 0, kPointSlack);
    Matrix R;
    for (const bool moved : {false, true}) {
      if (moved)
        rows.set_coordinates(R = Matrix::Identity(cloud.order(), cloud.order()) +
                                 0.3 * random.matrix(cloud.order(), cloud.order()));
      const Matrix B = random.matrix(cloud.order(), cloud.order());
      Matrix Y = B * B.transpose() / static_cast<double>(cloud.order());
      EXPECT_EQ(rows.doubtful(svec(Y)), rows.rows());  // what was known in other coordinates is forgotten
      for (int round = 0; round < 4; ++round) {
        const Vector y = svec(Y);
        const StepwiseRows::Found found = rows.check(y, 0.3, 0.8);
        Vector bounds(rows.rows());
        rows.values(y, bounds);
        double worst = 0.0;
        for (Index i = 0; i < rows.rows(); ++i) {
          const Vector q = moved ? Vector(R * cloud.q(i)) : cloud.q(i);
          const double a = q.dot(Y * q) - cloud.b[i];
          const double rounding = 1e-11 * (1.0 + cloud.b[i] + q.squaredNorm() * Y.norm());
          worst = std::max(worst, a);
          EXPECT_LE(a, bounds[i] + rounding);
          EXPECT_TRUE(bounds[i] <= -kPointSlack || std::abs(bounds[i] - a) <= rounding) << bounds[i] << " " << a;
          EXPECT_TRUE(a <= rounding || std::binary_search(found.rows.begin(), found.rows.end(), i));
        }
        EXPECT_NEAR(found.worst, worst, 1e-10 * (1.0 + worst) * static_cast<double>(d + 1));
        for (std::size_t k = 0; k < found.rows.size(); ++k) {
          const Vector q = moved ? Vector(R * cloud.q(found.rows[k])) : cloud.q(found.rows[k]);
          EXPECT_NEAR(found.distances[k] * q.squaredNorm(), found.values[k], 1e-10 * (1.0 + std::abs(found.values[k])));
        }
        Y *= round % 2 == 0 ? 0.97 : 1.02;
      }
    }
    const std::vector<Index> list{0, 7, 700, 1499};
    const std::vector<BatchPtr> fetched = rows.fetch(list);
    ASSERT_EQ(fetched.size(), 1U);
    const RankOneBatch* points = fetched.front()->structure().rank_one;
    ASSERT_NE(points, nullptr);
    for (std::size_t k = 0; k < list.size(); ++k) {
      for (Index j = 0; j < d; ++j)
        EXPECT_EQ(points->points()[static_cast<Index>(k) * d + j], cloud.points(list[k], j));
      EXPECT_EQ(points->b()[static_cast<Index>(k)], cloud.b[list[k]]);
    }
  }
}

TEST(DevicePoints, CoveringEllipsoidsAreThoseOfTheProcessor) {
  Random random(51);
  for (const Index d : {2, 4}) {
    Cloud cloud = random_cloud(random, 20000, d, true);
    cloud.points.col(0) *= 20.0;
    cloud.b.setOnes();
    Problem problem(svec_size(d + 1)), rest(svec_size(d + 1));
    problem.minimize(log_det(d + 1));
    rest.minimize(log_det(d + 1));
    problem.subject_to(cloud.batch());
    Settings settings;
    settings.tol_feas = settings.tol_gap = 1e-8;
    const Result here = solve(problem, settings);
    ASSERT_EQ(here.status, Status::optimal) << here.message;
    const auto points = std::make_shared<DeviceBatch>(*problem.batches().front()->structure().rank_one, 0);
    const DeviceResult held = solve(rest, {points}, settings);
    ASSERT_EQ(held.result.status, Status::optimal) << held.result.message;
    const double scale = 1.0 + std::abs(here.certificate.objective);
    EXPECT_NEAR(held.result.certificate.objective, here.certificate.objective, 1e-7 * scale);
    Multipliers multipliers = zero_multipliers(problem);
    const Vector& lambda = held.result.multipliers.lambda.front();
    for (std::size_t k = 0; k < held.rows.size(); ++k) {
      multipliers.lambda[0][held.rows[k]] = lambda[static_cast<Index>(k)];
    }
    const Certificate judged = certify(problem, held.result.x, multipliers);
    EXPECT_TRUE(judged.satisfies(settings)) << judged.violation_linf << " " << judged.gap_rel();
    settings.device.card = 0;
    const Result copied = solve(problem, settings);
    ASSERT_EQ(copied.status, Status::optimal) << copied.message;
    EXPECT_NEAR(copied.certificate.objective, here.certificate.objective, 1e-7 * scale);
  }
}

}  // namespace
}  // namespace pliant::testing
