// On strongly convex sums every method is no slower than its published rate.
//
// F(x) = (1/2l) sum (a_i'x - b_i)^2 + mu/2 |x|^2 with rows of very different norms; L = sum of the component constants
// and p_i = L_i/L. Errors are means over runs, because the theorems are about expectations. K steps are promised to
// reduce the error to C rho^K:
//
//   loopless SVRG      max(1 - mu eta, 1 - 1/(2k)), eta = 1/(6L)
//                      (Kovalev, Horvath, Richtarik)
//   SVRG               the same with eta = 1/(3L), the practice of its users
//   Katyusha           1/(1 + sqrt(mu/(3L 2k))), at most 1.5^{-1/(2k)}; C = 4
//                      (Allen-Zhu)
//   loopless Katyusha  max(1/(1 + eta sigma), 1 - t1/2, 1 - t1/(k (1 + t1)))
//                      (Kovalev, Horvath, Richtarik)
//   Catalyst           1 - 0.9 sqrt q per proximal problem, kappa = L'/(k+1) - mu
//                      with L' = 1/(3 eta), eta = 0.1/L; C = 8/(0.1 sqrt q)^2
//                      (Lin, Mairal, Harchaoui)
//   RPDG               1 - 1/(k + 1 + S); C = 1 + 6L/mu, of |x - x*|^2
//                      (Lan, Zhou)
#include "engines/make_inner_method.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

struct Sum {
  Sum(std::uint64_t seed, Index count, Index n, double condition) : problem(n), k(static_cast<double>(count)) {
    Random random(seed);
    Matrix A = random.matrix(count, n);
    for (Index i = 0; i < count; ++i) A.row(i) *= random.log_uniform(0.1, 3.0);
    const Vector b = random.vector(count);
    L = A.squaredNorm() / k;
    mu = L / condition;
    problem.minimize(least_squares(DataMatrix::from(A), to_array(b)));
    problem.regularize(l2_squared(n, mu));
    const Matrix H = A.transpose() * A / k + mu * Matrix::Identity(n, n);
    optimum = H.llt().solve(A.transpose() * b / k);
    lowest = problem.objective(optimum);
    // The bound of the least eigenvalue of A'A/l is strong convexity too; methods may use it.
    mu = problem.strong_convexity();
  }
  Problem problem;
  double k, L = 0.0, mu = 0.0, lowest = 0.0;
  Vector optimum;
};

struct Promise {
  double constant, steps;  // error <= constant exp(-K / steps)
};

Promise promise(Method method, const Sum& s) {
  const double k = s.k, L = s.L, mu = s.mu;
  const auto efold = [](double rate) { return -1.0 / std::log(rate); };
  switch (method) {
    case Method::svrg:
      return {10.0, efold(std::max(1.0 - mu / (3.0 * L), 1.0 - 0.5 / k))};
    case Method::loopless_svrg:
      return {10.0, efold(std::max(1.0 - mu / (6.0 * L), 1.0 - 0.5 / k))};
    case Method::katyusha:
      return {4.0, std::max(1.0 / std::log1p(std::sqrt(mu / (6.0 * L * k))), 2.0 * k / std::log(1.5))};
    case Method::loopless_katyusha: {
      const double t1 = std::min(std::sqrt(2.0 * k * mu / (3.0 * L)), 0.5), eta = 1.0 / (3.0 * t1);
      const double rate = std::max({1.0 / (1.0 + eta * mu / L), 1.0 - 0.5 * t1, 1.0 - t1 / (k * (1.0 + t1))});
      return {10.0 / t1, efold(rate)};
    }
    case Method::catalyst_svrg: {
      const double kappa = std::max(0.0, L / 0.3 / (k + 1.0) - mu), root = std::sqrt(mu / (mu + kappa));
      return {8.0 / (0.01 * root * root), 2.0 * k * efold(1.0 - 0.9 * root)};
    }
    default: {
      const double S = std::sqrt((k - 1.0) * (k - 1.0) + 32.0 * k * L / mu);
      return {1.0 + 6.0 * L / mu, efold(1.0 - 1.0 / (k + 1.0 + S))};
    }
  }
}

// Mean relative errors after 0, 1, 2, ... full evaluations, and the steps done before each.
struct Course {
  std::vector<double> error, steps;
};

Course course_of(Method method, const Sum& s, Index evaluations, Index repeats) {
  Course course;
  course.error.assign(static_cast<std::size_t>(evaluations), 0.0);
  course.steps = course.error;
  for (Index seed = 0; seed < repeats; ++seed) {
    ConstraintSystem system(s.problem);
    PenalizedFunction phi(s.problem, system);
    const auto inner = make_inner_method(method, s.problem, seed);
    InnerPoint point;
    point.x = Vector::Zero(s.problem.dimension());
    const double first = s.problem.objective(point.x) - s.lowest, way = (point.x - s.optimum).squaredNorm();
    Index seen = 0, before = 0;
    inner->minimize(phi, point, [&](const InnerPoint& p) {
      const double error = method == Method::rpdg ? (p.x - s.optimum).squaredNorm() / way
                                                  : (s.problem.objective(p.x) - s.lowest) / first;
      const auto slot = static_cast<std::size_t>(seen);
      course.error[slot] += std::max(error, 0.0) / static_cast<double>(repeats);
      const Index full = s.problem.components();
      if (seen == 0) before = phi.component_evaluations();  // the first one costs no step
      course.steps[slot] +=
          static_cast<double>(phi.component_evaluations() - before - seen * full) / static_cast<double>(repeats);
      return ++seen >= evaluations;
    });
    EXPECT_EQ(seen, evaluations) << to_string(method);
  }
  return course;
}

class Rates : public ::testing::TestWithParam<Method> {};

TEST_P(Rates, AreNoSlowerThanPublished) {
  const Method method = GetParam();
  const struct {
    Index count, n;
    double condition;
  } sizes[] = {{50, 5, 20.0}, {50, 10, 1000.0}, {200, 10, 300.0}, {400, 8, 1e4}};
  for (std::uint64_t seed = 0; const auto& size : sizes) {
    SCOPED_TRACE(::testing::Message() << "l " << size.count << " L/mu " << size.condition);
    const Sum sum(seed++, size.count, size.n, size.condition);
    const Promise promised = promise(method, sum);
    const double wanted = 9.0 * promised.steps / (2.0 * sum.k);  // until e^-9 is promised
    const Course course = course_of(method, sum, static_cast<Index>(std::clamp(wanted, 10.0, 150.0)), 4);
    for (std::size_t e = 1; e < course.error.size(); ++e) {
      const double bound = promised.constant * std::exp(-course.steps[e] / promised.steps);
      ASSERT_LE(course.error[e], std::max(bound, 1e-12)) << "after " << course.steps[e] << " steps";
    }
    EXPECT_LE(course.error.back(), 0.5);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Rates,
                         ::testing::Values(Method::svrg, Method::loopless_svrg, Method::katyusha,
                                           Method::loopless_katyusha, Method::catalyst_svrg, Method::rpdg));

}  // namespace
}  // namespace pliant
