// Eigenvalues and frames of small symmetric matrices: -S = sum_j a_j v_j v_j' with orthonormal v_j.
#include "cones/eigen_frame.hpp"

#include "pliant/svec.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::Random;

constexpr double kRounding = 1e-13;

void expect_decomposes(const Matrix& S) {
  const Index order = S.rows();
  Vector s = Vector::Zero(svec_size(order));
  for_each_svec_entry(order, [&](Index k, Index i, Index j) { s[k] = svec_scale(i, j) * S(i, j); });
  const ConeShape shape = shape_of({ConeKind::semidefinite, s.size()});
  ASSERT_EQ(shape.rank, order);
  Vector a(order);
  Matrix V(order, order);
  decompose(shape, s.data(), a.data(), V.data());
  for (Index j = 1; j < order; ++j) EXPECT_GE(a[j - 1], a[j]);
  const double scale = S.cwiseAbs().maxCoeff();  // before norms, which may overflow
  EXPECT_LE((V.transpose() * V - Matrix::Identity(order, order)).norm(), kRounding * static_cast<double>(order));
  const Matrix sum = V * (a / (scale > 0.0 ? scale : 1.0)).asDiagonal() * V.transpose();
  EXPECT_LE((sum + S / (scale > 0.0 ? scale : 1.0)).norm(), kRounding * static_cast<double>(order));
}

TEST(EigenFrame, SmallMatricesAreTheSumOfTheirFrames) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index order = 2 + static_cast<Index>(seed % (kLargestSmallOrder - 1));
    const Matrix B = random.log_uniform(1e-100, 1e100) * random.matrix(order, order);
    expect_decomposes(B + B.transpose());
  }
}

TEST(EigenFrame, OrderTwoInEveryCase) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const double p = random.normal(), q = random.normal();
    const double tiny = random.log_uniform(1e-300, 1e-10), size = random.log_uniform(1e-100, 1e100);
    for (const Matrix& S : {Matrix{{p, q}, {q, p}}, Matrix{{p, 0.0}, {0.0, q}}, Matrix{{p, tiny}, {tiny, p}},
                            Matrix{{p, tiny}, {tiny, q}}, Matrix{{0.0, q}, {q, 0.0}}, Matrix{{p, q}, {q, q * q / p}}}) {
      expect_decomposes(size * S);
    }
  }
  expect_decomposes(Matrix::Zero(2, 2));
}

}  // namespace
}  // namespace pliant
