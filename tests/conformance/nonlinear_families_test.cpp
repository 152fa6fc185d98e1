// Messages and constants of the nonlinear families.
#include "conformance/families.hpp"
#include "constraints/callback.hpp"
#include "constraints/log_sum_exp.hpp"
#include "constraints/quadratic.hpp"
#include "pliant/constraints.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include <cmath>
#include <limits>

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;

/// m random positive definite n x n matrices with eigenvalues from about 1 / n.
Numbers definite_matrices(Random& random, Index m, Index n) {
  Numbers P;
  for (Index i = 0; i < m; ++i) {
    const Matrix B = random.matrix(n, n + 2);
    const Matrix product = B * B.transpose() / static_cast<double>(n);
    P.insert(P.end(), product.data(), product.data() + product.size());
  }
  return P;
}

TEST(QuadraticMessages, ShapesAreChecked) {
  const Tensor P({2, 3, 3}, Numbers(18)), q({2, 3}, Numbers(6));
  EXPECT_EQ(refusal_of([] {
              Tensor({2, 3, 3}, Numbers(17));
            }),
            "array of shape (2, 3, 3): expected 18 entries, got 17");
  EXPECT_EQ(refusal_of([&] {
              quadratic_le(Tensor({2, 3, 2}, Numbers(12)), q, Numbers(2));
            }),
            "quadratic_le: P: expected shape (m, n, n) = (2, 3, 3), got (2, 3, 2)");
  EXPECT_EQ(refusal_of([&] { quadratic_le(q, q, Numbers(2)); }),
            "quadratic_le: P: expected shape (m, n, n), got (2, 3)");
  EXPECT_EQ(refusal_of([&] {
              quadratic_le(P, Tensor({3, 2}, Numbers(6)), Numbers(2));
            }),
            "quadratic_le: q: expected shape (m, n) = (2, 3), got (3, 2)");
  EXPECT_EQ(refusal_of([&] {
              quadratic_lowrank_le(Tensor({2, 1, 3}, Numbers(6)), q, Numbers(3));
            }),
            "quadratic_lowrank_le: r: expected 2 entries, got 3");
  EXPECT_EQ(refusal_of([&] {
              quadratic_lowrank_le(Tensor({2, 0, 3}, Numbers()), q, Numbers(2));
            }),
            "quadratic_lowrank_le: rank: expected at least 1, got 0");
  EXPECT_EQ(refusal_of([&] { quadratic_diagonal_le(Tensor({6}, Numbers(6)), q, Numbers(2)); }),
            "quadratic_diagonal_le: diagonals: expected shape (m, n), got (6,)");
  EXPECT_EQ(refusal_of([] {
              quadratic_le(Tensor({0, 0, 0}, Numbers()), Tensor({0, 0}, Numbers()), Numbers());
            }),
            "quadratic_le: number of variables: expected at least 1, got 0");
}

TEST(QuadraticMessages, NotANumberNamesTheConstraint) {
  Random random(1);
  const Index m = 40, n = 3;
  const Numbers P = definite_matrices(random, m, n);
  const auto message = [&](Numbers matrices, Numbers q, Numbers r) {
    return refusal_of([&] { quadratic_le(Tensor({m, n, n}, matrices), Tensor({m, n}, q), r)->validate(); });
  };
  Numbers bad = P;
  bad[at(17 * n * n + 4)] = kNan;
  bad[at(30 * n * n)] = kNan;
  EXPECT_EQ(message(bad, Numbers(at(m * n)), Numbers(at(m))),
            "quadratic_le: P of constraint 17 (counting from 0) contains nan, expected finite numbers");
  Numbers q(at(m * n));
  q[at(5 * n + 2)] = kInfinity;
  EXPECT_EQ(message(P, q, Numbers(at(m))),
            "quadratic_le: q of constraint 5 (counting from 0) contains inf, expected finite numbers");
  Numbers r(at(m));
  r[39] = -kInfinity;
  EXPECT_THAT(message(P, Numbers(at(m * n)), r), HasSubstr("r of constraint 39 (counting from 0) contains -inf"));
}

