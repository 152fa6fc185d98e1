// Rows on a device against the truth, recomputed row by row from raw data: with the library that PLIANT_CUDA_LIBRARY names on
// a card, otherwise with the imitation of one.
#include "rows/device_rows.hpp"
#include "constraints/linear.hpp"
#include "pliant/certificate.hpp"
#include "pliant/device.hpp"
#include "pliant/pliant.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace pliant::testing {
namespace {

constexpr double kSlack = 1e-6;
constexpr double kRounding = 1e-12;

class Library final : public ::testing::Environment {
  void SetUp() override { setenv("PLIANT_CUDA_LIBRARY", PLIANT_CUDA_EMULATION, 0); }
};
const auto* const kLibrary = ::testing::AddGlobalTestEnvironment(new Library);

// One batch of the truth: sign g'x - c for every finite side.
struct Batch {
  Matrix G;
  Vector lo, hi;  // lo empty: one side
};

struct Truth {
  std::vector<double> values, norms;
};

Truth truth_of(const std::vector<Batch>& batches, const Vector& x) {
  Truth out;
  const auto add = [&](long double value, long double norm) {
    out.values.push_back(static_cast<double>(value));
    out.norms.push_back(static_cast<double>(norm));
  };
  for (const Batch& b : batches) {
    for (Index r = 0; r < b.G.rows(); ++r) {
      long double product = 0.0L, square = 0.0L;
      for (Index j = 0; j < b.G.cols(); ++j) {
        product += static_cast<long double>(b.G(r, j)) * x[j];
        square += static_cast<long double>(b.G(r, j)) * b.G(r, j);
      }
      if (b.hi[r] < kInfinity) add(product - b.hi[r], std::sqrt(square));
      if (b.lo.size() > 0 && b.lo[r] > -kInfinity) add(b.lo[r] - product, std::sqrt(square));
    }
  }
  return out;
}

Batch random_batch(Random& random, Index m, Index n, bool two_sided) {
  Batch out{random.matrix(m, n), {}, Vector(m)};
  if (two_sided) out.lo.resize(m);
  for (Index r = 0; r < m; ++r) {
    out.hi[r] = random.uniform(0.2, 3.0) * (1.0 + out.G.row(r).norm());
    if (!two_sided) continue;
    out.lo[r] = -random.uniform(0.2, 3.0) * (1.0 + out.G.row(r).norm());
    const double which = random.uniform();
    if (which < 0.2) out.hi[r] = kInfinity;
    if (which > 0.8) out.lo[r] = -kInfinity;
    if (which > 0.48 && which < 0.52 && r > 0) out.lo[r] = -(out.hi[r] = kInfinity);  // no constraint at all
  }
  return out;
}

void add_rows(const std::vector<Batch>& batches, Problem& problem) {
  for (const Batch& b : batches) {
    problem.subject_to(b.lo.size() > 0 ? linear_range(to_array(b.lo), DataMatrix::from(b.G), to_array(b.hi))
                                       : linear_le(DataMatrix::from(b.G), to_array(b.hi)));
  }
}

std::vector<DeviceBatchPtr> on_device(const Problem& problem) {
  std::vector<DeviceBatchPtr> out;
  for (const BatchPtr& batch : problem.batches())
    out.push_back(std::make_shared<DeviceBatch>(*batch->linear_rows(), 0));
  return out;
}

// Sizes around those where packs, lanes and chunks change.
struct Shape {
  Index n;
  std::vector<Index> rows;
  bool two_sided;
};
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {1, {5}, false},     {2, {1}, false},           {3, {1023, 1}, true}, {7, {300, 900}, false}, {20, {1024}, false},
      {33, {1025}, true},  {64, {700, 3, 600}, true}, {100, {2500}, false}, {100, {1100}, true},    {130, {600}, false},
      {257, {400}, false}, {300, {50, 60}, true},     {1000, {70}, false},
  };
  return all;
}

class DeviceHolder : public ::testing::TestWithParam<std::size_t> {
 protected:
  void build(std::uint64_t seed) {
    const Shape& shape = shapes()[GetParam()];
    Random random(seed);
    n_ = shape.n;
    for (const Index m : shape.rows) batches_.push_back(random_batch(random, m, n_, shape.two_sided));
    problem_ = std::make_unique<Problem>(n_);
    add_rows(batches_, *problem_);
    account_ = std::make_unique<ConstraintSystem>(*problem_);
    rows_ = std::make_unique<DeviceRows>(*problem_, *account_, 0, kSlack);
  }
  double size_at(const Truth& truth, std::size_t i, const Vector& x) const {
    return 1.0 + std::abs(truth.values[i]) + truth.norms[i] * (1.0 + x.norm());
  }

