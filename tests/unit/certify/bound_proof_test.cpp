// Bounds that are called proved stay below F at points that are feasible in exact arithmetic, whatever the data, the
// point and the multipliers; and bounds say what they are worth.
#include "pliant/certificate.hpp"
#include "pliant/constraints.hpp"
#include "pliant/objectives.hpp"
#include "pliant/regularizers.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <Eigen/QR>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

// Small integers, so that every product and sum below is exact.
Vector integers(Random& random, Index n, Index size) {
  Vector v(n);
  for (double& t : v) t = static_cast<double>(random.integer(-size, size));
  return v;
}

// A problem with integer data and an integer point that is feasible exactly; F there is exact, too.
struct ExactProblem {
  Problem problem;
  Vector point;
  double value = 0.0;
};

ExactProblem exact_problem(Random& random, std::uint64_t kind) {
  const Index n = random.integer(1, 5), m = random.integer(1, 6);
  ExactProblem out{Problem(n), integers(random, n, 3)};
  const Vector c = integers(random, n, 5);
  out.value = c.dot(out.point);
  out.problem.minimize(linear(to_array(c)));
  if (kind % 2 == 0) {
    const Vector diagonal = integers(random, n, 4).cwiseAbs();
    out.problem.minimize(quadratic(DataMatrix::from(Matrix(diagonal.asDiagonal())), to_array(Vector::Zero(n))));
    out.value += 0.5 * diagonal.dot(out.point.cwiseAbs2());
  }
  switch (kind % 5) {
    case 0:
    case 1:
      out.problem.regularize(box(to_array(Vector::Constant(n, -4.0)), to_array(Vector::Constant(n, 4.0))));
      break;
    case 2:
      out.problem.regularize(ball(n, 16.0));
      break;
    case 3:
      out.point = out.point.cwiseAbs();
      out.point[0] = 16.0 - (out.point.sum() - out.point[0]);
      out.problem.regularize(simplex(n, 16.0));
      break;
    case 4:
      out.problem.regularize(elastic_net(n, 2.0, 1.0));
      out.value += 2.0 * out.point.lpNorm<1>() + 0.5 * out.point.squaredNorm();
      break;
  }
  if (kind % 5 == 3) {  // the point has changed
    out.value = c.dot(out.point);
    if (kind % 2 == 0) return exact_problem(random, kind + 1);
  }
  Matrix G(m, n);
  for (Index i = 0; i < m; ++i) G.row(i) = integers(random, n, 6);
  const Vector h = G * out.point + integers(random, m, 3).cwiseAbs();
  out.problem.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
  return out;
}

TEST(ProvedBound, StaysBelowExactlyFeasiblePointsForHostileMultipliersAndPoints) {
  int proved = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const ExactProblem p = exact_problem(random, seed);
    const Index n = p.point.size(), m = p.problem.constraints();
    Vector lambda(m);
    for (double& t : lambda) t = random.uniform() < 0.3 ? 0.0 : random.log_uniform(1e-3, 1e17);
    if (m >= 2 && seed % 3 == 0) lambda[1] = lambda[0];
    const Vector x = p.point + (seed % 2 == 0 ? 1.0 : random.log_uniform(1e-3, 1e12)) * random.vector(n);
    const Certificate c = certify(p.problem, x, {{lambda}, {}});
    ASSERT_FALSE(std::isnan(c.proof.value));
    if (c.proof.kind == BoundKind::estimate) continue;
    ++proved;
    ASSERT_LE(c.proof.value, p.value);
  }
  EXPECT_GT(proved, 1000);
}

TEST(ProvedBound, HugeMultipliersThatCancelProveNothing) {
  // min -x, x - y <= 0, y - x <= 0, x <= 10 in a box: -10, and lambda = (1e17, 1e17, 0) swallows the objective.
  Problem problem(2);
  problem.minimize(linear(Doubles({-1.0, 0.0})));
  problem.regularize(box(Doubles({-100.0, -100.0}), Doubles({100.0, 100.0})));
  problem.subject_to(
      linear_le(DataMatrix::dense(3, 2, Doubles({1.0, -1.0, -1.0, 1.0, 1.0, 0.0})), Doubles({0.0, 0.0, 10.0})));
  const Certificate c = certify(problem, Vector::Zero(2), {{Vector{{1e17, 1e17, 0.0}}}, {}});
  EXPECT_LE(c.proof.value, -10.0);
  EXPECT_FALSE(c.satisfies(Settings{}));
  // The right ones prove what there is to prove.
  const Certificate good = certify(problem, Vector::Constant(2, 10.0), {{Vector{{0.0, 0.0, 1.0}}}, {}});
  EXPECT_EQ(good.lower_bound_kind, BoundKind::proved);
  EXPECT_LE(good.lower_bound, -10.0);
  EXPECT_NEAR(good.lower_bound, -10.0, 1e-10);
}

