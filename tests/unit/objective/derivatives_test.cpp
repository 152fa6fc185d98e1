// Values, gradients, Hessians and components of the objective terms.
#include "parallel/parallel.hpp"
#include "unit/objective/term_zoo.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace pliant::testing {
namespace {

constexpr double kTiny = 1e-12;

TEST(ObjectiveTerms, ValueEqualsTheFormula) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(100 + seed);
    for (const Specimen& s : term_zoo(seed, 37, 6)) {
      SCOPED_TRACE(s.name);
      const Vector x = random.vector(s.dense->dimension());
      const double expected = static_cast<double>(s.reference(x));
      for (const TermPtr& term : {s.dense, s.sparse}) {
        EXPECT_EQ(term->kind(), s.name);
        EXPECT_NEAR(term->value(x), expected, kTiny * (1.0 + std::abs(expected)));
        Vector g = Vector::Zero(x.size());
        EXPECT_NEAR(term->add_gradient(x, 2.0, g), expected, kTiny * (1.0 + std::abs(expected)));
        EXPECT_GT(term->bytes(), 0);
      }
    }
  }
}

// Central differences of the long-double formula, not of our own values.
TEST(ObjectiveTerms, GradientMatchesFiniteDifferences) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(200 + seed);
    for (const Specimen& s : term_zoo(seed, 37, 6)) {
      SCOPED_TRACE(s.name);
      const Vector x = random.vector(s.dense->dimension());
      const Vector g = gradient_of(*s.dense, x);
      for (Index j = 0; j < x.size(); ++j) {
        const double h = 1e-5;
        Vector up = x, down = x;
        up[j] += h;
        down[j] -= h;
        const double difference = static_cast<double>((s.reference(up) - s.reference(down)) / (up[j] - down[j]));
        EXPECT_NEAR(g[j], difference, 1e-8 * (1.0 + std::abs(g[j])));
      }
      // The weight multiplies, the target accumulates.
      Vector twice = g;
      s.sparse->add_gradient(x, 3.0, twice);
      EXPECT_LE((twice - 4.0 * g).norm(), kTiny * (1.0 + g.norm()));
    }
  }
}

TEST(ObjectiveTerms, HessianMatchesDifferencesOfTheGradient) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(300 + seed);
    for (const Specimen& s : term_zoo(seed, 37, 6)) {
      SCOPED_TRACE(s.name);
      const Vector x = random.vector(s.dense->dimension());
      for (const TermPtr& term : {s.dense, s.sparse}) {
        const Matrix H = hessian_of(*term, x);
        for (int trial = 0; trial < 5; ++trial) {
          const Vector d = random.vector(x.size());
          const double h = 1e-6;
          const Vector difference = (gradient_of(*term, x + h * d) - gradient_of(*term, x - h * d)) / (2.0 * h);
          EXPECT_LE((H * d - difference).norm(), 1e-7 * (1.0 + difference.norm()));
        }
        // Accumulates with a weight, inside a larger matrix too.
        Matrix big = Matrix::Ones(x.size() + 2, x.size() + 2);
        term->add_hessian(x, 2.0, big.topLeftCorner(x.size(), x.size()));
        const Matrix lower = (2.0 * H).triangularView<Eigen::Lower>();
        const Matrix got =
            (big.topLeftCorner(x.size(), x.size()).array() - 1.0).matrix().triangularView<Eigen::Lower>();
        EXPECT_LE((got - lower).norm(), kTiny * (1.0 + H.norm()));
        EXPECT_EQ(big.rightCols(2).minCoeff(), 1.0);
        EXPECT_EQ(big.rightCols(2).maxCoeff(), 1.0);
      }
    }
  }
}

TEST(ObjectiveTerms, ComponentsSumToTheWhole) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Random random(400 + seed);
    for (const Specimen& s : term_zoo(seed, 37, 6)) {
      SCOPED_TRACE(s.name);
      const Vector x = random.vector(s.dense->dimension());
      for (const TermPtr& term : {s.dense, s.sparse}) {
        double value = 0.0;
        Vector g = Vector::Zero(x.size());
        for (Index i = 0; i < term->components(); ++i) {
          value += term->component_value(i, x);
          term->add_component_gradient(i, x, 1.0, g);
        }
        EXPECT_NEAR(value, term->value(x), kTiny * (1.0 + std::abs(value)));
        EXPECT_LE((g - gradient_of(*term, x)).norm(), kTiny * (1.0 + g.norm()));
      }
    }
  }
}