  Index n_ = 0;
  std::vector<Batch> batches_;
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<ConstraintSystem> account_;
  std::unique_ptr<DeviceRows> rows_;
};
INSTANTIATE_TEST_SUITE_P(All, DeviceHolder, ::testing::Range(std::size_t{0}, shapes().size()));

TEST_P(DeviceHolder, ChecksNeverMissARow) {
  build(31);
  Random random(GetParam());
  Vector x = 0.1 * random.vector(n_);
  for (int round = 0; round < 6; ++round) {
    const StepwiseRows::Found found = rows_->check(x, 0.3, 0.8);
    const Truth truth = truth_of(batches_, x);
    ASSERT_EQ(rows_->rows(), static_cast<Index>(truth.values.size()));
    double worst = 0.0;
    Vector bounds(rows_->rows());
    rows_->values(x, bounds);
    for (std::size_t i = 0; i < truth.values.size(); ++i) {
      const double rounding = kRounding * size_at(truth, i, x), a = truth.values[i],
                   bound = bounds[static_cast<Index>(i)];
      worst = std::max(worst, a);
      EXPECT_LE(a, bound + rounding) << i;
      EXPECT_TRUE(bound <= -kSlack || std::abs(bound - a) <= rounding) << i << " " << bound << " " << a;
      if (a > rounding) {
        EXPECT_TRUE(std::binary_search(found.rows.begin(), found.rows.end(), static_cast<Index>(i))) << i;
      }
    }
    EXPECT_NEAR(found.worst, worst, kRounding * (1.0 + worst) * static_cast<double>(n_ + 10));
    EXPECT_TRUE(std::adjacent_find(found.rows.begin(), found.rows.end(), std::greater_equal<>()) == found.rows.end());
    for (std::size_t k = 0; k < found.rows.size(); ++k) {
      const auto i = static_cast<std::size_t>(found.rows[k]);
      const double rounding = kRounding * size_at(truth, i, x);
      EXPECT_NEAR(found.values[k], truth.values[i], rounding);
      EXPECT_NEAR(found.distances[k] * truth.norms[i], truth.values[i], 2.0 * rounding);
    }
    x += random.log_uniform(1e-4, 0.3) * random.vector(n_);
  }
  EXPECT_GT(account_->passes(), 0.9);
  EXPECT_LE(account_->passes(), 12.1);  // a row with two sides in doubt is charged for each
}

TEST_P(DeviceHolder, MeasuredAndFetchedRowsAreTheRows) {
  build(32);
  Random random(GetParam());
  const Vector x = random.vector(n_);
  std::vector<Index> list;
  for (Index i = 0; i < rows_->rows(); ++i) {
    if (random.uniform() < 0.3) list.push_back(i);
  }
  const auto count = static_cast<Index>(list.size());
  const Truth truth = truth_of(batches_, x);
  Vector values(count), norms(count), smoothness = Vector::Constant(count, kInfinity);
  rows_->measure(list, x, values, norms, smoothness);
  const std::vector<BatchPtr> fetched = rows_->fetch(list);
  Vector again(count);
  Index next = 0;
  for (const BatchPtr& batch : fetched) {
    ASSERT_LE(next + batch->size(), count);
    batch->values(x, Rows::range(0, batch->size()), again.segment(next, batch->size()));
    next += batch->size();
  }
  EXPECT_EQ(next, count);
  for (Index k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(list[static_cast<std::size_t>(k)]);
    const double rounding = kRounding * size_at(truth, i, x);
    EXPECT_NEAR(values[k], truth.values[i], rounding);
    EXPECT_NEAR(again[k], truth.values[i], rounding);
    EXPECT_NEAR(norms[k], truth.norms[i], kRounding * truth.norms[i]);
    EXPECT_EQ(smoothness[k], 0.0);
  }
}

