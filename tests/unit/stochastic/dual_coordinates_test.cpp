// Visits of dual coordinates against the dual function, written out from the raw numbers.
#include "engines/stochastic/dual_coordinates.hpp"

#include "support/sum_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

constexpr Index kLosses = 7, kRows = 6;  // of each kind

// Three losses, one- and two-sided rows, an equality, a linear term, a squared norm; l1 and a box if `kinks`.
struct Raw {
  Raw(std::uint64_t seed, bool kinks) : random(seed), n(random.integer(2, 6)), problem(n) {
    A = random.matrix(3 * kLosses, n);
    targets = random.vector(3 * kLosses);
    for (Index i = kLosses; i < 2 * kLosses; ++i) targets[i] = random.uniform() < 0.5 ? -1.0 : 1.0;
    G = random.matrix(2 * kRows + 1, n);
    hi = random.vector(2 * kRows + 1);
    lo = Vector::Constant(2 * kRows + 1, -kInfinity);
    for (Index i = kRows; i < 2 * kRows; ++i) lo[i] = hi[i] - random.uniform(0.0, 1.0);
    hi[kRows] = kInfinity;
    lo[2 * kRows] = hi[2 * kRows];
    c = random.vector(n);
    l1_weight = kinks ? 0.3 : 0.0;
    bound = kinks ? 0.7 : kInfinity;
    const auto block = [&](const Matrix& M, Index k, Index count) {
      return DataMatrix::from(Matrix(M.middleRows(k, count)));
    };
    const auto part = [](const Vector& v, Index k, Index count) { return to_array(v.segment(k, count)); };
    problem.minimize(least_squares(block(A, 0, kLosses), part(targets, 0, kLosses)), weight[0]);
    problem.minimize(logistic(block(A, kLosses, kLosses), part(targets, kLosses, kLosses)), weight[1]);
    problem.minimize(huber(block(A, 2 * kLosses, kLosses), part(targets, 2 * kLosses, kLosses), huber_k), weight[2]);
    problem.minimize(linear(to_array(Vector(c / 2.0))), 2.0);
    problem.minimize(quadratic(DataMatrix::from(0.2 * Matrix::Identity(n, n)), to_array(Vector(Vector::Zero(n)))), 0.5);
    problem.regularize(l2_squared(n, 0.1));
    if (kinks) {
      problem.regularize(l1(n, l1_weight));
      problem.regularize(box(to_array(Vector::Constant(n, -bound)), to_array(Vector::Constant(n, bound))));
    }
    problem.subject_to(linear_le(block(G, 0, kRows), part(hi, 0, kRows)));
    problem.subject_to(linear_range(part(lo, kRows, kRows), block(G, kRows, kRows), part(hi, kRows, kRows)));
    problem.equal(block(G, 2 * kRows, 1), part(hi, 2 * kRows, 1));
    problem.validate();
  }

  // argmax_x v'x - g(x), one coordinate: g = mu/2 x^2 + c x + w |x| on [-bound, bound].
  double primal(Index j, double v) const {
    const double t = v - c[j], soft = t > l1_weight ? t - l1_weight : (t < -l1_weight ? t + l1_weight : 0.0);
    return std::clamp(soft / mu, -bound, bound);
  }
  Vector primal(const Vector& alpha) const {
    const Vector v = -A.transpose() * alpha.head(A.rows()) - G.transpose() * alpha.tail(G.rows());
    Vector x(n);
    for (Index j = 0; j < n; ++j) x[j] = primal(j, v[j]);
    return x;
  }
  double conjugate(Index i, double a) const {
    if (i >= A.rows()) {
      const Index r = i - A.rows();
      if (std::abs(a) > xi * (1.0 + 1e-15) || (r < kRows && a < 0.0)) return kInfinity;
      return a == 0.0 ? 0.0 : a * (a > 0.0 ? hi[r] : lo[r]);
    }
    const double s = weight[i / kLosses] / static_cast<double>(kLosses), t = targets[i];
    if (i / kLosses == 1) {
      const double p = -t * a / s;
      if (p < 0.0 || p > 1.0) return kInfinity;
      const auto entropy = [](double q) { return q > 0.0 ? q * std::log(q) : 0.0; };
      return s * (entropy(p) + entropy(1.0 - p));
    }
    if (i / kLosses == 2 && std::abs(a) > s * huber_k * (1.0 + 1e-15)) return kInfinity;
    return 0.5 * a * a / s + t * a;
  }
  double dual(const Vector& alpha) const {
    double value = 0.0;
    for (Index i = 0; i < alpha.size(); ++i) value -= conjugate(i, alpha[i]);
    const Vector v = -A.transpose() * alpha.head(A.rows()) - G.transpose() * alpha.tail(G.rows());
    for (Index j = 0; j < n; ++j) {
      const double x = primal(j, v[j]);
      value -= (v[j] - c[j]) * x - 0.5 * mu * x * x - l1_weight * std::abs(x);
    }
    return value;
  }

