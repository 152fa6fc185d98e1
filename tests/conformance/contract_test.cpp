// What the contract promises beyond derivatives: subsets, sweeps, threads, bytes, duals, validation.
#include "conformance/conformance_fixture.hpp"
#include "parallel/parallel.hpp"

#include <cmath>
#include <cstring>

namespace pliant::testing {
namespace {

Vector pick(const Vector& full, Rows rows) {
  Vector out(rows.size());
  for (Index k = 0; k < rows.size(); ++k) out[k] = full[rows[k]];
  return out;
}

TEST_P(Conformance, SubsetsGiveTheRowsOfTheWhole) {
  build(400, 6);
  const Vector x = random_.vector(dimension());
  const Vector a = values(x, all());
  const std::vector<Index> subset = random_subset();
  for (const Rows rows : {Rows::list(subset), Rows::range(7, size() - 11), Rows::range(size() - 1, 1),
                          Rows::list(subset).slice(3, 50), Rows::range(5, 0)}) {
    EXPECT_TRUE(near(values(x, rows), pick(a, rows), 1e-13));
    Vector subset_a(rows.size()), norms(rows.size());
    batch().values_and_gradient_norms(x, rows, subset_a, norms);
    EXPECT_TRUE(near(subset_a, pick(a, rows), 1e-13));

    // The same weights, scattered over all rows.
    const Vector w = weights(rows.size());
    const Vector u = weights(rows.size());
    Vector full_w = Vector::Zero(size());
    Vector full_u = Vector::Zero(size());
    for (Index k = 0; k < rows.size(); ++k) {
      full_w[rows[k]] = w[k];
      full_u[rows[k]] = u[k];
      EXPECT_NEAR(norms[k], component_gradient(rows[k], x).norm(), 1e-12 * (1.0 + norms[k]));
    }
    EXPECT_TRUE(near(gradient(x, rows, w), gradient(x, all(), full_w), 1e-12));
    EXPECT_TRUE(near(hessian(x, rows, w, u), hessian(x, all(), full_w, full_u), 1e-12));
  }
}

TEST_P(Conformance, SweepIsValuesThenWeightsThenGradient) {
  build(3000, 6);
  const Vector x = random_.vector(dimension());
  const std::vector<Index> subset = random_subset();
  for (const Rows rows : {all(), Rows::list(subset)}) {
    // The weight depends on the position as well, so that a wrong offset shows.
    const auto weight = [](double a, Index k) {
      return k % 3 == 0 ? 0.0 : std::tanh(a) + 0.001 * static_cast<double>(k);
    };
    const auto map = [&](Index first, Index count, const double* a, double* w) {
      for (Index k = 0; k < count; ++k) w[k] = weight(a[k], first + k);
    };
    Vector a(rows.size()), w(rows.size());
    const Vector start = random_.vector(dimension());
    Vector g = start;
    batch().sweep(x, rows, map, a, w, g);

    const Vector truth = values(x, rows);
    EXPECT_TRUE(near(a, truth, 1e-13));
    Vector expected(rows.size());
    for (Index k = 0; k < rows.size(); ++k) expected[k] = weight(truth[k], k);
    EXPECT_TRUE(near(w, expected, 1e-12));
    EXPECT_TRUE(near(Vector(g - start), gradient(x, rows, expected), 1e-11));
  }
}

// The same bytes from 1, 2 and 3 threads, on data large enough for several chunks.
TEST_P(Conformance, ResultsDoNotDependOnTheNumberOfThreads) {
  build(5000, 9);
  const Vector x = random_.vector(dimension());
  const Vector d = random_.vector(dimension());
  const Vector w = weights(size());
  const Vector u = weights(size());
  const auto map = [](Index, Index count, const double* a, double* out) {
    for (Index k = 0; k < count; ++k) out[k] = 1.0 / (1.0 + a[k] * a[k]);
  };
  const auto everything = [&](int threads) {
    const parallel::ThreadScope scope(threads);
    std::vector<double> bytes;
    const auto keep = [&bytes](const auto& numbers) {
      bytes.insert(bytes.end(), numbers.data(), numbers.data() + numbers.size());
    };
    keep(values(x, all()));
    keep(gradient(x, all(), w));
    keep(hessian(x, all(), w, u));
    Vector a(size()), v(size()), g = Vector::Zero(dimension());
    batch().sweep(x, all(), map, a, v, g);
    keep(a), keep(v), keep(g);
    batch().values_and_gradient_norms(x, all(), a, v);
    keep(a), keep(v);
    LineModel line;
    batch().prepare_line(x, d, all(), line);
    batch().line_values(line, 0.4, a, v);
    keep(a), keep(v);
    // A second batch from the same data, because constants are computed once.
    Random random(3);
    const BatchPtr fresh = GetParam().make(random, 3000, 7).batch;
    const RowConstants* constants = fresh->constants();
    if (constants != nullptr) keep(constants->smoothness), keep(constants->growth_constant);
    return bytes;
  };
  const std::vector<double> one = everything(1);
  for (const int threads : {2, 3}) {
    const std::vector<double> other = everything(threads);
    ASSERT_EQ(one.size(), other.size());
    EXPECT_EQ(std::memcmp(one.data(), other.data(), one.size() * sizeof(double)), 0) << threads << " threads";
  }
}

TEST_P(Conformance, BytesAddUpOverAPartition) {
  build(200, 6);
  const Index total = batch().bytes(all());
  EXPECT_GT(total, 0);
  EXPECT_EQ(batch().bytes(Rows::range(0, 0)), 0);
  std::vector<Index> odd, even;
  for (Index i = 0; i < size(); ++i) (i % 2 == 0 ? even : odd).push_back(i);
  const Index cut = size() / 3;
  const Index ranges = batch().bytes(Rows::range(0, cut)) + batch().bytes(Rows::range(cut, size() - cut));
  const Index lists = batch().bytes(Rows::list(even)) + batch().bytes(Rows::list(odd));
  const bool stored_twice = batch().dual_size() != size();
  if (stored_twice) {
    // Rows with two sides are stored once: a cut between the sides counts the row in both parts.
    EXPECT_GE(ranges, total);
    EXPECT_GE(lists, total);
    EXPECT_LE(lists, 2 * total);
  } else {
    EXPECT_EQ(ranges, total);
    EXPECT_EQ(lists, total);
  }
}

// Duals -> multipliers -> duals is the identity, and both describe the same Lagrangian gradient up to
// what cancels between two sides of one row.
TEST_P(Conformance, DualsSurviveTheRoundTrip) {
  build();
  const Vector multipliers = random_.vector(size()).cwiseAbs();
  Vector duals(batch().dual_size()), again(batch().dual_size()), back(size());
  batch().multipliers_to_duals(multipliers, duals);
  batch().duals_to_multipliers(duals, back);
  EXPECT_GE(back.minCoeff(), 0.0);
  batch().multipliers_to_duals(back, again);
  EXPECT_TRUE(near(again, duals, 1e-15));
  const Vector x = random_.vector(dimension());
  EXPECT_TRUE(near(gradient(x, all(), back), gradient(x, all(), multipliers), 1e-12));
}

TEST_P(Conformance, ValidationAcceptsGoodDataAndRejectsNan) {
  build();
  EXPECT_NO_THROW(batch().validate());
  EXPECT_TRUE(std::isfinite(batch().constant_scale()));
  EXPECT_GE(batch().constant_scale(), 0.0);
  EXPECT_FALSE(batch().family().empty());
  const BatchPtr broken = GetParam().make_broken(random_, 5, 6);
  EXPECT_THROW(broken->validate(), InputError);
}

// The broken row would turn the sums into NaN if it were touched.
TEST_P(Conformance, RowsWithoutWeightCostNothing) {
  const BatchPtr broken = GetParam().make_broken(random_, 8, 6);
  const Rows rows = Rows::range(0, broken->size());
  Vector w = random_.vector(rows.size());
  w.tail(2).setZero();  // both sides of a two-sided row
  const Vector x = random_.vector(6);
  Vector g = Vector::Zero(6);
  Matrix H = Matrix::Zero(6, 6);
  if (GetParam().name == "callback") w.setZero();  // the broken one has no hessian function at all
  broken->add_weighted_hessian(x, rows, w, w, H);
  EXPECT_TRUE(H.allFinite());
  // Dense linear rows are multiplied as one matrix, which is cheaper than looking at the weights.
  if (GetParam().name.find("linear_dense") != std::string::npos) return;
  broken->add_weighted_gradient(x, rows, w, g);
  EXPECT_TRUE(g.allFinite());
}

TEST_P(Conformance, NoConstraintsAreLegal) {
  build(0, 4);
  ASSERT_EQ(size(), 0);
  EXPECT_NO_THROW(batch().validate());
  EXPECT_EQ(batch().constant_scale(), 0.0);
  const Vector x = random_.vector(dimension());
  const Vector none(0);
  EXPECT_EQ(values(x, all()).size(), 0);
  EXPECT_EQ(gradient(x, all(), none).norm(), 0.0);
  EXPECT_EQ(hessian(x, all(), none, none).norm(), 0.0);
  LineModel line;
  batch().prepare_line(x, x, all(), line);
  Vector a(0), slope(0);
  batch().line_values(line, 1.0, a, slope);
  ASSERT_NE(batch().constants(), nullptr);
  EXPECT_EQ(batch().constants()->smoothness.size(), 0);
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Families, Conformance, ::testing::ValuesIn(families()),
                         [](const auto& family) { return family.param.name; });

}  // namespace pliant::testing
