// Frozen rows: what is kept of them in single precision errs to the safe side, however large or small the numbers are.
#include "engines/path/frozen_rows.hpp"
#include "engines/path/soft_samples.hpp"
#include "pliant/problem.hpp"
#include "pliant/soft_rows.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace pliant {
namespace {

using testing::Random;

/// Rows of one price, read at 0.
class Frozen {
 public:
  Frozen(const Matrix& G, const Vector& h) : Frozen(G, h, Vector::Zero(G.cols()), -1.0) {}
  Frozen(const Matrix& G, const Vector& h, const Vector& x, double reach)
      : problem_(with_rows(G, h)), system_(problem_), table_(problem_, system_) {
    rows.read(whole_level({&table_, nullptr}, G.rows()), x, nullptr, reach);
  }
  FrozenRows rows;

 private:
  static Problem with_rows(const Matrix& G, const Vector& h) {
    Problem out(G.cols());
    out.minimize(positive_part(DataMatrix::from(G), to_array(h)));
    return out;
  }
  Problem problem_;
  ConstraintSystem system_;
  SoftTable table_;
};

long double exact_norm(const Matrix& G, Index row) { return G.row(row).cast<long double>().norm(); }

TEST(FrozenRows, DistancesAreOnTheSafeSide) {
  Random random(11);
  const Index n = 3;
  // Within single precision, at its ends and beyond them.
  for (const double size : {1.0, 1e-30, 1e30, 0x1p-126, 0x1p127, 1e-44, 1e60, 1e-140, 1e140}) {
    const Matrix G = size * random.matrix(2000, n);
    Vector h = size * random.vector(2000);
    h.head(500) *= 1e-12;
    h.segment(500, 500) *= 1e12;
    const Frozen frozen(G, h);
    for (Index k = 0; k < G.rows(); ++k) {
      const long double norm = exact_norm(G, k), distance = std::abs(static_cast<long double>(h[k])) / norm;
      EXPECT_LE(static_cast<long double>(frozen.rows.distance_read(k)), distance) << size;
      // And no farther from the truth than single precision is.
      EXPECT_GE(static_cast<long double>(frozen.rows.distance_read(k)), distance * (1.0L - 4e-7L)) << size;
    }
  }
}

// x moves a hair beyond their kinks, less than single precision tells: all of them are found, and in every step.
TEST(FrozenRows, RowsAHairBeyondTheirKinksAreFound) {
  Random random(12);
  for (int trial = 0; trial < 200; ++trial) {
    const Index m = 64;
    const double slope = std::exp2(random.uniform(-40.0, 40.0)), step = std::exp2(random.uniform(-40.0, 40.0));
    Matrix G(m, 1);
    Vector h(m);
    for (Index k = 0; k < m; ++k) {
      G(k, 0) = slope * random.uniform(1.0, 2.0);
      h[k] = G(k, 0) * step * (1.0 - 3e-9 * static_cast<double>(k + 1));
    }
    Frozen frozen(G, h);
    const Vector x = Vector::Constant(1, step);
    EXPECT_EQ(static_cast<Index>(frozen.rows.check(x, step, {}).rows.size()), m) << trial;
    // Back over the same kinks: now the keys are sums of the way so far and a distance.
    const Vector back = Vector::Constant(1, step * (1.0 - 2e-7));
    EXPECT_EQ(static_cast<Index>(frozen.rows.check(back, step * 2e-7, {}).rows.size()), m) << trial;
  }
}

// Rows that leave a band are looked at again, also where the list of rows that may be in doubt was made before.
TEST(FrozenRows, RowsThatLeftABandAreFound) {
  const Index m = 4000;
  Matrix G = Matrix::Ones(m, 1);
  Vector h(m);
  for (Index k = 0; k < m; ++k) h[k] = 1.0 + 1e3 * static_cast<double>(k + 1);
  Frozen frozen(G, h);
  // A list is made for steps of up to 3 * 0.5; then the band moves far beyond it and back to a hair before its kinks.
  EXPECT_TRUE(frozen.rows.check(Vector::Constant(1, 0.5), 0.5, {}).rows.empty());
  const std::vector<Index> band{7, 90, 3000};
  BandProblem::BandRows known{Vector(3), Vector::Ones(3)};
  for (Index i = 0; i < 3; ++i) known.values[i] = h[band[static_cast<std::size_t>(i)]] - 0.01;
  frozen.rows.freeze(Vector::Constant(1, 0.5), band, known);
  EXPECT_NEAR(frozen.rows.estimate_wrong(Vector::Constant(1, 2e7), 0.02, {}, 100), 3.0, 0.0);
}

// What lies beyond the way that a list was made for is found all the same.
TEST(FrozenRows, ListsAreMadeAnew) {
  const Index m = 4000;
  Vector h(m);
  for (Index k = 0; k < m; ++k) h[k] = 1e3 * static_cast<double>(k + 1);
  h[5] = 2.0;
  h[50] = 7.0;
  Frozen frozen(Matrix::Ones(m, 1), h);
  EXPECT_TRUE(frozen.rows.check(Vector::Constant(1, 0.5), 0.5, {}).rows.empty());
  EXPECT_EQ(frozen.rows.check(Vector::Constant(1, 2.5), 2.0, {}).rows, std::vector<Index>{5});
  EXPECT_EQ(frozen.rows.check(Vector::Constant(1, 8.0), 5.5, {}).rows, std::vector<Index>{50});
}

// One read: the linear function that rows are frozen to, and how many are near a kink.
TEST(FrozenRows, OneReadSaysAllOfThem) {
  Random random(13);
  const Index m = 30000, n = 4;  // several blocks and chunks
  const Matrix G = random.matrix(m, n);
  const Vector h = random.vector(m), x = random.vector(n);
  const double reach = 0.3;
  const Frozen frozen(G, h, x, reach);
  Index near = 0;
  long double constant = 0.0L;
  Vector gradient = Vector::Zero(n);
  for (Index k = 0; k < m; ++k) {
    const double z = G.row(k).dot(x);
    near += std::abs(z - h[k]) <= reach ? 1 : 0;
    if (!(z > h[k])) continue;
    constant -= h[k];
    gradient += G.row(k).transpose();
  }
  EXPECT_EQ(frozen.rows.within_reach(), near);
  EXPECT_NEAR(frozen.rows.level().constant, static_cast<double>(constant), 1e-9);
  EXPECT_LE((frozen.rows.level().gradient - gradient).lpNorm<Eigen::Infinity>(), 1e-9);
}

// A row whose squares vanish in double precision still depends on x.
TEST(FrozenRows, TinyRowsAreNotConstant) {
  for (const double size : {1e-155, 1e-161, 1e-170, 1e-300, 4e-320}) {
    Matrix G(2, 2);
    G << 3.0 * size, 4.0 * size, 0.0, 0.0;
    Vector h(2);
    h << size, 0.0;
    Frozen frozen(G, h);
    EXPECT_TRUE(std::isfinite(frozen.rows.distance_read(0))) << size;
    EXPECT_EQ(frozen.rows.distance_read(1), kInfinity);
    const Vector x = Vector::Constant(2, 1e3);
    EXPECT_EQ(frozen.rows.check(x, x.norm(), {}).rows, std::vector<Index>{0}) << size;
  }
}

}  // namespace
}  // namespace pliant
