// Iteration counts: accelerated gradient methods run for the promised number of steps must reach the promised accuracy.
// Also the inner accuracy of Corollary 2's proof, and the remark on non-smooth constraints.
#include "pliant/theory.hpp"

#include "statement_table.hpp"
#include "support/planted.hpp"
#include "support/reference_newton.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pliant {
namespace {

using testing::PenalizedFunction;
using testing::Planted;
using testing::PlantedFamily;
using testing::PlantedOptions;
using testing::Random;

theory::ProblemConstants constants_of(const Problem& problem, double mu) {
  theory::ProblemConstants c{.m = problem.constraints(),
                             .Lf = problem.smoothness() + problem.prox().strong_convexity(),
                             .mu = mu,
                             .constraint = {}};
  for (const BatchPtr& batch : problem.batches()) {
    const RowConstants* rows = batch->constants();
    c.constraint.La = std::max(c.constraint.La, rows->smoothness.maxCoeff());
    c.constraint.C0 = std::max(c.constraint.C0, rows->growth_constant.maxCoeff());
    c.constraint.C1 = std::max(c.constraint.C1, rows->growth_slope.maxCoeff());
  }
  return c;
}

/// Runs `steps` steps x = y - grad f(y)/L with the momentum rule given; returns the first step after which the target
/// holds for good (0: from the start, steps + 1: never).
template <class Momentum, class Reached>
Index run_accelerated(const PenalizedFunction& f, Vector x, double L, Index steps, Momentum momentum, Reached reached) {
  Vector y = x, previous = x;
  Index first = reached(x) ? 0 : steps + 1;
  for (Index k = 1; k <= steps; ++k) {
    x = y - f.gradient(y) / L;
    y = x + momentum(k) * (x - previous);
    previous = x;
    if (!reached(x)) {
      first = steps + 1;
    } else if (first > steps) {
      first = k;
    }
  }
  return first;
}

PlantedOptions options_of(std::uint64_t seed, double mu) {
  Random random(seed + 300000);
  return {.family = static_cast<PlantedFamily>(seed % 4),
          .n = random.integer(2, 4),
          .active = 2,
          .inactive = random.integer(0, 3),
          .mu = mu,
          .norm_spread = seed % 3 == 0 ? 10.0 : 1.0};
}

struct StaticRun {
  const Planted& planted;
  double xi, eps;
  theory::StaticParameters parameters = theory::static_parameters(eps, planted.lambda.size(), xi, planted.xi_bar);
  PenalizedFunction f{planted.problem, xi, parameters.delta};
  bool reached(const Vector& x) const {
    return f.constraint_values(x).cwiseMax(0.0).sum() <= parameters.violation &&
           planted.problem.objective(x) - planted.objective <= parameters.objective_gap;
  }
};

TEST(ComplexityStudy, AcceleratedGradientReachesItsAccuracyInTime) {
  double worst = 0.0;
  Index runs = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Planted p = testing::plant(options_of(seed, 0.0), seed);
    const StaticRun run{p, 2.0 * p.xi_bar, 0.1};
    const theory::ProblemConstants c = constants_of(p.problem, 0.0);
    Random random(seed);
    const Vector start = p.x_star + random.vector(p.x_star.size());
    const double N = theory::accelerated_gradient_iterations(c, run.xi, run.eps, (start - p.x_star).norm());
    if (N > 2e5) continue;
    double t = 1.0;
    const auto momentum = [&t](Index) {
      const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
      return (std::exchange(t, next) - 1.0) / next;
    };
    const Index steps = static_cast<Index>(std::ceil(N));
    const Index first = run_accelerated(run.f, start, theory::static_smoothness(c, run.xi, run.eps), steps, momentum,
                                        [&](const Vector& x) { return run.reached(x); });
    EXPECT_LE(first, steps);
    worst = std::max(worst, static_cast<double>(first) / N);
    ++runs;
  }
  fmt::print("Corollary 1, corrected: {} runs, accuracy reached at {:.3f} N at the latest\n", runs, worst);
  EXPECT_GE(runs, 20);
}

TEST(ComplexityStudy, StronglyConvexRateReachesItsAccuracyInTime) {
  double worst = 0.0;
  Index runs = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Planted p = testing::plant(options_of(seed, 0.3), seed);
    const StaticRun run{p, 2.0 * p.xi_bar, 0.05};
    const theory::ProblemConstants c = constants_of(p.problem, p.mu);
    Random random(seed);
    const Vector start = p.x_star + random.vector(p.x_star.size());
    const Vector x_delta = testing::minimize_penalized(p.problem, run.xi, run.parameters.delta);
    const double gap = run.f.value(start) - run.f.value(x_delta);
    const double N = theory::strongly_convex_iterations(c, run.xi, run.eps, gap);
    if (N > 2e5) continue;
    const double L = theory::static_smoothness(c, run.xi, run.eps);
    const double root = std::sqrt(L / p.mu);
    const Index steps = static_cast<Index>(std::ceil(N));
    const Index first = run_accelerated(
        run.f, start, L, steps, [&](Index) { return (root - 1.0) / (root + 1.0); },
        [&](const Vector& x) { return run.reached(x); });
    EXPECT_LE(first, steps);
    worst = std::max(worst, static_cast<double>(first) / N);
    ++runs;
  }
  fmt::print("Corollary 2.1, corrected: {} runs, accuracy reached at {:.3f} N at the latest\n", runs, worst);
  EXPECT_GE(runs, 20);
}