TEST(QuadraticMessages, NonConvexNamesTheConstraintAndItsEigenvalue) {
  Random random(2);
  const Index m = 3000, n = 4;  // several chunks: the first offender must be named, whoever finds it
  Numbers P = definite_matrices(random, m, n);
  for (const Index i : {Index{2017}, Index{2500}}) {
    // Eigenvalues -0.5, 1, 2, 3 in a random basis.
    const Matrix Q = random.matrix(n, n).householderQr().householderQ();
    const Matrix bad = Q * Vector{{-0.5, 1.0, 2.0, 3.0}}.asDiagonal() * Q.transpose();
    const Matrix symmetric = 0.5 * (bad + bad.transpose());
    std::copy_n(symmetric.data(), n * n, P.begin() + i * n * n);
  }
  const BatchPtr batch = quadratic_le(Tensor({m, n, n}, P), Tensor({m, n}, Numbers(at(m * n))), Numbers(at(m)));
  EXPECT_EQ(refusal_of([&] { batch->validate(); }),
            "quadratic_le: P of constraint 2017 (counting from 0) is not convex (most negative eigenvalue -0.5)");
  batch->name = "energy";
  EXPECT_THAT(refusal_of([&] { batch->validate(); }), HasSubstr("quadratic_le 'energy': P of constraint 2017"));
}

TEST(QuadraticMessages, AsymmetryIsNamed) {
  const Numbers P{2.0, 1.0, 1.0, 2.0, 2.0, 0.5, 1.0, 2.0};
  EXPECT_EQ(refusal_of([&] {
              quadratic_le(Tensor({2, 2, 2}, P), Tensor({2, 2}, Numbers(4)), Numbers(2))->validate();
            }),
            "quadratic_le: P of constraint 1 (counting from 0) is not symmetric: entry (0, 1) is 0.5, entry (1, 0) is "
            "1");
}

TEST(QuadraticMessages, NegativeDiagonalEntriesAreNamed) {
  const Numbers D{1.0, 0.0, 2.0, -3.0};
  EXPECT_EQ(refusal_of([&] {
              quadratic_diagonal_le(Tensor({2, 2}, D), Tensor({2, 2}, Numbers(4)), Numbers(2))->validate();
            }),
            "quadratic_diagonal_le: diagonal of constraint 1 (counting from 0) is not convex (most negative eigenvalue "
            "-3)");
}

TEST(QuadraticMessages, SemidefiniteUpToRoundingIsAccepted) {
  Random random(3);
  for (const Index n : {1, 5, 40}) {
    for (const double scale : {1e-8, 1.0, 1e9}) {
      const Matrix B = random.matrix(std::max<Index>(1, n / 4), n);
      const Matrix P = scale * (B.transpose() * B);
      EXPECT_NO_THROW(
          quadratic_le(Tensor({1, n, n}, to_array(P.reshaped())), Tensor({1, n}, Numbers(at(n))), Numbers(1))
              ->validate());
    }
  }
  EXPECT_NO_THROW(
      quadratic_le(Tensor({1, 3, 3}, Numbers(9)), Tensor({1, 3}, Numbers(3)), Numbers(1))->validate());  // P = 0
  // A zero diagonal with entries beside it is indefinite.
  EXPECT_THAT(
      refusal_of([] {
        quadratic_le(Tensor({1, 2, 2}, Numbers{0, 1, 1, 0}), Tensor({1, 2}, Numbers(2)), Numbers(1))->validate();
      }),
      HasSubstr("most negative eigenvalue -1"));
}

TEST(QuadraticConstants, AreTight) {
  Random random(4);
  const Index m = 30, n = 12, k = 3;
  const Numbers P = definite_matrices(random, m, n);
  const Numbers q = random.numbers(m * n);
  const Numbers r = random.numbers(m);
  const BatchPtr dense = quadratic_le(Tensor({m, n, n}, P), Tensor({m, n}, q), r);
  const Numbers B = random.numbers(m * k * n);
  const BatchPtr low_rank = quadratic_lowrank_le(Tensor({m, k, n}, B), Tensor({m, n}, q), r);
  for (Index i = 0; i < m; ++i) {
    const Eigen::Map<const Matrix> Pi(P.data() + i * n * n, n, n);
    const Eigen::Map<const Vector> qi(q.data() + i * n, n);
    const double largest = Eigen::SelfAdjointEigenSolver<Matrix>(Pi).eigenvalues()[n - 1];
    EXPECT_GE(dense->constants()->smoothness[i], largest);
    EXPECT_LE(dense->constants()->smoothness[i], 1.3 * largest);
    const double lowest = r[at(i)] - 0.5 * qi.dot(Pi.ldlt().solve(qi));
    const double smoothness = dense->constants()->smoothness[i];
    EXPECT_NEAR(dense->constants()->growth_constant[i], 2.0 * smoothness * std::max(0.0, -lowest),
                1e-4 * smoothness * (1.0 + std::abs(lowest)));
    const Eigen::Map<const Matrix> Bt(B.data() + i * k * n, n, k);
    const Matrix product = Bt * Bt.transpose();
    EXPECT_NEAR(low_rank->constants()->smoothness[i],
                Eigen::SelfAdjointEigenSolver<Matrix>(product).eigenvalues()[n - 1], 1e-8 * product.norm());
  }
}

