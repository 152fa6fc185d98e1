// The certificate of conic problems, recomputed from raw data: violation, bound, residual and proofs.
#include "pliant/certificate.hpp"
#include "pliant/infeasibility.hpp"
#include "pliant/io.hpp"
#include "pliant/svec.hpp"
#include "support/cone_samples.hpp"

#include <gtest/gtest.h>
#include <Eigen/QR>

namespace pliant::testing {
namespace {

struct RawConic {
  Matrix G;
  Vector h;
  std::vector<Cone> cones;
  Index rows() const { return h.size(); }
  ConicConstraint constraint() const { return {DataMatrix::from(G), to_array(h), cones}; }
};

// A product of a few cones with random rows; `slack` is h - G at 0 and becomes h.
RawConic random_conic(Random& random, Index n) {
  RawConic out;
  const std::vector<Cone> zoo = cone_zoo();
  std::vector<double> h;
  for (Index k = random.integer(1, 4); k > 0; --k) {
    out.cones.push_back(zoo[static_cast<std::size_t>(random.integer(0, static_cast<Index>(zoo.size()) - 1))]);
    const Vector s = point_of_cone(random, out.cones.back());
    h.insert(h.end(), s.begin(), s.end());
  }
  out.h = Eigen::Map<const Vector>(h.data(), static_cast<Index>(h.size()));
  out.G = random.matrix(out.h.size(), n);
  return out;
}

// The violation of every cone by bisection on membership.
double raw_violation(const RawConic& raw, const Vector& x) {
  const Vector s = raw.h - raw.G * x;
  double worst = 0.0;
  Index begin = 0;
  for (const Cone& cone : raw.cones) {
    const Vector part = s.segment(begin, cone.rows);
    begin += cone.rows;
    const Vector e = interior_direction(cone);
    if (in_cone(cone, part, 0.0)) continue;
    double out = 0.0, in = 1.0;
    while (!in_cone(cone, part + in * e, 0.0)) in *= 2.0;
    for (int k = 0; k < 100; ++k) {
      const double middle = 0.5 * (out + in);
      (in_cone(cone, part + middle * e, 0.0) ? in : out) = middle;
    }
    worst = std::max(worst, in);
  }
  return worst;
}

double worth_at_zero(const Cone& cone, const Vector& s, const Vector& z) {
  Problem problem(1);
  problem.minimize(linear({0.0}));
  problem.regularize(box({-1.0}, {1.0}));
  problem.subject_to(conic(DataMatrix::from(Matrix(Matrix::Zero(s.size(), 1))), to_array(s), {cone}));
  Multipliers multipliers = zero_multipliers(problem);
  multipliers.cones = {z};
  return certify(problem, Vector::Zero(1), multipliers).violation_worth;
}

// s and z with one frame: their eigenvalues pair off. Matrices of both kinds of decomposition, small and larger ones.
TEST(ConicCertificate, AViolationIsWorthWhatItsEigenvaluesAre) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(300 + seed);
    double expected = 0.0, size = 0.0;
    const auto pair = [&](double eigenvalue, double multiplier) {
      expected += multiplier * std::max(0.0, -eigenvalue);
      size += multiplier * std::abs(eigenvalue);
    };
    if (seed % 2 == 0) {
      const Index rows = random.integer(2, 6);
      const Vector u = random.vector(rows - 1).normalized();
      const Vector values = random.vector(2), weights = random.vector(2).cwiseAbs();
      Vector s(rows), z(rows);
      s << 0.5 * values.sum(),
          0.5 * (values[0] - values[1]) * u;  // eigenvalues s_0 + |s_1..| along (1, u), and the other
      z << weights.sum(), (weights[0] - weights[1]) * u;
      for (Index j = 0; j < 2; ++j) pair(values[j], weights[j]);
      EXPECT_NEAR(worth_at_zero({ConeKind::second_order, rows}, s, z), expected, 1e-12 * (1.0 + size));
      continue;
    }
    const Index order = random.integer(1, 22);
    const Matrix Q = Eigen::HouseholderQR<Matrix>(random.matrix(order, order)).householderQ();
    const Vector values = random.vector(order), weights = random.vector(order).cwiseAbs();
    for (Index j = 0; j < order; ++j) pair(values[j], weights[j]);
    const Vector s = svec(Q * values.asDiagonal() * Q.transpose()), z = svec(Q * weights.asDiagonal() * Q.transpose());
    EXPECT_NEAR(worth_at_zero({ConeKind::semidefinite, svec_size(order)}, s, z), expected, 1e-11 * (1.0 + size));
  }
}

