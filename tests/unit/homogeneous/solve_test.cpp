// Random conic programs with a planted primal-dual pair, with planted proofs of infeasibility and with rays.
#include "cone_zoo.hpp"
#include "engines/conic/conic_form.hpp"
#include "engines/conic/factored_ray.hpp"
#include "engines/conic/homogeneous.hpp"
#include "pliant/svec.hpp"

#include <Eigen/QR>

namespace pliant::testing {
namespace {

struct Planted {
  ConicForm form;
  Vector x, s, z;
};

// h = Gx + s and q = -Px - G'z make (x, s, z) optimal.
Planted planted(Random& random, Index n, bool quadratic, bool symmetric) {
  Planted out;
  out.form.cones.push_back({ConeKind::zero, 2, 0.5});
  for (int copies = 0; copies < 2; ++copies) {
    for (const Cone& cone : cone_zoo(random)) {
      if (!symmetric || (cone.kind != ConeKind::exponential && cone.kind != ConeKind::power)) {
        out.form.cones.push_back(cone);
      }
    }
  }
  for (const Cone& cone : out.form.cones) {
    const ConePair pair = complementary_pair(cone, random);
    const Index first = out.s.size();
    out.s.conservativeResize(first + cone.rows);
    out.z.conservativeResize(first + cone.rows);
    out.s.tail(cone.rows) = pair.s;
    out.z.tail(cone.rows) = pair.z;
  }
  const Index m = out.s.size();
  out.x = random.vector(n);
  Matrix G = random.matrix(m, n);
  for (double& value : G.reshaped()) value = random.uniform() < 0.5 ? 0.0 : value;
  const Matrix root = random.matrix(n, 2);
  const Matrix P = quadratic ? Matrix(root * root.transpose()) : Matrix(Matrix::Zero(n, n));
  out.form.P = P.sparseView();
  out.form.G = G.sparseView();
  out.form.h = G * out.x + out.s;
  out.form.q = -P * out.x - G.transpose() * out.z;
  out.form.constant = random.normal();
  validate(out.form);
  return out;
}

double outside_all(const std::vector<Cone>& cones, const Vector& u, bool dual) {
  double worst = 0.0;
  Index first = 0;
  for (const Cone& cone : cones) {
    const Vector part = u.segment(first, cone.rows);
    worst = std::max(worst, dual ? outside_dual(cone, part) : outside(cone, part));
    first += cone.rows;
  }
  return worst;
}

class Solve : public ::testing::TestWithParam<int> {
 protected:
  Random random_{static_cast<std::uint64_t>(GetParam()) + 2000};
};

TEST_P(Solve, FindsThePlantedOptimum) {
  const int kind = GetParam() % 4;
  const Planted p = planted(random_, 8, kind / 2 == 1, kind % 2 == 1);
  ConicForm scaled = p.form;
  const Equilibration scaling = equilibrate(scaled);
  HomogeneousInterior engine(scaled, LdlKind::automatic);
  const double size = 1.0 + p.form.h.lpNorm<Eigen::Infinity>(), slope = 1.0 + p.form.q.lpNorm<Eigen::Infinity>();
  const bool stopped = engine.run([&] {
    const double objective = scaling.objective(engine.objective());
    const double gap = std::abs(objective - scaling.objective(engine.dual_objective())) / (1.0 + std::abs(objective));
    const double primal = scaling.s(engine.primal_residual()).lpNorm<Eigen::Infinity>() / size;
    const double dual = scaling.gradient(engine.dual_residual()).lpNorm<Eigen::Infinity>() / slope;
    return std::max({gap, primal, dual}) <= 1e-7 || engine.steps() >= 60;
  });
  EXPECT_TRUE(stopped) << engine.failure();
  EXPECT_LT(engine.steps(), 60);
  // From the raw data, with x and z alone.
  const Vector x = scaling.x(engine.x()), z = scaling.y(engine.z());
  const Vector s = p.form.h - p.form.G * x;
  EXPECT_LE(outside_all(p.form.cones, s, false), 1e-6 * size);
  EXPECT_LE(outside_all(p.form.cones, z, true), 1e-9 * z.norm());
  const Vector gradient = p.form.P * x + p.form.q + p.form.G.transpose() * z;
  EXPECT_LE(gradient.lpNorm<Eigen::Infinity>(), 1e-6 * slope);
  const auto value = [&](const Vector& at) { return 0.5 * at.dot(p.form.P * at) + p.form.q.dot(at) + p.form.constant; };
  EXPECT_NEAR(value(x), value(p.x), 1e-6 * (1.0 + std::abs(value(p.x))));
  EXPECT_NEAR(scaling.objective(engine.objective()), value(x), 1e-9 * (1.0 + std::abs(value(x))));
}

// G'z = 0 and h'z < 0 for a z in K*: no x is feasible.
TEST_P(Solve, ProvesInfeasibility) {
  Planted p = planted(random_, 6, false, GetParam() % 2 == 1);
  Vector z = Vector::Zero(p.z.size());
  Index first = 0;
  for (const Cone& cone : p.form.cones) {
    z.segment(first, cone.rows) = interior_pair(cone, random_).z;
    first += cone.rows;
  }
  Matrix G = p.form.G;
  G -= z * (z.transpose() * G) / z.squaredNorm();
  p.form.G = G.sparseView();
  p.form.h = random_.vector(z.size());
  p.form.h -= (1.0 + p.form.h.dot(z)) / z.squaredNorm() * z;
  ConicForm scaled = p.form;
  const Equilibration scaling = equilibrate(scaled);
  HomogeneousInterior engine(scaled, LdlKind::automatic);
  EXPECT_TRUE(engine.run([&] { return engine.infeasibility_ratio() < 1e-8 || engine.steps() >= 60; }))
      << engine.failure();
  const Vector found = scaling.y(engine.ray_z());
  const double gain = -p.form.h.dot(found);
  ASSERT_GT(gain, 0.0);
  EXPECT_LE((p.form.G.transpose() * found).lpNorm<Eigen::Infinity>(), 1e-6 * gain);
  EXPECT_LE(outside_all(p.form.cones, found, true), 1e-9 * found.norm());
}

// -Gx in K and q'x < 0: the objective falls for ever along x.
TEST_P(Solve, ProvesUnboundedness) {
  Planted p = planted(random_, 6, false, GetParam() % 2 == 1);
  const Vector ray = random_.vector(6);
  Vector s = Vector::Zero(p.s.size());
  Index first = 0;
  for (const Cone& cone : p.form.cones) {
    if (cone.kind != ConeKind::zero) s.segment(first, cone.rows) = interior_pair(cone, random_).s;
    first += cone.rows;
  }
  Matrix G = p.form.G;
  G -= (G * ray + s) * ray.transpose() / ray.squaredNorm();
  p.form.G = G.sparseView();
  p.form.h = G * p.x + p.s;
  p.form.q = random_.vector(6);
  p.form.q -= (1.0 + p.form.q.dot(ray)) / ray.squaredNorm() * ray;
  ConicForm scaled = p.form;
  const Equilibration scaling = equilibrate(scaled);
  HomogeneousInterior engine(scaled, LdlKind::automatic);
  EXPECT_TRUE(engine.run([&] { return engine.unboundedness_ratio() < 1e-8 || engine.steps() >= 60; }))
      << engine.failure();
  const Vector found = scaling.x(engine.ray_x());
  const double fall = -p.form.q.dot(found);
  ASSERT_GT(fall, 0.0);
  EXPECT_LE(outside_all(p.form.cones, -(p.form.G * found), false), 1e-6 * fall);
}

// A proof z with a matrix of rank one, unique up to its length, that gains 1e-6: found again from a z that is off by 1e-4
// and has no zeros. G'z = 0 is recomputed here.
TEST_P(Solve, FactorsFindANarrowProofOnTheBoundary) {
  constexpr Index kOrder = 4, kVariables = 12;
  constexpr double kGain = 1e-6;
  ConicForm form;
  form.cones = {
      {ConeKind::zero, 3, 0.5}, {ConeKind::nonnegative, 3, 0.5}, {ConeKind::semidefinite, svec_size(kOrder), 0.5}};
  const Index m = 6 + svec_size(kOrder);
  Vector factor = random_.vector(kOrder);
  factor[GetParam() % kOrder] = 0.0;
  factor.normalize();
  Vector proof(m);
  proof.head(3) = random_.vector(3);
  for (Index i = 3; i < 6; ++i) proof[i] = 0.5 + random_.uniform();
  proof.tail(svec_size(kOrder)) = svec(Matrix(factor * factor.transpose()));
  const double length = proof.squaredNorm();
  const Matrix any = random_.matrix(m, kVariables);
  form.G = Matrix(any - proof * (proof.transpose() * any) / length).sparseView();
  const Vector side = random_.vector(m);
  form.h = side - proof * ((side.dot(proof) + kGain) / length);
  form.q = Vector::Zero(kVariables);
  form.P.resize(kVariables, kVariables);
  Vector near = proof;
  for (double& value : near) value += 1e-4 * random_.normal();
  const std::optional<Vector> found = factored_ray(form, near, 1e-3);
  ASSERT_TRUE(found);
  EXPECT_LE((form.G.transpose() * *found).norm(), 1e-13 * found->norm());
  EXPECT_NEAR(form.h.dot(*found) / found->norm(), -kGain / std::sqrt(length), 1e-3 * kGain);
  EXPECT_LE(outside_all(form.cones, *found, true), 1e-14);
  form.h = -form.h;  // the same multipliers prove nothing then
  EXPECT_FALSE(factored_ray(form, near, 1e-3));
  EXPECT_FALSE(factored_ray(form, Vector::Zero(m), 1e-3));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Solve, ::testing::Range(0, 24));

TEST(ConicForm, RefusesWhatDoesNotFit) {
  ConicForm form;
  form.P = SparseMatrix(2, 2);
  form.G = SparseMatrix(3, 2);
  form.q = Vector::Zero(2);
  form.h = Vector::Zero(3);
  form.cones = {{ConeKind::second_order, 3, 0.5}};
  EXPECT_NO_THROW(validate(form));
  form.cones = {{ConeKind::second_order, 2, 0.5}};
  EXPECT_THROW(validate(form), InputError);
  form.cones = {{ConeKind::power, 3, 1.0}};
  EXPECT_THROW(validate(form), InputError);
  form.cones = {{ConeKind::semidefinite, 3, 0.5}};
  EXPECT_NO_THROW(validate(form));
  form.cones = {{ConeKind::semidefinite, 2, 0.5}, {ConeKind::nonnegative, 1, 0.5}};
  EXPECT_THROW(validate(form), InputError);
  form.cones = {{ConeKind::exponential, 3, 0.5}};
  form.q = Vector::Zero(3);
  EXPECT_THROW(validate(form), InputError);
}

}  // namespace
}  // namespace pliant::testing