TEST_P(DeviceHolder, SumsAndCountsAreThoseOfTheRows) {
  build(33);
  Random random(GetParam());
  const Vector x = 0.5 * random.vector(n_);
  const std::vector<Index> none;
  EXPECT_EQ(rows_->inactive_within(x, 0.1), 0);  // nothing has been read
  EXPECT_EQ(static_cast<Index>(rows_->above(x, 0.0).rows.size()), rows_->rows());
  EXPECT_FALSE(rows_->sums(x, 0.0, {none, Vector()}).finite);
  rows_->check(x, 0.3, 0.0);  // everything is read
  const double threshold = -0.5 * random.uniform();
  const RowSums sums = rows_->sums(x, threshold, {none, Vector()});
  const NearRows above = rows_->above(x, threshold);
  const Truth truth = truth_of(batches_, x);
  long double l1 = 0.0L, squares = 0.0L;
  double largest = -kInfinity, scale = 1.0;
  Index surely = 0, perhaps = 0, inside = 0;
  const double radius = 0.05;
  for (std::size_t i = 0; i < truth.values.size(); ++i) {
    const double a = truth.values[i], rounding = kRounding * size_at(truth, i, x);
    scale = std::max(scale, size_at(truth, i, x));
    l1 += std::max(0.0, a);
    squares += static_cast<long double>(std::max(0.0, a)) * std::max(0.0, a);
    largest = std::max(largest, a);
    surely += a >= threshold + rounding;
    perhaps += a >= threshold - rounding;
    inside += a + radius * truth.norms[i] < -rounding;
    const bool listed = std::binary_search(above.rows.begin(), above.rows.end(), static_cast<Index>(i));
    EXPECT_TRUE(std::abs(a - threshold) <= rounding || listed == (a > threshold)) << i;
  }
  const double rounding = kRounding * scale * static_cast<double>(truth.values.size());
  EXPECT_EQ(sums.rows, rows_->rows());
  EXPECT_TRUE(sums.finite);
  EXPECT_NEAR(sums.largest, largest, rounding);
  EXPECT_NEAR(sums.l1, static_cast<double>(l1), rounding);
  EXPECT_NEAR(sums.l2(), static_cast<double>(std::sqrt(squares)), rounding);
  EXPECT_GE(sums.active, surely);
  EXPECT_LE(sums.active, perhaps);
  EXPECT_EQ(sums.bounded, 0);
  EXPECT_NEAR(static_cast<double>(rows_->inactive_within(x, radius)), static_cast<double>(inside), 2.0);
  // A row that is known better counts as it is known; elsewhere, bounds: counted as such.
  const Index last = rows_->rows() - 1;
  EXPECT_EQ(rows_->sums(x, threshold, {{last}, Vector::Constant(1, largest + 100.0)}).largest, largest + 100.0);
  Vector near = x;
  near[0] += 1e-9;
  EXPECT_EQ(rows_->sums(near, threshold, {none, Vector()}).bounded, rows_->rows());
}

TEST_P(DeviceHolder, SameBytesEveryTime) {
  const std::uint64_t seed = 34;
  build(seed);
  Random random(GetParam());
  DeviceRows second(*problem_, *account_, 0, kSlack);
  Vector x = 0.3 * random.vector(n_);
  for (int round = 0; round < 3; ++round) {
    const StepwiseRows::Found a = rows_->check(x, 0.3, 0.8), b = second.check(x, 0.3, 0.8);
    EXPECT_EQ(a.worst, b.worst);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.values, b.values);
    const std::vector<Index> none;
    EXPECT_EQ(rows_->sums(x, 0.0, {none, Vector()}).l1, second.sums(x, 0.0, {none, Vector()}).l1);
    x += random.log_uniform(1e-3, 0.3) * random.vector(n_);
  }
}

// Floats as they are stored: the truth is that of the rounded numbers.
TEST(DeviceFloats, AreReadAsStored) {
  if (std::string(std::getenv("PLIANT_CUDA_LIBRARY")) != PLIANT_CUDA_EMULATION)
    GTEST_SKIP() << "host memory is no device's";
  Random random(35);
  for (const Index n : {1, 2, 3, 4, 6, 20, 100, 132, 259}) {
    const Index m = 333;
    Batch b = random_batch(random, m, n, false);
    std::vector<float> stored;
    for (Index r = 0; r < m; ++r) {
      for (Index j = 0; j < n; ++j) {
        stored.push_back(static_cast<float>(b.G(r, j)));
        b.G(r, j) = static_cast<double>(stored.back());
      }
    }
    const DeviceBatchPtr rows = linear_le_on_device({stored.data(), m, n, true, 0}, b.hi.data());
    Problem empty(n);
    ConstraintSystem account(empty);
    account.count_held(rows->bytes());
    DeviceRows holder({rows}, account, kSlack);
    const Vector x = random.vector(n);
    holder.check(x, 0.3, 0.8);
    EXPECT_EQ(account.passes(), 1.0);
    Vector values(m);
    holder.values(x, values);
    const Truth truth = truth_of({b}, x);
    for (Index i = 0; i < m; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_NEAR(values[i], truth.values[k],
                  kRounding * (1.0 + std::abs(truth.values[k]) + truth.norms[k] * x.norm()));
    }
  }
}

// ---- solves ----

Problem half_spaces(Random& random, Index n, std::vector<Batch> batches, bool linear_objective) {
  Problem out(n);
  if (linear_objective) {
    out.minimize(linear(to_array(random.vector(n))));
    out.regularize(box(to_array(Vector::Constant(n, -10.0)), to_array(Vector::Constant(n, 10.0))));
  } else {
    out.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(Vector(4.0 * random.vector(n)))));
  }
  add_rows(batches, out);
  return out;
}