// s + v in K for the v that counts, and no more of it than the distance of s says.
TEST(ConicCertificate, AViolationIsWorthNoLessThanItsProduct) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(400 + seed);
    const std::vector<Cone> zoo = cone_zoo();
    const Cone cone = zoo[static_cast<std::size_t>(random.integer(0, static_cast<Index>(zoo.size()) - 1))];
    if (cone.kind == ConeKind::zero || cone.kind == ConeKind::exponential || cone.kind == ConeKind::power) continue;
    const Vector s = random.vector(cone.rows), z = point_of_cone(random, cone);  // cones that are their own duals
    const double worth = worth_at_zero(cone, s, z), rounding = 1e-12 * (1.0 + s.norm() * z.norm());
    EXPECT_GE(worth, std::max(0.0, -z.dot(s)) - rounding);
    EXPECT_LE(worth, raw_violation({Matrix::Zero(cone.rows, 1), s, {cone}}, Vector::Zero(1)) *
                             interior_direction(cone).dot(z) +
                         rounding);
  }
}

// x = 0 is feasible by construction, so F(0) bounds every lower bound from above, whatever the multipliers.
TEST(ConicCertificate, BoundHoldsForAnyMultipliers) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(100 + seed);
    const Index n = random.integer(1, 5);
    const RawConic raw = random_conic(random, n);
    const Vector c = random.vector(n);
    Problem problem(n);
    problem.minimize(linear(to_array(c)));
    problem.regularize(box(to_array(Vector::Constant(n, -2.0)), to_array(Vector::Constant(n, 3.0))));
    problem.subject_to(raw.constraint(), "cones");
    problem.validate();
    Multipliers multipliers = zero_multipliers(problem);
    ASSERT_EQ(multipliers.cones.size(), 1u);
    multipliers.cones[0] = random.log_uniform(1e-2, 1e2) * random.vector(raw.rows());
    const Vector x = random.vector(n);
    const Certificate certificate = certify(problem, x, multipliers);
    EXPECT_TRUE(certificate.lower_bound_rigorous());
    EXPECT_LE(certificate.lower_bound, 1e-9 * (1.0 + std::abs(certificate.lower_bound)));
    EXPECT_DOUBLE_EQ(certificate.objective, problem.objective(x));
    const double violation = raw_violation(raw, x);
    EXPECT_NEAR(certificate.violation_linf, violation, 1e-8 * (1.0 + raw.h.norm() + raw.G.norm() * x.norm()));
    EXPECT_DOUBLE_EQ(certificate.constant_scale, raw.h.lpNorm<Eigen::Infinity>());
  }
}

// With z in K* the bound is the Lagrangian's minimum over the box, spelt out.
TEST(ConicCertificate, LagrangianFromRawData) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(200 + seed);
    const Index n = 3;
    RawConic raw;
    raw.cones = {{ConeKind::semidefinite, 6}, {ConeKind::zero, 2}, {ConeKind::second_order, 3}};
    raw.G = random.matrix(11, n);
    raw.h = random.vector(11);
    Vector z(11);
    z << point_of_cone(random, raw.cones[0]), random.vector(2), point_of_cone(random, raw.cones[2]);
    const Vector c = random.vector(n), x = random.vector(n).cwiseMax(-1.0).cwiseMin(1.0);
    Problem problem(n);
    problem.minimize(linear(to_array(c)));
    problem.regularize(box(to_array(Vector::Constant(n, -1.0)), to_array(Vector::Constant(n, 1.0))));
    problem.subject_to(raw.constraint());
    Multipliers multipliers = zero_multipliers(problem);
    multipliers.cones[0] = z;
    const Certificate certificate = certify(problem, x, multipliers);
    const Vector gradient = c + raw.G.transpose() * z;
    const double expected = -gradient.lpNorm<1>() - z.dot(raw.h);
    EXPECT_NEAR(certificate.lower_bound, expected, 1e-10 * (1.0 + std::abs(expected)));
    const Vector s = raw.h - raw.G * x;
    EXPECT_NEAR(certificate.equality_residual, s.segment(6, 2).lpNorm<Eigen::Infinity>(), 1e-12);
    const double distance = std::max({0.0, -psd_least_eigenvalue(s.head(6)), s.tail(2).norm() - s[8]});
    EXPECT_NEAR(certificate.violation_linf, distance, 1e-12 * (1.0 + s.norm()));
  }
}

