// Prices on cones, judged from the raw numbers in more digits: the value of the point, and the dual value that its
// multipliers give, which is closed where the objective is a distance.
#include "pliant/solve.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Random;
using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using WideMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

constexpr double kTolerance = 1e-7;

Wide wide(const Vector& v) { return v.cast<long double>(); }

// |x - p|^2/2
TermPtr distance_to(const Vector& p) {
  return quadratic(DataMatrix::from(Matrix(Matrix::Identity(p.size(), p.size()))), to_array(-p));
}

struct Judged {
  long double value = 0.0L;     // of the prices
  long double constant = 0.0L;  // z'(G0 - h)
  Wide slope;                   // G'z
};

// Cones |A_i x + b_i| <= c_i'x + d_i.
struct SecondOrder {
  Index m, k, n;
  std::vector<double> A, b, c, d;
  Vector w;

  SecondOrder(Random& random, Index cones, Index rows, Index variables, bool norms_alone)
      : m(cones), k(rows), n(variables), w(cones) {
    for (Index i = 0; i < m * k * n; ++i) A.push_back(random.normal());
    for (Index i = 0; i < m * k; ++i) b.push_back(random.normal());
    for (Index i = 0; i < m * n; ++i) c.push_back(norms_alone ? 0.0 : 0.3 * random.normal());
    for (Index i = 0; i < m; ++i) d.push_back(norms_alone ? 0.0 : random.normal());
    for (double& v : w) v = std::exp2(static_cast<double>(random.integer(-3, 2)));
  }
  ConicConstraint cones() const { return soc_le(Tensor({m, k, n}, A), Tensor({m, k}, b), Tensor({m, n}, c), d); }
  Wide norm_argument(Index i, const Wide& x) const {
    Wide u(k);
    for (Index r = 0; r < k; ++r) {
      u[r] = b[static_cast<std::size_t>(i * k + r)];
      for (Index j = 0; j < n; ++j)
        u[r] += static_cast<long double>(A[static_cast<std::size_t>((i * k + r) * n + j)]) * x[j];
    }
    return u;
  }
  // The multipliers are those of -s + |u| and -s - |u|: (t, v) = (l0 + l1, (l0 - l1) u/|u|) times (-s, u).
  Judged judge(const Wide& x, const Vector& lambda) const {
    Judged out{0.0L, 0.0L, Wide::Zero(n)};
    for (Index i = 0; i < m; ++i) {
      const Wide u = norm_argument(i, x), offset = norm_argument(i, Wide::Zero(n));
      long double s = d[static_cast<std::size_t>(i)];
      for (Index j = 0; j < n; ++j) s += static_cast<long double>(c[static_cast<std::size_t>(i * n + j)]) * x[j];
      const long double norm = u.norm(), w_i = w[i];
      out.value += w_i * (std::max(0.0L, norm - s) + std::max(0.0L, -norm - s));
      const long double t = static_cast<long double>(lambda[2 * i]) + lambda[2 * i + 1];
      const Wide v = (static_cast<long double>(lambda[2 * i]) - lambda[2 * i + 1]) / norm * u;
      out.constant += v.dot(offset) - t * d[static_cast<std::size_t>(i)];
      for (Index j = 0; j < n; ++j) {
        out.slope[j] -= t * c[static_cast<std::size_t>(i * n + j)];
        for (Index r = 0; r < k; ++r) out.slope[j] += v[r] * A[static_cast<std::size_t>((i * k + r) * n + j)];
      }
    }
    return out;
  }
};

// Matrices F0_i + sum_j x_j F_ij of order k that should be negative semidefinite.
struct Semidefinite {
  Index m, k, n;
  std::vector<double> F0, F;
  Vector w;

