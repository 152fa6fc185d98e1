// Slacks and leading multipliers of a result, against the raw data.
#include "pliant/report.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"
#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace pliant {
namespace {

using testing::Random;

Index counted_above(const SlackHistogram& h, int first_class) {
  Index sum = 0;
  for (int k = first_class; k < SlackHistogram::kClasses; ++k) sum += h.satisfied[static_cast<std::size_t>(k)];
  return sum;
}

Index raw_above(const Vector& a, double slack) { return (a.array() <= -slack).count(); }

double class_begin(int k) { return std::pow(10.0, SlackHistogram::kLowest + k / double{SlackHistogram::kPerDecade}); }

TEST(SlackHistogram, EveryValueIsCountedOnce) {
  Random random(1);
  SlackHistogram h;
  Vector a(3000);
  for (double& v : a) v = random.normal() * std::pow(10.0, random.uniform(-20.0, 20.0));
  for (double v : a) h.add(v);
  EXPECT_EQ(h.total(), a.size());
  for (int k = 0; k < SlackHistogram::kClasses; ++k) EXPECT_EQ(counted_above(h, k), raw_above(a, class_begin(k))) << k;
  EXPECT_EQ(h.boundary, (a.array().abs() < 1e-16).count());
  const Index before = h.total();
  h.add(std::nan(""));
  h.add(0.0);
  h.add(kInfinity);
  h.add(-kInfinity);
  EXPECT_EQ(h.total(), before + 4);
  EXPECT_EQ(h.unknown, 1);
}

struct Rows {
  Problem problem;
  Matrix G, E;
  Vector lo, hi, e;
};

// Two-sided rows and equalities around a planted point; a quadratic pulls x against them.
Rows two_sided(Random& random, Index n, Index m, Index equalities) {
  const Vector x = random.vector(n);
  Rows out{Problem(n), random.matrix(m, n), random.matrix(equalities, n), Vector(m), Vector(m), {}};
  for (Index i = 0; i < m; ++i) {
    const double at = out.G.row(i).dot(x);
    out.lo[i] = random.uniform() < 0.2 ? -kInfinity : at - random.uniform(0.1, 1.0);
    out.hi[i] = at + random.uniform(0.1, 1.0);
  }
  out.e = out.E * x;
  out.problem.minimize(quadratic(DataMatrix::from(Matrix(Matrix::Identity(n, n))), to_array(random.vector(n))));
  out.problem.subject_to(linear_range(to_array(out.lo), DataMatrix::from(out.G), to_array(out.hi)));
  if (equalities > 0) out.problem.equal(DataMatrix::from(out.E), to_array(out.e));
  return out;
}

// The sides of the rows that are constraints, as the library counts them.
Vector raw_values(const Rows& rows, const Vector& x) {
  std::vector<double> a;
  const Vector product = rows.G * x;
  for (Index i = 0; i < product.size(); ++i) {
    a.push_back(product[i] - rows.hi[i]);
    if (std::isfinite(rows.lo[i])) a.push_back(rows.lo[i] - product[i]);
  }
  return Eigen::Map<const Vector>(a.data(), static_cast<Index>(a.size()));
}

void expect_leaders(const Rows& rows, const Result& r) {
  const std::vector<LeadingMultiplier>& leading = r.overview.leading;
  Vector duals(rows.G.rows());
  rows.problem.batches()[0]->multipliers_to_duals(r.multipliers.lambda[0], duals);
  std::vector<double> sizes;
  for (double d : duals) sizes.push_back(std::abs(d));
  for (double d : r.multipliers.nu) sizes.push_back(std::abs(d));
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  while (!sizes.empty() && sizes.back() == 0.0) sizes.pop_back();
  sizes.resize(std::min(sizes.size(), static_cast<std::size_t>(ConstraintOverview::kLeading)));
  ASSERT_EQ(leading.size(), sizes.size());
  const Vector product = rows.G * r.x, residual = rows.E * r.x - rows.e;
  for (std::size_t k = 0; k < leading.size(); ++k) {
    const LeadingMultiplier& leader = leading[k];
    EXPECT_EQ(std::abs(leader.multiplier), sizes[k]) << k;
    if (leader.kind == LeadingMultiplier::Kind::equality) {
      EXPECT_EQ(leader.multiplier, r.multipliers.nu[leader.row]);
      EXPECT_NEAR(std::abs(leader.value), std::abs(residual[leader.row]), 1e-12);
    } else {
      EXPECT_EQ(leader.multiplier, duals[leader.row]);
      const double a = leader.multiplier > 0.0 ? product[leader.row] - rows.hi[leader.row]
                                               : rows.lo[leader.row] - product[leader.row];
      EXPECT_NEAR(leader.value, a, 1e-12);
    }
  }
}

// `bounds`: slacks may be lower bounds instead of values.
void expect_slacks(const Rows& rows, const Result& r, bool bounds) {
  const SlackHistogram& h = r.overview.slacks;
  const Vector a = raw_values(rows, r.x);
  EXPECT_EQ(h.total(), a.size());
  EXPECT_LE(h.bounded, a.size());
  if (!bounds) {
    EXPECT_EQ(h.bounded, 0);
  }
  for (int k = 0; k < SlackHistogram::kClasses; ++k) {
    const double edge = class_begin(k), rounding = 1e-12 + 1e-9 * edge;
    EXPECT_LE(counted_above(h, k), raw_above(a, edge - rounding)) << k;
    if (!bounds) {
      EXPECT_GE(counted_above(h, k), raw_above(a, edge + rounding)) << k;
    }
  }
}

TEST(ConstraintOverview, ComesFromTheConstraintsAtTheSolution) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Rows rows = two_sided(random, 5, 60 + 20 * static_cast<Index>(seed), static_cast<Index>(seed % 3));
    for (Method method : {Method::path, Method::apg}) {
      for (Outer outer : {Outer::nested, Outer::multiplier}) {
        SCOPED_TRACE(to_string(method));
        Settings settings;
        settings.method = method;
        if (method != Method::path) settings.outer = outer;
        settings.tol_feas = settings.tol_gap = 1e-4;
        settings.max_iterations = 20000;
        const Result r = solve(rows.problem, settings);
        expect_slacks(rows, r, method == Method::path);
        expect_leaders(rows, r);
        ASSERT_FALSE(r.trace.empty());
        for (const Progress& row : r.trace) {
          EXPECT_GE(row.working, 1);
          EXPECT_LE(row.working, rows.problem.constraints());
          EXPECT_LE(row.near_active, rows.problem.constraints());
        }
        EXPECT_EQ(r.trace.back().screened, r.screened);
      }
    }
  }
}