// G'z = 0 and h'z < 0 with z in K*: nothing is feasible. The other sign proves nothing.
TEST(ConicCertificate, ProofOfInfeasibility) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(300 + seed);
    const Index n = 3;
    RawConic raw;
    raw.cones = {{ConeKind::nonnegative, 2}, {ConeKind::semidefinite, 6}, {ConeKind::second_order, 4}};
    Vector z(12);
    z << Vector::Constant(2, 0.5), plain_svec(definite_matrix(random, 3)), 2.0, 0.5, 0.5, 0.5;
    raw.G = random.matrix(12, n);
    raw.G -= z * (z.transpose() * raw.G) / z.squaredNorm();
    raw.h = random.vector(12);
    const double excess = random.log_uniform(1e-3, 10.0);
    raw.h -= z * ((z.dot(raw.h) + excess) / z.squaredNorm());
    const auto prove = [&](const Vector& h, const Vector& multiplier) {
      Problem problem(n);
      problem.minimize(linear(to_array(Vector::Ones(n))));
      problem.subject_to(ConicConstraint{DataMatrix::from(raw.G), to_array(h), raw.cones});
      Multipliers multipliers = zero_multipliers(problem);
      multipliers.cones[0] = multiplier;
      return prove_infeasible(problem, Vector::Zero(n), multipliers);
    };
    const InfeasibilityProof proof = prove(raw.h, z);
    EXPECT_TRUE(proof.holds);
    EXPECT_GT(proof.radius, 1e7);
    EXPECT_FALSE(prove(raw.h + (2.0 * excess / z.squaredNorm()) * z, z).holds);
    EXPECT_FALSE(prove(raw.h, -z).holds);
    EXPECT_FALSE(prove(raw.h, Vector::Constant(12, std::nan(""))).holds);
    Vector off = z;
    off[0] += 0.01;  // G'z != 0
    EXPECT_FALSE(prove(raw.h, off).holds);
  }
}

// -Gd inside K and c'd < 0.
TEST(ConicCertificate, ProofOfUnboundedness) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(400 + seed);
    const Index n = 4;
    const RawConic made = random_conic(random, n);
    RawConic raw = made;
    const Vector d = random.vector(n);
    Vector inside(raw.rows());
    Index begin = 0;
    for (const Cone& cone : raw.cones) {
      inside.segment(begin, cone.rows) = point_of_cone(random, cone) + 0.1 * interior_direction(cone);
      begin += cone.rows;
    }
    raw.G -= (raw.G * d + inside) * d.transpose() / d.squaredNorm();
    const auto prove = [&](const Vector& c, const Vector& ray) {
      Problem problem(n);
      problem.minimize(linear(to_array(c)));
      problem.subject_to(raw.constraint());
      return prove_unbounded(problem, Vector::Zero(n), ray);
    };
    Vector c = random.vector(n);
    if (c.dot(d) > 0.0) c = -c;
    const UnboundednessProof proof = prove(c, d);
    EXPECT_TRUE(proof.holds);
    EXPECT_LE(proof.violation, 1e-9);
    EXPECT_FALSE(prove(-c, d).holds);
    EXPECT_FALSE(prove(c, -d).holds);
  }
}

}  // namespace
}  // namespace pliant::testing
