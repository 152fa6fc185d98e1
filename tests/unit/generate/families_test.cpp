// Properties every family shares, judged by the stored numbers.
#include "parallel/parallel.hpp"
#include "pliant/certificate.hpp"
#include "raw_data.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Fingerprint;
using testing::raw_values;

using Values = std::map<std::string, double>;

bool entrywise(const std::string& family) { return family.starts_with("entrywise"); }
// Families without a solution, or with hardly any room for one, have tests of their own (proofs_test.cpp).
bool about_proofs(const std::string& family) {
  return family == "infeasible" || family == "unbounded" || family == "barely_feasible";
}

// Its size is given by the dimension d of the points: 12 numbers are no symmetric matrix, 10 are.
bool ellipsoid(const std::string& family) { return family == "ellipsoid"; }
// Their sizes follow from d or k, and constraints of other kinds stand beside the m cones.
bool lifted(const std::string& family) { return family == "shor_boxqp" || family == "soc_rlt"; }
bool power(const std::string& family) { return family == "opf"; }
bool conic(const std::string& family) {
  return family == "robust_lp" || family == "small_lmi" || family == "perspective" || lifted(family) || power(family);
}
// Nothing forbids anything there: soft rows have prices.
bool soft(const std::string& family) {
  return family == "quantile" || family == "absolute" || family == "hinge" || family == "cvar";
}
constexpr Index kBuses = 14, kBranches = 20, kPlants = 5;

struct Sizes {
  Index n, m;
};
Sizes expected_sizes(const std::string& family) {
  if (ellipsoid(family)) return {10, 900};
  if (family == "shor_boxqp") return {9, 900 + 3 + 3 * 3};  // d = 3: McCormick's rows
  if (family == "soc_rlt") return {9, 900 + 2};             // the whole matrix and its trace
  if (!power(family)) return {12, entrywise(family) ? 9 : 900};
  const Index loads = 900 / kBranches;  // limits of all but the first: two sides of voltages and powers
  return {2 * (kBuses + 2 * kBranches + 2 * kPlants), 900 + (loads - 1) * 2 * (kBuses + 2 * kPlants)};
}

class EveryFamily : public ::testing::TestWithParam<std::string> {
 protected:
  // Large enough that rows are spread over several chunks.
  Problem make(double seed, Values more = {}) const {
    const double shift = static_cast<double>(testing::base_seed() % 1000000);
    Values values{{"n", 12.0}, {"m", entrywise(GetParam()) ? 9.0 : 900.0}, {"seed", seed + 100.0 * shift}};
    for (const auto& [name, value] : more) values[name] = value;
    if (ellipsoid(GetParam()) || lifted(GetParam()) || power(GetParam())) {
      values.erase("n");
      values[power(GetParam()) ? "k" : "d"] = power(GetParam()) ? 1.0 : 3.0;
    }
    return generate(GetParam(), values);
  }
};

TEST_P(EveryFamily, IsValidAndHasTheAskedSize) {
  for (double seed : {0.0, 1.0, 12345.0}) {
    const Problem problem = make(seed);
    EXPECT_NO_THROW(problem.validate());
    EXPECT_EQ(problem.dimension(), expected_sizes(GetParam()).n);
    EXPECT_EQ(problem.constraints(), expected_sizes(GetParam()).m);
  }
}

TEST_P(EveryFamily, DefaultsGiveAValidInstance) {
  const Problem problem = generate(GetParam());
  EXPECT_NO_THROW(problem.validate());
  EXPECT_GT(problem.constraints(), 0);
  EXPECT_EQ(problem.name.rfind(GetParam() + " n=", 0), 0u);
}

TEST_P(EveryFamily, IsTheSameInEveryCallAndForEveryThreadCount) {
  const Fingerprint reference(make(3.0));
  EXPECT_EQ(reference, Fingerprint(make(3.0)));
  for (int threads : {1, 2, 3}) {
    const parallel::ThreadScope scope(threads);
    EXPECT_EQ(reference, Fingerprint(make(3.0))) << threads << " threads";
  }
}

