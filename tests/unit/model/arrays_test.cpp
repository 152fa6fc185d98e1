// What comes in as Eigen matrices, spans and tensors: the same numbers, copied once or borrowed.
#include "pliant/pliant.hpp"

#include "support/random.hpp"
#include "support/refusal.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCore>

namespace pliant {
namespace {

using testing::Random;
using testing::refusal_of;

Matrix dense(const DataMatrix& matrix) {
  Matrix out(matrix.rows(), matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i) out.row(i) = matrix.row(i);
  return out;
}

template <class M>
constexpr bool can_view = requires(const M& matrix) {
  DataMatrix::view(matrix);
};

TEST(Arrays, VectorsAndSpansAreCopied) {
  Random random(1);
  const Vector v = random.vector(5);
  std::vector<double> numbers(v.begin(), v.end());
  const Eigen::RowVectorXd row = v.transpose();
  const Matrix wide = random.matrix(3, 5);
  const Doubles all[] = {v, row, std::span<const double>(numbers), numbers, 2.0 * v - v, Vector(v)};
  numbers[0] = 17.0;
  for (const Doubles& array : all) {
    ASSERT_EQ(array.size(), 5);
    for (Index i = 0; i < 5; ++i) EXPECT_EQ(array[i], v[i]);
  }
  const Doubles strided = wide.row(1);
  for (Index j = 0; j < 5; ++j) EXPECT_EQ(strided[j], wide(1, j));
  const Doubles listed{1.0, 2.5};
  EXPECT_EQ(listed[1], 2.5);
  EXPECT_EQ(Indices({3, 4})[1], 4);
  static_assert(!std::is_convertible_v<Matrix, Doubles>, "a matrix is no list of numbers");
}

TEST(Arrays, ViewsBorrow) {
  const std::vector<double> numbers{1.0, 2.0, 3.0, 4.0};
  EXPECT_EQ(Doubles::view(numbers).data(), numbers.data());
  const RowMajorMatrix rows = RowMajorMatrix::Random(3, 2);
  const DataMatrix view = DataMatrix::view(rows);
  EXPECT_EQ(view.values().data(), rows.data());
  EXPECT_EQ(dense(view), Matrix(rows));
  static_assert(!can_view<Matrix>, "a column-major matrix would be a copy that dies at once");
  static_assert(can_view<RowMajorMatrix>);
  EXPECT_EQ(refusal_of([&] { DataMatrix::view(rows.leftCols(1)); }),
            "view: expected a row-major matrix without gaps between its rows");
}

TEST(Arrays, DenseMatricesOfEitherOrder) {
  Random random(2);
  const Matrix A = random.matrix(4, 3);
  const RowMajorMatrix B = A;
  for (const DataMatrix& m :
       {DataMatrix(A), DataMatrix(B), DataMatrix(A.transpose().transpose()), DataMatrix(1.0 * A)}) {
    EXPECT_FALSE(m.is_sparse());
    EXPECT_EQ(dense(m), A);
  }
  EXPECT_EQ(dense(A.block(1, 1, 2, 2)), A.block(1, 1, 2, 2));
  EXPECT_EQ(dense(Eigen::RowVector3d(1.0, 2.0, 3.0)), Matrix(Eigen::RowVector3d(1.0, 2.0, 3.0)));
}

TEST(Arrays, SparseMatricesOfEitherOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index rows = random.integer(1, 12), cols = random.integer(1, 12);
    Eigen::SparseMatrix<double> by_column(rows, cols);
    Eigen::SparseMatrix<double, Eigen::RowMajor, Index> by_row(rows, cols);
    for (Index k = 0; k < rows * cols / 2; ++k) {
      const Index i = random.integer(0, rows - 1), j = random.integer(0, cols - 1);
      by_row.coeffRef(i, j) = by_column.coeffRef(i, j) = random.normal();
    }
    ASSERT_TRUE(rows * cols < 4 || !by_column.isCompressed());
    for (const DataMatrix& m : {DataMatrix(by_column), DataMatrix(by_row)}) {
      EXPECT_TRUE(m.is_sparse());
      EXPECT_NO_THROW(m.validate("m"));
      EXPECT_EQ(m.nonzeros(), by_column.nonZeros());
      EXPECT_EQ(dense(m), Matrix(by_column));
    }
  }
}

TEST(Arrays, Stacked) {
  Random random(3);
  const Matrix A = random.matrix(2, 3), B = random.matrix(1, 3);
  Matrix both(3, 3);
  both << A, B;
  const Eigen::SparseMatrix<double> sparse = B.sparseView();
  EXPECT_EQ(dense(DataMatrix::stack(A, B)), both);
  EXPECT_FALSE(DataMatrix::stack(A, B).is_sparse());
  for (const DataMatrix& m : {DataMatrix::stack(A, sparse), DataMatrix::stack(DataMatrix(A), DataMatrix(sparse))}) {
    EXPECT_TRUE(m.is_sparse());
    EXPECT_NO_THROW(m.validate("m"));
    EXPECT_EQ(dense(m), both);
  }
  EXPECT_THROW(DataMatrix::stack(A, Matrix::Zero(1, 2)), InputError);
}

// Row-major whatever the order of the matrices they come from.
TEST(Arrays, Tensors) {
  Random random(4);
  const Index m = 3, n = 4;
  std::vector<Matrix> P;
  std::vector<double> flat;
  for (Index i = 0; i < m; ++i) {
    P.push_back(random.matrix(n, n));
    for (Index r = 0; r < n; ++r) {
      for (Index c = 0; c < n; ++c) flat.push_back(P.back()(r, c));
    }
  }
  const Tensor stacked(P);
  EXPECT_EQ(stacked.shape(), (std::vector<Index>{m, n, n}));
  for (std::size_t k = 0; k < flat.size(); ++k) EXPECT_EQ(stacked.values()[static_cast<Index>(k)], flat[k]);
  const Matrix q = random.matrix(m, n);
  const Tensor rows = q;
  EXPECT_EQ(rows.describe_shape(), "(3, 4)");
  EXPECT_EQ(rows.values()[n + 1], q(1, 1));
  P.push_back(Matrix::Zero(n, 1));
  EXPECT_EQ(refusal_of([&] { Tensor{P}; }), "matrix 3 of 4: expected 4 x 4 entries as in matrix 0, got 4 x 1");
  EXPECT_EQ(refusal_of([] { Tensor({2, -1}, {}); }), "array of shape (2, -1): sizes must not be negative");
  EXPECT_EQ(refusal_of([] {
              Tensor({Index{1} << 40, Index{1} << 40}, {});
            }),
            "array of shape (1099511627776, 1099511627776): more entries than any memory holds");
}

// The value of a batch made from Eigen types against the formula.
TEST(Arrays, BatchesFromMatrices) {
  Random random(5);
  const Index m = 4, n = 3;
  std::vector<Matrix> P;
  for (Index i = 0; i < m; ++i) {
    const Matrix root = random.matrix(n, n);
    P.push_back(root * root.transpose());
  }
  const Matrix q = random.matrix(m, n);
  const Vector r = random.vector(m), x = random.vector(n);
  const BatchPtr batch = quadratic_le(P, q, r);
  ASSERT_NO_THROW(batch->validate());
  Vector a(m);
  batch->values(x, Rows::range(0, m), a);
  for (Index i = 0; i < m; ++i) {
    const double expected = 0.5 * x.dot(P[static_cast<std::size_t>(i)] * x) + q.row(i).dot(x) + r[i];
    EXPECT_NEAR(a[i], expected, 1e-12 * (1.0 + std::abs(expected)));
  }
  EXPECT_EQ(refusal_of([&] { soc_le(P, q, Matrix::Zero(m, n + 1), r); }),
            "soc_le: c: expected shape (m, n) = (4, 3), got (4, 4)");
  EXPECT_EQ(refusal_of([&] { lmi_le(P, P); }), "lmi_le: F: expected shape (m, n, k, k) = (4, n, 3, 3), got (4, 3, 3)");
}

}  // namespace
}  // namespace pliant
