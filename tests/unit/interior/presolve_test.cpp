// Reductions: the planted solution survives them, and duals of the reduced program become duals of the whole one.
#include "engines/interior/presolve.hpp"

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
