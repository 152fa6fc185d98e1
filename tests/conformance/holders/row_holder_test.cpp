// Every holder of rows passes the same suite. The truth comes from the rows of the original problem, one by one.
#include "conformance/holders/holders.hpp"
#include "rows/row_knowledge.hpp"
#include "support/random.hpp"

#include "pliant/svec.hpp"

#include <gtest/gtest.h>

namespace pliant::testing {
namespace {

struct Row {
  double value;
  Vector gradient;
};

// Row i of the problem, through the functions of single constraints.
Row row_at(const Problem& problem, Index i, const Vector& x) {
  for (const BatchPtr& batch : problem.batches()) {
    if (i >= batch->size()) {
      i -= batch->size();
      continue;
    }
    Row out{batch->component_value(i, x), Vector::Zero(x.size())};
    batch->add_component_gradient(i, x, 1.0, out.gradient);
    return out;
  }
  throw std::out_of_range("no such row");
}

Vector values_at(const Problem& problem, const Vector& x) {
  Vector out(ConstraintSystem(problem).inequalities());
  Index next = 0;
  for (const BatchPtr& batch : problem.batches()) {
    for (Index i = 0; i < batch->size(); ++i) out[next++] = batch->component_value(i, x);
  }
  return out;
}

class Holders : public ::testing::TestWithParam<std::tuple<HolderKind, int>> {
 protected:
  /// False: nobody can hold these rows that way (a file knows no cones as rows).
  bool build(std::uint64_t seed) {
    const auto& [kind, which] = GetParam();
    if (which == 1 && kind.name == "mapped") return false;
    problem_ = std::make_unique<Problem>(which == 0 ? mixed_rows(seed) : grouped_rows(seed));
    held_ = kind.hold(*problem_);
    reference_ = std::make_unique<ConstraintSystem>(*problem_);
    return true;
  }
  StepwiseRows& rows() { return held_->rows(); }
  Index n() const { return problem_->dimension(); }
  std::vector<Index> some_rows(Random& random, double share) {
    std::vector<Index> out;
    for (Index i = 0; i < rows().rows(); ++i) {
      if (random.uniform() < share) out.push_back(i);
    }
    rows().layout().complete_groups(out);
    return out;
  }