TEST_P(EveryFamily, DiffersBetweenSeedsIfRandom) {
  EXPECT_EQ(Fingerprint(make(1.0)) == Fingerprint(make(2.0)), entrywise(GetParam()));
}

TEST_P(EveryFamily, SlaterPointIsStrictlyFeasible) {
  if (about_proofs(GetParam()) || power(GetParam()) || soft(GetParam())) return;
  for (double seed : {0.0, 1.0, 2.0}) {
    const Problem problem = make(seed);
    ASSERT_TRUE(problem.slater_point.has_value());
    EXPECT_EQ(problem.prox().domain_violation(*problem.slater_point), 0.0);
    for (const BatchPtr& batch : problem.batches()) {
      const Vector a = raw_values(*batch, *problem.slater_point);
      EXPECT_LT(a.maxCoeff(), -0.05) << "seed " << seed;
    }
    for (const ConicConstraint& cones : problem.conic()) {
      EXPECT_GT(testing::least_eigenvalue(cones, *problem.slater_point), 0.02) << "seed " << seed;
    }
  }
}

TEST_P(EveryFamily, IsStronglyConvexAsPromised) {
  if (about_proofs(GetParam())) return;
  const Problem problem = make(4.0);
  if (GetParam() == "hinge") {
    EXPECT_EQ(problem.strong_convexity(), 1e-8);
    EXPECT_EQ(make(4.0, {{"intercept", 1.0}}).strong_convexity(), 1.0);
    return;
  }
  if (GetParam() == "dense_lp" || soft(GetParam()) || GetParam() == "entrywise_convex" || ellipsoid(GetParam()) ||
      conic(GetParam())) {
    EXPECT_EQ(problem.strong_convexity(), 0.0);
    return;
  }
  const Values& defaults = [&]() -> const Values& {
    for (const FamilyInfo& info : generated_families()) {
      if (info.name == GetParam()) return info.defaults;
    }
    throw std::logic_error("family not listed");
  }();
  const double promised = defaults.count("mu") > 0 ? defaults.at("mu") : 1.0;
  EXPECT_GE(problem.strong_convexity(), promised * (1.0 - 1e-6));
  if (defaults.count("mu") > 0) {
    EXPECT_GE(make(4.0, {{"mu", 7.0}}).strong_convexity(), 7.0 * (1.0 - 1e-6));
  }
}

TEST_P(EveryFamily, AllowsNoConstraintsAndOneVariable) {
  if (ellipsoid(GetParam())) {  // unbounded below with fewer points than d + 1
    EXPECT_THROW(make(0.0, {{"m", 3.0}}), InputError);
    EXPECT_NO_THROW(make(0.0, {{"m", 4.0}}).validate());
    return;
  }
  if (about_proofs(GetParam()) || lifted(GetParam()) || power(GetParam())) return;
  const Problem free = make(0.0, {{"m", 0.0}});
  EXPECT_EQ(free.constraints(), 0);
  EXPECT_NO_THROW(free.validate());
  if (GetParam() == "cvar") {  // an asset and alpha
    EXPECT_THROW(make(0.0, {{"n", 1.0}}), InputError);
    return;
  }
  const Problem tiny = make(0.0, {{"n", 1.0}, {"m", 1.0}});
  EXPECT_EQ(tiny.dimension(), 1);
  EXPECT_NO_THROW(tiny.validate());
  if (conic(GetParam())) {
    EXPECT_EQ(certify(tiny, *tiny.slater_point).violation_linf, 0.0);
    return;
  }
  if (soft(GetParam())) return;
  EXPECT_LT(raw_values(*tiny.batches().at(0), *tiny.slater_point).maxCoeff(), 0.0);
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const FamilyInfo& info : generated_families()) names.push_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Generate, EveryFamily, ::testing::ValuesIn(family_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace pliant
