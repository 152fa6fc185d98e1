// Reductions: the planted solution survives them, and duals of the reduced program become duals of the whole one.
#include "engines/interior/presolve.hpp"

#include "engines/interior/contradiction.hpp"
#include "engines/interior/elastic_interior.hpp"
#include "engines/interior/equilibration.hpp"
#include "support/planted_program.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::planted_program;
using testing::PlantedProgram;
using testing::Random;

// Optimality conditions of the form at (x, y), recomputed from its data; bounds may carry any multiplier of their sign.
void expect_optimal(const StandardForm& f, const Vector& x, const Vector& y, double tolerance) {
  const Vector Ax = f.A * x;
  double complementarity = 0.0, size = 1.0 + std::abs(f.objective(x));
  for (Index i = 0; i < f.rows(); ++i) {
    const double scale = 1.0 + std::abs(Ax[i]);
    EXPECT_LE(f.lo[i] - Ax[i], tolerance * scale) << "row " << i;
    EXPECT_LE(Ax[i] - f.hi[i], tolerance * scale) << "row " << i;
    if (y[i] > 0.0) {
      ASSERT_LT(f.hi[i], kInfinity) << "dual of a side that does not exist, row " << i;
      complementarity += y[i] * (f.hi[i] - Ax[i]);
    }
    if (y[i] < 0.0) {
      ASSERT_GT(f.lo[i], -kInfinity) << "dual of a side that does not exist, row " << i;
      complementarity += -y[i] * (Ax[i] - f.lo[i]);
    }
  }
  const Vector g = f.P * x + f.q + f.A.transpose() * y;
  const double gradient = 1.0 + f.q.lpNorm<Eigen::Infinity>();
  for (Index j = 0; j < f.variables(); ++j) {
    if (g[j] > 0.0 && f.lower[j] > -kInfinity) {
      complementarity += g[j] * (x[j] - f.lower[j]);
    } else if (g[j] < 0.0 && f.upper[j] < kInfinity) {
      complementarity += -g[j] * (f.upper[j] - x[j]);
    } else {
      EXPECT_NEAR(g[j], 0.0, tolerance * gradient) << "variable " << j;
    }
  }
  EXPECT_LE(std::abs(complementarity), tolerance * size);
}

// y'Ax <= (its sides) for every x that satisfies the rows, but more than that for every x within the bounds.
void expect_contradiction(const StandardForm& f, const Vector& y) {
  ASSERT_EQ(y.size(), f.rows());
  long double value = 0.0L, parts = 0.0L;
  const auto add = [&](long double part) {
    value += part;
    parts += std::abs(part);
  };
  for (Index i = 0; i < f.rows(); ++i) {
    if (y[i] == 0.0) continue;
    const double side = y[i] > 0.0 ? f.hi[i] : f.lo[i];
    ASSERT_TRUE(std::isfinite(side)) << "a side that does not exist, row " << i;
    add(-static_cast<long double>(y[i]) * side);
  }
  const Matrix A(f.A);
  for (Index j = 0; j < f.variables(); ++j) {
    const double g = A.col(j).dot(y), size = A.col(j).cwiseAbs().dot(y.cwiseAbs());
    const double bound = g > 0.0 ? f.lower[j] : f.upper[j];
    if (std::isfinite(bound)) {
      add(static_cast<long double>(g) * bound);
    } else {
      EXPECT_LE(std::abs(g), 1e-12 * size) << "variable " << j;
    }
  }
  EXPECT_GT(value, 1e-12L * parts);
}

TEST(Presolve, RestoredDualsSatisfyTheConditionsOfTheWholeProgram) {
  Index removed_rows = 0, removed_variables = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PlantedProgram p = planted_program(
        random, {.variables = random.integer(3, 25), .rows = random.integer(1, 40), .quadratic = seed % 2 == 0});
    const Presolve presolve(p.form, Presolve::Level::full);
    ASSERT_FALSE(presolve.contradiction());
    removed_rows += presolve.removed_rows();
    removed_variables += presolve.removed_variables();
    const StandardForm& reduced = presolve.reduced();
    StandardForm scaled = reduced;
    const Equilibration scaling = equilibrate(scaled);
    ElasticInterior engine(scaled, LdlKind::automatic);
    double merit = kInfinity;
    const auto accuracy = [&] {
      const InteriorResiduals& r = engine.residuals();
      const auto largest = [](const Vector& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; };
      return std::max({largest(r.dual) / (1.0 + largest(r.gradient)), largest(r.rows), largest(r.variables),
                       std::abs(r.gap) / (1.0 + std::abs(r.objective))});
    };
    engine.run([&] {
      merit = accuracy();
      return merit < 1e-7 || engine.steps() > 100;
    });
    ASSERT_LE(merit, 1e-7) << engine.steps();
    const Vector reduced_x = scaling.x(engine.x());
    const Vector x = presolve.restore_x(reduced_x);
    const Vector y = presolve.restore_y(x, scaling.y(engine.y()), true);
    EXPECT_NEAR(p.form.objective(x), p.value, 1e-6 * (1.0 + std::abs(p.value)));
    EXPECT_NEAR(reduced.objective(reduced_x), p.form.objective(x), 1e-9 * (1.0 + std::abs(p.value)));
    expect_optimal(p.form, x, y, 1e-5);
  }
  EXPECT_GT(removed_rows, 500);  // the clutter is really taken away
  EXPECT_GT(removed_variables, 100);
}

