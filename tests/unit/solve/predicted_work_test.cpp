// Predicted work, and that plans take the least of it.
#include "solve/predicted_work.hpp"

#include "engines/interior/sparse_path.hpp"
#include "pliant/generate.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Random;

Attempt first_of(const Problem& problem) { return choose(problem, {}).attempts.front(); }

Problem sparse_program(double n, double m) { return generate("sparse_qp", {{"n", n}, {"m", m}}); }

// The same rows under springs between neighbours, P = tridiag(-1, 2, -1) + 1e-6 I, whose condition is 4e6.
Problem chain_under_rows_of(const Problem& given) {
  const Index n = given.dimension();
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max<Index>(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
      columns.push_back(j);
      values.push_back(i == j ? 2.0 + 1e-6 : -1.0);
    }
    starts.push_back(static_cast<Index>(columns.size()));
  }
  Problem out(n);
  out.minimize(quadratic(DataMatrix::csr(n, n, Indices(starts), Indices(columns), Doubles(values)),
                         Doubles(std::vector<double>(static_cast<std::size_t>(n), 1.0))));
  for (const BatchPtr& batch : given.batches()) out.subject_to(batch);
  return out;
}

TEST(ProgramSizes, CountWhatIsStored) {
  const ProgramSizes sizes = sizes_of(generate("sparse_qp", {{"n", 40.0}, {"m", 300.0}, {"nnz", 7.0}}));
  EXPECT_EQ(sizes.variables, 40.0);
  EXPECT_EQ(sizes.rows, 300.0);
  EXPECT_EQ(sizes.row_entries, 2100.0);
  EXPECT_EQ(sizes.squared_rows, 300.0 * 49.0);
  EXPECT_GE(sizes.objective_entries, 40.0);
  EXPECT_GE(sizes.condition, 1.0);
  EXPECT_LT(sizes.condition, kInfinity);
  EXPECT_FALSE(sizes.one_step);
  EXPECT_TRUE(sizes_of(sparse_program(40.0, 0.0)).one_step);
  EXPECT_EQ(sizes_of(generate("dense_lp", {{"n", 5.0}, {"m", 20.0}})).condition, kInfinity);
}

TEST(PredictedWork, GrowsWithEverythingItDependsOn) {
  const ProgramSizes sizes = sizes_of(sparse_program(100.0, 400.0));
  const SparseLdlCost factor{1e9, 1e6};
  const double seconds = predict_sparse_seconds(factor, 1e5, sizes);
  EXPECT_GT(predict_sparse_seconds({2e9, 1e6}, 1e5, sizes), seconds);
  EXPECT_GT(predict_sparse_seconds({1e9, 2e6}, 1e5, sizes), seconds);
  EXPECT_GT(predict_sparse_seconds({1e9, 1e6}, 2e5, sizes), seconds);
  ProgramSizes unconstrained = sizes;
  unconstrained.one_step = true;
  EXPECT_LT(predict_sparse_seconds(factor, 1e5, unconstrained), 0.1 * seconds);
  EXPECT_LE(least_sparse_seconds(sizes), predict_sparse_seconds({1.0, 3000.0}, 3000.0, sizes));

  const double dense = predict_dense_seconds(sizes);
  for (double ProgramSizes::*part :
       {&ProgramSizes::variables, &ProgramSizes::row_entries, &ProgramSizes::squared_rows}) {
    ProgramSizes larger = sizes;
    larger.*part *= 2.0;
    EXPECT_GT(predict_dense_seconds(larger), dense);
  }
  ProgramSizes harder = sizes;
  harder.condition *= 4.0;
  EXPECT_GT(predict_iterative_passes(harder), predict_iterative_passes(sizes));
  harder.condition = 1e8;
  const double passes = predict_iterative_passes(harder);
  harder.condition *= 4.0;  // beyond what was measured: by its root
  EXPECT_NEAR(predict_iterative_passes(harder), 2.0 * passes, 1e-12 * passes);
  ProgramSizes more_rows = sizes;
  more_rows.rows *= 2.0;  // a smaller share of which products read
  EXPECT_LT(predict_iterative_passes(more_rows), predict_iterative_passes(sizes));
}

// The least fill there can be is never predicted to take longer than the fill there is.
TEST(PredictedWork, TheLeastIsALowerBound) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Problem problem =
        sparse_program(static_cast<double>(random.integer(5, 80)), static_cast<double>(random.integer(1, 400)));
    const ProgramSizes sizes = sizes_of(problem);
    const KktCost cost = sparse_path_cost(problem);
    EXPECT_LE(least_sparse_seconds(sizes), predict_sparse_seconds(cost, cost.matrix_entries, sizes));
  }
}

// Recomputed from the predictions: the plan takes the least of them, and its reason says the numbers.
TEST(PlanByForecast, TakesTheLeastPredictedWork) {
  int dense = 0, sparse = 0, iterative = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const double n = std::round(random.log_uniform(10.0, 1500.0));
    const Problem problem = sparse_program(n, std::round(n * random.log_uniform(0.5, 60.0)));
    const ProgramSizes sizes = sizes_of(problem);
    const KktCost cost = sparse_path_cost(problem);
    const double by_factors = predict_sparse_seconds(cost, cost.matrix_entries, sizes);
    const double by_sets = predict_dense_seconds(sizes);
    const double by_products = predict_iterative_passes(sizes) * seconds_per_pass(sizes);
    const Attempt choice = first_of(problem);
    EXPECT_THAT(choice.reason, HasSubstr("predicted seconds"));
    // Then little is won by less robust ways.
    const bool unnoticed =
        by_factors < 5e-3 || (by_factors < 0.03 && by_factors <= 2.0 * std::min(by_sets, by_products));
    const double least = unnoticed ? by_factors : std::min({by_factors, by_sets, by_products});
    if (choice.linear_algebra == LinearAlgebra::sparse) {
      EXPECT_EQ(by_factors, least);
      ++sparse;
    } else if (choice.linear_algebra == LinearAlgebra::dense) {
      EXPECT_EQ(by_sets, least);
      ++dense;
    } else {
      EXPECT_EQ(by_products, least);
      EXPECT_NEAR(choice.most_passes * seconds_per_pass(sizes), std::min(by_factors, by_sets), 1e-9 * by_sets);
      ++iterative;
    }
  }
  EXPECT_GT(dense, 0);  // all sides of the thresholds were seen
  EXPECT_GT(sparse, 0);
  EXPECT_GT(iterative, 0);
}

TEST(PlanByForecast, ConditionAndFillDecideOverConjugateGradients) {
  EXPECT_EQ(first_of(sparse_program(500.0, 10000.0)).linear_algebra, LinearAlgebra::iterative);
  EXPECT_EQ(first_of(sparse_program(1500.0, 30000.0)).linear_algebra, LinearAlgebra::iterative);
  EXPECT_EQ(first_of(chain_under_rows_of(sparse_program(500.0, 10000.0))).linear_algebra, LinearAlgebra::sparse);
  EXPECT_EQ(first_of(chain_under_rows_of(sparse_program(1500.0, 10.0))).linear_algebra, LinearAlgebra::sparse);
  EXPECT_EQ(first_of(sparse_program(1500.0, 0.0)).linear_algebra, LinearAlgebra::sparse);
}

}  // namespace
}  // namespace pliant
