// The scaling of a product of cones and the Newton system made of it, against dense linear algebra.
#include "cone_zoo.hpp"
#include "engines/conic/conic_kkt.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace pliant::testing {
namespace {

struct Product {
  std::vector<Cone> cones;
  Vector s, z;
};

Product random_product(Random& random, bool with_zero) {
  Product out;
  if (with_zero) out.cones.push_back({ConeKind::zero, 2, 0.5});
  for (const Cone& cone : cone_zoo(random)) out.cones.push_back(cone);
  for (const Cone& cone : out.cones) {
    ConePair pair = interior_pair(cone, random);
    if (cone.kind == ConeKind::zero) pair.s.setZero();
    const Index first = out.s.size();
    out.s.conservativeResize(first + cone.rows);
    out.z.conservativeResize(first + cone.rows);
    out.s.tail(cone.rows) = pair.s;
    out.z.tail(cone.rows) = pair.z;
  }
  return out;
}

Matrix dense_scaling(const ConeProduct& cones) {
  Matrix H(cones.rows(), cones.rows());
  for (Index j = 0; j < cones.rows(); ++j) {
    Vector column;
    cones.multiply(Vector::Unit(cones.rows(), j), column);
    H.col(j) = column;
  }
  return H;
}

class Scaling : public ::testing::TestWithParam<int> {
 protected:
  Random random_{static_cast<std::uint64_t>(GetParam()) + 1000};
};

TEST_P(Scaling, IsPositiveDefiniteAndMapsZToS) {
  const Product p = random_product(random_, false);
  ConeProduct cones(p.cones);
  ASSERT_TRUE(cones.scale(p.s, p.z, p.s.dot(p.z) / cones.degree(), false));
  const Matrix H = dense_scaling(cones);
  EXPECT_LE((H - H.transpose()).norm(), 1e-12 * H.norm());
  EXPECT_EQ(Eigen::LLT<Matrix>(H).info(), Eigen::Success);
  EXPECT_LE((H * p.z - p.s).norm(), 1e-9 * p.s.norm());
  // The shadow points, too: H z~ = s~ for every cone that is not symmetric.
  for (const ConeProduct::Block& b : cones.blocks()) {
    if (b.cone.kind != ConeKind::exponential && b.cone.kind != ConeKind::power) continue;
    const Vector3 z = p.z.segment<3>(b.first), s = p.s.segment<3>(b.first);
    const Vector3 shadow_s = -DualBarrier3::at(b.cone, z)->gradient(), shadow_z = *negative_gradient3(b.cone, s);
    EXPECT_LE((cones.H3(b) * shadow_z - shadow_s).norm(), 1e-6 * shadow_s.norm());
  }
}

TEST_P(Scaling, NewtonSystemSolvesWithTheDenseMatrix) {
  const Product p = random_product(random_, true);
  ConeProduct cones(p.cones);
  ASSERT_TRUE(cones.scale(p.s, p.z, 1.0, false));
  const Index n = 6, m = cones.rows();
  ConicForm form;
  const Matrix G = random_.matrix(m, n), root = random_.matrix(n, 2);
  form.P = Matrix(root * root.transpose()).sparseView();
  form.G = G.sparseView();
  form.q = random_.vector(n);
  form.h = random_.vector(m);
  form.cones = p.cones;
  Matrix K(n + m, n + m);
  K << Matrix(form.P), G.transpose(), G, -dense_scaling(cones);
  for (const LdlKind kind : {LdlKind::simplicial, LdlKind::multifrontal}) {
    ConicKkt kkt(form, cones, kind);
    ASSERT_TRUE(kkt.factorize(1e-8));
    Vector dx, dz;
    ASSERT_TRUE(kkt.solve(form.q, form.h, dx, dz));
    Vector rhs(n + m), found(n + m);
    rhs << form.q, form.h;
    found << dx, dz;
    EXPECT_LE((K * found - rhs).norm(), 1e-9 * rhs.norm());
    EXPECT_LE(kkt.error(), 1e-10);
  }
}

TEST_P(Scaling, StepsEndAtTheBoundary) {
  const Product p = random_product(random_, false);
  const ConeProduct cones(p.cones);
  const Vector ds = random_.vector(cones.rows()), dz = random_.vector(cones.rows());
  const double t = cones.longest_step(p.s, ds, p.z, dz, 1e6);
  const auto worst = [&](double step) {
    double out = 0.0;
    for (const ConeProduct::Block& b : cones.blocks()) {
      const Vector s = (p.s + step * ds).segment(b.first, b.cone.rows);
      const Vector z = (p.z + step * dz).segment(b.first, b.cone.rows);
      out = std::max({out, outside(b.cone, s), outside_dual(b.cone, z)});
    }
    return out;
  };
  ASSERT_GT(t, 0.0);
  EXPECT_LE(worst(t), 1e-9 * (1.0 + t));
  EXPECT_GT(worst(1.3 * t), 0.0);  // steps of cones that are not symmetric may fall short by a fifth
}

// To second order the corrector lands on the central path: with ds, dz = 0 it aims at s + H dz = sigma mu s~.
TEST_P(Scaling, CorrectorAimsAtTheCentralPath) {
  const Product p = random_product(random_, false);
  ConeProduct cones(p.cones);
  ASSERT_TRUE(cones.scale(p.s, p.z, 1.0, false));
  const Vector none = Vector::Zero(cones.rows());
  Vector c;
  cones.corrector(p.s, p.z, none, none, 0.3, c);
  for (const ConeProduct::Block& b : cones.blocks()) {
    const Vector aim = (p.s - c).segment(b.first, b.cone.rows), z = p.z.segment(b.first, b.cone.rows);
    // aim = 0.3 s~ with s~'z = degree of the cone, and s~ inside the cone.
    const double degree = b.cone.kind == ConeKind::nonnegative    ? static_cast<double>(b.cone.rows)
                          : b.cone.kind == ConeKind::second_order ? 1.0
                          : b.cone.kind == ConeKind::semidefinite ? static_cast<double>(psd_order(b.cone.rows))
                                                                  : 3.0;
    EXPECT_NEAR(aim.dot(z), 0.3 * degree, 1e-9 * degree);
    EXPECT_LE(outside(b.cone, aim), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Scaling, ::testing::Range(0, 20));

}  // namespace
}  // namespace pliant::testing