// Rows that exclude each other as multiples, and rows beyond what bounds allow, among clutter that is reduced before: what the
// reductions say of it holds for the whole form.
TEST(Presolve, ContradictionsHaveDualsThatProveThem) {
  Index found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PlantedProgram p = planted_program(random, {.variables = random.integer(3, 25), .rows = random.integer(2, 40)});
    StandardForm& f = p.form;
    Matrix A = Matrix(f.A);
    const Index from = random.integer(0, f.rows() - 1), to = random.integer(0, f.rows() - 1);
    if (from == to || (std::isinf(f.lo[from]) && std::isinf(f.hi[from])) || A.row(from).isZero(0.0)) continue;
    const double ratio = random.uniform() < 0.5 ? -0.5 : 3.0, gap = random.log_uniform(0.01, 10.0);
    A.row(to) = ratio * A.row(from);
    const bool above = f.hi[from] < kInfinity;  // of the row it excludes
    const double side = ratio * (above ? f.hi[from] + gap : f.lo[from] - gap);
    f.lo[to] = above == (ratio > 0.0) ? side : -kInfinity;
    f.hi[to] = above == (ratio > 0.0) ? kInfinity : side;
    f.A = A.sparseView();
    const Presolve presolve(f, Presolve::Level::full);
    ASSERT_TRUE(presolve.contradiction());
    expect_contradiction(f, presolve.contradicting_duals());
    EXPECT_GT(contradiction_of(f, presolve.contradicting_duals()), 0.0);
    ++found;
  }
  EXPECT_GT(found, 50);
}

// A chain x_k+1 >= a_k x_k + b_k from a bound of the first variable to one of the last, which no row sees alone.
StandardForm chain(Random& random, Index n, double missing) {
  StandardForm f;
  f.q = random.vector(n);
  f.P = SparseMatrix(static_cast<int>(n), static_cast<int>(n));
  Matrix A = Matrix::Zero(n - 1, n);
  f.lower = Vector::Constant(n, -kInfinity);
  f.upper = Vector::Constant(n, kInfinity);
  f.lo = Vector::Constant(n - 1, -kInfinity);
  f.hi = Vector::Constant(n - 1, kInfinity);
  double implied = f.lower[0] = random.normal();
  for (Index k = 0; k + 1 < n; ++k) {
    const double a = random.uniform(0.5, 1.5), b = random.normal(), scale = random.log_uniform(0.1, 10.0);
    const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
    A(k, k) = sign * scale * a;
    A(k, k + 1) = -sign * scale;
    (sign > 0.0 ? f.hi : f.lo)[k] = -sign * scale * b;
    implied = a * implied + b;
  }
  f.upper[n - 1] = implied - missing;
  f.A = A.sparseView();
  return f;
}

TEST(Presolve, BoundsPassedOnFromRowToRowProveContradictions) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 40);
    const StandardForm f = chain(random, n, random.log_uniform(1e-3, 1.0));
    const std::optional<Vector> y = propagate_to_contradiction(f);
    ASSERT_TRUE(y.has_value());
    expect_contradiction(f, *y);
    EXPECT_GT(contradiction_of(f, *y), 0.0);
    EXPECT_EQ(contradiction_of(f, -*y), 0.0);
  }
}

TEST(Presolve, NoBoundsContradictEachOtherWhereThereIsAPoint) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 40);
    EXPECT_FALSE(propagate_to_contradiction(chain(random, n, -random.log_uniform(1e-6, 1.0))).has_value());
    const PlantedProgram p = planted_program(random, {.variables = n, .rows = random.integer(1, 60)});
    EXPECT_FALSE(propagate_to_contradiction(p.form).has_value());
  }
}

TEST(Presolve, FindsContradictions) {
  const auto form = [](double lo1, double hi1, double lo2, double hi2) {
    StandardForm f;
    f.q = Vector::Zero(2);
    f.P = SparseMatrix(2, 2);
    f.A = SparseMatrix(2, 2);
    f.A.insert(0, 0) = 1.0;
    f.A.insert(0, 1) = 1.0;
    f.A.insert(1, 0) = -2.0;
    f.A.insert(1, 1) = -2.0;
    f.lo = Vector{{lo1, lo2}};
    f.hi = Vector{{hi1, hi2}};
    f.lower = Vector::Constant(2, -5.0);
    f.upper = Vector::Constant(2, 5.0);
    return f;
  };
  const auto contradicts = [](const StandardForm& f) { return Presolve(f, Presolve::Level::full).contradiction(); };
  EXPECT_FALSE(contradicts(form(1.0, 2.0, -4.0, -2.0)));
  EXPECT_TRUE(contradicts(form(1.0, 2.0, -20.0, -5.0)));             // duplicates that exclude each other
  EXPECT_TRUE(contradicts(form(11.0, kInfinity, -kInfinity, 0.0)));  // beyond what bounds allow
}

}  // namespace
}  // namespace pliant