/// A point on the ray from x along d at which f has risen by `rise`.
Vector raised(const PenalizedFunction& f, const Vector& x, const Vector& d, double rise) {
  const double least = f.value(x);
  double lo = 0.0, hi = 1.0;
  while (f.value(x + hi * d) - least < rise && hi < 1e9) hi *= 2.0;
  for (int k = 0; k < 80; ++k) {
    const double mid = 0.5 * (lo + hi);
    (f.value(x + mid * d) - least <= rise ? lo : hi) = mid;
  }
  return x + lo * d;
}

TEST(ComplexityStudy, InnerAccuracyLimitsTheChangeOfEveryConstraint) {
  testing::StatementTable table;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Planted p = testing::plant(options_of(seed, 0.3), seed);
    Random random(seed);
    const double xi = p.xi_bar * random.log_uniform(1.0, 10.0), delta = random.log_uniform(1e-3, 1.0);
    const theory::ConstraintConstants c = constants_of(p.problem, p.mu).constraint;
    const PenalizedFunction f(p.problem, xi, delta);
    const Vector x_delta = testing::minimize_penalized(p.problem, xi, delta);
    const Vector a = f.constraint_values(x_delta);
    const double change = random.log_uniform(1e-3, 10.0);
    const double accuracy = theory::inner_accuracy_for_change(change, c, p.mu, std::max(0.0, a.maxCoeff()));
    for (int k = 0; k < 5; ++k) {
      const Vector x = raised(f, x_delta, random.vector(x_delta.size()), accuracy);
      table.check("inner accuracy (Cor. 2, corrected)", (f.constraint_values(x) - a).cwiseAbs().maxCoeff(), change,
                  1e-12 * change);
    }
  }
  table.print("Change of the constraints allowed by the inner accuracy");
}

/// Constraints max_k (A_k x + b_k) <= 0 with planted solution, and their smooth approximations
/// nu ln sum_k exp((A_k x + b_k)/nu), between 0 and nu ln(terms) above.
struct Nonsmooth {
  static constexpr Index kTerms = 3;
  Index n, m;
  Vector x_star, q;
  std::vector<Matrix> A;
  std::vector<Vector> b;
  double xi_bar = 0.0;

  Nonsmooth(Index n_, Index m_, Random& random) : n(n_), m(m_), x_star(random.vector(n_)), q(-x_star) {
    for (Index i = 0; i < m; ++i) {
      A.push_back(random.matrix(kTerms, n));
      const bool active = i < n;
      const Vector slack = random.vector(kTerms).cwiseAbs();
      // Two pieces meet at x* where the constraint is active; its multiplier is split between them.
      Vector target = active ? Vector(-slack) : Vector(-slack.array() - 0.01);
      const double lambda = active ? random.uniform(0.2, 1.0) : 0.0;
      if (active) {
        target[0] = target[1] = 0.0;
        const double share = random.uniform();
        q -= lambda * (share * A.back().row(0) + (1.0 - share) * A.back().row(1)).transpose();
        xi_bar = std::max(xi_bar, lambda);  // an upper bound of the threshold
      }
      b.push_back(target - A.back() * x_star);
    }
  }
  double objective(const Vector& x) const { return 0.5 * x.squaredNorm() + q.dot(x); }
  double violation(const Vector& x) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < A.size(); ++i) sum += std::max(0.0, (A[i] * x + b[i]).maxCoeff());
    return sum;
  }
  /// The approximation divided by nu is a log-sum-exp, so F + (xi nu) sum p_{delta/nu} of it is the penalised problem.
  Problem smooth(double nu) const {
    std::vector<double> data, offsets;
    for (std::size_t i = 0; i < A.size(); ++i) {
      for (Index k = 0; k < kTerms; ++k) {
        for (Index j = 0; j < n; ++j) data.push_back(A[i](k, j) / nu);
        offsets.push_back(b[i][k] / nu);
      }
    }
    Problem problem(n);
    problem.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(q)));
    problem.subject_to(log_sum_exp_le(Tensor({m, kTerms, n}, data), Tensor({m, kTerms}, offsets)));
    return problem;
  }
};

TEST(ComplexityStudy, NonsmoothConstraints) {
  testing::StatementTable table;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed + 400000);
    const Nonsmooth p(random.integer(2, 4), random.integer(4, 8), random);
    const double xi = p.xi_bar * random.log_uniform(2.0, 10.0);
    const double nu = random.log_uniform(1e-3, 0.3), delta = random.log_uniform(1e-3, 0.3),
                 eps = random.log_uniform(1e-4, 1.0);
    const Problem smooth = p.smooth(nu);
    const PenalizedFunction f(smooth, xi * nu, delta / nu);
    const Vector x_delta = testing::minimize_penalized(smooth, xi * nu, delta / nu);
    const double error = nu * std::log(static_cast<double>(Nonsmooth::kTerms));
    const theory::Guarantee above = theory::nonsmooth_constraints({xi, delta, p.m}, error, eps, true);
    const theory::Guarantee general = theory::nonsmooth_constraints({xi, delta, p.m}, error, eps, false);
    for (int k = 0; k < 5; ++k) {
      const Vector x = raised(f, x_delta, random.vector(p.n), xi * eps);
      table.check("violation, approximation from above", p.violation(x), above.violation, 1e-10);
      table.check("violation, general", p.violation(x), general.violation, 1e-10);
      table.check("objective gap", p.objective(x) - p.objective(p.x_star), general.objective_gap, 1e-10);
    }
  }
  table.print("Non-smooth constraints through log-sum-exp approximations");
}

}  // namespace
}  // namespace pliant
