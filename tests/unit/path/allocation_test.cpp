// A Newton step of either form of the path allocates nothing: a solve with twice the steps allocates as often.
#include "engines/path/elastic_newton.hpp"
#include "engines/path/primal_path.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

namespace {

std::atomic<long> allocations{0};

}  // namespace

// Every allocation of the process, Eigen's included: hooks of the sanitizer where there is one, of glibc otherwise.
#if defined(__SANITIZE_ADDRESS__)
// Of the sanitizer's own library; its header is not part of every compiler's package.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));
namespace {
void count_allocation(const volatile void*, std::size_t) { ++allocations; }
void ignore_release(const volatile void*) {}
const int installed = __sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_release);
}  // namespace
#else
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace pliant {
namespace {

using testing::Random;

// Memory grows in the first steps: the matrix and its factor change places in each.
constexpr Index kWarmUp = 3;

struct Count {
  Index steps = 0;
  long begin = 0, end = 0;
  bool operator()() {
    ++steps;
    if (steps == kWarmUp) begin = allocations.load();
    end = allocations.load();
    return false;
  }
  Index counted() const { return steps - kWarmUp; }
};

struct Rows {
  Rows(ConstraintSystem& system, const Vector& x)
      : selection(system), values(system.inequalities()), norms(values), smoothness(values) {
    std::vector<Index> all(static_cast<std::size_t>(system.inequalities()));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
    selection.select(all);
    selection.values_and_bounds(x, values, norms, smoothness);
  }
  WorkingRows working() { return {selection, values, norms, smoothness}; }

  RowSelection selection;
  Vector values, norms, smoothness;
};

Problem half_spaces(bool equalities) {
  Random random(1);
  const Index n = 8, m = 120;
  Problem out(n);
  out.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(Vector(-9.0 * random.vector(n)))));
  out.regularize(box(to_array(Vector::Constant(n, -2.0)), to_array(Vector::Constant(n, 2.0))));
  out.subject_to(linear_le(DataMatrix::from(random.matrix(m, n)), to_array(Vector::Ones(m))));
  if (equalities) out.equal(DataMatrix::from(random.matrix(2, n)), to_array(Vector::Zero(2)));
  return out;
}

Problem curved(bool equalities) {
  Random random(2);
  const Index n = 8, m = 60;
  Problem out(n);
  out.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(Vector(-9.0 * random.vector(n)))));
  out.subject_to(quadratic_lowrank_le(Tensor({m, 2, n}, random.numbers(m * 2 * n)),
                                      Tensor({m, n}, random.numbers(m * n)), to_array(Vector::Constant(m, -1.0))));
  out.subject_to(linear_le(DataMatrix::from(random.matrix(m, n)), to_array(Vector::Ones(m))));
  out.subject_to(log_sum_exp_le(Tensor({m, 3, n}, random.numbers(m * 3 * n)),
                                Tensor({m, 3}, to_array(Vector::Constant(m * 3, -3.0)))));
  if (equalities) out.equal(DataMatrix::from(random.matrix(2, n)), to_array(Vector::Zero(2)));
  return out;
}

void expect_no_allocation(const Problem& problem, PathForm& form) {
  ConstraintSystem system(problem);
  Vector x = Vector::Zero(problem.dimension());
  Rows rows(system, x);
  Count count;
  EXPECT_TRUE(form.solve(rows.working(), 1e-9, x, [&] { return count(); }));
  ASSERT_GE(count.counted(), 4);
  EXPECT_EQ(count.end - count.begin, 0) << "in " << count.counted() << " steps";
}

TEST(PathAllocation, TheCounterCounts) {
  const long before = allocations.load();
  const Vector v = Vector::Zero(1000);
  const std::vector<double> w(1000, 1.0);
  EXPECT_GE(allocations.load() - before, 2) << v.sum() + w[0];
}

TEST(PathAllocation, PrimalDualForm) {
  for (const bool equalities : {false, true}) {
    SCOPED_TRACE(equalities);
    const Problem problem = half_spaces(equalities);
    const PathModel model(problem);
    ElasticNewton form(model);
    expect_no_allocation(problem, form);
  }
}

TEST(PathAllocation, PrimalForm) {
  PrimalPathParameters closely;
  closely.decrement = 1e-4;  // steps enough to count in
  for (const bool equalities : {false, true}) {
    for (const bool straight : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "equalities " << equalities << ", straight " << straight);
      const Problem problem = straight ? half_spaces(equalities) : curved(equalities);
      const PathModel model(problem);
      PrimalPath form(model, closely);
      expect_no_allocation(problem, form);
    }
  }
}

}  // namespace
}  // namespace pliant
