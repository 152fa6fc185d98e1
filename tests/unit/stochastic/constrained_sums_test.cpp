// Ridge, logistic and Huber sums under linear, quadratic and log-sum-exp rows: every method, driven by multipliers,
// reaches the optimum that the path engine finds at 1e-11.
#include "pliant/solve.hpp"

#include "support/small_problems.hpp"
#include "support/sum_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace pliant {
namespace {

using testing::Random;

constexpr Method kMethods[] = {Method::lbfgs,    Method::svrg, Method::loopless_svrg,    Method::catalyst_svrg,
                               Method::katyusha, Method::rpdg, Method::loopless_katyusha};

Problem constrained(std::uint64_t seed, Index loss, Index family) {
  Random random(seed);
  const Index n = 6, l = 60, m = 25;
  Problem p(n);
  const DataMatrix A = DataMatrix::from(random.matrix(l, n));
  if (loss == 0) p.minimize(least_squares(A, to_array(Vector(3.0 * random.vector(l)))));
  if (loss == 1) p.minimize(logistic(A, Doubles(testing::signs(random, l))), 5.0);
  if (loss == 2) p.minimize(huber(A, to_array(Vector(3.0 * random.vector(l))), 1.0));
  p.minimize(linear(to_array(random.vector(n))));  // pulls x against the constraints
  p.regularize(l2_squared(n, 0.2));
  if (family == 0) p.subject_to(testing::random_linear(random, m, n));
  if (family == 1) p.subject_to(testing::random_quadratic(random, m, n));
  if (family == 2) p.subject_to(testing::random_log_sum_exp(random, m, n));
  return p;
}

Settings settings_of(Method method, double tolerance) {
  Settings s;
  s.method = method;
  s.tol_feas = s.tol_gap = tolerance;
  s.time_limit = 300.0;  // a method that hangs; loopless SVRG takes half a minute here with sanitizers
  return s;
}

class ConstrainedSums : public ::testing::TestWithParam<Method> {};

TEST_P(ConstrainedSums, ReachTheReferenceOptimum) {
  for (Index loss = 0; loss < 3; ++loss) {
    for (Index family = 0; family < 3; ++family) {
      SCOPED_TRACE(::testing::Message() << "loss " << loss << " rows " << family);
      const Problem p = constrained(static_cast<std::uint64_t>(10 * loss + family), loss, family);
      const Result reference = solve(p, settings_of(Method::path, 1e-11));
      ASSERT_EQ(reference.status, Status::optimal) << reference.message;
      const Result r = solve(p, settings_of(GetParam(), 1e-8));
      ASSERT_EQ(r.status, Status::optimal) << r.message;
      EXPECT_EQ(r.method, GetParam());
      EXPECT_EQ(r.outer, Outer::multiplier);
      EXPECT_TRUE(certify(p, r.x, r.multipliers).satisfies(settings_of(GetParam(), 1.1e-8)));
      EXPECT_LE((r.x - reference.x).norm(), 1e-3 * (1.0 + reference.x.norm()));
      EXPECT_NEAR(r.certificate.objective, reference.certificate.objective, 1e-6);
      EXPECT_GT(r.component_evaluations, 0);
    }
  }
}

// A quadratic objective is one component; its strong convexity goes to the prox. Equalities count as two rows each.
TEST_P(ConstrainedSums, ReachPlantedSolutionsWithEqualities) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(3, 10), m = random.integer(4, 60);
    const testing::PlantedQp p =
        testing::planted_qp(random, n, m, std::min<Index>(m, n / 2), static_cast<Index>(seed % 3));
    const Result r = solve(p.problem, settings_of(GetParam(), 1e-6));
    ASSERT_EQ(r.status, Status::optimal) << r.message;
    EXPECT_TRUE(certify(p.problem, r.x, r.multipliers).satisfies(settings_of(GetParam(), 1.1e-6)));
    EXPECT_NEAR(r.certificate.objective, p.value, 2e-5 * (1.0 + std::abs(p.value)));
  }
}

TEST_P(ConstrainedSums, TakeL1AndBoxes) {
  if (GetParam() == Method::lbfgs) return;
  for (const bool bounded : {false, true}) {
    Problem p = constrained(5, 1, 0);
    p.regularize(bounded ? box(to_array(Vector::Constant(6, -0.2)), to_array(Vector::Constant(6, 0.05))) : l1(6, 0.3));
    const Result reference = solve(p, settings_of(Method::apg, 1e-9));
    ASSERT_EQ(reference.status, Status::optimal) << reference.message;
    const Result r = solve(p, settings_of(GetParam(), 1e-7));
    ASSERT_EQ(r.status, Status::optimal) << bounded << ": " << r.message;
    EXPECT_LE((r.x - reference.x).norm(), 2e-3);
    EXPECT_NEAR(r.certificate.objective, reference.certificate.objective, 1e-5);
  }
}

TEST_P(ConstrainedSums, WorkUnderEveryOuterStrategy) {
  const Problem p = constrained(77, 0, 0);
  const Result reference = solve(p, settings_of(Method::path, 1e-9));
  for (const Outer outer : {Outer::fixed, Outer::nested}) {
    Settings s = settings_of(GetParam(), 1e-3);
    s.outer = outer;
    const Result r = solve(p, s);
    EXPECT_EQ(r.status, Status::optimal) << to_string(outer) << ": " << r.message;
    EXPECT_NEAR(r.certificate.objective, reference.certificate.objective, 1e-2);
  }
}

TEST_P(ConstrainedSums, GiveTheSameBytesForTheSameSeedAndAnyThreads) {
  const Problem p = constrained(3, 1, 1);
  Settings s = settings_of(GetParam(), 1e-5);
  s.seed = 11;
  s.threads = 1;
  const Result one = solve(p, s);
  s.threads = 3;
  const Result three = solve(p, s);
  EXPECT_EQ(std::memcmp(one.x.data(), three.x.data(), static_cast<std::size_t>(one.x.size()) * sizeof(double)), 0);
  EXPECT_EQ(one.component_evaluations, three.component_evaluations);
  s.seed = 12;
  if (GetParam() != Method::lbfgs) {
    EXPECT_NE((one.x - solve(p, s).x).norm(), 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ConstrainedSums, ::testing::ValuesIn(kMethods));

TEST(StochasticSettings, WhatAMethodCannotDoIsRefusedInOneLine) {
  Problem flat(2);
  flat.minimize(logistic(DataMatrix::from(Matrix::Identity(2, 2)), Doubles({1.0, -1.0})));
  flat.regularize(l1(2, 0.1));
  flat.subject_to(linear_le(DataMatrix::from(Matrix::Identity(2, 2)), Doubles({1.0, 1.0})));
  const auto message = [&](Method method) {
    try {
      solve(flat, settings_of(method, 1e-3));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(message(Method::lbfgs).find("--method lbfgs: the term l1 is not smooth"), std::string::npos);
  EXPECT_NE(message(Method::rpdg).find("--method rpdg: needs strong convexity"), std::string::npos);
  EXPECT_EQ(message(Method::katyusha), "accepted");
}

}  // namespace
}  // namespace pliant
