// What the path engine makes of a problem: coordinate rows, equalities and quadratic data.
#include "engines/path/path_model.hpp"

#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace pliant {
namespace {

using testing::Random;

// The rows (sign_k e_j, offset_k) in the order they are documented: upper bounds, lower bounds, +x, -x.
struct DenseRows {
  Matrix G;
  Vector h;
  Index bounds = 0;
};

DenseRows dense_rows(Index n, const Vector& lo, const Vector& hi, double l1_weight) {
  std::vector<std::pair<Vector, double>> rows;
  for (Index j = 0; j < n && hi.size() > 0; ++j) {
    if (hi[j] < kInfinity) rows.emplace_back(Vector::Unit(n, j), hi[j]);
  }
  for (Index j = 0; j < n && lo.size() > 0; ++j) {
    if (lo[j] > -kInfinity) rows.emplace_back(-Vector::Unit(n, j), -lo[j]);
  }
  DenseRows out;
  out.bounds = static_cast<Index>(rows.size());
  for (const double sign : {1.0, -1.0}) {
    for (Index j = 0; j < n && l1_weight > 0.0; ++j) rows.emplace_back(sign * Vector::Unit(n, j), 0.0);
  }
  out.G.resize(static_cast<Index>(rows.size()), n);
  out.h.resize(out.G.rows());
  for (Index k = 0; k < out.G.rows(); ++k) {
    out.G.row(k) = rows[static_cast<std::size_t>(k)].first;
    out.h[k] = rows[static_cast<std::size_t>(k)].second;
  }
  return out;
}

TEST(CoordinateRows, AgreeWithADenseMatrix) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 9);
    Vector lo = -random.vector(n).cwiseAbs(), hi = random.vector(n).cwiseAbs();
    for (Index j = 0; j < n; ++j) {
      if (random.uniform() < 0.4) lo[j] = -kInfinity;
      if (random.uniform() < 0.4) hi[j] = kInfinity;
    }
    const bool boxed = seed % 3 != 0;
    SeparableParameters psi;
    psi.l1 = seed % 2 == 0 ? 0.7 : 0.0;
    if (boxed) {
      psi.lo = to_array(lo);
      psi.hi = to_array(hi);
    }
    const DenseRows dense = dense_rows(n, boxed ? lo : Vector(), boxed ? hi : Vector(), psi.l1);
    const CoordinateRows rows(psi, n);
    ASSERT_EQ(rows.size(), dense.G.rows());
    EXPECT_EQ(rows.bounds(), dense.bounds);
    EXPECT_EQ(rows.l1_weight(), psi.l1);
    const Vector x = random.vector(n), d = random.vector(n), w = random.vector(rows.size());
    Vector a(rows.size()), slopes(rows.size()), sum = random.vector(n);
    const Vector before = sum;
    rows.values(x, a);
    rows.slopes(d, slopes);
    rows.add_transposed(w, sum);
    Matrix H = random.matrix(n, n);
    const Matrix expected = H + dense.G.transpose() * w.asDiagonal() * dense.G;
    rows.add_diagonal(w, H);
    EXPECT_LE((a - (dense.G * x - dense.h)).norm(), 1e-14);
    EXPECT_LE((slopes - dense.G * d).norm(), 1e-14);
    EXPECT_LE((sum - before - dense.G.transpose() * w).norm(), 1e-13);
    EXPECT_LE((H - expected).norm(), 1e-13);
  }
}

BatchPtr any_rows(Random& random, Index m, Index n) {
  return linear_le(DataMatrix::from(random.matrix(m, n)), to_array(Vector::Ones(m)));
}

TEST(PathModel, QuadraticDataOfSumsOfTerms) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 7), l = 9;
    const Matrix B = random.matrix(n, n), A = random.matrix(l, n);
    const Matrix P = B * B.transpose();
    const Vector q = random.vector(n), b = random.vector(l), c = random.vector(n);
    Problem problem(n);
    problem.minimize(quadratic(DataMatrix::from(P), to_array(q)), 0.5);
    problem.minimize(least_squares(DataMatrix::from(A), to_array(b)), 2.0);
    problem.minimize(linear(to_array(c), 3.0));
    problem.regularize(l2_squared(n, 0.25));
    problem.subject_to(any_rows(random, 4, n));
    const PathModel model(problem);
    EXPECT_TRUE(model.quadratic);
    EXPECT_TRUE(model.linear_rows);
    EXPECT_EQ(model.l2, 0.25);
    const Matrix expected_P = 0.5 * P + 2.0 / l * A.transpose() * A + 0.25 * Matrix::Identity(n, n);
    const Vector expected_q = 0.5 * q - 2.0 / l * A.transpose() * b + c;
    EXPECT_LE((model.P - expected_P).norm(), 1e-12 * (1.0 + expected_P.norm()));
    EXPECT_LE((model.q - expected_q).norm(), 1e-12 * (1.0 + expected_q.norm()));
    EXPECT_EQ(model.E.rows(), 0);
    EXPECT_TRUE((model.lower.array() == -kInfinity).all() && (model.upper.array() == kInfinity).all());
  }
}