// x^2 + y has gradients of any length on its boundary: no global constants, and the batch says so.
TEST(QuadraticConstants, LinearPartOutsideTheRangeHasNoGrowthConstants) {
  const Numbers q{0.0, 1.0, 1.0, 0.0};
  const Numbers r(2);
  const Numbers P{2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0};
  const Numbers B{std::sqrt(2.0), 0.0, std::sqrt(2.0), 0.0};
  const Numbers D{2.0, 0.0, 2.0, 0.0};
  for (const BatchPtr& batch : {quadratic_le(Tensor({2, 2, 2}, P), Tensor({2, 2}, q), r),
                                quadratic_lowrank_le(Tensor({2, 1, 2}, B), Tensor({2, 2}, q), r),
                                quadratic_diagonal_le(Tensor({2, 2}, D), Tensor({2, 2}, q), r)}) {
    const RowConstants* constants = batch->constants();
    ASSERT_NE(constants, nullptr) << batch->family();
    EXPECT_FALSE(constants->growth_global) << batch->family();
    EXPECT_EQ(constants->growth_constant[0], kInfinity) << batch->family();
    EXPECT_NEAR(constants->growth_constant[1], 2.0 * 2.0 * 0.25, 1e-2) << batch->family();
    EXPECT_NEAR(constants->smoothness[0], 2.0, 0.11) << batch->family();
  }
}

// Ill-conditioned P: the bound may be infinite, but a finite one must be above the true value.
TEST(QuadraticConstants, IllConditionedMatricesAreBoundedSafely) {
  Random random(5);
  const Index n = 6;
  for (int trial = 0; trial < 200; ++trial) {
    const Matrix Q = random.matrix(n, n).householderQr().householderQ();
    Vector eigenvalues(n);
    for (double& t : eigenvalues) t = random.log_uniform(1e-18, 1.0);
    eigenvalues[0] = 1.0;
    // P = C'C exactly enough: q = C'z then has depth 1/2 |z|^2 whatever the conditioning.
    const Matrix C = eigenvalues.cwiseSqrt().asDiagonal() * Q.transpose();
    const Matrix P = C.transpose() * C;
    const Vector z = random.vector(n);
    const Vector q = C.transpose() * z;
    const BatchPtr batch = quadratic_le(Tensor({1, n, n}, to_array(Matrix(0.5 * (P + P.transpose())).reshaped())),
                                        Tensor({1, n}, to_array(q)), Numbers{0.0});
    ASSERT_NO_THROW(batch->validate());
    const RowConstants* constants = batch->constants();
    // Components with eigenvalues at the rounding level are invisible in P and in q.
    double depth = 0.0;
    for (Index j = 0; j < n; ++j) depth += eigenvalues[j] > 1e-9 ? 0.5 * z[j] * z[j] : 0.0;
    EXPECT_GE(constants->growth_constant[0], 2.0 * depth * (1.0 - 1e-3)) << eigenvalues.transpose();
    EXPECT_GE(constants->smoothness[0], 1.0 - 1e-12);
  }
}

TEST(LogSumExpMessages, NameFieldAndConstraint) {
  EXPECT_EQ(refusal_of([] {
              log_sum_exp_le(Tensor({2, 4, 3}, Numbers(24)), Tensor({2, 3}, Numbers(6)));
            }),
            "log_sum_exp_le: b: expected shape (m, k) = (2, 4), got (2, 3)");
  EXPECT_EQ(refusal_of([] {
              log_sum_exp_le(Tensor({2, 0, 3}, Numbers()), Tensor({2, 0}, Numbers()));
            }),
            "log_sum_exp_le: number of terms: expected at least 1, got 0");
  Numbers b(8);
  b[5] = kNan;
  EXPECT_EQ(refusal_of([&] {
              log_sum_exp_le(Tensor({2, 4, 3}, Numbers(24)), Tensor({2, 4}, b))->validate();
            }),
            "log_sum_exp_le: b of constraint 1 (counting from 0) contains nan, expected finite numbers");
}

