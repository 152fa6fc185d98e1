// No allocation per iteration: a solve that runs ten times longer allocates as often, up to the trace.
#include "engines/first_order/apg.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0};

}  // namespace

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

long allocations_of(Index iterations, const Problem& problem) {
  ConstraintSystem system(problem);
  PenalizedFunction phi(problem, system);
  phi.xi = 3.0;
  phi.delta = 0.01;
  Apg inner(problem.dimension(), problem.strong_convexity());
  InnerPoint point;
  point.x = Vector::Zero(problem.dimension());
  Index count = 0;
  const long before = allocations.load();
  inner.minimize(phi, point, [&](const InnerPoint&) { return ++count >= iterations; });
  EXPECT_EQ(count, iterations);
  return allocations.load() - before;
}

TEST(Allocation, NoneInsideTheLoopOfApg) {
  testing::Random random(1);
  const testing::Planted p = testing::planted_qp(random, 10, 400, 5, 2);
  allocations_of(5, p.problem);  // scratch memory grows once
  const long shorter = allocations_of(10, p.problem);
  const long longer = allocations_of(100, p.problem);
  EXPECT_EQ(shorter, longer);
}

}  // namespace
}  // namespace pliant
