// -log det X against extended precision, its domain and its conjugate.
#include "objective/log_det.hpp"

#include "parallel/parallel.hpp"
#include "pliant/svec.hpp"
#include "support/symmetric.hpp"
#include "unit/objective/term_zoo.hpp"

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

namespace pliant::testing {
namespace {

class LogDet : public ::testing::TestWithParam<Index> {
 protected:
  Index p() const { return GetParam(); }
  Vector inside() { return svec(definite_matrix(random_, p())); }
  Vector direction() { return svec(symmetric_matrix(random_, p())); }
  double reference(const Vector& x) const { return static_cast<double>(-long_log_det(long_smat(x, p()))); }

  Random random_{static_cast<std::uint64_t>(GetParam())};
  LogDetTerm term_{GetParam()};
};

TEST_P(LogDet, ValueAndDerivativesFollowFromTheMatrix) {
  for (int trial = 0; trial < 5; ++trial) {
    const Vector x = inside(), d = direction(), start = direction();
    const double expected = reference(x);
    EXPECT_NEAR(term_.value(x), expected, 1e-12 * (1.0 + std::abs(expected)));
    Vector g = start;
    EXPECT_EQ(term_.add_gradient(x, 2.0, g), term_.value(x));
    g = 0.5 * (g - start);
    // Differences of the reference, in extended precision, relative to the curvature.
    const auto along = [&](long double t) {
      const LongMatrix X = long_smat(x, p()) + t * long_smat(d, p());
      return -long_log_det(X);
    };
    const Matrix H = hessian_of(term_, x);
    const double curvature = d.dot(H * d);
    const long double h = 1e-4L / std::sqrt(static_cast<long double>(curvature));
    const long double first = (along(h) - along(-h)) / (2.0L * h);
    const long double second = (along(h) - 2.0L * along(0.0L) + along(-h)) / (h * h);
    EXPECT_NEAR(g.dot(d), static_cast<double>(first), 1e-7 * (std::sqrt(curvature) + std::abs(g.dot(d))));
    EXPECT_NEAR(curvature, static_cast<double>(second), 1e-6 * curvature);
    Matrix sum = Matrix::Ones(x.size(), x.size());
    term_.add_hessian(x, 3.0, sum);
    const Matrix lower = Matrix(3.0 * H).triangularView<Eigen::Lower>();
    EXPECT_LE((Matrix((sum.array() - 1.0).matrix().triangularView<Eigen::Lower>()) - lower).norm(), 1e-12 * H.norm());
    for (Index j = 1; j < x.size(); ++j) EXPECT_EQ(sum.col(j).head(j), Vector::Ones(j));
  }
}

TEST_P(LogDet, IsInfiniteOutsideItsDomainAndShowsNaN) {
  Matrix X = definite_matrix(random_, p());
  X(p() - 1, p() - 1) -= 1.0 / X.inverse()(p() - 1, p() - 1) + 0.1;  // one negative eigenvalue
  const Vector x = svec(X), d = direction();
  Vector g = Vector::Zero(x.size());
  EXPECT_EQ(term_.value(x), kInfinity);
  EXPECT_EQ(term_.add_gradient(x, 1.0, g), kInfinity);
  EXPECT_TRUE(g.hasNaN());
  EXPECT_EQ(term_.max_step(x, d), 0.0);
  ObjectiveLine line;
  term_.prepare_line(x, d, line);
  EXPECT_EQ(line.max_step, 0.0);
  EXPECT_EQ(term_.line_point(line, 0.1).value, kInfinity);
  EXPECT_EQ(term_.minimum_with(x)->value, -kInfinity);
  EXPECT_EQ(term_.minimum_with(Vector::Zero(x.size()))->value, -kInfinity);
  Vector broken = inside();
  broken[broken.size() - 1] = std::nan("");
  EXPECT_TRUE(std::isnan(term_.value(broken)));
}

TEST_P(LogDet, TheLargestStepEndsAtTheBoundary) {
  for (int trial = 0; trial < 10; ++trial) {
    const Vector x = inside();
    Vector d = direction();
    if (trial % 3 == 0) d = svec(definite_matrix(random_, p()));
    const double step = term_.max_step(x, d);
    ObjectiveLine line;
    term_.prepare_line(x, d, line);
    EXPECT_EQ(line.max_step, step);
    const auto definite = [&](double t) { return !std::isnan(long_log_det(long_smat(Vector(x + t * d), p()))); };
    if (step == kInfinity) {
      EXPECT_TRUE(definite(1e3));
      EXPECT_TRUE(std::isfinite(term_.line_point(line, 1e3).value));
      continue;
    }
    ASSERT_GT(step, 0.0);
    EXPECT_TRUE(definite(step * (1.0 - 1e-9)));
    EXPECT_FALSE(definite(step * (1.0 + 1e-9)));
    EXPECT_TRUE(std::isfinite(term_.line_point(line, step * (1.0 - 1e-9)).value));
    const LinePoint beyond = term_.line_point(line, step * (1.0 + 1e-9));
    EXPECT_EQ(beyond.value, kInfinity);
    EXPECT_EQ(beyond.slope, kInfinity);
  }
}

// min_X -log det X + <G, X>: attained at G^-1, below every other value, and it follows the scaling law.
TEST_P(LogDet, ConjugateIsTheMinimum) {
  const Vector g = inside();
  const LinearMinimum minimum = *term_.minimum_with(g);
  const auto objective = [&](const Vector& x) { return term_.value(x) + g.dot(x); };
  const double attained = objective(svec(smat(g).inverse()));
  EXPECT_NEAR(minimum.value, attained, 1e-11 * (1.0 + std::abs(attained)));
  for (int trial = 0; trial < 20; ++trial) {
    EXPECT_LE(minimum.value, objective(inside() * random_.log_uniform(0.01, 10.0)) + 1e-11);
  }
  EXPECT_EQ(minimum.log_degree, static_cast<double>(p()));
  const double s = random_.log_uniform(0.01, 100.0);
  EXPECT_NEAR(term_.minimum_with(s * g)->value, minimum.value + minimum.log_degree * std::log(s), 1e-10);
}

TEST_P(LogDet, HessianDoesNotDependOnTheThreads) {
  const Vector x = inside();
  const auto hessian = [&](int threads) {
    const parallel::ThreadScope scope(threads);
    return hessian_of(term_, x);
  };
  EXPECT_EQ(hessian(1), hessian(3));
}

INSTANTIATE_TEST_SUITE_P(Orders, LogDet, ::testing::Values(1, 2, 3, 7, 20, 40));

TEST(LogDetTerm, HasNoConstantsAndRefusesNoOrder) {
  const TermPtr term = log_det(3);
  EXPECT_EQ(term->dimension(), 6);
  EXPECT_EQ(term->smoothness(), kInfinity);
  EXPECT_EQ(term->strong_convexity(), 0.0);
  EXPECT_EQ(term->lower_bound(), -kInfinity);
  EXPECT_THROW(log_det(0), InputError);
}

}  // namespace
}  // namespace pliant::testing
