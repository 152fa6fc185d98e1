// The families about proofs: what is planted is there, judged by the stored numbers.
#include "generate/data.hpp"
#include "generate/family.hpp"
#include "raw_data.hpp"
#include "support/random.hpp"
#include "support/raw_proofs.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::raw_values;
using Values = std::map<std::string, double>;

Values base(double seed) {
  return {{"n", 6.0}, {"m", 120.0}, {"seed", seed + 100.0 * static_cast<double>(testing::base_seed() % 1000000)}};
}

// At best every row keeps the distance `slater`: feasible at x0, and nowhere by more (cyclic projections never do
// better).
TEST(ProofFamilies, BarelyFeasibleIsFeasibleByExactlySlater) {
  for (double seed = 0; seed < 20; ++seed) {
    for (const double curved : {0.0, 1.0}) {
      Values values = base(seed);
      values["slater"] = 1e-3;
      values["curved"] = curved;
      const Problem problem = generate("barely_feasible", values);
      const Vector a = raw_values(*problem.batches()[0], *problem.slater_point);
      EXPECT_NEAR(a.maxCoeff(), -1e-3, 1e-14);
      EXPECT_EQ((a.array() > -1e-3 - 1e-12).count(), 7);
      testing::Random random(static_cast<std::uint64_t>(seed));
      for (int trial = 0; trial < 200; ++trial) {
        const Vector x = *problem.slater_point + random.log_uniform(1e-6, 10.0) * random.vector(6);
        EXPECT_GE(raw_values(*problem.batches()[0], x).maxCoeff(), -1e-3 - 1e-14);
      }
    }
  }
}

TEST(ProofFamilies, InfeasibleIsViolatedEverywhereInItsDomain) {
  for (double seed = 0; seed < 20; ++seed) {
    for (int kind = 0; kind < 4; ++kind) {
      Values values = base(seed);
      values["margin"] = 1e-3;
      values["boxed"] = kind % 2;
      values["curved"] = kind / 2;
      const Problem problem = generate("infeasible", values);
      testing::Random random(static_cast<std::uint64_t>(seed));
      for (int trial = 0; trial < 200; ++trial) {
        Vector x = random.log_uniform(1e-2, 30.0) * random.vector(6);
        problem.prox().project(x);
        EXPECT_GE(raw_values(*problem.batches()[0], x).maxCoeff(), 1e-3 - 1e-13);
      }
    }
  }
}

TEST(ProofFamilies, UnboundedHasAFeasiblePointAndTheHiddenRay) {
  for (double seed = 0; seed < 20; ++seed) {
    for (int kind = 0; kind < 8; ++kind) {
      Values values = base(seed);
      values["qp"] = kind % 2;
      values["boxed"] = kind / 2 % 2;
      values["thin"] = kind / 4;
      const Problem problem = generate("unbounded", values);
      const Vector a = raw_values(*problem.batches()[0], *problem.slater_point);
      EXPECT_LT(a.maxCoeff(), -0.9);
      EXPECT_EQ(problem.prox().domain_violation(*problem.slater_point), 0.0);
      const random::Stream stream(static_cast<std::uint64_t>(values["seed"]),
                                  static_cast<std::uint64_t>(generation::Label::inner_direction));
      const testing::RawRay ray = testing::raw_ray(problem, generation::unit_vector(stream, 6));
      EXPECT_LT(ray.slope, -0.01L);
      EXPECT_LE(ray.leaving, 1e-15L);
      EXPECT_LE(ray.curvature, 1e-14L);
      EXPECT_TRUE(ray.in_domain);
    }
  }
}

TEST(ProofFamilies, NeedTwoRowsToContradictEachOther) {
  EXPECT_THROW(generate("infeasible", {{"m", 1.0}}), InputError);
  EXPECT_THROW(generate("barely_feasible", {{"m", 1.0}}), InputError);
  EXPECT_NO_THROW(generate("infeasible", {{"n", 1.0}, {"m", 2.0}}));
  EXPECT_NO_THROW(generate("unbounded", {{"n", 1.0}, {"m", 0.0}}));
}

}  // namespace
}  // namespace pliant