// A linear program whose rows are a nonnegative cone: distances are values of rows, multipliers those of z.
TEST(ConstraintOverview, ConesCountLikeRows) {
  Random random(3);
  const Index n = 4, m = 30;
  const Vector x = random.vector(n);
  const Matrix G = random.matrix(m, n);
  Vector h = G * x, lambda = Vector::Zero(m);
  for (Index i = 0; i < m; ++i) (i < n ? lambda[i] : h[i]) += random.uniform(0.5, 2.0);
  Problem p(n);
  p.minimize(linear(to_array(Vector(-G.transpose() * lambda))));
  p.subject_to(ConicConstraint{DataMatrix::from(G), to_array(h), {Cone{ConeKind::nonnegative, m}}});
  const Result r = solve(p);
  ASSERT_EQ(r.status, Status::optimal);
  EXPECT_EQ(r.overview.slacks.total(), m);
  ASSERT_GE(r.overview.leading.size(), static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) {
    const LeadingMultiplier& leader = r.overview.leading[static_cast<std::size_t>(k)];
    EXPECT_EQ(leader.kind, LeadingMultiplier::Kind::cone);
    ASSERT_LT(leader.row, n);
    EXPECT_NEAR(leader.multiplier, lambda[leader.row], 1e-3);
    EXPECT_NEAR(leader.value, G.row(leader.row).dot(r.x) - h[leader.row], 1e-12);
  }
}

// Cones that are solved as rows of eigenvalues, smoothed or by interior steps: a page names the same cones.
TEST(ConstraintOverview, ConesThatAreSolvedAsRows) {
  Random random(4);
  const Index n = 3, cones = 40;
  Matrix G = Matrix::Zero(3 * cones, n);
  Vector h = Vector::Zero(3 * cones);
  for (Index k = 0; k < cones; ++k) {  // |A x| <= 1 - b'x
    G.middleRows(3 * k, 3) = 0.5 * random.matrix(3, n);
    h[3 * k] = 1.0;
  }
  Problem p(n);
  p.minimize(quadratic(DataMatrix::from(Matrix(Matrix::Identity(n, n))), to_array(Vector(5.0 * Vector::Ones(n)))));
  p.subject_to(
      ConicConstraint{DataMatrix::from(G), to_array(h), std::vector<Cone>(cones, {ConeKind::second_order, 3})});
  for (Nonsmooth treatment : {Nonsmooth::spectral, Nonsmooth::logsumexp, Nonsmooth::interior}) {
    SCOPED_TRACE(to_string(treatment));
    Settings settings;
    settings.nonsmooth = treatment;
    const Result r = solve(p, settings);
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    ASSERT_FALSE(r.overview.leading.empty());
    Vector sizes(cones);
    for (Index k = 0; k < cones; ++k) sizes[k] = r.multipliers.cones[0].segment(3 * k, 3).norm();
    const LeadingMultiplier& first = r.overview.leading[0];
    EXPECT_EQ(first.kind, LeadingMultiplier::Kind::cone);
    EXPECT_GE(sizes[first.row], 0.5 * sizes.maxCoeff());  // of a cone also the largest entry may be shown
    for (const LeadingMultiplier& leader : r.overview.leading) {
      const Vector s = h.segment(3 * leader.row, 3) - G.middleRows(3 * leader.row, 3) * r.x;
      EXPECT_NEAR(leader.value, s.tail(2).norm() - s[0], 1e-9);
    }
    EXPECT_EQ(r.overview.slacks.total(), cones);
    const ProblemSummary summary = summarize(p, r);
    ASSERT_EQ(summary.leading.size(), r.overview.leading.size());
    EXPECT_EQ(summary.leading[0].name, "cone " + std::to_string(first.row));
  }
}

}  // namespace
}  // namespace pliant
