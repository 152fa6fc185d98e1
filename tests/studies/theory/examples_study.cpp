// The paper's two examples: the minimiser of F_{xi,delta} against the closed form or scalar root, and the exponents of
// violation and objective gap in m and in delta.
#include "pliant/solve.hpp"
#include "pliant/theory.hpp"
#include "studies/theory/study_grid.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace pliant {
namespace {

using testing::kDeltas;

constexpr std::array<Index, 3> kSizes = {1, 10, 1000};

/// F = (curvature/2)|x|^2 + sum x_i, -x_i <= 0, with m = n.
Problem example_problem(Index m, bool strongly_convex) {
  Problem problem(m);
  problem.minimize(linear(to_array(Vector::Ones(m))));
  if (strongly_convex) problem.regularize(l2_squared(m, 1.0));
  std::vector<Index> starts(static_cast<std::size_t>(m + 1)), columns(static_cast<std::size_t>(m));
  std::iota(starts.begin(), starts.end(), 0);
  std::iota(columns.begin(), columns.end(), 0);
  problem.subject_to(
      linear_le(DataMatrix::csr(m, m, starts, columns, to_array(-Vector::Ones(m))), to_array(Vector::Zero(m))));
  return problem;
}

/// Minimises F_{xi,delta} with the library's accelerated gradients, each delta started at the solution of the last.
std::vector<Vector> minimize_along(const Problem& problem, double xi) {
  std::vector<Vector> points;
  for (const double delta : kDeltas) {
    const PenalizedMinimum minimum =
        minimize_penalized(problem, xi, delta, 1e-13, 100000, points.empty() ? nullptr : &points.back());
    EXPECT_LE(minimum.residual, 1e-13) << "xi " << xi << " delta " << delta;
    points.push_back(minimum.x);
  }
  return points;
}

/// Least-squares slope of log y over log x.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  const double count = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double u = std::log(x[k]), v = std::log(y[k]);
    sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

struct Measured {
  double violation;
  double gap;
};

/// Runs one example; the violation is measured in the norm the paper states for it, from x alone.
void study(bool strongly_convex, const std::vector<double>& xis) {
  const double violation_exponent = strongly_convex ? 0.5 : 1.0;
  fmt::print(
      "\nExample {}: largest |x - exact|/max(delta, 1e-4) over all delta; exponents of the {}-norm violation and of "
      "|F(x_delta) - F*|\n{:>5} {:>6} {:>12} | in delta: {:>9} {:>9} | in m: {:>9} {:>9}\n",
      strongly_convex ? 2 : 1, strongly_convex ? 2 : 1, "xi", "m", "error", "violation", "gap", "violation", "gap");
  for (const double xi : xis) {
    std::vector<std::vector<Measured>> measured;  // [size][delta]
    std::vector<double> errors;
    for (const Index m : kSizes) {
      const Problem problem = example_problem(m, strongly_convex);
      const std::vector<Vector> points = minimize_along(problem, xi);
      measured.emplace_back();
      double worst = 0.0;
      for (std::size_t k = 0; k < kDeltas.size(); ++k) {
        const double exact =
            strongly_convex ? theory::example2_minimizer(xi, kDeltas[k]) : theory::example1_minimizer(xi, kDeltas[k]);
        const double error = (points[k].array() - exact).abs().maxCoeff() / std::max(kDeltas[k], 1e-4);
        EXPECT_LE(error, 1e-9) << "xi " << xi << " m " << m << " delta " << kDeltas[k];
        worst = std::max(worst, error);
        const Vector violation = (-points[k]).cwiseMax(0.0);
        measured.back().push_back(
            {strongly_convex ? violation.norm() : violation.sum(), std::abs(problem.objective(points[k]))});
      }
      errors.push_back(worst);
    }
    for (std::size_t s = 0; s < kSizes.size(); ++s) {
      std::vector<double> deltas, violations, gaps, sizes, violations_m, gaps_m;
      for (std::size_t k = 0; k < kDeltas.size(); ++k) {
        if (kDeltas[k] > 1e-2 * (1 + 1e-12)) continue;
        deltas.push_back(kDeltas[k]);
        violations.push_back(measured[s][k].violation);
        gaps.push_back(measured[s][k].gap);
      }
      for (std::size_t j = 0; j < kSizes.size(); ++j) {
        sizes.push_back(static_cast<double>(kSizes[j]));
        violations_m.push_back(measured[j].back().violation);
        gaps_m.push_back(measured[j].back().gap);
      }
      const double vd = exponent(deltas, violations), gd = exponent(deltas, gaps);
      const double vm = exponent(sizes, violations_m), gm = exponent(sizes, gaps_m);
      fmt::print("{:5} {:6} {:12.2e} |           {:9.4f} {:9.4f} |       {:9.4f} {:9.4f}\n", xi, kSizes[s], errors[s],
                 vd, gd, vm, gm);
      if (xi < 1.2) continue;  // at xi = xi_bar logarithms of delta bend the lines
      EXPECT_NEAR(vd, 1.0, 0.05);
      EXPECT_NEAR(gd, 1.0, 0.05);
      EXPECT_NEAR(vm, violation_exponent, 0.05);
      EXPECT_NEAR(gm, 1.0, 0.05);
    }
  }
}

TEST(ExamplesStudy, ExampleOne) { study(false, {1.2, 1.5, 1.9}); }
TEST(ExamplesStudy, ExampleTwo) { study(true, {1.0, 1.2, 1.5, 1.9}); }

}  // namespace
}  // namespace pliant
