// Scaled programs are the original ones in other units: entries near 1, one factor per cone, and everything that comes
// back from them is checked against the raw data.
#include "engines/interior/equilibration.hpp"

#include "engines/conic/conic_form.hpp"
#include "support/planted_program.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::planted_program;
using testing::PlantedProgram;
using testing::Random;

double distance(const Vector& a, const Vector& b) { return a.size() > 0 ? (a - b).lpNorm<Eigen::Infinity>() : 0.0; }
double magnitude(const Vector& a) { return a.size() > 0 ? 1.0 + a.lpNorm<Eigen::Infinity>() : 1.0; }

TEST(Equilibration, OfAStandardFormChangesUnitsOnly) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PlantedProgram p = planted_program(random, {.quadratic = seed % 2 == 0, .clutter = false});
    StandardForm scaled = p.form;
    const Equilibration e = equilibrate(scaled);
    const Vector x = random.vector(p.form.variables()), y = random.vector(p.form.rows());  // in scaled units
    const Vector own_x = e.x(x), own_y = e.y(y);
    const auto value = [](const StandardForm& f, const Vector& at) {
      return 0.5 * at.dot(f.P * at) + f.q.dot(at) + f.constant;
    };
    EXPECT_NEAR(e.objective(value(scaled, x)), value(p.form, own_x), 1e-9 * (1.0 + std::abs(value(p.form, own_x))));
    const Vector rows = p.form.A * own_x;
    EXPECT_LE(distance(e.s(scaled.A * x), rows), 1e-9 * magnitude(rows));
    const Vector gradient = p.form.P * own_x + p.form.q + p.form.A.transpose() * own_y;
    EXPECT_LE(distance(e.gradient(scaled.P * x + scaled.q + scaled.A.transpose() * y), gradient),
              1e-9 * (magnitude(gradient) + magnitude(own_y)));
    for (Index i = 0; i < p.form.rows(); ++i) {
      if (p.form.hi[i] < kInfinity) {
        EXPECT_NEAR(scaled.hi[i] / e.rows[i], p.form.hi[i], 1e-9 * (1.0 + std::abs(p.form.hi[i])));
      }
      EXPECT_EQ(scaled.lo[i] == -kInfinity, p.form.lo[i] == -kInfinity);
    }
    for (Index j = 0; j < p.form.variables(); ++j) {
      if (p.form.upper[j] == kInfinity) continue;
      EXPECT_NEAR(scaled.upper[j] * e.columns[j], p.form.upper[j], 1e-9 * (1.0 + std::abs(p.form.upper[j])));
    }
  }
}

// Rows of planted programs spread over four decades; what is scaled has its largest entries near 1 in every row.
TEST(Equilibration, BringsEntriesToTheOrderOfOne) {
  Random random(4);
  const PlantedProgram p = planted_program(random, {.variables = 30, .rows = 40, .clutter = false});
  StandardForm scaled = p.form;
  equilibrate(scaled);
  const Matrix A = Matrix(scaled.A).cwiseAbs(), P = Matrix(scaled.P).cwiseAbs();
  for (Index i = 0; i < A.rows(); ++i) EXPECT_NEAR(A.row(i).maxCoeff(), 1.0, 0.1) << i;
  EXPECT_NEAR(std::max(P.maxCoeff(), scaled.q.cwiseAbs().maxCoeff()), 1.0, 1e-12);
}

struct ConicCase {
  ConicForm form;
  std::vector<std::pair<Index, Index>> joined;  // rows first, count that must share a factor
};