TEST(BoundKind, IsWhatTheFamiliesAllow) {
  const auto solve_with = [](BatchPtr batch, ProxPtr prox) {
    Problem problem(2);
    problem.minimize(linear(Doubles({-1.0, -1.0})));
    if (prox) problem.regularize(std::move(prox));
    problem.subject_to(std::move(batch));
    return solve(problem).certificate;
  };
  const auto rows = [] {
    return linear_le(DataMatrix::dense(3, 2, Doubles({1.0, 0.0, 0.0, 1.0, 1.0, 1.0})), Doubles({1.0, 1.0, 1.5}));
  };
  const auto unit_box = [] { return box(Doubles({-9.0, -9.0}), Doubles({9.0, 9.0})); };
  EXPECT_EQ(solve_with(rows(), unit_box()).lower_bound_kind, BoundKind::proved);
  EXPECT_EQ(solve_with(rows(), nullptr).lower_bound_kind, BoundKind::proved);  // by multipliers made exact
  const auto disc = quadratic_diagonal_le(Tensor({1, 2}, Doubles({1.0, 1.0})), Tensor({1, 2}, Doubles({0.0, 0.0})),
                                          Doubles(std::vector<double>{-1.0}));
  EXPECT_EQ(solve_with(disc, nullptr).lower_bound_kind, BoundKind::estimate);
  CallbackFunctions functions;
  functions.values = [](ConstVectorRef x, Rows r, VectorRef a) {
    a.head(r.size()).setConstant(0.5 * x.squaredNorm() - 1.0);
  };
  functions.jacobian = [](ConstVectorRef x, Rows r, MatrixRef J) {
    for (Index k = 0; k < r.size(); ++k) J.row(k) = x.transpose();
  };
  functions.hessian = [](ConstVectorRef, ConstVectorRef w, Rows, MatrixRef H) { H = w.sum() * Matrix::Identity(2, 2); };
  const Certificate c = solve_with(callback_le(1, 2, functions), unit_box());
  EXPECT_EQ(c.lower_bound_kind, BoundKind::proved_if_convex);
  EXPECT_FALSE(c.lower_bound_rigorous());
  EXPECT_EQ(to_string(BoundKind::proved_if_convex), "proved_if_convex");
}

Matrix rotation(Random& random, Index n) {
  return Eigen::HouseholderQR<Matrix>(random.matrix(n, n)).householderQ() * Matrix::Identity(n, n);
}

TEST(Convexity, HiddenNegativeCurvatureIsAnInputError) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 8);
    Vector eigenvalues = Vector::Constant(n, 1e6);
    eigenvalues[0] = -5e-5 * random.log_uniform(1.0, 1e4);
    for (const Matrix& Q : {Matrix(Matrix::Identity(n, n)), rotation(random, n)}) {
      Matrix P = Q * eigenvalues.asDiagonal() * Q.transpose();
      P = (0.5 * (P + P.transpose())).eval();
      EXPECT_THROW(quadratic(DataMatrix::from(P), to_array(Vector::Zero(n)))->validate(), InputError);
      const std::vector<double> numbers(P.data(), P.data() + P.size());
      EXPECT_THROW(
          quadratic_le(Tensor({1, n, n}, Doubles(numbers)), Tensor({1, n}, to_array(Vector::Zero(n))), Doubles({-1.0}))
              ->validate(),
          InputError);
    }
  }
}

