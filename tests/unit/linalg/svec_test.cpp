// The identities svec promises.
#include "pliant/svec.hpp"

#include "support/symmetric.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::Random;
using testing::symmetric_matrix;

TEST(Svec, KeepsInnerProductsAndComesBack) {
  for (Index p = 1; p <= 12; ++p) {
    SCOPED_TRACE(p);
    Random random(static_cast<std::uint64_t>(p));
    const Matrix A = symmetric_matrix(random, p), X = symmetric_matrix(random, p);
    ASSERT_EQ(svec(X).size(), p * (p + 1) / 2);
    EXPECT_NEAR(svec(A).dot(svec(X)), A.cwiseProduct(X).sum(), 1e-13 * (1.0 + A.norm() * X.norm()));
    EXPECT_LE((smat(svec(X)) - X).norm(), 1e-15 * (1.0 + X.norm()));
    const Vector q = random.vector(p);
    EXPECT_NEAR(svec(q * q.transpose()).norm(), q.squaredNorm(), 1e-14 * (1.0 + q.squaredNorm()));
    EXPECT_NEAR(svec(q * q.transpose()).dot(svec(X)), q.dot(X * q), 1e-13 * (1.0 + q.squaredNorm() * X.norm()));
  }
}

TEST(Svec, ListsTheLowerTriangleColumnByColumn) {
  Matrix X(3, 3);
  X << 1, -1, -1, 2, 3, -1, 4, 5, 6;  // what stands above the diagonal is not read
  const double r = std::sqrt(2.0);
  EXPECT_EQ(svec(X), (Vector{{1.0, 2.0 * r, 4.0 * r, 3.0, 5.0 * r, 6.0}}));
  Vector sum = Vector::Ones(6);
  add_svec(X, -2.0, sum);
  EXPECT_LE((sum - (Vector::Ones(6) - 2.0 * svec(X))).norm(), 1e-15);
}

TEST(Svec, KnowsItsSizes) {
  Index next = 1, size = 1;
  for (Index n = -3; n <= 5000; ++n) {
    if (n == size) {
      EXPECT_EQ(svec_order(n), next);
      size += ++next;
    } else {
      EXPECT_EQ(svec_order(n), std::nullopt) << n;
    }
  }
  EXPECT_EQ(svec_order(svec_size(1000000)), 1000000);
  EXPECT_THROW(smat(Vector::Zero(5)), InputError);
}

}  // namespace
}  // namespace pliant
