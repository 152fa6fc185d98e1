// Smoothness, strong convexity and lower bounds of the objective terms really bound.
#include "objective/quadratic.hpp"
#include "unit/objective/term_zoo.hpp"

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

namespace pliant::testing {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

Eigen::Matrix<long double, Eigen::Dynamic, 1> exact_eigenvalues(const Matrix& S) {
  return Eigen::SelfAdjointEigenSolver<LongMatrix>(S.cast<long double>(), Eigen::EigenvaluesOnly).eigenvalues();
}

LongMatrix exact_gram(const Matrix& A) { return A.cast<long double>().transpose() * A.cast<long double>(); }

// mu/2 |d|^2 <= T(x+d) - T(x) - g'd <= L/2 |d|^2
TEST(ObjectiveBounds, ConstantsBoundRandomSteps) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random(700 + seed);
    for (const Specimen& s : term_zoo(seed, 40, 6)) {
      SCOPED_TRACE(s.name);
      for (const TermPtr& term : {s.dense, s.sparse}) {
        const double L = term->smoothness();
        const double mu = term->strong_convexity();
        EXPECT_LE(mu, L);
        for (int trial = 0; trial < 300; ++trial) {
          const Vector x = random.vector(term->dimension()) * random.log_uniform(0.01, 10.0);
          const Vector d = random.vector(term->dimension()) * random.log_uniform(0.01, 10.0);
          const double fx = term->value(x);
          const double fy = term->value(x + d);
          const double gap = fy - fx - gradient_of(*term, x).dot(d);
          const double rounding = 1e-13 * (1.0 + std::abs(fx) + std::abs(fy));
          EXPECT_LE(0.5 * mu * d.squaredNorm(), gap + rounding);
          EXPECT_LE(gap, 0.5 * L * d.squaredNorm() + rounding);
          EXPECT_LE(term->lower_bound(), fx);
        }
      }
    }
  }
}

TEST(ObjectiveBounds, ComponentConstantsBoundComponents) {
  Random random(800);
  for (const Specimen& s : term_zoo(5, 25, 5)) {
    SCOPED_TRACE(s.name);
    double sum = 0.0;
    for (Index i = 0; i < s.dense->components(); ++i) {
      const double L = s.dense->component_smoothness(i);
      EXPECT_NEAR(L, s.sparse->component_smoothness(i), 1e-12 * (1.0 + L));
      sum += L;
      for (int trial = 0; trial < 30; ++trial) {
        const Vector x = random.vector(s.dense->dimension());
        const Vector d = random.vector(s.dense->dimension());
        Vector g = Vector::Zero(x.size());
        s.dense->add_component_gradient(i, x, 1.0, g);
        const double gap = s.dense->component_value(i, x + d) - s.dense->component_value(i, x) - g.dot(d);
        EXPECT_LE(gap, 0.5 * L * d.squaredNorm() + 1e-13);
        EXPECT_LE(-1e-13, gap);
      }
    }
    EXPECT_LE(s.dense->smoothness(), sum * (1.0 + 1e-9));
  }
}

TEST(ObjectiveBounds, QuadraticConstantsAreTightAndOnTheSafeSide) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(900 + seed);
    const Index n = random.integer(2, 15);
    const Index rank = random.integer(1, n);
    const Matrix B = random.matrix(rank, n) * random.log_uniform(1e-3, 1e3);
    const Matrix half = B.transpose() * B;
    const Matrix P = 0.5 * (half + half.transpose());
    const auto exact = exact_eigenvalues(P);
    const TermPtr term = quadratic(DataMatrix::from(P), to_array(random.vector(n)));
    const auto lowest = static_cast<double>(exact[0]);
    const auto highest = static_cast<double>(exact[n - 1]);
    EXPECT_LE(term->strong_convexity(), std::max(0.0, lowest));
    EXPECT_LE(lowest, term->strong_convexity() + 1e-12 * highest);
    EXPECT_LE(highest, term->smoothness());
    EXPECT_LE(term->smoothness(), highest * (1.0 + 1e-12));
    EXPECT_NO_THROW(term->validate());  // semidefinite up to rounding
  }
}