TEST(ObjectiveTerms, DenseAndCsrAgree) {
  for (const Specimen& s : term_zoo(7, 300, 9)) {
    SCOPED_TRACE(s.name);
    Random random(500);
    const Vector x = random.vector(s.dense->dimension());
    EXPECT_NEAR(s.dense->value(x), s.sparse->value(x), kTiny * (1.0 + std::abs(s.dense->value(x))));
    EXPECT_LE((gradient_of(*s.dense, x) - gradient_of(*s.sparse, x)).norm(), kTiny);
    EXPECT_LE((hessian_of(*s.dense, x) - hessian_of(*s.sparse, x)).norm(), kTiny * hessian_of(*s.dense, x).norm());
    EXPECT_NEAR(s.dense->smoothness(), s.sparse->smoothness(), 1e-10 * s.dense->smoothness());
    EXPECT_NEAR(s.dense->strong_convexity(), s.sparse->strong_convexity(), 1e-10);
  }
}

bool same_bytes(const Matrix& a, const Matrix& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * 8) == 0;
}

// Enough rows for many chunks and blocks.
TEST(ObjectiveTerms, ThreadCountDoesNotChangeAByte) {
  for (const Specimen& s : term_zoo(8, 20000, 12)) {
    SCOPED_TRACE(s.name);
    Random random(600);
    const Vector x = random.vector(s.dense->dimension());
    for (const TermPtr& term : {s.dense, s.sparse}) {
      double values[2];
      double fused[2];
      Matrix gradients[2], hessians[2];
      for (int t = 0; t < 2; ++t) {
        const parallel::ThreadScope scope(t + 1);
        values[t] = term->value(x);
        gradients[t] = Matrix::Zero(x.size(), 1);
        fused[t] = term->add_gradient(x, 1.0, gradients[t].col(0));
        hessians[t] = hessian_of(*term, x);
      }
      EXPECT_EQ(values[0], values[1]);
      EXPECT_EQ(fused[0], fused[1]);
      EXPECT_EQ(values[0], fused[0]);
      EXPECT_TRUE(same_bytes(gradients[0], gradients[1]));
      EXPECT_TRUE(same_bytes(hessians[0], hessians[1]));
      EXPECT_NEAR(values[0], static_cast<double>(s.reference(x)), kTiny * (1.0 + std::abs(values[0])));
    }
  }
}

TEST(ObjectiveTerms, HugeMarginsDoNotOverflow) {
  const Matrix A = (Matrix(2, 1) << 1e150, -1e150).finished();
  Vector y(2);
  y << 1.0, 1.0;
  const std::vector<Index> labels{0, 1};
  for (double scale : {1e150, -1e150, 1.0, -1.0}) {
    SCOPED_TRACE(scale);
    const Vector x = Vector::Constant(1, scale);
    const double margin = 1e150 * std::abs(scale);
    const TermPtr term = logistic(DataMatrix::from(A), to_array(y));
    // One row is lost entirely (loss = |margin|), the other costs nothing.
    EXPECT_NEAR(term->value(x) / margin, 0.5, 1e-15);
    EXPECT_NEAR(gradient_of(*term, x)[0], scale > 0 ? 0.5e150 : -0.5e150, 1e136);
    EXPECT_EQ(hessian_of(*term, x)(0, 0), 0.0);
    EXPECT_NEAR(term->component_value(0, x) + term->component_value(1, x), term->value(x), 1e-15 * margin);

    Vector w(2);
    w << scale, 0.0;
    const TermPtr multi = multinomial(DataMatrix::from(A), labels, 2);
    EXPECT_TRUE(std::isfinite(multi->value(w)));
    EXPECT_TRUE(gradient_of(*multi, w).allFinite());
    EXPECT_TRUE(hessian_of(*multi, w).allFinite());

    const TermPtr robust = huber(DataMatrix::from(A), to_array(y), 0.5);
    EXPECT_NEAR(robust->value(x) / margin, 0.5, 1e-15);
    EXPECT_TRUE(gradient_of(*robust, x).allFinite());
  }
}

// A NaN in x must not vanish on its way to the value.
TEST(ObjectiveTerms, NaNStaysVisible) {
  for (const Specimen& s : term_zoo(9, 40, 5)) {
    SCOPED_TRACE(s.name);
    const Vector x = Vector::Constant(s.dense->dimension(), std::nan(""));
    Vector g = Vector::Zero(x.size());
    EXPECT_TRUE(std::isnan(s.dense->value(x)));
    EXPECT_TRUE(std::isnan(s.dense->add_gradient(x, 1.0, g)));
    if (s.name != "linear") {
      EXPECT_TRUE(g.hasNaN());
    }
  }
}

}  // namespace
}  // namespace pliant::testing