  Semidefinite(Random& random, Index cones, Index order, Index variables) : m(cones), k(order), n(variables), w(cones) {
    const auto append = [&](std::vector<double>& to) {
      Matrix M = random.matrix(k, k);
      M = (0.5 * (M + M.transpose())).eval();
      to.insert(to.end(), M.reshaped().begin(), M.reshaped().end());
    };
    for (Index i = 0; i < m; ++i) append(F0);
    for (Index i = 0; i < m * n; ++i) append(F);
    for (double& v : w) v = std::exp2(static_cast<double>(random.integer(-3, 2)));
  }
  ConicConstraint cones() const { return lmi_le(Tensor({m, k, k}, F0), Tensor({m, n, k, k}, F)); }
  WideMatrix at(const std::vector<double>& all, Index which) const {
    return Eigen::Map<const Matrix>(all.data() + which * k * k, k, k).cast<long double>();
  }
  Judged judge(const Wide& x, const Vector& lambda) const {
    Judged out{0.0L, 0.0L, Wide::Zero(n)};
    for (Index i = 0; i < m; ++i) {
      WideMatrix M = at(F0, i);
      for (Index j = 0; j < n; ++j) M += x[j] * at(F, i * n + j);
      const Eigen::SelfAdjointEigenSolver<WideMatrix> eigen(M);
      WideMatrix Z = WideMatrix::Zero(k, k);
      for (Index j = 0; j < k; ++j) {  // the solver's are ascending
        const Wide v = eigen.eigenvectors().col(k - 1 - j);
        out.value += static_cast<long double>(w[i]) * std::max(0.0L, eigen.eigenvalues()[k - 1 - j]);
        Z += static_cast<long double>(lambda[i * k + j]) * v * v.transpose();
      }
      out.constant += (Z.cwiseProduct(at(F0, i))).sum();
      for (Index j = 0; j < n; ++j) out.slope[j] += Z.cwiseProduct(at(F, i * n + j)).sum();
    }
    return out;
  }
};

// The point is as good as its certificate says, its multipliers lie within the prices, and the bound is one.
template <class Cones>
void expect_solved(const Cones& cones, const Vector& p, Method method) {
  Problem problem(p.size());
  problem.minimize(distance_to(p));
  problem.minimize(positive_part(cones.cones(), to_array(cones.w)));
  Settings settings;
  settings.method = method;
  settings.tol_feas = settings.tol_gap = kTolerance;
  const Result result = solve(problem, settings);
  ASSERT_EQ(result.status, Status::optimal) << result.message;
  const Vector& lambda = result.multipliers.lambda.front();
  const Index rank = lambda.size() / cones.w.size();
  for (Index i = 0; i < lambda.size(); ++i) {
    EXPECT_GE(lambda[i], 0.0);
    EXPECT_LE(lambda[i], cones.w[i / rank]);
  }
  const Wide x = wide(result.x), target = wide(p);
  const Judged at = cones.judge(x, lambda);
  // min_y |y - p|^2/2 + slope'y + constant
  const long double dual = at.slope.dot(target) - 0.5L * at.slope.squaredNorm() + at.constant;
  const long double value = 0.5L * (x - target).squaredNorm() + at.value;
  const long double shift = 0.5L * target.squaredNorm();  // the term is without |p|^2/2
  const long double size = 1.0L + std::abs(value - shift);
  EXPECT_LE(std::abs(result.certificate.objective - (value - shift)), 1e-12L * size);
  EXPECT_LE(value - dual, kTolerance * size);
  EXPECT_LE(result.certificate.lower_bound, value - shift + 1e-15L * size);
  EXPECT_TRUE(result.certificate.lower_bound_rigorous());
  EXPECT_TRUE(certify(problem, result.x, result.multipliers).satisfies(settings));
}

TEST(SoftCones, SecondOrderOnesAreSolvedToTheirDualValue) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 6);
    const SecondOrder cones(random, random.integer(3, 30), random.integer(1, 4), n, seed % 4 == 0);
    expect_solved(cones, 2.0 * random.vector(n), Method::automatic);
  }
}

TEST(SoftCones, SemidefiniteOnesAreSolvedToTheirDualValue) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 100);
    const Index n = random.integer(2, 5);
    const Semidefinite cones(random, random.integer(2, 12), random.integer(2, 4), n);
    expect_solved(cones, 2.0 * random.vector(n), Method::automatic);
  }
}

// p is where two of the norms are 0, and their prices keep it there: the multiplier of a norm at its kink is any vector
// no longer than the price.
TEST(SoftCones, ANormStaysAtItsKink) {
  Random random(5);
  const Index n = 4;
  SecondOrder norms(random, 3, n, n, true);
  const Vector kink = random.vector(n);
  for (Index r = 0; r < n; ++r) {  // cone 0: |x - kink|
    for (Index j = 0; j < n; ++j) norms.A[static_cast<std::size_t>(r * n + j)] = r == j ? 1.0 : 0.0;
    norms.b[static_cast<std::size_t>(r)] = -kink[r];
  }
  norms.w << 1e3, 0.5, 0.25;
  Problem problem(n);
  problem.minimize(distance_to(kink + random.vector(n)));
  problem.minimize(positive_part(norms.cones(), to_array(norms.w)));
  const Result result = solve(problem);
  ASSERT_EQ(result.status, Status::optimal) << result.message;
  EXPECT_LE((result.x - kink).norm(), 1e-8);
}

