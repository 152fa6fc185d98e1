// The paper's way with non-smooth constraints on second-order cones and matrix inequalities: 200 random instances, the
// corrected bounds, and the agreement of the smoothed and the spectral route.
#include "pliant/pliant.hpp"
#include "rows/constraint_system.hpp"
#include "solve/cone_rows.hpp"
#include "studies/theory/statement_table.hpp"
#include "support/cone_samples.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using pliant::testing::Random;

// min 1/2 |x|^2 + q'x over cones t_i e - G_i x in K, x = 0 inside; some cones share an apex.
struct Instance {
  Problem problem{1};
  Index m = 0;
  double F(const Vector& x) const { return problem.objective(x); }
  /// sum of max(0, a_i), a_i the largest eigenvalue by definition.
  double violation(const Vector& x) const {
    double sum = 0.0;
    const ConicConstraint& conic = problem.conic()[0];
    Index row = 0;
    for (const Cone& cone : conic.cones) {
      Vector s(cone.rows);
      for (Index i = 0; i < cone.rows; ++i, ++row) s[i] = conic.h[row] - conic.G.row(row).dot(x);
      sum += std::max(0.0, cone.kind == ConeKind::second_order ? s.tail(cone.rows - 1).norm() - s[0]
                                                               : -testing::psd_least_eigenvalue(s));
    }
    return sum;
  }
};

Instance make(Random& random) {
  Instance out;
  const Index n = random.integer(2, 6);
  out.m = random.integer(4, 15);
  const bool second_order = random.uniform() < 0.5;
  const Index order = random.integer(2, 4);
  const Cone cone = second_order ? Cone{ConeKind::second_order, order + 1, 0.5}
                                 : Cone{ConeKind::semidefinite, order * (order + 1) / 2, 0.5};
  Vector e = Vector::Unit(cone.rows, 0);
  if (!second_order) e = testing::plain_svec(Matrix::Identity(order, order));
  const Vector apex = 0.5 * random.vector(n);
  Matrix G(out.m * cone.rows, n);
  Vector h(out.m * cone.rows);
  for (Index i = 0; i < out.m; ++i) {
    Matrix Gi = random.matrix(cone.rows, n);
    const double t = random.uniform(0.5, 2.0);
    if (random.uniform() < 0.2) Gi += (t * e - Gi * apex) * apex.transpose() / apex.squaredNorm();
    G.middleRows(i * cone.rows, cone.rows) = Gi;
    h.segment(i * cone.rows, cone.rows) = t * e;
  }
  out.problem = Problem(n);
  out.problem.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(3.0 * random.vector(n))));
  out.problem.subject_to(
      ConicConstraint{DataMatrix::from(G), to_array(h), std::vector<Cone>(static_cast<std::size_t>(out.m), cone)});
  return out;
}

// The largest sum of eigenvalues of a multiplier: the multiplier of max_j a_ij.
double largest_multiplier(const ConicConstraint& conic, const Vector& z) {
  double largest = 0.0;
  Index row = 0;
  for (const Cone& cone : conic.cones) {
    const Vector part = z.segment(row, cone.rows);
    row += cone.rows;
    largest = std::max(largest, cone.kind == ConeKind::second_order
                                    ? part[0]
                                    : testing::long_smat(part, testing::psd_order(cone.rows)).cast<double>().trace());
  }
  return largest;
}

// A point with f(x) - f(start) = rise on the ray from `start` along d.
Vector raised(const Problem& rows, double xi, double delta, const Vector& start, const Vector& d, double rise) {
  ConstraintSystem system(rows);
  const auto value = [&](const Vector& x) {
    Vector a(system.size());
    system.values(x, a);
    double sum = rows.objective(x);
    for (const double v : a) sum += xi * (std::max(v, 0.0) + delta * std::log1p(std::exp(-std::abs(v) / delta)));
    return sum;
  };
  const double base = value(start);
  double low = 0.0, high = 1.0;
  while (value(start + high * d) - base < rise) high *= 2.0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (value(start + middle * d) - base < rise ? low : high) = middle;
  }
  return start + low * d;
}

TEST(SmoothedStudy, CorrectedBoundsHoldOnCones) {
  testing::StatementTable table;
  Index with_multiplicity = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed + 700000);
    const Instance p = make(random);
    Settings exact;
    exact.tol_feas = exact.tol_gap = 1e-9;
    exact.nonsmooth = Nonsmooth::spectral;
    const Result spectral = solve(p.problem, exact);
    ASSERT_EQ(spectral.status, Status::optimal) << spectral.message;
    const double optimum = spectral.certificate.lower_bound;  // proven, 1e-9 below F* at most
    const double xi_bar = std::max(1e-3, largest_multiplier(p.problem.conic()[0], spectral.multipliers.cones[0]));
    with_multiplicity += p.problem.conic()[0].cones[0].rows > 3;

    const double xi = xi_bar * random.log_uniform(2.0, 10.0);
    const double nu = random.log_uniform(1e-2, 0.3), delta = random.log_uniform(1e-2, 0.3),
                 eps = random.log_uniform(1e-4, 1.0);
    const ConeRows rows(p.problem, Nonsmooth::logsumexp, nu);
    const PenalizedMinimum minimum = minimize_penalized(rows.problem(), xi, delta, 1e-8);
    const theory::Penalty penalty{xi, delta, p.m};
    const theory::Guarantee above = theory::nonsmooth_constraints(penalty, rows.error(), eps, true);
    const theory::Guarantee general = theory::nonsmooth_constraints(penalty, rows.error(), eps, false);
    for (int k = 0; k < 4; ++k) {
      const Vector x = raised(rows.problem(), xi, delta, minimum.x, random.vector(p.problem.dimension()), xi * eps);
      table.check("violation, approximation from above", p.violation(x), above.violation, 1e-8);
      table.check("violation, general", p.violation(x), general.violation, 1e-8);
      table.check("objective above the optimum", p.F(x) - optimum, general.objective_gap, 1e-8);
      table.check("objective below the optimum", optimum - p.F(x), xi_bar * p.violation(x), 1e-6);
    }

    // The routes: both solved, each within its own tolerance of the same optimum.
    Settings smoothed;
    smoothed.tol_feas = smoothed.tol_gap = 1e-6;
    smoothed.nonsmooth = Nonsmooth::logsumexp;
    const Result other = solve(p.problem, smoothed);
    ASSERT_EQ(other.status, Status::optimal) << other.message;
    table.check("routes agree in the objective", std::abs(p.F(other.x) - p.F(spectral.x)),
                1e-6 * (1.0 + std::abs(optimum)) + xi_bar * (p.violation(other.x) + p.violation(spectral.x)), 1e-8);
    // F is 1-strongly convex: |x - x*|^2 <= 2 (F(x) - F*) for feasible points.
    const double reach = 2.0 * (std::abs(p.F(other.x) - optimum) + std::abs(p.F(spectral.x) - optimum)) +
                         2.0 * xi_bar * (p.violation(other.x) + p.violation(spectral.x));
    table.check("routes agree in x", (other.x - spectral.x).squaredNorm(), 4.0 * reach, 1e-8);
  }
  EXPECT_GT(with_multiplicity, 50);
  table.print("Smoothed largest eigenvalues of cones, 200 instances");
}

}  // namespace
}  // namespace pliant