  std::unique_ptr<Problem> problem_;
  std::unique_ptr<HeldRows> held_;
  std::unique_ptr<ConstraintSystem> reference_;
};

std::string name_of(const ::testing::TestParamInfo<std::tuple<HolderKind, int>>& info) {
  return std::get<0>(info.param).name + (std::get<1>(info.param) == 0 ? "_mixed" : "_cones");
}

INSTANTIATE_TEST_SUITE_P(All, Holders, ::testing::Combine(::testing::ValuesIn(holders()), ::testing::Values(0, 1)),
                         name_of);

TEST_P(Holders, CountRowsAndGroups) {
  if (!build(1)) GTEST_SKIP();
  Index count = 0, groups = 0;
  for (const BatchPtr& batch : problem_->batches()) {
    count += batch->size();
    groups += batch->size() / batch->group();
  }
  EXPECT_EQ(rows().rows(), count);
  EXPECT_EQ(rows().layout().groups(), groups);
}

TEST_P(Holders, SamplesAreStratifiedWholeAndReproducible) {
  if (!build(2)) GTEST_SKIP();
  const RowLayout& layout = rows().layout();
  const Index wanted = 60;
  const std::vector<Index> sample = layout.sample(wanted, {7, 0});
  EXPECT_EQ(sample, layout.sample(wanted, {7, 0}));
  EXPECT_NE(sample, layout.sample(wanted, {8, 0}));
  EXPECT_TRUE(std::adjacent_find(sample.begin(), sample.end(), std::greater_equal<>()) == sample.end());
  std::vector<Index> completed = sample;
  layout.complete_groups(completed);
  EXPECT_EQ(sample, completed);
  EXPECT_NEAR(static_cast<double>(sample.size()), static_cast<double>(wanted), 0.25 * static_cast<double>(wanted));
  // No stretch of two strata is empty.
  const Index stretch = 2 * layout.rows() / wanted + 4;
  Index last = 0;
  for (const Index i : sample) {
    EXPECT_LE(i - last, 2 * stretch);
    last = i;
  }
}

TEST_P(Holders, GatheredRowsAreTheRows) {
  if (!build(3)) GTEST_SKIP();
  Random random(3);
  const Vector x = random.vector(n());
  for (const double share : {0.01, 0.4}) {  // copies, and rows in place where the holder prefers that
    const std::vector<Index> chosen = some_rows(random, share);
    const std::unique_ptr<RowBlock> block = rows().gather(chosen);
    ASSERT_EQ(block->rows(), chosen);
    const Index count = block->size();
    RowSelection& selection = block->selection();
    Vector values(count), norms(count), smoothness(count), slopes(count);
    const Vector d = random.vector(n());
    selection.values_and_bounds(x, values, norms, smoothness);
    selection.slopes(x, d, slopes);
    for (Index k = 0; k < count; ++k) {
      const Row row = row_at(*problem_, chosen[static_cast<std::size_t>(k)], x);
      const double size = 1.0 + std::abs(row.value) + row.gradient.norm();
      EXPECT_NEAR(values[k], row.value, 1e-11 * size) << chosen[static_cast<std::size_t>(k)];
      EXPECT_NEAR(slopes[k], row.gradient.dot(d), 1e-10 * size * (1.0 + d.norm()));
      EXPECT_GE(norms[k], row.gradient.norm() - 1e-10 * size);
    }
    // The very bytes of the rows in place, second derivatives included.
    RowSelection in_place(*reference_);
    in_place.select(chosen);
    Vector expected(count);
    in_place.values(x, expected);
    selection.values(x, values);
    EXPECT_TRUE(values == expected);
    const Matrix weights = random.matrix(count, 2).cwiseAbs();
    const Vector curvature = random.vector(count).cwiseAbs(), outer = random.vector(count).cwiseAbs();
    Matrix H = Matrix::Zero(n(), n()), H_expected = H, g = Matrix::Zero(n(), 2), g_expected = g;
    selection.add_weighted_derivatives(x, weights, curvature, outer, g, H);
    in_place.add_weighted_derivatives(x, weights, curvature, outer, g_expected, H_expected);
    EXPECT_TRUE(g == g_expected);
    EXPECT_TRUE(H == H_expected);
    EXPECT_TRUE(H.allFinite() && H.norm() > 0.0);
  }
}

TEST_P(Holders, ChecksNeverMissARow) {
  if (!build(4)) GTEST_SKIP();
  Random random(4);
  Vector x = 0.1 * random.vector(n());
  for (int k = 0; k < 8; ++k) {
    const StepwiseRows::Found found = rows().check(x, 0.3, 0.8);
    EXPECT_TRUE(rows().checked(x));
    const Vector exact = values_at(*problem_, x);
    const double worst = std::max(0.0, exact.maxCoeff());
    EXPECT_NEAR(found.worst, worst, 1e-10 * (1.0 + worst));
    EXPECT_TRUE(std::is_sorted(found.rows.begin(), found.rows.end()));
    ASSERT_EQ(found.rows.size(), found.values.size());
    ASSERT_EQ(found.rows.size(), found.distances.size());
    for (std::size_t j = 0; j < found.rows.size(); ++j) {
      EXPECT_NEAR(found.values[j], exact[found.rows[j]], 1e-10 * (1.0 + std::abs(exact[found.rows[j]])));
    }
    Vector bounds(exact.size());
    rows().values(x, bounds);
    for (Index i = 0; i < exact.size(); ++i) {
      const double rounding = 1e-10 * (1.0 + std::abs(exact[i]));
      EXPECT_LE(exact[i], bounds[i] + rounding) << i;
      EXPECT_TRUE(bounds[i] <= -kSlack || std::abs(bounds[i] - exact[i]) <= rounding) << i;
      if (exact[i] > rounding) {
        EXPECT_TRUE(std::binary_search(found.rows.begin(), found.rows.end(), i)) << i;
      }
    }
    x += random.log_uniform(1e-4, 0.1) * random.vector(n());
  }
}

TEST_P(Holders, MeasuredSamplesAreTheRows) {
  if (!build(5)) GTEST_SKIP();
  Random random(5);
  const Vector x = random.vector(n());
  const std::vector<Index> chosen = some_rows(random, 0.05);
  const auto count = static_cast<Index>(chosen.size());
  Vector values(count), norms(count), smoothness(count);
  rows().measure(chosen, x, values, norms, smoothness);
  for (Index k = 0; k < count; ++k) {
    const Row row = row_at(*problem_, chosen[static_cast<std::size_t>(k)], x);
    EXPECT_NEAR(values[k], row.value, 1e-11 * (1.0 + std::abs(row.value) + row.gradient.norm()));
    EXPECT_GE(norms[k], (1.0 - 1e-10) * row.gradient.norm());
    EXPECT_GE(smoothness[k], 0.0);
  }
}

TEST_P(Holders, SumsAreThoseOfTheRows) {
  if (!build(6)) GTEST_SKIP();
  Random random(6);
  const Vector x = random.vector(n());
  rows().check(x, 0.3, 0.0);  // everything is read
  const std::vector<Index> none;
  const double threshold = -0.5;
  const RowSums sums = rows().sums(x, threshold, {none, Vector()});
  const Vector exact = reference_->group_maxima(values_at(*problem_, x));
  long double l1 = 0.0L, squares = 0.0L;
  Index active = 0;
  for (const double a : exact) {
    l1 += std::max(0.0, a);
    squares += static_cast<long double>(std::max(0.0, a)) * std::max(0.0, a);
    active += a >= threshold;
  }
  EXPECT_EQ(sums.rows, exact.size());
  EXPECT_TRUE(sums.finite);
  EXPECT_NEAR(sums.largest, exact.maxCoeff(), 1e-11 * (1.0 + std::abs(exact.maxCoeff())));
  EXPECT_NEAR(sums.l1, static_cast<double>(l1), 1e-10 * (1.0 + static_cast<double>(l1)));
  EXPECT_NEAR(sums.l2(), static_cast<double>(std::sqrt(squares)), 1e-10 * (1.0 + static_cast<double>(l1)));
  EXPECT_EQ(sums.active, active);
  EXPECT_EQ(sums.bounded, 0);
  // A row that is known better counts as it is known.
  const std::vector<Index> first = rows().layout().segments().front().group == 1 ? std::vector<Index>{5} : none;
  ASSERT_EQ(first.size(), 1U);
  const double other = exact.maxCoeff() + 100.0;
  EXPECT_EQ(rows().sums(x, threshold, {first, Vector::Constant(1, other)}).largest, other);
  // Elsewhere, bounds: counted as such.
  Vector near = x;
  near[0] += 1e-9;
  EXPECT_EQ(rows().sums(near, threshold, {none, Vector()}).bounded, exact.size());
}

TEST_P(Holders, ScreenedRowsAreNegativeAllAround) {
  if (!build(7)) GTEST_SKIP();
  Random random(7);
  const Vector x = 0.1 * random.vector(n());
  EXPECT_EQ(rows().inactive_within(x, 0.1), 0);  // nothing has been read
  rows().check(x, 0.3, 0.8);
  Index least = rows().layout().groups();
  const double radius = 0.05;
  for (int k = 0; k < 20; ++k) {
    const Vector there = reference_->group_maxima(values_at(*problem_, x + radius * random.vector(n()).normalized()));
    least = std::min<Index>(least, (there.array() < 0.0).count());
  }
  const Index inactive = rows().inactive_within(x, radius);
  EXPECT_LE(inactive, least);
  EXPECT_GT(inactive, 0);
  EXPECT_LE(rows().inactive_within(x, 10.0 * radius), inactive);
}

// What a part reads of a batch, and in which blocks, is its own affair; what comes out is not.
TEST_P(Holders, SameBytesForAnyGrouping) {
  if (!build(8)) GTEST_SKIP();
  const std::unique_ptr<HeldRows> memory = holders().front().hold(*problem_);
  Random random(8);
  Vector x = 0.1 * random.vector(n());
  for (int k = 0; k < 6; ++k) {
    const StepwiseRows::Found here = rows().check(x, 0.3, 0.8), there = memory->rows().check(x, 0.3, 0.8);
    EXPECT_EQ(here.worst, there.worst);
    EXPECT_EQ(here.rows, there.rows);
    EXPECT_EQ(here.values, there.values);
    EXPECT_EQ(here.distances, there.distances);
    const std::vector<Index> none;
    const RowSums a = rows().sums(x, -1e-3, {none, Vector()}), b = memory->rows().sums(x, -1e-3, {none, Vector()});
    EXPECT_EQ(a.l1, b.l1);
    EXPECT_EQ(a.l2(), b.l2());
    EXPECT_EQ(a.active, b.active);
    EXPECT_EQ(a.bounded, b.bounded);
    EXPECT_EQ(rows().inactive_within(x, 0.01), memory->rows().inactive_within(x, 0.01));
    EXPECT_EQ(held_->account().passes(), memory->account().passes());
    x += random.log_uniform(1e-4, 0.1) * random.vector(n());
  }
}

class HoldersOfPoints : public ::testing::TestWithParam<HolderKind> {};
INSTANTIATE_TEST_SUITE_P(All, HoldersOfPoints, ::testing::ValuesIn(holders()),
                         [](const auto& kind) { return kind.param.name; });

// Rows over Y are the rows over X = R'YR, and what was known in other coordinates is forgotten.
TEST_P(HoldersOfPoints, OtherCoordinates) {
  Random random(9);
  const Problem problem = points(9);
  const std::unique_ptr<HeldRows> held = GetParam().hold(problem);
  StepwiseRows& rows = held->rows();
  const Index order = 4;
  const Matrix B = random.matrix(order, order);
  Vector y = svec(Matrix(1e-5 * B * B.transpose()));  // so small that most rows hold
  rows.check(y, 0.3, 0.8);
  EXPECT_LT(rows.doubtful(y), rows.rows());
  const Matrix R = random.matrix(order, order);
  rows.set_coordinates(R);
  EXPECT_EQ(rows.doubtful(y), rows.rows());
  y *= 1e3;
  const Vector x = svec(Matrix(R.transpose() * smat(y) * R));
  const std::vector<Index> chosen = rows.layout().sample(200, {1, 0});
  const std::unique_ptr<RowBlock> block = rows.gather(chosen);
  Vector moved(block->size()), original(block->size());
  block->selection().values(y, moved);
  block->original().values(x, original);
  const StepwiseRows::Found found = rows.check(y, 0.3, 0.8);
  const Vector exact = values_at(problem, x);
  EXPECT_NEAR(found.worst, std::max(0.0, exact.maxCoeff()), 1e-9 * exact.cwiseAbs().maxCoeff());
  for (Index k = 0; k < block->size(); ++k) {
    const double truth = exact[chosen[static_cast<std::size_t>(k)]];
    EXPECT_NEAR(original[k], truth, 1e-11 * (1.0 + std::abs(truth)));
    EXPECT_NEAR(moved[k], truth, 1e-10 * (1.0 + std::abs(truth)));
  }
}

}  // namespace
}  // namespace pliant::testing