// Solutions at apexes and in corners: norms of few variables beside a linear objective, over a box that is part of the
// domain. The multipliers of an apex are told by the frame of a point that is no farther from it than the accuracy.
TEST(SoftCones, LinearObjectivesEndAtApexes) {
  constexpr double kAtApexes = 1e-6;  // at an apex the gap and what rounding leaves of frames balance at about 1e-8
  int apexes = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 200);
    const Index n = random.integer(1, 8);
    const SecondOrder norms(random, random.integer(1, 4), random.integer(1, 4), n, true);
    const Vector c = random.vector(n);
    Problem problem(n);
    problem.minimize(linear(to_array(c)));
    problem.minimize(positive_part(norms.cones(), to_array(norms.w)));
    problem.regularize(box(to_array(Vector::Constant(n, -2.0)), to_array(Vector::Constant(n, 2.0))));
    Settings settings;
    settings.method = Method::path;
    settings.tol_feas = settings.tol_gap = kAtApexes;
    const Result result = solve(problem, settings);
    ASSERT_EQ(result.status, Status::optimal) << result.message;
    ASSERT_LE(result.x.lpNorm<Eigen::Infinity>(), 2.0);
    const Wide x = wide(result.x);
    const Judged at = norms.judge(x, result.multipliers.lambda.front());
    const long double value = wide(c).dot(x) + at.value;
    const long double dual = at.constant - 2.0L * (wide(c) + at.slope).lpNorm<1>();
    // Twice: frames in more digits are others, by rounding over the distance from the apex.
    EXPECT_LE(value - dual, 2.0L * kAtApexes * (1.0L + std::abs(value)));
    EXPECT_LE(result.certificate.lower_bound, value);
    for (Index i = 0; i < norms.m; ++i) apexes += norms.norm_argument(i, x).norm() < 1e-5L ? 1 : 0;
  }
  EXPECT_GT(apexes, 30);  // the others prove little
}

// Dual points of hard cones are not those of soft ones.
TEST(SoftCones, HardConesBesideThemAreJudgedApart) {
  Random random(6);
  const Index n = 4;
  const SecondOrder cones(random, 10, 3, n, false);
  const Vector p = 2.0 * random.vector(n);
  Problem alone(n);
  alone.minimize(distance_to(p));
  alone.minimize(positive_part(cones.cones(), to_array(cones.w)));
  const Result result = solve(alone);
  ASSERT_EQ(result.status, Status::optimal) << result.message;

  // |x| <= 100, twice: nothing comes near it.
  Problem beside = alone;
  const Matrix eye = Matrix::Identity(n, n);
  for (int k = 0; k < 2; ++k) {
    beside.subject_to(soc_le(Tensor({1, n, n}, to_array(Vector(eye.reshaped()))),
                             Tensor({1, n}, to_array(Vector(Vector::Zero(n)))),
                             Tensor({1, n}, to_array(Vector(Vector::Zero(n)))), {100.0}));
  }
  Multipliers multipliers = result.multipliers;
  for (const double size : {0.0, 1e-9}) {
    multipliers.cones.assign(2, size * Vector::Unit(n + 1, 0));
    const Certificate found = certify(beside, result.x, multipliers);
    EXPECT_EQ(found.lower_bound_kind, BoundKind::proved);
    EXPECT_EQ(found.objective, result.certificate.objective);
    EXPECT_NEAR(found.lower_bound, result.certificate.lower_bound - 200.0 * size,
                1e-12 * (1.0 + std::abs(found.lower_bound)));
  }
}

// A scale for each cone, however many there are: tolerances count in blocks that are no whole cones.
TEST(SoftCones, ManyOfOddRank) {
  Random random(8);
  const Semidefinite cones(random, 300, 3, 3);
  expect_solved(cones, 2.0 * random.vector(3), Method::automatic);
}

TEST(SoftCones, WrongOnesAreRefused) {
  Random random(3);
  const SecondOrder cones(random, 3, 2, 2, false);
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([&] { positive_part(cones.cones(), {1.0}); }), HasSubstr("weights: expected 3 entries, got 1"));
  ConicConstraint mixed = cones.cones();
  mixed.cones = {{ConeKind::second_order, 3}, {ConeKind::nonnegative, 6}};
  EXPECT_THAT(message([&] { positive_part(mixed); }), HasSubstr("expected one shape"));
  mixed.cones = {{ConeKind::exponential, 3}, {ConeKind::exponential, 3}, {ConeKind::exponential, 3}};
  EXPECT_THAT(message([&] { positive_part(mixed); }), HasSubstr("expected soc or psd, got exp"));
}

}  // namespace
}  // namespace pliant