Settings tight() {
  Settings out;
  out.tol_feas = out.tol_gap = 1e-8;
  return out;
}

TEST(DeviceSolves, AgreeWithTheProcessorAndAreCertifiedByIt) {
  Random random(36);
  for (int round = 0; round < 6; ++round) {
    const bool linear_objective = round % 2 == 1;
    const Index n = 6 + 3 * round;
    std::vector<Batch> batches{random_batch(random, 3000, n, round % 3 == 2), random_batch(random, 700, n, true)};
    const Problem problem = half_spaces(random, n, batches, linear_objective);
    const Result here = solve(problem, tight());
    ASSERT_EQ(here.status, Status::optimal) << here.message;
    Settings on_card = tight();
    on_card.device.card = 0;
    const Result copied = solve(problem, on_card);
    ASSERT_EQ(copied.status, Status::optimal) << copied.message;
    const double scale = 1.0 + std::abs(here.certificate.objective);
    EXPECT_NEAR(copied.certificate.objective, here.certificate.objective, 1e-7 * scale);

    // Rows that are no part of the problem.
    Problem rest(n);
    for (const Problem::WeightedTerm& t : problem.terms()) rest.minimize(t.term, t.weight);
    rest.regularize(problem.prox_ptr());
    const DeviceResult held = solve(rest, on_device(problem), tight());
    ASSERT_EQ(held.result.status, Status::optimal) << held.result.message;
    EXPECT_NEAR(held.result.certificate.objective, here.certificate.objective, 1e-7 * scale);
    EXPECT_GT(held.reads, 0);
    EXPECT_LT(static_cast<Index>(held.rows.size()), problem.constraints());
    Multipliers multipliers = zero_multipliers(problem);
    std::size_t k = 0;
    for (const Vector& part : held.result.multipliers.lambda) {
      for (const double lambda : part) {
        const Index row = held.rows.at(k++), first = multipliers.lambda[0].size();
        (row < first ? multipliers.lambda[0][row] : multipliers.lambda[1][row - first]) = lambda;
      }
    }
    EXPECT_EQ(k, held.rows.size());
    const Certificate judged = certify(problem, held.result.x, multipliers);
    EXPECT_TRUE(judged.satisfies(tight())) << judged.violation_linf << " " << judged.gap_rel();
    EXPECT_NEAR(judged.violation_linf, held.result.certificate.violation_linf, 1e-12);
    EXPECT_EQ(judged.active, held.result.certificate.active);
    EXPECT_NEAR(judged.lower_bound, held.result.certificate.lower_bound, 1e-9 * scale);
  }
}

TEST(DeviceErrors, SayWhatAndWhere) {
  Random random(37);
  Batch b = random_batch(random, 2000, 5, false);
  const auto message_of = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  Problem sparse(5);
  sparse.minimize(linear(to_array(Vector::Ones(5))));
  sparse.subject_to(linear_le(DataMatrix::csr(2, 5, {0, 1, 2}, {0, 1}, {1.0, 1.0}), to_array(Vector::Ones(2))));
  ConstraintSystem account(sparse);
  EXPECT_EQ(message_of([&] { DeviceRows(sparse, account, 0, kSlack); }),
            "--device cuda: takes dense linear rows, points of up to 32 numbers, quadratic rows of rank up to 5 and "
            "log-sum-exp "
            "rows of up to 6 terms; constraint batch 0 (linear) has others");
  Problem fine(5);
  add_rows({b}, fine);
  EXPECT_NE(message_of([&] { DeviceRows(fine, account, 999, kSlack); }).find("cuda:999: "), std::string::npos);
  // NaN among numbers that nobody has looked at here.
  b.G(1234, 3) = std::nan("");
  Problem with_nan(5);
  add_rows({b}, with_nan);
  DeviceRows rows(with_nan, account, 0, kSlack);
  EXPECT_EQ(message_of([&] { rows.check(Vector::Ones(5), 0.3, 0.8); }),
            "rows on a device: row 1234 of batch 0 contains NaN or infinite numbers");
  Problem rest(5);
  rest.minimize(linear(to_array(Vector::Ones(5))));
  EXPECT_EQ(message_of([&] { solve(fine, on_device(fine), tight()); }),
            "rows on a device: the problem beside them has inequalities of its own, which it may not");
  EXPECT_EQ(message_of([&] { solve(Problem(4), on_device(fine), tight()); }),
            "rows on a device: 5 columns, but the problem has 4 variables");
}

}  // namespace
}  // namespace pliant::testing