  Random random;
  Index n;
  Problem problem;
  Matrix A, G;
  Vector targets, hi, lo, c;
  double weight[3] = {0.7, 3.0, 1.1}, huber_k = 0.4, mu = 0.2, xi = 1.5, l1_weight = 0.0, bound = kInfinity;
};

Vector alphas(const DualCoordinates& dual) { return dual.alphas(); }

TEST(DualCoordinates, AVisitMaximisesTheDualOverItsCoordinate) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Raw raw(seed, seed % 3 == 2);
    ConstraintSystem system(raw.problem);
    DualCoordinates dual(raw.problem, system);
    ASSERT_EQ(dual.size(), raw.A.rows() + raw.G.rows());
    for (int step = 0; step < 400; ++step) {
      const Index i = raw.random.integer(0, dual.size() - 1);
      const double before = raw.dual(alphas(dual));
      dual.visit(i, raw.xi);
      const Vector alpha = alphas(dual);
      ASSERT_NEAR(dual.value(alpha, dual.image()), raw.dual(alpha), 1e-11 * (1.0 + std::abs(before)));
      const double after = raw.dual(alpha), rounding = 1e-12 * (1.0 + std::abs(after));
      ASSERT_GE(after, before - rounding) << "coordinate " << i;
      if (seed % 3 == 2) continue;  // with kinks in g a visit maximises a lower bound
      for (const double change : {-1e-1, -1e-4, 1e-4, 1e-1}) {
        Vector other = alpha;
        other[i] += change;
        ASSERT_LE(raw.dual(other), after + rounding) << "coordinate " << i << " by " << change;
      }
    }
    EXPECT_LE((dual.x() - raw.primal(alphas(dual))).norm(), 1e-11 * (1.0 + dual.x().norm()));
  }
}

double penalised(Raw& raw, const Vector& x) {
  double value = raw.problem.objective(x);
  const Vector z = raw.G * x;
  for (Index r = 0; r < z.size(); ++r) value += raw.xi * std::max({0.0, z[r] - raw.hi[r], raw.lo[r] - z[r]});
  return value;
}

// phi_i(z) + phi_i*(alpha) >= alpha z, so that no alpha can lie above the penalised objective at any point.
TEST(DualCoordinates, EpochsCloseTheGapOfThePenalisedProblem) {
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    SCOPED_TRACE(seed);
    Raw raw(100 + seed, seed % 3 == 2);
    ConstraintSystem system(raw.problem);
    DualCoordinates dual(raw.problem, system);
    const auto gap = [&] { return penalised(raw, dual.x()) - raw.dual(alphas(dual)); };
    const double first = gap(), rounding = 1e-11 * (1.0 + std::abs(penalised(raw, dual.x())));
    for (int epoch = 0; epoch < 3000; ++epoch) {
      for (Index i = 0; i < dual.size(); ++i) dual.visit(i, raw.xi);
      if (epoch % 100 == 0) {
        EXPECT_GE(gap(), -rounding);
      }
    }
    EXPECT_LE(gap(), 0.01 * first + rounding);
  }
}

TEST(DualCoordinates, MultipliersAndAPointGiveADual) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Raw raw(200 + seed, seed % 2 == 1);
    ConstraintSystem system(raw.problem);
    DualCoordinates dual(raw.problem, system);
    for (int epoch = 0; epoch < 5; ++epoch) {
      for (Index i = 0; i < dual.size(); ++i) dual.visit(i, raw.xi);
    }
    Vector multipliers = Vector::Zero(system.size());
    dual.multipliers(multipliers);
    EXPECT_GE(multipliers.minCoeff(), 0.0);
    DualCoordinates again(raw.problem, system);
    again.adopt(dual.x(), multipliers);
    const Index losses = raw.A.rows();
    EXPECT_LE((alphas(again) - alphas(dual)).tail(raw.G.rows()).norm(), 1e-14);
    for (Index i = 0; i < losses; ++i) {
      const double z = raw.A.row(i).dot(dual.x()), t = raw.targets[i],
                   s = raw.weight[i / kLosses] / static_cast<double>(kLosses);
      const double slope[] = {z - t, -t / (1.0 + std::exp(t * z)), std::clamp(z - t, -raw.huber_k, raw.huber_k)};
      EXPECT_NEAR(again.alphas()[i], s * slope[i / kLosses], 1e-13 * (1.0 + std::abs(z)));
    }
    EXPECT_LE((again.x() - raw.primal(alphas(again))).norm(), 1e-12 * (1.0 + again.x().norm()));
  }
}

}  // namespace
}  // namespace pliant
