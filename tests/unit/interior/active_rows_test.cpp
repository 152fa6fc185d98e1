// Solutions from the rows that hold with equality: nonnegative least squares by their optimality conditions, and programs
// whose vertex lies too far away for weights of all sizes, or whose rows have units of their own.
#include "engines/interior/nonnegative_fit.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

namespace pliant {
namespace {

using testing::Random;

// y is best where no column in use has a slope, and none of the others a positive one.
void expect_best(const Matrix& N, const Vector& target, const NonnegativeFit& fit, Index free, Index columns) {
  const Vector residual = target - N * fit.y();
  const Vector slopes = N.transpose() * residual;
  const double rounding = 1e-9 * (1.0 + target.norm() + N.norm() * fit.y().norm());
  for (Index j = 0; j < N.cols(); ++j) {
    if (j < free) {
      EXPECT_NEAR(slopes[j], 0.0, rounding) << "column " << j;
      continue;
    }
    ASSERT_GE(fit.y()[j], 0.0) << "column " << j;
    if (j >= columns) {
      EXPECT_EQ(fit.y()[j], 0.0) << "column " << j;
    } else {
      EXPECT_LE(slopes[j], rounding) << "column " << j;
      EXPECT_LE(std::abs(slopes[j]) * (fit.y()[j] > 0.0 ? 1.0 : 0.0), rounding) << "column " << j;
    }
  }
}

TEST(NonnegativeFit, SatisfiesTheConditionsOfLeastSquares) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 12), k = random.integer(1, 30), free = random.integer(0, std::min(n, k) / 2);
    const Matrix N = random.matrix(n, k);
    const Vector target = random.vector(n);
    NonnegativeFit fit(N, target, free);
    const Index some = random.integer(free, k);
    fit.extend(some);
    expect_best(N, target, fit, free, some);
    fit.extend(k);
    expect_best(N, target, fit, free, k);
  }
}

// The walls +-Q_k x + angle d'x <= 1 meet where d'x = 1/angle: minus that is the least value of -d'x.
TEST(ActiveRows, VerticesAtTheEndOfASlitAreReached) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 7), walls = 2 * (n - 1);
    const double angle = random.log_uniform(1e-9, 1e-3);
    const Matrix A = random.matrix(n, n);
    const Matrix Q = Eigen::HouseholderQR<Matrix>(A).householderQ() * Matrix::Identity(n, n);
    std::vector<double> G;
    for (Index k = 1; k < n; ++k) {
      for (const double sign : {1.0, -1.0}) {
        for (Index j = 0; j < n; ++j) G.push_back(sign * Q(j, k) + angle * Q(j, 0));
      }
    }
    std::vector<double> cost(static_cast<std::size_t>(n));
    for (Index j = 0; j < n; ++j) cost[static_cast<std::size_t>(j)] = -Q(j, 0);
    Problem problem(n);
    problem.minimize(linear(Doubles(std::move(cost))));
    problem.subject_to(linear_le(DataMatrix::dense(walls, n, Doubles(std::move(G))),
                                 Doubles(std::vector<double>(static_cast<std::size_t>(walls), 1.0))));
    Settings settings;
    settings.tol_feas = settings.tol_gap = 1e-6;
    const Result r = solve(problem, settings);
    ASSERT_EQ(r.status, Status::optimal) << angle << ": " << r.message;
    EXPECT_NEAR(r.certificate.objective * angle, -1.0, 1e-5) << angle;
  }
}

// Rows in units of 1e-9 are kept to the tolerance however far x is beyond them: those outside of the first working set have
// to join it all the same. 1/2 |x|^2 + q'x over Gx <= h, planted by its optimality conditions.
TEST(WorkingSets, RowsInSmallUnitsCountAsMuchAsOthers) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(3, 10), m = 60 * n, active = random.integer(1, n - 1);
    const Vector x = random.vector(n);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> G = random.matrix(m, n);
    Vector h = G * x, q = -x;
    for (Index i = 0; i < m; ++i) {
      const bool tight = i % (m / active) == 0;
      if (tight) q -= random.uniform(0.01, 2.0) * G.row(i).transpose();
      if (!tight) h[i] += random.uniform(500.0, 1000.0);
      const double unit = tight ? 1e-9 : 1.0;
      G.row(i) *= unit;
      h[i] *= unit;
    }
    const Matrix identity = Matrix::Identity(n, n);
    Problem problem(n);
    problem.minimize(
        quadratic(DataMatrix::dense(n, n, Doubles(std::vector<double>(identity.data(), identity.data() + n * n))),
                  Doubles(std::vector<double>(q.data(), q.data() + n))));
    problem.subject_to(linear_le(DataMatrix::dense(m, n, Doubles(std::vector<double>(G.data(), G.data() + m * n))),
                                 Doubles(std::vector<double>(h.data(), h.data() + m))));
    Settings settings;
    settings.tol_feas = settings.tol_gap = 1e-6;
    const Result r = solve(problem, settings);
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    const double value = 0.5 * x.squaredNorm() + q.dot(x);
    EXPECT_NEAR(r.certificate.objective, value, 1e-5 * (1.0 + std::abs(value)));
  }
}

}  // namespace
}  // namespace pliant