ConicCase conic_case(Random& random, bool quadratic) {
  ConicCase out;
  ConicForm& f = out.form;
  f.cones = {{ConeKind::zero, 2, 0.5},         {ConeKind::nonnegative, 4, 0.5}, {ConeKind::second_order, 5, 0.5},
             {ConeKind::semidefinite, 6, 0.5}, {ConeKind::exponential, 3, 0.5}, {ConeKind::power, 3, 0.3}};
  out.joined = {{6, 5}, {11, 6}, {17, 3}, {20, 3}};
  const Index n = 7, m = 23;
  Matrix G = random.matrix(m, n), B = random.matrix(n, 3);
  for (Index i = 0; i < m; ++i) G.row(i) *= random.log_uniform(1e-2, 1e2);
  for (Index j = 0; j < n; ++j) G.col(j) *= random.log_uniform(1e-2, 1e2);
  f.G = G.sparseView();
  f.P = quadratic ? SparseMatrix((B * B.transpose()).sparseView())
                  : SparseMatrix(static_cast<int>(n), static_cast<int>(n));
  f.q = random.vector(n) * random.log_uniform(1e-3, 1e3);
  f.h = random.vector(m) * random.log_uniform(1e-3, 1e3);
  f.constant = random.normal();
  validate(f);
  return out;
}

TEST(Equilibration, OfAConicFormKeepsOneFactorPerCone) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const ConicCase c = conic_case(random, seed % 2 == 0);
    const ConicForm& f = c.form;
    ConicForm scaled = f;
    const Equilibration e = equilibrate(scaled);
    for (const auto& [first, count] : c.joined) {
      const auto part = e.rows.segment(first, count);
      EXPECT_EQ(part.minCoeff(), part.maxCoeff()) << "cone at row " << first;
    }
    EXPECT_LT(e.rows.head(6).minCoeff(), e.rows.head(6).maxCoeff());  // half-lines are free to differ
    for (const Vector* factors : {&e.rows, &e.columns}) {
      EXPECT_GE(factors->minCoeff(), 1e-4 * (1.0 - 1e-12));
      EXPECT_LE(factors->maxCoeff(), 1e4 * (1.0 + 1e-12));
    }
    EXPECT_LE(scaled.h.lpNorm<Eigen::Infinity>(), 1.0 + 1e-12);
    const Vector x = random.vector(f.variables()), z = random.vector(f.rows());  // in scaled units
    const Vector own_x = e.x(x), own_z = e.y(z);
    const Vector slack = f.h - f.G * own_x;
    EXPECT_LE(distance(e.s(scaled.h - scaled.G * x), slack), 1e-10 * (magnitude(slack) + magnitude(f.G * own_x)));
    const Vector gradient = f.P * own_x + f.q + f.G.transpose() * own_z;
    EXPECT_LE(distance(e.gradient(scaled.P * x + scaled.q + scaled.G.transpose() * z), gradient),
              1e-10 * (magnitude(gradient) + magnitude(f.P * own_x) + magnitude(own_z) * magnitude(f.G.coeffs())));
    const auto value = [](const ConicForm& g, const Vector& at) {
      return 0.5 * at.dot(g.P * at) + g.q.dot(at) + g.constant;
    };
    const double parts = 1.0 + own_x.dot(f.P * own_x) + std::abs(f.q.dot(own_x)) + std::abs(f.constant);
    EXPECT_NEAR(e.objective(value(scaled, x)), value(f, own_x), 1e-10 * parts);
  }
}

TEST(Equilibration, WithoutAnObjectiveTheCostOfAConicFormStays) {
  Random random(1);
  ConicForm form = conic_case(random, false).form;
  form.q.setZero();
  EXPECT_EQ(equilibrate(form).cost, 1.0);
}

TEST(Equilibration, UnitColumns) {
  const Equilibration e = unit_columns(Vector{{4.0, 0.0, 1e-4}});
  EXPECT_DOUBLE_EQ(e.columns[0], 0.5);
  EXPECT_EQ(e.columns[1], 1.0);
  EXPECT_DOUBLE_EQ(e.columns[2], 100.0);
  EXPECT_LE(distance(e.x(Vector::Ones(3)), e.columns), 0.0);
  EXPECT_LE(distance(e.gradient(e.columns), Vector::Ones(3)), 1e-15);
}

}  // namespace
}  // namespace pliant
