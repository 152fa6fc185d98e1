// Rows made nasty on purpose: duplicates, correlation, norms over six decades, degenerate vertices.
#include "raw_data.hpp"

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>

namespace pliant {
namespace {

using namespace pliant::testing;
using Values = std::map<std::string, double>;

Problem generate_rows(const std::string& family, Values more) {
  more.insert({{"n", 8.0}, {"m", 1000.0}, {"seed", 21.0}});
  return generate(family, more);
}

Vector rhs(const Problem& problem) {
  return Eigen::Map<const Vector>(linear_rhs(problem).data(), linear_rhs(problem).size());
}

TEST(Duplicate, RepeatsEveryRow) {
  for (const char* family : {"dense_lp", "dense_qp", "sparse_qp"}) {
    for (double copies : {4.0, 7.0, 5000.0}) {
      const Problem problem = generate_rows(family, {{"duplicate", copies}});
      const Matrix G = to_dense(linear_matrix(problem));
      const Vector h = rhs(problem);
      const Index distinct = static_cast<Index>(std::ceil(1000.0 / copies));
      for (Index i = 0; i < 1000; ++i) {
        ASSERT_EQ(G.row(i), G.row(i % distinct)) << family << " row " << i;
        ASSERT_EQ(h[i], h[i % distinct]) << family << " row " << i;
        if (i > 0 && i < distinct) {
          ASSERT_NE(G.row(i), G.row(i - 1)) << family << " row " << i;
        }
      }
    }
  }
}

// Share of |G|_F^2 in the `k` strongest directions.
double share_of_strongest(const Matrix& G, Index k) {
  const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(G.transpose() * G).eigenvalues();
  return eigenvalues.tail(k).sum() / eigenvalues.sum();
}

TEST(Correlation, PutsTheAskedShareIntoTenDirections) {
  double previous = 0.0;
  for (double c : {0.0, 0.5, 0.9, 1.0}) {
    const Problem problem = generate_rows("dense_qp", {{"n", 40.0}, {"m", 4000.0}, {"correlation", c}});
    const Matrix G = to_dense(linear_matrix(problem));
    EXPECT_NEAR(G.rowwise().norm().maxCoeff(), 1.0, 1e-14);
    const double share = share_of_strongest(G, 10);
    EXPECT_NEAR(share, c + (1.0 - c) * 0.25, 0.12) << c;
    EXPECT_GT(share, previous);
    previous = share;
  }
  EXPECT_NEAR(previous, 1.0, 1e-12);
}

TEST(Heavy, SpreadsRowNormsOverSixDecadesAndKeepsTheFeasibleSet) {
  for (const char* family : {"dense_lp", "dense_qp", "sparse_qp"}) {
    const Problem plain = generate_rows(family, {});
    const Problem heavy = generate_rows(family, {{"heavy", 1.0}});
    const Matrix G = to_dense(linear_matrix(heavy));
    const Vector norms = G.rowwise().norm();
    EXPECT_GE(norms.minCoeff(), 0.999e-3);
    EXPECT_LE(norms.maxCoeff(), 1.001e3);
    EXPECT_LT(norms.minCoeff(), 2e-3);
    EXPECT_GT(norms.maxCoeff(), 5e2);
    EXPECT_NEAR(norms.array().log10().mean(), 0.0, 0.3);
    EXPECT_LT((G.array().colwise() / norms.array() - to_dense(linear_matrix(plain)).array()).abs().maxCoeff(), 1e-13);
    EXPECT_LT((rhs(heavy).array() / norms.array() - rhs(plain).array()).abs().maxCoeff(), 1e-12);
    EXPECT_LT(raw_values(*heavy.batches()[0], *heavy.slater_point).maxCoeff(), 0.0);
  }
}

// Distance of `target` from the cone of the columns of J, by cyclic non-negative least squares.
double distance_from_cone(const Matrix& J, const Vector& target) {
  Vector lambda = Vector::Zero(J.cols());
  Vector residual = -target;
  for (int sweep = 0; sweep < 20000 && residual.norm() > 1e-11; ++sweep) {
    for (Index k = 0; k < J.cols(); ++k) {
      const double next = std::max(0.0, lambda[k] - J.col(k).dot(residual) / J.col(k).squaredNorm());
      residual += (next - lambda[k]) * J.col(k);
      lambda[k] = next;
    }
  }
  return residual.norm();
}

TEST(Degenerate, PlantsAnOptimalVertexWithFiveActiveRowsPerVariable) {
  for (const char* family : {"dense_lp", "dense_qp"}) {
    for (const Values& more : {Values{}, Values{{"heavy", 1.0}}, Values{{"duplicate", 3.0}, {"correlation", 0.8}}}) {
      Values parameters = more;
      parameters["degenerate"] = 1.0;
      const Problem problem = generate_rows(family, parameters);
      problem.validate();
      ASSERT_TRUE(problem.known_optimum.has_value());
      const Vector& x = problem.known_optimum->x;
      const Matrix G = to_dense(linear_matrix(problem));
      const Vector norms = G.rowwise().norm();
      const Vector a = raw_values(*problem.batches()[0], x).cwiseQuotient(norms);
      EXPECT_LE(a.maxCoeff(), 1e-14);

      std::vector<Index> active;
      for (Index i = 0; i < a.size(); ++i) {
        if (a[i] > -1e-12) active.push_back(i);
      }
      const std::size_t copies = more.count("duplicate") > 0 ? 3 : 1;
      // The last block of copies may be incomplete.
      EXPECT_LE(active.size(), 5 * 8 * copies);
      EXPECT_GT(active.size(), 5 * 8 * (copies - 1) + 30);
      for (Index i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i] > -1e-12 || a[i] < -0.049) << a[i];

      Matrix J(8, static_cast<Index>(active.size()));
      for (std::size_t k = 0; k < active.size(); ++k) {
        J.col(static_cast<Index>(k)) = G.row(active[k]).transpose() / norms[active[k]];
      }
      Vector gradient = Vector::Zero(8);
      problem.add_smooth_gradient(x, gradient);
      EXPECT_GT(gradient.norm(), 1.0);
      EXPECT_LE(distance_from_cone(J, -gradient), 1e-9) << family;
      EXPECT_EQ(problem.known_optimum->objective, problem.objective(x));

      const Vector slack = raw_values(*problem.batches()[0], *problem.slater_point).cwiseQuotient(norms);
      EXPECT_LT(slack.maxCoeff(), -1e-3);
    }
  }
}

TEST(Degenerate, StaysInsideANarrowBox) {
  const Problem problem = generate_rows("dense_lp", {{"degenerate", 1.0}, {"box", 0.02}});
  EXPECT_LT(problem.known_optimum->x.cwiseAbs().maxCoeff(), 0.02);
  EXPECT_LT(problem.slater_point->cwiseAbs().maxCoeff(), 0.02);
  EXPECT_LT(raw_values(*problem.batches()[0], *problem.slater_point).maxCoeff(), 0.0);
}

}  // namespace
}  // namespace pliant