TEST(PathModel, EqualitiesSimplexAndBox) {
  Random random(3);
  const Index n = 5;
  const Matrix E = random.matrix(2, n);
  const Vector e = random.vector(2);
  Problem problem(n);
  problem.minimize(logistic(DataMatrix::from(random.matrix(3, n)), Doubles({1.0, -1.0, 1.0})));
  problem.regularize(simplex(n, 2.5));
  problem.equal(DataMatrix::from(E), to_array(e));
  problem.subject_to(any_rows(random, 3, n));
  const PathModel model(problem);
  EXPECT_FALSE(model.quadratic);
  EXPECT_EQ(model.own_equalities(), 2);
  ASSERT_EQ(model.E.rows(), 3);
  EXPECT_EQ(model.E.topRows(2), E);
  EXPECT_EQ(model.E.row(2), Vector::Ones(n).transpose());
  EXPECT_EQ(model.e.head(2), e);
  EXPECT_EQ(model.e[2], 2.5);
  EXPECT_TRUE((model.lower.array() == 0.0).all() && (model.upper.array() == 2.5).all());
  EXPECT_EQ(model.coordinates.size(), n);  // x >= 0 alone

  Problem boxed(2);
  boxed.minimize(linear(Doubles({1.0, 1.0})));
  boxed.regularize(box(Doubles({-1.0, -kInfinity}), Doubles({kInfinity, 4.0})));
  boxed.regularize(l1(2, 0.5));
  boxed.subject_to(quadratic_le(Tensor({1, 2, 2}, Doubles({1.0, 0.0, 0.0, 1.0})), Tensor({1, 2}, Doubles({0.0, 0.0})),
                                Doubles({-1.0})));
  const PathModel other(boxed);
  EXPECT_FALSE(other.linear_rows);
  EXPECT_EQ(other.lower, Vector({{-1.0, -kInfinity}}));
  EXPECT_EQ(other.upper, Vector({{kInfinity, 4.0}}));
  EXPECT_EQ(other.coordinates.size(), 2 + 4);
  EXPECT_EQ(other.coordinates.bounds(), 2);
}

TEST(PathModel, ObstaclesAreNamed) {
  Random random(1);
  Problem fine(3);
  EXPECT_THAT(PathModel::obstacle(fine), ::testing::HasSubstr("no constraints"));
  fine.subject_to(any_rows(random, 2, 3));
  EXPECT_EQ(PathModel::obstacle(fine), "");
  Problem grouped = fine;
  grouped.regularize(group_l2(Indices({0, 0, 1}), Doubles({1.0, 1.0})));
  EXPECT_EQ(PathModel::obstacle(grouped), "");
  grouped.subject_to(quadratic_diagonal_le(Tensor({1, 3}, Doubles({1.0, 1.0, 1.0})),
                                           Tensor({1, 3}, Doubles({0.0, 0.0, 0.0})), Doubles({-1.0})));
  EXPECT_THAT(PathModel::obstacle(grouped), ::testing::HasSubstr("norms of groups"));
  Problem wide(2001);
  wide.subject_to(any_rows(random, 1, 2001));
  EXPECT_THAT(PathModel::obstacle(wide), ::testing::HasSubstr("2001 variables"));
  CallbackFunctions f;
  f.values = [](ConstVectorRef, Rows, VectorRef a) { a.setConstant(-1.0); };
  f.jacobian = [](ConstVectorRef, Rows, MatrixRef J) { J.setZero(); };
  Problem blind = fine;
  blind.subject_to(callback_le(1, 3, f));
  EXPECT_THAT(PathModel::obstacle(blind), ::testing::HasSubstr("batch 1 (callback) gives no second derivatives"));
  f.hessian = [](ConstVectorRef, ConstVectorRef, Rows, MatrixRef H) { H.setZero(); };
  fine.subject_to(callback_le(1, 3, f));
  EXPECT_EQ(PathModel::obstacle(fine), "");
}

}  // namespace
}  // namespace pliant
