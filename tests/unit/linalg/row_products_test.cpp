// Products of dense rows and sums of their outer products beside plain loops.
#include "linalg/row_products.hpp"

#include "linalg/symmetric_eigen.hpp"
#include "linalg/weighted_gram.hpp"
#include "parallel/parallel.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace pliant {
namespace {

using testing::Random;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

TEST(RowProducts, AreThePlainSumsWhateverTheWidth) {
  Random random(11);
  for (Index n = 0; n <= 70; ++n) {
    SCOPED_TRACE(n);
    const Index rows = 9;
    const std::vector<double> data = random.numbers(rows * n);
    const Vector x = random.vector(n);
    Vector out(rows), squares(rows);
    row_products(data.data(), n, Rows::range(0, rows), x.data(), out.data(), squares.data());
    for (Index k = 0; k < rows; ++k) {
      long double sum = 0.0L, square = 0.0L, size = 0.0L;
      for (Index j = 0; j < n; ++j) {
        const long double g = data[static_cast<std::size_t>(k * n + j)];
        sum += g * x[j];
        size += std::abs(g * x[j]);
        square += g * g;
      }
      const double rounding = static_cast<double>(n + 1) * kEpsilon;
      EXPECT_LE(std::abs(out[k] - static_cast<double>(sum)), rounding * static_cast<double>(size));
      EXPECT_LE(std::abs(squares[k] - static_cast<double>(square)), rounding * static_cast<double>(square));
    }
  }
}

// A check of all rows and a lazy one of some must see the same numbers.
TEST(RowProducts, ARowGivesTheSameBytesInRangesAndLists) {
  Random random(12);
  for (const Index n : {Index{1}, Index{16}, Index{50}, Index{133}}) {
    const Index rows = 200;
    const std::vector<double> data = random.numbers(rows * n);
    const Vector x = random.vector(n);
    Vector all(rows), with_squares(rows), squares(rows);
    row_products(data.data(), n, Rows::range(0, rows), x.data(), all.data());
    row_products(data.data(), n, Rows::range(0, rows), x.data(), with_squares.data(), squares.data());
    EXPECT_TRUE(all == with_squares);
    std::vector<Index> list;
    for (Index i = 0; i < rows; ++i) {
      if (random.uniform() < 0.4) list.push_back(i);
    }
    Vector some(static_cast<Index>(list.size()));
    row_products(data.data(), n, Rows::list(list), x.data(), some.data());
    for (std::size_t k = 0; k < list.size(); ++k) EXPECT_EQ(some[static_cast<Index>(k)], all[list[k]]);
  }
}

TEST(RowProducts, NumbersThatAreNotFiniteShow) {
  for (const Index bad : {Index{0}, Index{17}, Index{36}}) {
    std::vector<double> row(37, 1.0);
    row[static_cast<std::size_t>(bad)] = std::numeric_limits<double>::quiet_NaN();
    const Vector x = Vector::Ones(37);
    double out = 0.0, square = 0.0;
    row_products(row.data(), 37, Rows::range(0, 1), x.data(), &out, &square);
    EXPECT_TRUE(std::isnan(out) && std::isnan(square));
  }
}

// Weights that are 0 leave out any number of rows, so that groups of rows of every size come up.
TEST(RowProducts, WeightedSumsOfRowsAndOfTheirSizesAreThePlainOnes) {
  Random random(15);
  for (Index n = 0; n <= 40; ++n) {
    SCOPED_TRACE(n);
    const Index rows = 1 + n % 11;
    std::vector<double> data = random.numbers(rows * n);
    for (double& v : data) v = random.uniform() < 0.1 ? 0.0 : v;
    Vector w(rows), sums = Vector::Ones(n), sizes = Vector::Ones(n);
    for (double& t : w) t = random.uniform() < 0.3 ? 0.0 : random.log_uniform(1e-3, 1e3);
    if (n > 2) data[1] = w[0] == 0.0 ? std::numeric_limits<double>::infinity() : data[1];  // not read
    add_weighted_rows(data.data(), n, Rows::range(0, rows), w.data(), sums.data());
    add_weighted_sizes(data.data(), n, Rows::range(0, rows), w.data(), sizes.data());
    for (Index j = 0; j < n; ++j) {
      long double sum = 1.0L, size = 1.0L;
      for (Index k = 0; k < rows; ++k) {
        if (w[k] == 0.0) continue;
        const long double product = static_cast<long double>(w[k]) * data[static_cast<std::size_t>(k * n + j)];
        sum += product;
        size += std::abs(product);
      }
      const double rounding = static_cast<double>(rows + 2) * kEpsilon * static_cast<double>(size);
      EXPECT_LE(std::abs(sums[j] - static_cast<double>(sum)), rounding);
      EXPECT_LE(std::abs(sizes[j] - static_cast<double>(size)), rounding);
    }
  }
}

TEST(RowProducts, SizesNeverVanishByUnderflowAndShowWhatIsNotFinite) {
  constexpr double kLeast = std::numeric_limits<double>::min();
  for (const Index n : {Index{3}, Index{8}, Index{19}}) {
    const std::vector<double> tiny(static_cast<std::size_t>(n), -1e-200);
    std::vector<double> bad(static_cast<std::size_t>(n), 0.0);
    bad[0] = std::numeric_limits<double>::quiet_NaN();
    Vector out = Vector::Zero(n);
    const double w = 1e-150;
    add_weighted_sizes(tiny.data(), n, Rows::range(0, 1), &w, out.data());
    EXPECT_EQ(out, Vector::Constant(n, kLeast));
    out.setZero();
    add_weighted_sizes(bad.data(), n, Rows::range(0, 1), &w, out.data());
    EXPECT_TRUE(std::isnan(out[0]));
    EXPECT_TRUE((out.tail(n - 1).array() == 0.0).all());
  }
}

struct GramCase {
  Index n, rows;
};

// Orders on both sides of a tile's border; so many rows that they take two slabs at the last.
TEST(WeightedGram, IsTheSumOfOuterProductsInTheLowerTriangleForAnyNumberOfThreads) {
  Random random(13);
  for (const auto& [n, count] : {GramCase{1, 3}, {95, 40}, {96, 40}, {97, 200}, {200, 0}, {260, 17000}}) {
    SCOPED_TRACE(n);
    const std::vector<double> data = random.numbers(count * n);
    std::vector<const double*> rows;
    for (Index k = 0; k < count; ++k) rows.push_back(data.data() + k * n);
    Vector w(count);
    for (double& t : w) t = random.uniform() < 0.2 ? 0.0 : random.log_uniform(1e-4, 1e4);
    const Matrix before = random.matrix(n, n);
    Matrix H = before;
    {
      const parallel::ThreadScope one(1);
      add_weighted_gram(rows, w, H);
    }
    const Eigen::Map<const Matrix> columns(data.data(), n, count);
    const Matrix expected = before + columns * w.asDiagonal() * columns.transpose();
    const double size = (columns.cwiseAbs() * w.asDiagonal() * columns.cwiseAbs().transpose()).maxCoeff() + 10.0;
    const Matrix difference = (H - expected).triangularView<Eigen::Lower>();
    EXPECT_LE(difference.cwiseAbs().maxCoeff(), static_cast<double>(count + 10) * kEpsilon * size);
    const Matrix above = (H - before).triangularView<Eigen::StrictlyUpper>();
    EXPECT_EQ(above.cwiseAbs().maxCoeff(), 0.0);
    Matrix again = before;
    const parallel::ThreadScope three(3);
    add_weighted_gram(rows, w, again);
    EXPECT_TRUE(H == again);
  }
}

// LAPACK below, tiles from 384 on.
TEST(Cholesky, FactorsOnBothSidesOfTheBorderBetweenItsTwoWays) {
  Random random(14);
  for (const Index n : {Index{383}, Index{384}, Index{401}}) {
    SCOPED_TRACE(n);
    const Matrix B = random.matrix(n, n);
    const Matrix A = B * B.transpose() + Matrix::Identity(n, n);
    Matrix L = A;
    L.triangularView<Eigen::StrictlyUpper>().setConstant(7.0);  // neither read nor written
    ASSERT_TRUE(cholesky_in_place(L));
    const Matrix above = (L.array() - 7.0).matrix().triangularView<Eigen::StrictlyUpper>();
    EXPECT_EQ(above.cwiseAbs().maxCoeff(), 0.0);
    const Matrix lower = L.triangularView<Eigen::Lower>();
    EXPECT_LE((lower * lower.transpose() - A).cwiseAbs().maxCoeff(),
              static_cast<double>(n) * kEpsilon * A.cwiseAbs().maxCoeff());
    {
      const parallel::ThreadScope three(3);
      Matrix again = A;
      again.triangularView<Eigen::StrictlyUpper>().setConstant(7.0);
      ASSERT_TRUE(cholesky_in_place(again));
      EXPECT_TRUE(again == L);
    }
    Matrix indefinite = A;
    indefinite(n - 1, n - 1) -= A(n - 1, n - 1) + 1.0;
    EXPECT_FALSE(cholesky_in_place(indefinite));
    Matrix unknown = A;
    unknown(n - 1, 3) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(cholesky_in_place(unknown));
  }
}

}  // namespace
}  // namespace pliant
