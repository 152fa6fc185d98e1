// Mixtures of all cones with ranges, equalities, bounds and free variables under linear and quadratic objectives: with
// a planted primal-dual pair, with a planted contradiction and with a planted ray; judged from the raw numbers.
#include "cone_zoo.hpp"
#include "pliant/infeasibility.hpp"
#include "pliant/solve.hpp"
#include "support/planted_program.hpp"

#include <gtest/gtest.h>

namespace pliant::testing {
namespace {

// 1/2 x'Px + q'x, lo <= Ax <= hi, lower <= x <= upper, h_k - G_k x in K_k.
struct Mixture {
  struct Conic {
    Matrix G;
    Vector h, z;
    std::vector<Cone> cones;
  };
  Matrix P, A, E;
  Vector q, x, lo, hi, e, lower, upper;
  std::vector<Conic> conic;

  double value(const Vector& at) const { return 0.5 * at.dot(P * at) + q.dot(at); }

  Problem problem() const {
    const Index n = q.size();
    Problem out(n);
    out.minimize(linear(to_array(q)));
    if (P.norm() > 0.0) out.minimize(quadratic(DataMatrix::from(P), to_array(Vector::Zero(n))));
    if (A.rows() > 0) out.subject_to(linear_range(to_array(lo), DataMatrix::from(A), to_array(hi)));
    if (E.rows() > 0) out.equal(DataMatrix::from(E), to_array(e));
    for (const Conic& c : conic) out.subject_to(ConicConstraint{DataMatrix::from(c.G), to_array(c.h), c.cones});
    if (lower.maxCoeff() > -kInfinity || upper.minCoeff() < kInfinity)
      out.regularize(box(to_array(lower), to_array(upper)));
    return out;
  }

  double violation(const Vector& at) const {
    double worst = std::max({0.0, (lower - at).maxCoeff(), (at - upper).maxCoeff()});
    if (A.rows() > 0) worst = std::max({worst, (lo - A * at).maxCoeff(), (A * at - hi).maxCoeff()});
    if (E.rows() > 0) worst = std::max(worst, (E * at - e).lpNorm<Eigen::Infinity>());
    for (const Conic& c : conic) {
      const Vector s = c.h - c.G * at;
      for_each(c, [&](const Cone& cone, Index first) {
        worst = std::max(worst, outside(cone, s.segment(first, cone.rows)));
      });
    }
    return worst;
  }

