// Inner methods at fixed xi, delta and shifts: the right minimiser, limits, proximal terms, seeds, threads.
#include "engines/catalyst.hpp"
#include "engines/first_order/apg.hpp"
#include "engines/make_inner_method.hpp"
#include "parallel/parallel.hpp"

#include "support/fixed_penalty.hpp"
#include "support/sum_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace pliant {
namespace {

using testing::FixedPenalty;
using testing::Random;

constexpr Method kSmooth[] = {Method::lbfgs,    Method::svrg, Method::loopless_svrg,    Method::catalyst_svrg,
                              Method::katyusha, Method::rpdg, Method::loopless_katyusha};

InnerPoint minimize(FixedPenalty& f, InnerMethod& method, double tolerance, Index most = 20000) {
  InnerPoint point;
  point.x = Vector::Zero(f.problem.dimension());
  Index count = 0;
  method.minimize(f.phi, point, [&](const InnerPoint& p) { return p.residual <= tolerance || ++count >= most; });
  return point;
}

class InnerMethods : public ::testing::TestWithParam<Method> {};

// Judged by the residual, computed again from the gradient of Phi: within |r|/mu lies the minimiser.
TEST_P(InnerMethods, ReachTheMinimiserOfEveryKindOfSum) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    FixedPenalty f(testing::zoo(seed));
    Random random(seed);
    f.phi.shift = 0.1 * random.vector(f.system.size());
    const auto method = make_inner_method(GetParam(), f.problem, static_cast<Index>(seed));
    const InnerPoint found = minimize(f, *method, 1e-8);
    EXPECT_LE(found.residual, 1e-8);
    LagrangianEvaluation at;
    Vector r(found.x.size());
    const double value = f.phi.evaluate(found.x, at);
    f.problem.prox().residual(found.x, at.gradient, r);
    EXPECT_LE(r.norm(), 2e-8);
    EXPECT_NEAR(value, found.phi, 1e-12 * (1.0 + std::abs(value)));
    EXPECT_EQ(f.phi.kappa, 0.0);
  }
}

TEST_P(InnerMethods, TakeTermsThatAreNotSmooth) {
  if (GetParam() == Method::lbfgs) return;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Problem p = testing::zoo(seed);
    p.regularize(seed % 2 == 0 ? l1(p.dimension(), 0.2)
                               : box(to_array(Vector::Constant(p.dimension(), -0.1)),
                                     to_array(Vector::Constant(p.dimension(), 0.3))));
    FixedPenalty f(std::move(p));
    const InnerPoint found = minimize(f, *make_inner_method(GetParam(), f.problem, 3), 1e-7);
    EXPECT_LE(found.residual, 1e-7);
    EXPECT_EQ(f.problem.prox().domain_violation(found.x), 0.0);
    Apg apg(f.problem.dimension(), f.problem.strong_convexity());
    const InnerPoint other = minimize(f, apg, 1e-9);
    EXPECT_LE((found.x - other.x).norm(), 2e-7 / f.problem.strong_convexity());
  }
}

TEST_P(InnerMethods, StopAtTheirLimitOfIterations) {
  FixedPenalty f(testing::zoo(2));
  const auto method = make_inner_method(GetParam(), f.problem, 1);
  InnerPoint point;
  point.x = Vector::Zero(f.problem.dimension());
  Index calls = 0;
  const InnerOutcome outcome = method->advance(
      f.phi, point, [&](const InnerPoint&) { return ++calls > 100; }, 4);
  EXPECT_EQ(outcome.end, InnerEnd::limit);
  EXPECT_EQ(outcome.iterations, 4);
  EXPECT_LE(calls, 5);
}

// A proximal term changes the minimiser and nothing else: grad Phi_0(x) + kappa (x - c) + psi' = 0.
TEST_P(InnerMethods, MinimiseWithAProximalTerm) {
  if (GetParam() == Method::catalyst_svrg) return;  // it sets its own
  FixedPenalty f(testing::zoo(3));
  Random random(3);
  f.phi.kappa = 2.0;
  f.phi.center = random.vector(f.problem.dimension());
  const InnerPoint found = minimize(f, *make_inner_method(GetParam(), f.problem, 1), 1e-8);
  f.phi.kappa = 0.0;
  LagrangianEvaluation at;
  f.phi.evaluate(found.x, at);
  Vector r(found.x.size());
  f.problem.prox().residual(found.x, at.gradient + 2.0 * (found.x - f.phi.center), r);
  EXPECT_LE(r.norm(), 2e-8);
}

TEST_P(InnerMethods, AreReproducibleFromTheSeedForAnyNumberOfThreads) {
  const auto bytes = [&](int threads, Index seed) {
    const parallel::ThreadScope scope(threads);
    FixedPenalty f(testing::zoo(4));
    const InnerPoint found = minimize(f, *make_inner_method(GetParam(), f.problem, seed), 0.0, 8);
    return found.x;
  };
  const Vector one = bytes(1, 5), three = bytes(3, 5);
  EXPECT_EQ(std::memcmp(one.data(), three.data(), static_cast<std::size_t>(one.size()) * sizeof(double)), 0);
  if (GetParam() != Method::lbfgs) {
    EXPECT_NE((one - bytes(1, 6)).norm(), 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, InnerMethods, ::testing::ValuesIn(kSmooth));

TEST(Catalyst, WrapsAnyMethodAndLeavesOneAloneThatItDoesNotHelp) {
  FixedPenalty f(testing::zoo(0));
  Catalyst around_apg(std::make_unique<Apg>(f.problem.dimension(), f.problem.strong_convexity()));
  const InnerPoint found = minimize(f, around_apg, 1e-8);
  EXPECT_LE(found.residual, 1e-8);
}

}  // namespace
}  // namespace pliant
