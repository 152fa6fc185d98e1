// No allocation per iteration: a solve that runs ten times longer allocates as often, up to the trace.
#include "engines/make_inner_method.hpp"

#include "support/small_problems.hpp"
#include "support/sum_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0};

}  // namespace

// Where new is inlined and delete is not, gcc takes them for a pair that does not match.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

// Counts every allocation of this binary made through new.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace pliant {
namespace {

long allocations_of(Index iterations, const Problem& problem, Method name, Index batch_size = 1) {
  ConstraintSystem system(problem);
  PenalizedFunction phi(problem, system);
  phi.xi = 3.0;
  phi.delta = 0.01;
  const auto inner = make_inner_method(name, problem, 1, {batch_size});
  InnerPoint point;
  point.x = Vector::Zero(problem.dimension());
  Index count = 0;
  const long before = allocations.load();
  inner->minimize(phi, point, [&](const InnerPoint&) { return ++count >= iterations; });
  EXPECT_EQ(count, iterations);
  return allocations.load() - before;
}

TEST(Allocation, NoneInsideTheLoopOfDeterministicMethods) {
  testing::Random random(1);
  const testing::PlantedQp p = testing::planted_qp(random, 10, 400, 5, 2);
  for (const Method method : {Method::apg, Method::lbfgs}) {
    allocations_of(5, p.problem, method);  // scratch memory grows once
    const long shorter = allocations_of(10, p.problem, method);
    const long longer = allocations_of(30, p.problem, method);
    EXPECT_EQ(shorter, longer) << to_string(method);
  }
}

// A new ball or proximal problem makes new sampling tables; 40 of them stand for thousands of steps.
TEST(Allocation, NonePerStepOfStochasticMethods) {
  const Problem problem = testing::zoo(1);
  for (const Method method : {Method::svrg, Method::loopless_svrg, Method::catalyst_svrg, Method::katyusha,
                              Method::loopless_katyusha, Method::rpdg}) {
    allocations_of(5, problem, method);
    const long shorter = allocations_of(10, problem, method);
    const long longer = allocations_of(50, problem, method);
    EXPECT_LE(longer - shorter, 40 * 20) << to_string(method);
  }
}

// 40 epochs stand for thousands of steps that touch three of 200 coordinates, and for hundreds of batches.
TEST(Allocation, NonePerStepOnSparseRowsAndInBatches) {
  testing::Random random(2);
  const Index l = 100, n = 200;
  std::vector<Index> starts{0}, columns;
  for (Index i = 0; i < l; ++i) {
    for (Index k = 0; k < 3; ++k) columns.push_back((i + 50 * k) % n);
    std::sort(columns.end() - 3, columns.end());
    starts.push_back(static_cast<Index>(columns.size()));
  }
  Problem problem(n);
  problem.minimize(least_squares(
      DataMatrix::csr(l, n, Indices(std::move(starts)), Indices(std::move(columns)), Doubles(random.numbers(3 * l))),
      Doubles(random.numbers(l))));
  problem.regularize(l2_squared(n, 0.01));
  for (const Method method : {Method::svrg, Method::katyusha}) {
    for (const Index batch : {1, 2, 50}) {
      allocations_of(5, problem, method, batch);
      const long shorter = allocations_of(10, problem, method, batch);
      const long longer = allocations_of(50, problem, method, batch);
      EXPECT_LE(longer - shorter, 40 * (batch < 50 ? 2 : 20)) << to_string(method) << " " << batch;
    }
  }
}

}  // namespace
}  // namespace pliant
