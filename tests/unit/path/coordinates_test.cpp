// Matrix variables in other coordinates: the same rows, and a change of variables that can be undone.
#include "constraints/rank_one.hpp"
#include "engines/path/variable_scaling.hpp"
#include "pliant/svec.hpp"
#include "rows/local_rows.hpp"

#include "support/symmetric.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace pliant {
namespace {

using testing::Random;

struct Points {
  Matrix q;  // order x m, the lifted entry included
  BatchPtr batch;
};

Points random_points(Random& random, Index m, Index d, bool lifted) {
  Matrix stored = random.matrix(d, m);
  for (Index j = 0; j < d; ++j) stored.row(j) *= random.log_uniform(0.1, 10.0);
  Points out;
  const Vector b = random.vector(m).cwiseAbs().array() + 0.5;
  if (lifted) {
    out.q.resize(d + 1, m);
    out.q << stored, Matrix::Ones(1, m);
    out.batch = rank_one_lifted_le(Tensor({m, d}, to_array(stored.reshaped())), to_array(b));
  } else {
    out.q = stored;
    out.batch = rank_one_le(Tensor({m, d}, to_array(stored.reshaped())), to_array(b));
  }
  return out;
}

TEST(RankOne, InOtherCoordinatesTheRowsAreTheSame) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index d = random.integer(1, 4), m = random.integer(1, 300);
    const Points points = random_points(random, m, d, seed % 2 == 0);
    const Index order = points.q.rows(), n = svec_size(order);
    const Matrix R = random.matrix(order, order);
    const auto scaled = dynamic_cast<const RankOneBatch&>(*points.batch).in_coordinates(R);
    ASSERT_EQ(scaled->size(), m);
    const Matrix Y = testing::symmetric_matrix(random, order);
    const Vector y = svec(Y), x = svec(Matrix(R.transpose() * Y * R)), dy = random.vector(n);
    const Rows all = Rows::range(0, m);
    Vector a(m), b(m), norms(m), smoothness(m), slopes(m);
    points.batch->values(x, all, a);
    scaled->values(y, all, b);
    const double size = 1.0 + a.norm();
    EXPECT_LE((a - b).norm(), 1e-11 * size);
    // Gradients are svec((Rq)(Rq)').
    Matrix J(n, m);
    for (Index i = 0; i < m; ++i) {
      const Vector z = R * points.q.col(i);
      J.col(i) = svec(Matrix(z * z.transpose()));
    }
    const double slope_size = 1.0 + J.norm();
    const Vector w = random.vector(m), outer = random.vector(m).cwiseAbs();
    Matrix gradients = Matrix::Zero(n, 1), H = Matrix::Zero(n, n);
    scaled->add_weighted_derivatives(y, all, w, Vector::Zero(m), outer, gradients, H);
    EXPECT_LE((gradients.col(0) - J * w).norm(), 1e-11 * slope_size * (1.0 + w.norm()));
    const Matrix expected = J * outer.asDiagonal() * J.transpose();
    EXPECT_LE((Matrix(H.selfadjointView<Eigen::Lower>()) - expected).norm(), 1e-11 * (1.0 + expected.norm()));
    scaled->slopes(y, dy, all, slopes);
    EXPECT_LE((slopes - J.transpose() * dy).norm(), 1e-11 * slope_size * (1.0 + dy.norm()));
    scaled->values_and_bounds(y, all, b, norms, smoothness);
    EXPECT_LE((norms - J.colwise().norm().transpose()).norm(), 1e-11 * slope_size);
    EXPECT_EQ(smoothness, Vector::Zero(m));
    LineModel line;
    scaled->prepare_line(y, dy, all, line);
    scaled->line_values(line, 0.3, b, slopes);
    Vector direct(m);
    scaled->values(y + 0.3 * dy, all, direct);
    EXPECT_LE((b - direct).norm(), 1e-11 * slope_size * (1.0 + dy.norm()));
  }
}

TEST(VariableScaling, IsABijectionAndStartsInside) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index d = random.integer(1, 4), m = random.integer(60, 200);
    const Points points = random_points(random, m, d, true);
    const Index order = d + 1;
    Problem problem(svec_size(order));
    problem.minimize(log_det(order));
    problem.subject_to(points.batch);
    ConstraintSystem system(problem);
    std::vector<Index> sample(static_cast<std::size_t>(m));
    std::iota(sample.begin(), sample.end(), Index{0});
    RowKnowledge known;
    LocalRows rows(problem, system, known, 1e-6);
    const auto scaling = VariableScaling::create(problem, rows, sample);
    ASSERT_NE(scaling, nullptr);
    const Vector y = svec(testing::definite_matrix(random, order));
    EXPECT_LE((scaling->to_scaled(scaling->to_original(y)) - y).norm(), 1e-9 * (1.0 + y.norm()));
    const Vector x = svec(testing::definite_matrix(random, order));
    EXPECT_LE((scaling->to_original(scaling->to_scaled(x)) - x).norm(), 1e-9 * (1.0 + x.norm()));
    // Values agree, the start is inside, and -log det differs by a constant.
    const Vector start = scaling->to_original(scaling->start());
    Vector a(m), scaled(m);
    system.values(start, a);
    rows.gather(sample)->selection().values(scaling->start(), scaled);
    EXPECT_LE((a - scaled).norm(), 1e-9 * (1.0 + a.norm()));
    EXPECT_LT(a.maxCoeff(), 0.0);
    EXPECT_TRUE(std::isfinite(problem.objective(start)));
    const double shift = problem.objective(start) - scaling->problem().objective(scaling->start());
    EXPECT_NEAR(problem.objective(scaling->to_original(y)) - scaling->problem().objective(y), shift,
                1e-9 * (1.0 + std::abs(shift)));
  }
}

TEST(VariableScaling, LeavesOtherProblemsAlone) {
  Random random(2);
  const Points points = random_points(random, 50, 2, true);
  const auto none = [](const Problem& problem) { return !VariableScaling::applies(problem); };
  Problem mixed(6);
  mixed.minimize(log_det(3));
  mixed.subject_to(points.batch);
  EXPECT_FALSE(none(mixed));
  mixed.subject_to(linear_le(DataMatrix::from(random.matrix(2, 6)), Doubles({1.0, 1.0})));
  EXPECT_TRUE(none(mixed));
  Problem boxed(6);
  boxed.minimize(log_det(3));
  boxed.subject_to(points.batch);
  boxed.regularize(nonnegative(6));
  EXPECT_TRUE(none(boxed));
  Problem linear_objective(6);
  linear_objective.minimize(linear(to_array(random.vector(6))));
  linear_objective.subject_to(points.batch);
  EXPECT_TRUE(none(linear_objective));
}

}  // namespace
}  // namespace pliant