TEST(LogSumExp, NeverOverflows) {
  // ln(e^(1000 x) + e^(-1000 x)) is 1000 |x| up to rounding.
  const BatchPtr batch = log_sum_exp_le(Tensor({1, 2, 1}, Numbers{1000.0, -1000.0}), Tensor({1, 2}, Numbers{0.0, 0.0}));
  for (const double x : {-1e300, -50.0, 50.0, 1e200}) {
    EXPECT_DOUBLE_EQ(batch->component_value(0, Vector::Constant(1, x)), 1000.0 * std::abs(x));
    Vector gradient = Vector::Zero(1);
    batch->add_component_gradient(0, Vector::Constant(1, x), 1.0, gradient);
    EXPECT_DOUBLE_EQ(gradient[0], std::copysign(1000.0, x));
  }
}

TEST(Callback, MessagesNameWhatIsMissing) {
  CallbackFunctions functions;
  EXPECT_EQ(refusal_of([&] { callback_le(1, 1, functions); }), "callback_le: values: expected a function");
  functions.values = [](ConstVectorRef, Rows, VectorRef a) { a.setZero(); };
  EXPECT_EQ(refusal_of([&] { callback_le(1, 1, functions); }), "callback_le: jacobian: expected a function");
  functions.jacobian = [](ConstVectorRef, Rows, MatrixRef J) { J.setOnes(); };
  const BatchPtr batch = callback_le(2, 1, functions);
  EXPECT_NO_THROW(batch->validate());
  EXPECT_EQ(batch->constants(), nullptr);
  Matrix H = Matrix::Zero(1, 1);
  const Vector x = Vector::Zero(1), none = Vector::Zero(2), one = Vector::Ones(2);
  batch->add_weighted_hessian(x, Rows::range(0, 2), none, one, H);  // gradients suffice for this kind
  EXPECT_EQ(H(0, 0), 2.0);
  EXPECT_EQ(refusal_of([&] { batch->add_weighted_hessian(x, Rows::range(0, 2), one, none, H); }),
            "callback_le: hessian: not given, but the chosen method needs second derivatives");
  const RowConstants short_constants{Vector::Zero(1), Vector::Zero(2), Vector::Zero(2), true};
  EXPECT_EQ(refusal_of([&] { callback_le(2, 1, functions, short_constants)->validate(); }),
            "callback_le: constants: smoothness: expected 2 entries, got 1");
  const RowConstants negative{Vector::Zero(2), Vector::Zero(2), Vector{{0.0, -1.0}}, true};
  EXPECT_EQ(refusal_of([&] { callback_le(2, 1, functions, negative)->validate(); }),
            "callback_le: growth_slope of constraint 1 (counting from 0) is -1, expected a number >= 0");
}

TEST(Callback, NanIsNamed) {
  CallbackFunctions functions;
  functions.values = [](ConstVectorRef, Rows rows, VectorRef a) {
    for (Index k = 0; k < rows.size(); ++k) a[k] = rows[k] == 3 ? kNan : 0.0;
  };
  functions.jacobian = [](ConstVectorRef, Rows, MatrixRef J) { J.setOnes(); };
  const BatchPtr batch = callback_le(5, 1, functions);
  Vector a(5);
  EXPECT_EQ(refusal_of([&] { batch->values(Vector::Zero(1), Rows::range(0, 5), a); }),
            "callback_le: value of constraint 3 (counting from 0) is nan");
  EXPECT_NO_THROW(batch->values(Vector::Zero(1), Rows::range(0, 3), a.head(3)));
}

TEST(Callback, OnlyRowsWithWeightsAreAskedFor) {
  std::vector<Index> asked;
  CallbackFunctions functions;
  functions.values = [](ConstVectorRef, Rows, VectorRef a) { a.setZero(); };
  functions.jacobian = [&asked](ConstVectorRef, Rows rows, MatrixRef J) {
    for (Index k = 0; k < rows.size(); ++k) asked.push_back(rows[k]);
    J.setOnes();
  };
  const BatchPtr batch = callback_le(5, 2, functions);
  Vector gradient = Vector::Zero(2);
  batch->add_weighted_gradient(Vector::Zero(2), Rows::range(0, 5), Vector{{0.0, 1.0, 0.0, 2.0, 0.0}}, gradient);
  EXPECT_EQ(asked, (std::vector<Index>{1, 3}));
  EXPECT_EQ(gradient, Vector::Constant(2, 3.0));
}