TEST(Convexity, ANegativeDiagonalEntryIsRefusedAtAnySizeOfTheMatrix) {
  const Index n = 12000;
  std::vector<Index> starts, columns;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    starts.push_back(static_cast<Index>(columns.size()));
    columns.push_back(i);
    values.push_back(i == 0 ? -1.0 : 1.0);
  }
  starts.push_back(n);
  const DataMatrix P = DataMatrix::csr(n, n, Indices(starts), Indices(columns), Doubles(values));
  EXPECT_THROW(quadratic(P, to_array(Vector::Zero(n)))->validate(), InputError);
  Matrix tiny = Matrix::Identity(3, 3);
  tiny(1, 1) = -1e-300;
  EXPECT_THROW(quadratic(DataMatrix::from(tiny), to_array(Vector::Zero(3)))->validate(), InputError);
  tiny(1, 1) = 0.0;
  EXPECT_NO_THROW(quadratic(DataMatrix::from(tiny), to_array(Vector::Zero(3)))->validate());
}

// B'B computed in doubles lacks a little of being semidefinite: accepted, and what it lacks is charged over the box.
TEST(Convexity, ComputedProductsAreAcceptedAndChargedForTheirDefect) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(4, 20), rank = random.integer(1, n - 2);
    const Matrix B = random.matrix(rank, n);
    Matrix P = B.transpose() * B;
    P = (0.5 * (P + P.transpose())).eval();
    const double half = random.log_uniform(1.0, 1e6);
    const auto make = [&](bool boxed) {
      Problem problem(n);
      problem.minimize(quadratic(DataMatrix::from(P), to_array(Vector::Zero(n))));
      if (boxed) problem.regularize(box(to_array(Vector::Constant(n, -half)), to_array(Vector::Constant(n, half))));
      return problem;
    };
    EXPECT_NO_THROW(make(true).validate());
    const Certificate c = certify(make(true), Vector::Zero(n));
    ASSERT_EQ(c.proof.kind, BoundKind::proved);
    EXPECT_LT(c.proof.value, 0.0);
    EXPECT_GT(c.proof.value, -1e-9 * half * half * static_cast<double>(n) * P.trace());
    EXPECT_NE(certify(make(false), Vector::Zero(n)).proof.kind, BoundKind::proved);
  }
}

TEST(HugeBox, IsJudgedAsNoBox) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 6), m = 8 * n;
    const Matrix G = random.matrix(m, n);
    const double half = random.log_uniform(1e8, 1e14);
    Problem problem(n);
    problem.minimize(linear(to_array(Vector(G.transpose() * -Vector::Ones(m)))));  // bounded: multipliers 1 exist
    problem.regularize(box(to_array(Vector::Constant(n, -half)), to_array(Vector::Constant(n, half))));
    problem.subject_to(linear_le(DataMatrix::from(G), to_array(Vector::Ones(m))));
    const Result r = solve(problem);
    EXPECT_EQ(r.status, Status::optimal) << r.message << " box " << half;
    EXPECT_LE(r.certificate.proof.value, r.certificate.objective + 1e-9 * (1.0 + std::abs(r.certificate.objective)));
  }
  // A box that is close enough to prove the gap is used for that.
  Problem near(1);
  near.minimize(linear(Doubles({1.0})));
  near.regularize(box(Doubles({-3.0}), Doubles({1e12})));
  EXPECT_EQ(solve(near).certificate.lower_bound_kind, BoundKind::proved);
}

TEST(Feasibility, NoConstantExcusesAnotherRow) {
  Problem problem(2);
  problem.minimize(quadratic(DataMatrix::dense(2, 2, Doubles({1.0, 0.0, 0.0, 1.0})), Doubles({-5.0, 0.0})));
  problem.subject_to(linear_le(DataMatrix::dense(2, 2, Doubles({1.0, 0.0, 0.0, 1.0})), Doubles({0.0, 1e7})));
  const Certificate c = certify(problem, Vector{{5.0, 0.0}}, {{Vector::Zero(2)}, {}});
  EXPECT_DOUBLE_EQ(c.violation_rel(), 5.0);
  EXPECT_FALSE(c.satisfies(Settings{}));
  const Result r = solve(problem);
  ASSERT_EQ(r.status, Status::optimal);
  EXPECT_LE(r.x[0], 1e-6);
  // Both sides of the tolerance of a row with a large constant of its own.
  Settings settings;
  settings.tol_gap = kInfinity;
  EXPECT_TRUE(certify(problem, Vector{{-1.0, 1e7 + 9.0}}).satisfies(settings));
  EXPECT_FALSE(certify(problem, Vector{{-1.0, 1e7 + 11.0}}).satisfies(settings));
}

}  // namespace
}  // namespace pliant
