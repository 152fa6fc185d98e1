// Outer products of gathered rows, added up on a device, against the truth recomputed from raw data.
#include "constraints/rank_one.hpp"
#include "pliant/device.hpp"
#include "pliant/pliant.hpp"
#include "pliant/svec.hpp"
#include "rows/device_rows.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant::testing {
namespace {

constexpr double kGramRounding = 1e-12;

/// Gradients of the constraints of a batch, one in each row.
Matrix gradients_of(const ConstraintBatch& batch) {
  Matrix out(batch.size(), batch.dimension());
  const Vector x = Vector::Zero(batch.dimension());
  for (Index i = 0; i < batch.size(); ++i) {
    Vector g = Vector::Zero(batch.dimension());
    batch.add_component_gradient(i, x, 1.0, g);
    out.row(i) = g;
  }
  return out;
}

std::vector<Index> some_of(Random& random, Index count, double share) {
  std::vector<Index> out;
  for (Index i = 0; i < count; ++i) {
    if (random.uniform() < share) out.push_back(i);
  }
  if (out.empty()) out.push_back(count - 1);
  return out;
}

/// Names some constraints, then adds up twice over others of them.
void expect_grams(Random& random, DeviceBatch& batch, const Matrix& gradients) {
  const std::vector<Index> named = some_of(random, batch.size(), 0.7);
  const Index n = batch.dimension(), before = batch.latest_gram();
  EXPECT_EQ(batch.name_gram_rows(named), before + 1);
  for (const double share : {0.8, 0.05}) {
    const std::vector<Index> places = some_of(random, static_cast<Index>(named.size()), share);
    Vector weights(static_cast<Index>(places.size()));
    for (double& w : weights) w = random.uniform() < 0.1 ? 0.0 : random.log_uniform(1e-3, 1e3);
    const Matrix start = random.matrix(n, n);
    Matrix H = start;
    batch.begin_gram(places, weights);
    batch.end_gram(H);
    Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> truth = start.cast<long double>();
    long double size = 1.0L;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const auto row = named[static_cast<std::size_t>(places[k])];
      const auto g = gradients.row(row).transpose().cast<long double>().eval();
      truth += static_cast<long double>(weights[static_cast<Index>(k)]) * g * g.transpose();
      size += static_cast<long double>(weights[static_cast<Index>(k)]) * g.squaredNorm();
    }
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        if (i < j) {
          EXPECT_EQ(H(i, j), start(i, j));  // the lower triangle alone
        } else {
          EXPECT_NEAR(H(i, j), static_cast<double>(truth(i, j)), kGramRounding * static_cast<double>(size));
        }
      }
    }
  }
}

TEST(DeviceGrams, OfLinearRowsWithOneSideOrTwo) {
  Random random(60);
  for (const Index n : {1, 5, 63, 64, 65, 130}) {
    SCOPED_TRACE(n);
    const Index m = n == 5 ? 1400 : 90;  // several shares of rows, or less than one
    const Matrix G = random.matrix(m, n);
    Vector hi = Vector::Ones(m), lo = -hi;
    for (Index i = 1; i < m; i += 3) (i % 2 == 0 ? hi[i] : lo[i]) *= kInfinity;
    for (const bool two_sided : {false, true}) {
      const BatchPtr rows = two_sided ? linear_range(to_array(lo), DataMatrix::from(G), to_array(hi))
                                      : linear_le(DataMatrix::from(G), to_array(Vector::Ones(m)));
      DeviceBatch batch(*rows->linear_rows(), 0);
      ASSERT_EQ(batch.size(), rows->size());
      expect_grams(random, batch, gradients_of(*rows));
    }
  }
}

TEST(DeviceGrams, OfPointsInAnyCoordinates) {
  Random random(61);
  for (const Index d : {1, 2, 7, 14}) {
    for (const bool lifted : {false, true}) {
      const Index m = 300, order = d + (lifted ? 1 : 0);
      const Vector numbers = random.vector(m * d);
      const auto points =
          std::make_shared<RankOneBatch>(m, order, lifted, to_array(numbers), to_array(Vector::Ones(m)));
      DeviceBatch batch(*points, 0);
      expect_grams(random, batch, gradients_of(*points));
      const Matrix R = Matrix::Identity(order, order) + 0.4 * random.matrix(order, order);
      batch.set_coordinates(R);
      expect_grams(random, batch, gradients_of(*points->in_coordinates(R)));
    }
  }
}

// Through the holder: blocks large enough take their Hessians from the device, and so do selections of them.
TEST(DeviceGrams, BlocksOfManyRowsUseThem) {
  Random random(62);
  const Index n = 240, m = 1200;
  Problem problem(n);
  problem.subject_to(linear_le(DataMatrix::from(random.matrix(m, n)), to_array(Vector::Ones(m))));
  problem.subject_to(linear_range(to_array(Vector::Constant(40, -1.0)), DataMatrix::from(random.matrix(40, n)),
                                  to_array(Vector::Ones(40))));
  ConstraintSystem account(problem);
  std::vector<DeviceBatchPtr> batches;
  for (const BatchPtr& batch : problem.batches()) {
    batches.push_back(std::make_shared<DeviceBatch>(*batch->linear_rows(), 0));
  }
  DeviceRows rows(batches, account, 1e-6);
  const std::vector<Index> list = some_of(random, rows.rows(), 0.9), others = some_of(random, rows.rows(), 0.95);
  const std::unique_ptr<RowBlock> block = rows.gather(list), other = rows.gather(others),
                                  plain = rows.RowHolder::gather(list);
  const Vector x = random.vector(n);
  const auto derivatives = [&](const RowSelection& selection, const Vector& w, Matrix& gradients, Matrix& H) {
    gradients = Matrix::Zero(n, 1);
    H = Matrix::Zero(n, n);
    selection.add_weighted_derivatives(x, Eigen::Map<const Matrix>(w.data(), w.size(), 1), Vector::Zero(w.size()), w,
                                       gradients, H);
  };
  for (int round = 0; round < 2; ++round) {
    const std::vector<Index> places = some_of(random, block->size(), round == 0 ? 1.1 : 0.3);
    RowSelection mine, theirs;
    mine.select(block->selection(), places);
    theirs.select(plain->selection(), places);
    Vector w = random.vector(mine.size()).cwiseAbs();
    Matrix g, g_plain, H, H_plain;
    const Index named = batches.front()->latest_gram();
    derivatives(mine, w, g, H);
    EXPECT_EQ(batches.front()->latest_gram(), named + 1);
    derivatives(theirs, w, g_plain, H_plain);
    EXPECT_LE((g - g_plain).lpNorm<Eigen::Infinity>(), kGramRounding * (1.0 + g_plain.norm()));
    for (Index j = 0; j < n; ++j) {
      EXPECT_LE((H.col(j) - H_plain.col(j)).tail(n - j).lpNorm<Eigen::Infinity>(), kGramRounding * H_plain.norm());
    }
    w = Vector::Ones(other->size());
    derivatives(other->selection(), w, g, H);  // names its own rows in between
  }
}

}  // namespace
}  // namespace pliant::testing
