// Values and derivatives of every family against its raw data.
#include "conformance/conformance_fixture.hpp"

namespace pliant::testing {
namespace {

TEST_P(Conformance, ValuesFollowFromTheRawData) {
  build();
  for (const double radius : {0.0, 1.0, 100.0}) {
    const Vector x = radius * random_.vector(dimension());
    const Vector a = values(x, all());
    for (Index i = 0; i < size(); ++i) {
      const double truth = value(i, x);
      EXPECT_NEAR(a[i], truth, 1e-12 * (1.0 + radius * radius) * (1.0 + std::abs(truth))) << "row " << i;
    }
  }
}

TEST_P(Conformance, WeightedGradientMatchesFiniteDifferences) {
  build();
  for (int trial = 0; trial < 3; ++trial) {
    const Vector x = random_.vector(dimension());
    const Vector w = weights(size());
    EXPECT_TRUE(near(gradient(x, all(), w), reference_gradient(all(), w, x), 1e-7));
  }
}

TEST_P(Conformance, WeightedGradientAddsToWhatIsThere) {
  build();
  const Vector x = random_.vector(dimension());
  const Vector w = weights(size());
  const Vector start = random_.vector(dimension());
  Vector g = start;
  batch().add_weighted_gradient(x, all(), w, g);
  EXPECT_TRUE(near(g, Vector(start + gradient(x, all(), w)), 1e-12));
}

TEST_P(Conformance, HessianOfBothKindsOfWeightMatchesFiniteDifferences) {
  build(23, 6);
  const Vector none = Vector::Zero(size());
  const Vector x = random_.vector(dimension());
  const Vector curvature = weights(size());
  const Vector outer = weights(size());

  Matrix curved = reference_curvature(all(), curvature, x);
  Matrix steep = Matrix::Zero(dimension(), dimension());
  for (Index i = 0; i < size(); ++i) {
    const Vector g = reference_gradient(i, x);
    steep += outer[i] * g * g.transpose();
  }
  const auto lower = [](Matrix M) {
    M.triangularView<Eigen::StrictlyUpper>().setZero();
    return M;
  };
  EXPECT_TRUE(near(hessian(x, all(), curvature, none), lower(curved), 1e-6));
  EXPECT_TRUE(near(hessian(x, all(), none, outer), lower(steep), 1e-6));
  EXPECT_TRUE(near(hessian(x, all(), curvature, outer), lower(curved + steep), 1e-6));
  EXPECT_EQ(hessian(x, all(), none, none).cwiseAbs().maxCoeff(), 0.0);
}

TEST_P(Conformance, HessianAddsToTheLowerTriangleOnly) {
  build();
  const Vector x = random_.vector(dimension());
  const Vector curvature = weights(size());
  const Vector outer = weights(size());
  const Matrix start = random_.matrix(dimension(), dimension());
  Matrix H = start;
  batch().add_weighted_hessian(x, all(), curvature, outer, H);
  EXPECT_TRUE(near(H, Matrix(start + hessian(x, all(), curvature, outer)), 1e-12));
  for (Index j = 0; j < dimension(); ++j) {
    for (Index i = 0; i < j; ++i) EXPECT_EQ(H(i, j), start(i, j));
  }
}

// Panels of rank updates are flushed several times here.
TEST_P(Conformance, HessianOfManyRowsIsTheSumOverTheRows) {
  build(300, 5);
  const Vector x = random_.vector(dimension());
  const Vector curvature = weights(size());
  const Vector outer = weights(size());
  Matrix sum = Matrix::Zero(dimension(), dimension());
  for (Index i = 0; i < size(); ++i) {
    sum += hessian(x, Rows::range(i, 1), curvature.segment(i, 1), outer.segment(i, 1));
  }
  EXPECT_TRUE(near(hessian(x, all(), curvature, outer), sum, 1e-11));
}

TEST_P(Conformance, DerivativesInOneReadAreGradientAndHessian) {
  build();
  const Vector x = random_.vector(dimension());
  const Vector w = weights(size()), curvature = weights(size()), outer = weights(size());
  Vector g = Vector::Zero(dimension());
  Matrix H = Matrix::Zero(dimension(), dimension());
  batch().add_weighted_derivatives(x, all(), w, curvature, outer, g, H);
  EXPECT_TRUE(near(g, gradient(x, all(), w), 1e-12));
  EXPECT_TRUE(near(H, hessian(x, all(), curvature, outer), 1e-12));
}

TEST_P(Conformance, SeveralColumnsOfWeightsGiveSeveralGradients) {
  build();
  const Vector x = random_.vector(dimension());
  const Vector none = Vector::Zero(size());
  Matrix w(size(), 2);
  w << weights(size()), weights(size());
  Matrix g = Matrix::Zero(dimension(), 2), H = Matrix::Zero(dimension(), dimension());
  batch().add_weighted_derivatives(x, all(), w, none, none, g, H);
  for (Index j = 0; j < 2; ++j) EXPECT_TRUE(near(Vector(g.col(j)), gradient(x, all(), w.col(j)), 1e-12));
}

TEST_P(Conformance, SweepOfSlopesIsAProductWithTheJacobianAndItsTranspose) {
  build();
  const Vector x = random_.vector(dimension()), d = random_.vector(dimension());
  const Vector scale = weights(size());
  Vector slope(size()), w(size()), g = Vector::Zero(dimension());
  batch().sweep_slopes(
      x, d, all(),
      [&](Index first, Index count, const double* s, double* out) {
        for (Index k = 0; k < count; ++k) out[k] = scale[first + k] * s[k];
      },
      slope, w, g);
  Vector truth(size());
  for (Index i = 0; i < size(); ++i) truth[i] = component_gradient(i, x).dot(d);
  EXPECT_TRUE(near(slope, truth, 1e-12));
  Vector alone(size());
  batch().slopes(x, d, all(), alone);
  EXPECT_TRUE(near(alone, truth, 1e-12));
  EXPECT_TRUE(near(g, gradient(x, all(), scale.cwiseProduct(truth)), 1e-11));
}

TEST_P(Conformance, GradientNormsComeWithTheValues) {
  build();
  const Vector x = random_.vector(dimension());
  Vector a(size()), norms(size());
  batch().values_and_gradient_norms(x, all(), a, norms);
  EXPECT_TRUE(near(a, values(x, all()), 1e-13));
  for (Index i = 0; i < size(); ++i) {
    const double truth = reference_gradient(i, x).norm();
    EXPECT_NEAR(norms[i], truth, 1e-7 * (1.0 + truth)) << "row " << i;
  }
}

TEST_P(Conformance, ComponentsAgreeWithTheBatch) {
  build();
  const Vector x = random_.vector(dimension());
  const Vector a = values(x, all());
  for (Index i = 0; i < size(); ++i) {
    EXPECT_NEAR(batch().component_value(i, x), a[i], 1e-12 * (1.0 + std::abs(a[i]))) << "row " << i;
    const Vector start = random_.vector(dimension());
    Vector g = start;
    batch().add_component_gradient(i, x, -1.5, g);
    EXPECT_TRUE(near(Vector(g - start), Vector(-1.5 * reference_gradient(i, x)), 1e-7)) << "row " << i;
  }
}

TEST_P(Conformance, LineModelIsTheFunctionAlongTheLine) {
  build();
  const Vector x = random_.vector(dimension());
  const Vector d = random_.vector(dimension());
  const std::vector<Index> subset = random_subset();
  LineModel line;
  line.c2 = Vector::Ones(3);  // a model left over from another batch
  for (const Rows rows : {all(), Rows::list(subset), Rows::range(size() / 3, size() / 2)}) {
    batch().prepare_line(x, d, rows, line);
    ASSERT_EQ(line.count, rows.size());
    Vector a(rows.size()), slope(rows.size());
    for (const double t : {0.0, 1.0, -0.7, 13.0}) {
      batch().line_values(line, t, a, slope);
      const Vector y = x + t * d;
      for (Index k = 0; k < rows.size(); ++k) {
        const double truth = value(rows[k], y);
        const double rate = reference_gradient(rows[k], y).dot(d);
        EXPECT_NEAR(a[k], truth, 1e-10 * (1.0 + std::abs(truth))) << "row " << rows[k] << ", t " << t;
        EXPECT_NEAR(slope[k], rate, 1e-6 * (1.0 + std::abs(rate))) << "row " << rows[k] << ", t " << t;
      }
    }
    if (line.degree >= 1) {  // engines read the polynomial themselves
      const double t = 0.3;
      batch().line_values(line, t, a, slope);
      Vector polynomial = line.c0 + t * line.c1;
      if (line.degree == 2) polynomial += t * t * line.c2;
      EXPECT_TRUE(near(polynomial, a, 1e-13));
    }
  }
}

// Enough variables for kernels that go through their data in pieces.
TEST_P(Conformance, LineModelHoldsInManyVariables) {
  build(9, 75);
  const Vector x = random_.vector(dimension());
  const Vector d = random_.vector(dimension());
  LineModel line;
  batch().prepare_line(x, d, all(), line);
  Vector a(size()), slope(size());
  batch().line_values(line, 0.6, a, slope);
  const Vector y = x + 0.6 * d;
  EXPECT_TRUE(near(a, values(y, all()), 1e-11));
  for (Index i = 0; i < size(); ++i) {
    const double rate = component_gradient(i, y).dot(d);
    EXPECT_NEAR(slope[i], rate, 1e-10 * (1.0 + std::abs(rate))) << "row " << i;
  }
}

}  // namespace
}  // namespace pliant::testing