TEST(ObjectiveBounds, LeastSquaresConstantsAreTightAndOnTheSafeSide) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(1000 + seed);
    const Index n = random.integer(1, 10);
    const Index rows = random.integer(1, 40);
    Matrix A = random.matrix(rows, n) * random.log_uniform(1e-3, 1e3);
    if (seed % 4 == 0) A.col(n - 1) = A.col(0);  // singular or nearly so
    const auto exact = exact_eigenvalues(exact_gram(A).cast<double>());
    const double share = 1.0 / static_cast<double>(rows);
    const double lowest = rows < n ? 0.0 : static_cast<double>(exact[0]) * share;
    const double highest = static_cast<double>(exact[n - 1]) * share;
    for (const DataMatrix& data : {DataMatrix::from(A), to_csr(A)}) {
      const TermPtr term = least_squares(data, to_array(random.vector(rows)));
      EXPECT_LE(term->strong_convexity(), std::max(0.0, lowest) + 1e-16 * highest);
      EXPECT_LE(lowest, term->strong_convexity() + 1e-11 * highest);
      EXPECT_LE(highest, term->smoothness());
      EXPECT_LE(term->smoothness(), highest * (1.0 + 1e-11));
    }
  }
}

// At x = 0 the curvature of one logistic row, and of one multinomial row with two classes, is the largest possible.
TEST(ObjectiveBounds, CurvatureBoundsAreAttained) {
  Random random(1200);
  const Matrix a = random.matrix(1, 5);
  const double squared = a.squaredNorm();
  const std::vector<TermPtr> terms{logistic(DataMatrix::from(a), std::vector<double>{-1.0}),
                                   multinomial(DataMatrix::from(a), std::vector<Index>{1}, 2),
                                   huber(DataMatrix::from(a), std::vector<double>{0.1}, 1.0)};
  const double factors[] = {0.25, 0.5, 1.0};
  for (std::size_t k = 0; k < terms.size(); ++k) {
    SCOPED_TRACE(terms[k]->kind());
    const Matrix H = hessian_of(*terms[k], Vector::Zero(terms[k]->dimension()));
    EXPECT_NEAR(static_cast<double>(exact_eigenvalues(H).maxCoeff()), factors[k] * squared, 1e-12 * squared);
    for (double L : {terms[k]->smoothness(), terms[k]->component_smoothness(0)}) {
      EXPECT_LE(factors[k] * squared * (1.0 - 1e-15), L);
      EXPECT_LE(L, factors[k] * squared * (1.0 + 1e-11));
    }
    EXPECT_EQ(terms[k]->strong_convexity(), 0.0);
  }
}

TEST(ObjectiveBounds, DiagonalQuadraticIsExact) {
  Vector d(4);
  d << 3.0, 0.1, 7.0, 0.30000000000000004;
  const Vector q = Vector::Zero(4);
  for (const DataMatrix& P : {DataMatrix::from(Matrix(d.asDiagonal())), to_csr(Matrix(d.asDiagonal()))}) {
    const TermPtr term = quadratic(P, to_array(q));
    EXPECT_EQ(term->strong_convexity(), 0.1);
    EXPECT_EQ(term->smoothness(), 7.0);
  }
  d[2] = 0.0;
  EXPECT_EQ(quadratic(to_csr(Matrix(d.asDiagonal())), to_array(q))->strong_convexity(), 0.0);
}

TEST(ObjectiveBounds, LowerBounds) {
  const Vector zero = Vector::Zero(2);
  Vector c(2);
  c << 1.0, -2.0;
  EXPECT_EQ(linear(to_array(zero), 4.0)->lower_bound(), 4.0);
  EXPECT_EQ(linear(to_array(c), 4.0)->lower_bound(), -kInfinity);
  const DataMatrix singular = DataMatrix::from(Matrix(Vector::Unit(2, 0).asDiagonal()));
  EXPECT_EQ(quadratic(singular, to_array(zero))->lower_bound(), 0.0);
  EXPECT_EQ(quadratic(singular, to_array(c))->lower_bound(), -kInfinity);
  // 1/2 (2 x^2 + 2 y^2) + x - 2y has the minimum -5/4.
  const double bound = quadratic(DataMatrix::from(2.0 * Matrix::Identity(2, 2)), to_array(c))->lower_bound();
  EXPECT_LE(bound, -1.25);
  EXPECT_NEAR(bound, -1.25, 1e-14);
}

}  // namespace
}  // namespace pliant::testing
