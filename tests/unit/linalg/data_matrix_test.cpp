#include "pliant/data_matrix.hpp"

#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace pliant {
namespace {

using testing::Random;

// A random matrix with some zeros, as Eigen, dense and CSR.
struct Storages {
  Matrix eigen;
  DataMatrix dense, csr;
};

Storages random_storages(Random& random, Index rows, Index cols) {
  Storages s;
  s.eigen = random.matrix(rows, cols);
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if (random.uniform() < 0.5) s.eigen(i, j) = 0.0;
      if (s.eigen(i, j) == 0.0) continue;
      columns.push_back(j);
      values.push_back(s.eigen(i, j));
    }
    starts.push_back(static_cast<Index>(values.size()));
  }
  s.dense = DataMatrix::from(s.eigen);
  s.csr = DataMatrix::csr(rows, cols, Indices(starts), Indices(columns), Doubles(values));
  return s;
}

TEST(DataMatrix, KernelsAgreeWithEigenDenseAndSparse) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index rows = random.integer(1, 700), cols = random.integer(1, 30);
    const Storages s = random_storages(random, rows, cols);
    const Vector x = random.vector(cols), w = random.vector(rows);
    std::vector<Index> chosen;
    for (Index i = 0; i < rows; ++i) {
      if (random.uniform() < 0.3) chosen.push_back(i);
    }
    for (const DataMatrix* m : {&s.dense, &s.csr}) {
      m->validate("m");
      for (const Rows set : {Rows::range(0, rows), Rows::list(chosen)}) {
        Vector out(set.size()), norms(set.size()), ws(set.size());
        Vector back = Vector::Zero(cols), expected_back = Vector::Zero(cols);
        Matrix gram = Matrix::Zero(cols, cols), expected_gram = Matrix::Zero(cols, cols);
        for (Index k = 0; k < set.size(); ++k) {
          ws[k] = w[set[k]];
          expected_back += ws[k] * s.eigen.row(set[k]).transpose();
          expected_gram += ws[k] * s.eigen.row(set[k]).transpose() * s.eigen.row(set[k]);
        }
        m->multiply(x.data(), set, out.data());
        m->add_transposed(set, ws.data(), back.data());
        m->add_gram(set, ws.data(), gram);
        m->squared_norms(set, norms.data());
        for (Index k = 0; k < set.size(); ++k) {
          EXPECT_NEAR(out[k], s.eigen.row(set[k]).dot(x), 1e-12);
          EXPECT_NEAR(norms[k], s.eigen.row(set[k]).squaredNorm(), 1e-12);
          EXPECT_NEAR(m->dot(set[k], x.data()), out[k], 1e-12);
        }
        EXPECT_LE((back - expected_back).norm(), 1e-11);
        const Matrix difference = (gram - expected_gram).triangularView<Eigen::Lower>();
        EXPECT_LE(difference.norm(), 1e-10);
      }
    }
  }
}

TEST(DataMatrix, BytesCountWhatIsStored) {
  Random random(3);
  const Storages s = random_storages(random, 10, 4);
  EXPECT_EQ(s.dense.bytes(), 10 * 4 * 8);
  EXPECT_EQ(s.csr.bytes(), s.csr.nonzeros() * 16 + 10 * 8);
}

std::string error_of(const DataMatrix& m) {
  try {
    m.validate("G");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DataMatrix, ErrorsNameTheRow) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error_of(DataMatrix::dense(2, 2, Doubles({1.0, 2.0, nan, 4.0}))),
              ::testing::HasSubstr("G: row 1 contains nan"));
  EXPECT_THAT(error_of(DataMatrix::csr(2, 2, Indices({0, 1, 2}), Indices({0, 2}), Doubles({1.0, 1.0}))),
              ::testing::HasSubstr("row 1 has column 2, expected 0..1"));
  EXPECT_THAT(error_of(DataMatrix::csr(1, 3, Indices({0, 2}), Indices({1, 1}), Doubles({1.0, 1.0}))),
              ::testing::HasSubstr("not strictly ascending"));
  EXPECT_THAT(error_of(DataMatrix::csr(2, 3, Indices({0, 2, 1}), Indices({1, 2}), Doubles({1.0, kInfinity}))),
              ::testing::HasSubstr("row starts"));
  EXPECT_THROW(DataMatrix::dense(2, 2, Doubles({1.0})), InputError);
  EXPECT_THROW(DataMatrix::csr(2, 2, Indices({0, 1}), Indices({0}), Doubles({1.0})), InputError);
}

// The check runs in many chunks; the first bad row is named whichever thread finds its own first.
TEST(DataMatrix, TheFirstBadRowOfManyIsNamed) {
  constexpr Index kRows = 50021, kColumns = 9;
  Random random(77);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity}) {
    std::vector<double> values(kRows * kColumns, 1.0);
    Index first = kRows * kColumns;
    for (int k = 0; k < 5; ++k) {
      const Index at = random.integer(0, kRows * kColumns - 1);
      values[static_cast<std::size_t>(at)] = bad;
      first = std::min(first, at);
    }
    EXPECT_THAT(error_of(DataMatrix::dense(kRows, kColumns, Doubles(std::move(values)))),
                ::testing::HasSubstr("row " + std::to_string(first / kColumns) + " contains"));
  }
}

}  // namespace
}  // namespace pliant