  template <class F>
  static void for_each(const Conic& c, const F& f) {
    Index first = 0;
    for (const Cone& cone : c.cones) {
      f(cone, first);
      first += cone.rows;
    }
  }
};

std::vector<Cone> some_cones(Random& random, bool all_kinds) {
  std::vector<Cone> zoo = cone_zoo(random), out;
  zoo.push_back({ConeKind::zero, 1, 0.5});
  for (const Cone& cone : zoo) {
    if (all_kinds || random.uniform() < 0.35) out.push_back(cone);
  }
  if (out.empty()) out.push_back({ConeKind::semidefinite, 3, 0.5});
  return out;
}

Matrix sparse_matrix(Random& random, Index rows, Index cols) {
  Matrix out = random.matrix(rows, cols);
  for (double& value : out.reshaped()) value = random.uniform() < 0.4 ? 0.0 : value;
  return out;
}

// Rows and bounds around x, with their duals added to the gradient.
void append_linear(Random& random, Mixture& m, Vector& gradient) {
  const Index n = m.x.size();
  const Index rows = random.integer(0, 4), equalities = random.integer(0, 2);
  m.A = sparse_matrix(random, rows, n);
  m.lo.resize(rows);
  m.hi.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    const Interval side = random_interval(random, m.A.row(i).dot(m.x), true);
    m.lo[i] = side.lo;
    m.hi[i] = side.hi;
    gradient += side.dual * m.A.row(i).transpose();
  }
  // Every equality comes twice, once with another factor, and there is an empty one.
  const bool clutter = equalities > 0 && random.uniform() < 0.5;
  m.E = Matrix::Zero(clutter ? 2 * equalities + 1 : equalities, n);
  m.E.topRows(equalities) = sparse_matrix(random, equalities, n);
  if (clutter) m.E.middleRows(equalities, equalities) = -2.0 * m.E.topRows(equalities);
  m.e = m.E * m.x;
  gradient += m.E.transpose() * random.vector(m.E.rows());
  m.lower = Vector::Constant(n, -kInfinity);
  m.upper = Vector::Constant(n, kInfinity);
  for (Index j = 0; j < n; ++j) {
    if (random.uniform() < 0.5) continue;
    const Interval side = random_interval(random, m.x[j], true);
    m.lower[j] = side.lo;
    m.upper[j] = side.hi;
    gradient[j] += side.dual;
  }
}

Mixture planted_mixture(Random& random) {
  Mixture m;
  const Index n = random.integer(2, 10);
  m.x = random.vector(n);
  Vector gradient = Vector::Zero(n);
  append_linear(random, m, gradient);
  for (Index count = random.integer(1, 3); count > 0; --count) {
    Mixture::Conic c;
    c.cones = some_cones(random, random.uniform() < 0.2);
    Vector s;
    Mixture::for_each(c, [&](const Cone& cone, Index first) {
      const ConePair pair = complementary_pair(cone, random);
      s.conservativeResize(first + cone.rows);
      c.z.conservativeResize(first + cone.rows);
      s.tail(cone.rows) = pair.s;
      c.z.tail(cone.rows) = pair.z;
    });
    c.G = sparse_matrix(random, s.size(), n);
    c.h = c.G * m.x + s;
    gradient += c.G.transpose() * c.z;
    m.conic.push_back(std::move(c));
  }
  const Matrix root = random.matrix(n, random.integer(1, n));
  m.P = random.uniform() < 0.5 ? Matrix(root * root.transpose()) : Matrix(Matrix::Zero(n, n));
  m.q = -m.P * m.x - gradient;
  if (random.uniform() < 0.3) {  // a variable that appears nowhere, and one with a cost of its own
    const auto grow = [](Matrix& M, Index rows, Index cols) {
      M.conservativeResizeLike(Matrix::Zero(M.rows() + rows, M.cols() + cols));
    };
    const Vector none = Vector::Zero(2);
    const auto extend = [](Vector& v, const Vector& tail) {
      v.conservativeResize(v.size() + tail.size());
      v.tail(tail.size()) = tail;
    };
    grow(m.P, 2, 2);
    m.P(n + 1, n + 1) = 1.0;
    grow(m.A, 0, 2);
    grow(m.E, 0, 2);
    for (Mixture::Conic& c : m.conic) grow(c.G, 0, 2);
    extend(m.q, none);
    extend(m.x, none);
    extend(m.lower, Vector::Constant(2, -kInfinity));
    extend(m.upper, Vector::Constant(2, kInfinity));
  }
  return m;
}

class Mixtures : public ::testing::TestWithParam<int> {
 protected:
  Random random_{static_cast<std::uint64_t>(GetParam()) + 5000};
};

TEST_P(Mixtures, FindThePlantedOptimum) {
  const Mixture m = planted_mixture(random_);
  const Problem problem = m.problem();
  const Result result = solve(problem);
  ASSERT_EQ(result.status, Status::optimal) << result.message;
  const double best = m.value(m.x), scale = 1.0 + std::abs(best);
  EXPECT_NEAR(m.value(result.x), best, 1e-5 * scale);
  EXPECT_LE(m.violation(result.x), 1e-5 * (1.0 + problem.constant_scale()));
  ASSERT_EQ(result.multipliers.cones.size(), m.conic.size());
  for (std::size_t k = 0; k < m.conic.size(); ++k) {
    const Vector& z = result.multipliers.cones[k];
    const Vector s = m.conic[k].h - m.conic[k].G * result.x;
    EXPECT_LE(std::abs(s.dot(z)), 1e-4 * scale);
    Mixture::for_each(m.conic[k], [&](const Cone& cone, Index first) {
      EXPECT_LE(outside_dual(cone, z.segment(first, cone.rows)), 1e-9 * (1.0 + z.norm()));
    });
  }
  EXPECT_TRUE(certify(problem, result.x, result.multipliers).satisfies(Settings{}));
}

// G'z = 0 and h'z < 0 for a z in K*, whatever the rows beside it say. Duals of these make the dual problem feasible.
TEST_P(Mixtures, InfeasibleWithAProof) {
  Mixture m = planted_mixture(random_);
  Mixture::Conic& c = m.conic[0];
  m.q += c.G.transpose() * c.z;
  Mixture::for_each(
      c, [&](const Cone& cone, Index first) { c.z.segment(first, cone.rows) = interior_pair(cone, random_).z; });
  c.G -= c.z * (c.z.transpose() * c.G) / c.z.squaredNorm();
  c.G = (c.G.array().abs() < 1e-12).select(0.0, c.G);  // rounding of what vanishes would make it feasible far away
  c.h -= (1.0 + c.h.dot(c.z)) / c.z.squaredNorm() * c.z;
  const Problem problem = m.problem();
  const Result result = solve(problem);
  ASSERT_EQ(result.status, Status::primal_infeasible) << result.message;
  EXPECT_TRUE(prove_infeasible(problem, result.x, result.multipliers).holds);
}

// Everything but a ray of descent d is open: -Gd inside the cones, rows and bounds that d leaves behind.
TEST_P(Mixtures, UnboundedWithARay) {
  Mixture m = planted_mixture(random_);
  const Index n = m.x.size();
  const Vector d = random_.vector(n);
  const auto turn = [&](Matrix& rows, const Vector& towards) {
    rows -= (rows * d - towards) * d.transpose() / d.squaredNorm();
  };
  turn(m.E, Vector::Zero(m.E.rows()));
  m.e = m.E * m.x;
  turn(m.A, -Vector::Ones(m.A.rows()));
  m.lo.setConstant(-kInfinity);
  m.hi = (m.A * m.x).array() + 0.5;
  for (Index j = 0; j < n; ++j) (d[j] < 0.0 ? m.lower : m.upper)[j] = d[j] < 0.0 ? -kInfinity : kInfinity;
  for (Mixture::Conic& c : m.conic) {
    Vector inside = Vector::Zero(c.h.size()), s = inside;
    Mixture::for_each(c, [&](const Cone& cone, Index first) {
      if (cone.kind == ConeKind::zero) return;
      inside.segment(first, cone.rows) = interior_pair(cone, random_).s;
      s.segment(first, cone.rows) = interior_pair(cone, random_).s;
    });
    turn(c.G, -inside);
    c.h = c.G * m.x + s;
  }
  m.P.setZero();
  m.q = random_.vector(n);
  m.q -= (1.0 + m.q.dot(d)) / d.squaredNorm() * d;
  const Result result = solve(m.problem());
  ASSERT_EQ(result.status, Status::dual_infeasible) << result.message;
  ASSERT_EQ(result.ray.size(), n);
  const double fall = -m.q.dot(result.ray), size = result.ray.norm();
  EXPECT_GT(fall, 1e-9 * size);
  for (const Mixture::Conic& c : m.conic) {
    const Vector along = -c.G * result.ray;
    Mixture::for_each(c, [&](const Cone& cone, Index first) {
      EXPECT_LE(outside(cone, along.segment(first, cone.rows)), 1e-5 * size);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Mixtures, ::testing::Range(0, 60));

TEST(Mixtures, TheSameBytesForAnyThreads) {
  Random random(91);
  const Problem problem = planted_mixture(random).problem();
  Settings one, three;
  one.threads = 1;
  three.threads = 3;
  const Result a = solve(problem, one), b = solve(problem, three);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.multipliers.cones, b.multipliers.cones);
}

}  // namespace
}  // namespace pliant::testing
