// The Newton matrix and the scaled form of semidefinite programs against dense traces.
#include "engines/conic/semidefinite_schur.hpp"
#include "linalg/dense_blocks.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "parallel/parallel.hpp"
#include "support/cone_samples.hpp"

#include <gtest/gtest.h>

namespace pliant::testing {
namespace {

// A problem with one block; F_i of very different density, one of them 0.
Problem one_block(Random& random, Index order, Index n) {
  Matrix G(order * (order + 1) / 2, n);
  for (Index i = 0; i < n; ++i) {
    Matrix F = symmetric_matrix(random, order);
    const double keep = i == 0 ? 1.0 : i == 1 ? 0.0 : random.log_uniform(0.02, 1.0);
    for (Index a = 0; a < order; ++a) {
      for (Index b = 0; b <= a; ++b) {
        if (random.uniform() > keep) F(a, b) = F(b, a) = 0.0;
      }
    }
    G.col(i) = -plain_svec(F);
  }
  Problem problem(n);
  problem.minimize(linear(random.numbers(n)));
  problem.subject_to(ConicConstraint{DataMatrix::from(G),
                                     to_array(-plain_svec(symmetric_matrix(random, order))),
                                     {{ConeKind::semidefinite, G.rows()}}});
  return problem;
}

Matrix dense_F(const SemidefiniteBlock& block, Index variable) {
  Matrix F = Matrix::Zero(block.order, block.order);
  for (std::size_t k = 0; k < block.variables.size(); ++k) {
    if (block.variables[k] != variable) continue;
    for (Index p = block.starts[k]; p < block.starts[k + 1]; ++p) {
      const auto& e = block.entries[static_cast<std::size_t>(p)];
      F(e.row, e.column) = F(e.column, e.row) = e.value;
    }
  }
  return F;
}

TEST(SemidefiniteForm, IsTheProblemScaled) {
  Random random(11);
  const Index n = 6, order = 5;
  const Problem problem = one_block(random, order, n);
  const SemidefiniteForm form = semidefinite_form(problem);
  ASSERT_EQ(form.blocks.size(), 1u);
  const ConicConstraint& conic = problem.conic()[0];
  for (int k = 0; k < 10; ++k) {
    const Vector x = random.vector(n);
    Vector s(conic.G.rows());
    conic.G.multiply(x.data(), Rows::range(0, s.size()), s.data());
    s = Eigen::Map<const Vector>(conic.h.data(), s.size()) - s;
    Matrix S = -form.blocks[0].F0;
    form.blocks[0].add_combination(x.cwiseQuotient(form.scaling.columns), S);
    EXPECT_LE((plain_svec(S) - s).norm(), 1e-13 * (1.0 + s.norm()));
    EXPECT_NEAR(form.c.dot(x.cwiseQuotient(form.scaling.columns)), problem.objective(x), 1e-12);
  }
  for (Index i = 0; i < n; ++i) {
    double entries = 0.0;
    for (Index row = 0; row < conic.G.rows(); ++row) entries += std::abs(conic.G.row(row)[i]);
    EXPECT_NEAR(dense_F(form.blocks[0], i).norm(), entries > 0.0 ? 1.0 : 0.0, 1e-13);
  }
}

TEST(SemidefiniteSchur, IsTheTrace) {
  for (const Index order : {1, 2, 7, 23}) {
    SCOPED_TRACE(order);
    Random random(static_cast<std::uint64_t>(20 + order));
    const Index n = 12;
    const Problem problem = one_block(random, std::max<Index>(2, order), n);
    const SemidefiniteForm form = semidefinite_form(problem);
    const SemidefiniteBlock& block = form.blocks[0];
    const Matrix L = definite_matrix(random, block.order), inverse = definite_matrix(random, block.order);
    Matrix H = Matrix::Zero(n, n);
    add_newton_matrix(block, L, inverse, H);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; ++j) {
        const double trace = (dense_F(block, i) * L * dense_F(block, j) * inverse).trace();
        EXPECT_NEAR(H(i, j), trace, 1e-12 * L.norm() * inverse.norm()) << i << " " << j;
      }
    }
  }
}

TEST(DenseBlocks, ProductsInversesAndStepLengths) {
  for (const Index order : {1, 3, 40, 220}) {  // the last one goes the way of Lanczos
    SCOPED_TRACE(order);
    Random random(static_cast<std::uint64_t>(60 + order));
    const Matrix A = definite_matrix(random, order), D = symmetric_matrix(random, order);
    Matrix factor = A, product;
    ASSERT_TRUE(cholesky_in_place(factor));
    multiply(A, D, product);
    EXPECT_LE((product - A * D).norm(), 1e-13 * A.norm() * D.norm());
    EXPECT_LE((inverse_from_cholesky(factor) * A - Matrix::Identity(order, order)).norm(),
              1e-14 * static_cast<double>(order) * A.norm() / 0.3);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> pair(D, A, Eigen::EigenvaluesOnly);
    const double exact = pair.eigenvalues()[0], found = smallest_relative_eigenvalue(factor, D);
    EXPECT_LE(found, exact + 1e-9 * std::abs(exact));
    EXPECT_GE(found, exact - 0.01 * std::abs(exact));
  }
  Matrix indefinite = -Matrix::Identity(3, 3);
  EXPECT_FALSE(cholesky_in_place(indefinite));
  Matrix broken = Matrix::Constant(2, 2, std::nan(""));
  EXPECT_FALSE(cholesky_in_place(broken));
}

}  // namespace
}  // namespace pliant::testing
