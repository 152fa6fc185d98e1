// What a batch says of its structure, and what the contract makes of the few functions of a family.
#include "conformance/conformance_fixture.hpp"

#include <cmath>

namespace pliant::testing {
namespace {

TEST_P(Conformance, StructureDescribesTheSameRows) {
  build();
  const Vector x = random_.vector(dimension());
  if (const LinearRows* rows = batch().linear_rows()) {
    ASSERT_EQ(rows->constraints(), size());
    EXPECT_TRUE(batch().linear());
    for (Index i = 0; i < size(); ++i) {
      const LinearRows::Side side = rows->side(i);
      const double a = side.sign * rows->matrix().dot(side.row, x.data()) - rows->constant(i);
      EXPECT_NEAR(a, value(i, x), 1e-12 * (1.0 + std::abs(a))) << i;
    }
  }
  if (const QuadraticRows* rows = batch().quadratic_rows()) {
    ASSERT_EQ(rows->size(), size());
    ASSERT_EQ(rows->n, dimension());
    for (Index i = 0; i < size(); ++i) {
      const Eigen::Map<const Vector> q(rows->q.data() + i * rows->n, rows->n);
      const double a = 0.5 * x.dot(rows->matrix(i) * x) + q.dot(x) + rows->r[i];
      EXPECT_NEAR(a, value(i, x), 1e-11 * (1.0 + std::abs(a))) << i;
    }
  }
}

// A family need not have these itself.
TEST_P(Conformance, DefaultsOfTheContractAgreeWithTheFamily) {
  build();
  const Vector x = random_.vector(dimension());
  for (const Index i : {Index{0}, size() / 2, size() - 1}) {
    const double a = batch().ConstraintBatch::component_value(i, x);
    EXPECT_NEAR(a, batch().component_value(i, x), 1e-12 * (1.0 + std::abs(a)));
    Vector g = Vector::Zero(dimension());
    batch().ConstraintBatch::add_component_gradient(i, x, -2.0, g);
    EXPECT_TRUE(near(g, -2.0 * component_gradient(i, x), 1e-12));
  }
}

// One read serves several columns of weights, with and without a matrix.
TEST_P(Conformance, SeveralGradientsComeFromOneRead) {
  build();
  const Vector x = random_.vector(dimension());
  Matrix w(size(), 3);
  for (Index j = 0; j < 3; ++j) w.col(j) = weights(size());
  const ConstMatrixRef given = w;
  Matrix sums = Matrix::Ones(dimension(), 3);
  MatrixRef gradients = sums;
  batch().read_derivatives(x, all(), {given, gradients, nullptr});
  for (Index j = 0; j < 3; ++j) {
    EXPECT_TRUE(near(sums.col(j), (gradient(x, all(), w.col(j)).array() + 1.0).matrix(), 1e-12)) << j;
  }
}

}  // namespace
}  // namespace pliant::testing
