// What distinguishes the families: formulas, distributions, known optima.
#include "raw_data.hpp"

#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <cmath>

namespace pliant {
namespace {

using namespace pliant::testing;

Vector as_vector(const Doubles& values) { return Eigen::Map<const Vector>(values.data(), values.size()); }

double smallest_eigenvalue(const Matrix& matrix) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

TEST(EntrywiseConvex, IsTheFirstExample) {
  const Problem problem = generate("entrywise_convex", {{"n", 7.0}, {"m", 4.0}});
  Vector c(7);
  c << 1, 1, 1, 1, 0, 0, 0;
  EXPECT_EQ(as_vector(term<LinearTerm>(problem).c()), c);
  EXPECT_EQ(to_dense(linear_matrix(problem)), -Matrix::Identity(4, 7));
  EXPECT_EQ(as_vector(linear_rhs(problem)), Vector::Zero(4));
  // Multipliers 1 make the gradient of the Lagrangian vanish, so 0 is optimal.
  EXPECT_EQ(c + to_dense(linear_matrix(problem)).transpose() * Vector::Ones(4), Vector::Zero(7));
  EXPECT_EQ(problem.known_optimum->x, Vector::Zero(7));
  EXPECT_EQ(problem.known_optimum->objective, 0.0);
}

TEST(EntrywiseStrong, IsTheSecondExample) {
  const Problem problem = generate("entrywise_strong", {{"n", 7.0}, {"m", 4.0}});
  const auto& square = term<QuadraticTerm>(problem);
  EXPECT_EQ(to_dense(square.P()), Matrix::Identity(7, 7));
  EXPECT_EQ(as_vector(square.q()), Vector::Ones(7));
  const Vector& x = problem.known_optimum->x;
  const Matrix G = to_dense(linear_matrix(problem));
  EXPECT_EQ(G, -Matrix::Identity(4, 7));
  EXPECT_EQ(x + Vector::Ones(7) + G.transpose() * Vector::Ones(4), Vector::Zero(7));  // multipliers 1
  EXPECT_EQ(G * x, Vector::Zero(4));
  EXPECT_EQ(problem.known_optimum->objective, 0.5 * x.squaredNorm() + x.sum());
}

TEST(DenseLpAndQp, HaveUnitRowsAndTheStatedDistributions) {
  for (const char* family : {"dense_lp", "dense_qp"}) {
    const Problem problem = generate(family, {{"n", 40.0}, {"m", 5000.0}, {"seed", 9.0}});
    const Matrix G = to_dense(linear_matrix(problem));
    const Vector h = as_vector(linear_rhs(problem));
    EXPECT_NEAR(G.rowwise().norm().minCoeff(), 1.0, 1e-14);
    EXPECT_NEAR(G.rowwise().norm().maxCoeff(), 1.0, 1e-14);
    EXPECT_LT(G.colwise().mean().norm(), 5.0 / std::sqrt(5000.0));
    EXPECT_LT((G.transpose() * G / 5000.0 * 40.0 - Matrix::Identity(40, 40)).norm(), 5.0 * 40.0 / std::sqrt(5000.0));
    EXPECT_GE(h.minCoeff(), 1.0);
    EXPECT_LE(h.maxCoeff(), 1.1);
    EXPECT_NEAR(h.mean(), 1.05, 0.005);
  }
  const Problem lp = generate("dense_lp", {{"n", 400.0}, {"m", 1.0}, {"box", 2.5}});
  EXPECT_NEAR(as_vector(term<LinearTerm>(lp).c()).norm() / std::sqrt(400.0), 3.0, 0.6);
  const SeparableParameters* bounds = separable_parameters(lp.prox());
  ASSERT_NE(bounds, nullptr);
  EXPECT_EQ(as_vector(bounds->lo), Vector::Constant(400, -2.5));
  EXPECT_EQ(as_vector(bounds->hi), Vector::Constant(400, 2.5));
  const Problem qp = generate("dense_qp", {{"n", 5.0}, {"m", 1.0}, {"mu", 2.0}});
  EXPECT_EQ(to_dense(term<QuadraticTerm>(qp).P()), 2.0 * Matrix::Identity(5, 5));
}

TEST(SparseQp, HasSparseUnitRowsAndADominantDiagonal) {
  for (double nnz : {1.0, 4.0, 25.0, 99.0}) {
    const Problem problem =
        generate("sparse_qp", {{"n", 25.0}, {"m", 2000.0}, {"nnz", nnz}, {"mu", 0.5}, {"links", 3.0}});
    problem.validate();  // ascending distinct columns among others
    const DataMatrix& G = linear_matrix(problem);
    ASSERT_TRUE(G.is_sparse());
    EXPECT_EQ(G.nonzeros(), 2000 * std::min<Index>(25, static_cast<Index>(nnz)));
    const Matrix dense = to_dense(G);
    EXPECT_NEAR(dense.rowwise().norm().minCoeff(), 1.0, 1e-14);
    EXPECT_NEAR(dense.rowwise().norm().maxCoeff(), 1.0, 1e-14);
    // Every column is used about equally often.
    const Vector uses = (dense.array() != 0.0).cast<double>().colwise().sum().transpose();
    EXPECT_GT(uses.minCoeff(), 0.5 * uses.mean());
    EXPECT_LT(uses.maxCoeff(), 1.6 * uses.mean());

    const DataMatrix& sparse_P = term<QuadraticTerm>(problem).P();
    ASSERT_TRUE(sparse_P.is_sparse());
    const Matrix P = to_dense(sparse_P);
    EXPECT_EQ(P, P.transpose());
    EXPECT_LT(sparse_P.nonzeros(), 25 * (1 + 2 * 3) + 1);
    EXPECT_GT(sparse_P.nonzeros(), 25 * 3);
    const Vector off_diagonal = P.cwiseAbs().rowwise().sum() - P.diagonal();
    EXPECT_GE((P.diagonal() - off_diagonal).minCoeff(), 0.5 - 1e-12);
    EXPECT_GE(smallest_eigenvalue(P), 0.5 - 1e-12);
  }
}

TEST(Qcqp, HasUnitLinearPartsAndWishartCurvature) {
  const Index n = 15, m = 400;
  const Problem problem = generate("qcqp", {{"n", 15.0}, {"m", 400.0}});
  const auto& batch = only_batch<QuadraticDenseBatch>(problem);
  double trace = 0.0;
  for (Index i = 0; i < m; ++i) {
    const Matrix P = Eigen::Map<const Matrix>(batch.P().data() + i * n * n, n, n);
    EXPECT_EQ(P, P.transpose());
    EXPECT_GE(smallest_eigenvalue(P), -1e-14);
    trace += P.trace();
    EXPECT_NEAR(Eigen::Map<const Vector>(batch.q().data() + i * n, n).norm(), 1.0, 1e-14);
  }
  // E trace(P) = 0.3/n E|R|_F^2 = 0.3 n, relative standard deviation sqrt(2)/(n sqrt(m))
  EXPECT_NEAR(trace / static_cast<double>(m * n), 0.3, 0.3 * 0.03);
  EXPECT_GE(as_vector(batch.r()).minCoeff(), -1.1);
  EXPECT_LE(as_vector(batch.r()).maxCoeff(), -1.0);
}

TEST(QcqpLowRank, HasTheAskedRankAndScales) {
  const Problem problem = generate("qcqp_lowrank", {{"n", 30.0}, {"m", 500.0}, {"rank", 4.0}});
  const auto& batch = only_batch<QuadraticLowRankBatch>(problem);
  EXPECT_EQ(batch.rank(), 4);
  EXPECT_NEAR(as_vector(batch.factors()).squaredNorm() / (500.0 * 4.0), 0.49, 0.02);
  EXPECT_NEAR(as_vector(batch.q()).squaredNorm() / 500.0, 1.0, 0.1);
}

TEST(LogSumExp, HasTheAskedTermsAndIsAtMostMinusOneAtZero) {
  for (double terms : {1.0, 5.0, 8.0}) {
    const Problem problem = generate("log_sum_exp", {{"n", 30.0}, {"m", 300.0}, {"terms", terms}});
    const auto& batch = only_batch<LogSumExpBatch>(problem);
    EXPECT_EQ(static_cast<double>(batch.terms()), terms);
    EXPECT_NEAR(as_vector(batch.A()).squaredNorm() / (300.0 * terms), 4.0, 0.4);
    const Vector a = raw_values(batch, Vector::Zero(30));
    EXPECT_LE(a.maxCoeff(), -1.0);
    EXPECT_GE(a.minCoeff(), -1.1);
  }
}

TEST(SquareFamilies, CutOffTheUnconstrainedMinimiser) {
  for (const char* family : {"dense_qp", "sparse_qp", "qcqp", "qcqp_lowrank", "log_sum_exp"}) {
    const Problem problem = generate(family, {{"n", 20.0}, {"m", 400.0}, {"seed", 5.0}});
    const auto& square = term<QuadraticTerm>(problem);
    const Vector x = -to_dense(square.P()).llt().solve(as_vector(square.q()));
    EXPECT_GT(raw_values(*problem.batches()[0], x).maxCoeff(), 0.5) << family;
  }
}

TEST(Ridge, HasTheAskedSumAndCutsOffItsMinimiser) {
  const Problem problem = generate("ridge", {{"n", 10.0}, {"m", 300.0}, {"l", 50.0}, {"mu", 0.2}});
  const auto& fit = term<LeastSquaresTerm>(problem);
  EXPECT_EQ(fit.components(), 50);
  EXPECT_EQ(separable_parameters(problem.prox())->l2, 0.2);
  const Matrix A = to_dense(linear_matrix(problem));
  EXPECT_NEAR(A.rowwise().norm().minCoeff(), 1.0, 1e-14);
  EXPECT_NEAR(A.rowwise().norm().maxCoeff(), 1.0, 1e-14);
  const Vector slack = -raw_values(*problem.batches()[0], *problem.slater_point);
  EXPECT_GE(slack.minCoeff(), 0.1 - 1e-12);
  EXPECT_LE(slack.maxCoeff(), 0.2 + 1e-12);
  const Matrix Phi = to_dense(fit.A());
  const Matrix H = Phi.transpose() * Phi / 50.0 + 0.2 * Matrix::Identity(10, 10);
  const Vector x = H.llt().solve(Phi.transpose() * as_vector(fit.b()) / 50.0);
  EXPECT_GT((raw_values(*problem.batches()[0], x).array() > 0.0).count(), 50);
  EXPECT_EQ(generate("ridge", {{"n", 10.0}, {"m", 33.0}}).components(), 33);
}

TEST(Ridge, UnplantedIsThePublishedConstruction) {
  const Problem problem = generate("ridge", {{"n", 200.0}, {"m", 100.0}, {"planted", 0.0}});
  EXPECT_EQ(problem.components(), 100);
  EXPECT_FALSE(problem.slater_point.has_value());
  const Vector b = as_vector(linear_rhs(problem));
  EXPECT_LT(std::abs(b.mean()), 0.5);
  EXPECT_NEAR(b.norm() / 10.0, 1.0, 0.35);
  // Full row rank, hence feasible.
  const Matrix A = to_dense(linear_matrix(problem));
  EXPECT_GT(smallest_eigenvalue(A * A.transpose()), 1e-3);
}

TEST(LogisticAndSvm, PointsAreSeparatedByTheMargin) {
  for (const char* family : {"logistic", "svm"}) {
    const Problem problem = generate(family, {{"n", 10.0}, {"m", 500.0}, {"margin", 0.3}});
    const Vector w0 = problem.slater_point->normalized();
    const Matrix G = to_dense(linear_matrix(problem));
    EXPECT_EQ(as_vector(linear_rhs(problem)), Vector::Constant(500, -1.0)) << family;
    EXPECT_GE((-G * w0).minCoeff(), 0.3 - 1e-12) << family;
    EXPECT_LE((-G * w0).minCoeff(), 0.32) << family;
    // The tightest constraint has slack 1 at the Slater point.
    EXPECT_NEAR(raw_values(*problem.batches()[0], *problem.slater_point).maxCoeff(), -1.0, 1e-12) << family;
    // Without the margin the points are uniform on the sphere.
    const Problem bare = generate(family, {{"n", 10.0}, {"m", 500.0}, {"margin", 0.0}});
    EXPECT_NEAR(to_dense(linear_matrix(bare)).rowwise().norm().maxCoeff(), 1.0, 1e-14) << family;
  }
}

TEST(Logistic, LabelsFollowThePlantedDirection) {
  const Problem problem = generate("logistic", {{"n", 10.0}, {"m", 50.0}, {"l", 2000.0}, {"mu", 0.01}});
  EXPECT_EQ(separable_parameters(problem.prox())->l2, 0.01);
  const auto& fit = term<LogisticTerm>(problem);
  EXPECT_EQ(fit.components(), 2000);
  const Vector y = as_vector(fit.y());
  EXPECT_EQ(y.cwiseAbs(), Vector::Ones(2000));
  EXPECT_LT(std::abs(y.mean()), 0.12);
  const Matrix A = to_dense(fit.A());
  EXPECT_GE(A.rowwise().norm().minCoeff(), 0.9 - 1e-12);
  EXPECT_LE(A.rowwise().norm().maxCoeff(), 1.1 + 1e-12);
  // Noise of size 0.1 turns few labels.
  const Vector score = A * problem.slater_point->normalized();
  EXPECT_GT((score.array() * y.array() > 0.0).count(), 1850);
  EXPECT_LT((score.array() * y.array() > 0.0).count(), 2000);
}

}  // namespace
}  // namespace pliant