TEST(Callback, ExceptionsOfTheFunctionsReachTheCaller) {
  CallbackFunctions functions;
  functions.values = [](ConstVectorRef, Rows, VectorRef) { throw std::domain_error("outside"); };
  functions.jacobian = [](ConstVectorRef, Rows, MatrixRef) {};
  const BatchPtr batch = callback_le(5, 2, functions);
  Vector a(5);
  EXPECT_THROW(batch->values(Vector::Zero(2), Rows::range(0, 5), a), std::domain_error);
}

// The functions may evaluate other batches; nothing of theirs may overwrite ours.
TEST(Callback, FunctionsMayUseTheLibrary) {
  Random random(6);
  const Index m = 2000, n = 8;
  const BatchPtr inner = quadratic_le(Tensor({m, n, n}, definite_matrices(random, m, n)),
                                      Tensor({m, n}, random.numbers(m * n)), random.numbers(m));
  CallbackFunctions functions;
  functions.values = [inner](ConstVectorRef x, Rows rows, VectorRef a) { inner->values(x, rows, a); };
  functions.jacobian = [inner](ConstVectorRef x, Rows rows, MatrixRef J) {
    for (Index k = 0; k < rows.size(); ++k) {
      Vector g = Vector::Zero(x.size());
      inner->add_weighted_gradient(x, rows.slice(k, 1), Vector::Ones(1), g);
      J.row(k) = g;
    }
  };
  functions.hessian = [inner](ConstVectorRef x, ConstVectorRef w, Rows rows, MatrixRef H) {
    H.setZero();
    inner->add_weighted_hessian(x, rows, w, Vector::Zero(w.size()), H);
  };
  const BatchPtr outer = callback_le(m, n, functions);
  const Vector x = random.vector(n), w = random.vector(m);
  const Rows all = Rows::range(0, m);
  Vector expected = Vector::Zero(n), got = Vector::Zero(n);
  inner->add_weighted_gradient(x, all, w, expected);
  outer->add_weighted_gradient(x, all, w, got);
  EXPECT_LE((expected - got).norm(), 1e-12 * expected.norm());
  Matrix H = Matrix::Zero(n, n), K = Matrix::Zero(n, n);
  inner->add_weighted_hessian(x, all, w, w, H);
  outer->add_weighted_hessian(x, all, w, w, K);
  EXPECT_LE((H - K).norm(), 1e-11 * H.norm());
}

TEST(Accessors, GiveBackTheData) {
  Random random(7);
  const Numbers q = random.numbers(6), r = random.numbers(2);
  const Numbers P = definite_matrices(random, 2, 3);
  const QuadraticDenseBatch dense(2, 3, P, q, r);
  EXPECT_EQ(dense.P()[5], P[5]);
  EXPECT_EQ(dense.q()[4], q[4]);
  EXPECT_EQ(dense.r()[1], r[1]);
  EXPECT_EQ(dense.family(), "quadratic");
  const Numbers B = random.numbers(12);
  const QuadraticLowRankBatch low_rank(2, 3, 2, B, q, r);
  EXPECT_EQ(low_rank.factors()[11], B[11]);
  EXPECT_EQ(low_rank.rank(), 2);
  EXPECT_EQ(low_rank.family(), "quadratic_lowrank");
  const QuadraticDiagonalBatch diagonal(2, 3, q, q, r);
  EXPECT_EQ(diagonal.diagonals()[0], q[0]);
  EXPECT_EQ(diagonal.family(), "quadratic_diagonal");
  EXPECT_EQ(diagonal.constant_scale(), std::max(std::abs(r[0]), std::abs(r[1])));
  const LogSumExpBatch exponential(2, 3, 2, B, Numbers{1.0, 2.0, -3.0, 0.0});
  EXPECT_EQ(exponential.A()[3], B[3]);
  EXPECT_EQ(exponential.b()[2], -3.0);
  EXPECT_EQ(exponential.terms(), 2);
  EXPECT_EQ(exponential.constant_scale(), 3.0);
  EXPECT_EQ(exponential.family(), "log_sum_exp");
}

}  // namespace
}  // namespace pliant::testing
