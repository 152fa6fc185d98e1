// Memory that runs out at the k-th allocation of a solve, for many k (PLIANT_EVERY_ALLOCATION=1: for every k; PLIANT_ALLOCATION=K: for that one): the caller
// hears of it (std::bad_alloc, or an InputError that says so), or gets a result that holds; nothing leaks, and the next solve
// gives the bytes of the first.
#include "linalg/eigen_memory.hpp"  // before Eigen itself

#include "faults/failing_memory.hpp"

#include "pliant/pliant.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>

extern "C" const char* __lsan_default_suppressions() { return "leak:Eigen::SparseMatrix\n"; }  // see kLostByEigen

namespace pliant {
namespace {

using testing::FailingMemory;
using testing::Random;
using testing::Shortage;

// The copy constructor of Eigen's SparseMatrix loses its column starts where the entries find no memory.
constexpr long kLostByEigen = 1;

struct Case {
  std::string name;
  std::string family;
  std::map<std::string, double> parameters;
  Settings settings;
};

Settings with(Method method, LinearAlgebra algebra = LinearAlgebra::automatic) {
  Settings settings;
  settings.method = method;
  settings.linear_algebra = algebra;
  settings.threads = 2;
  return settings;
}

Settings loose(Method method) {
  Settings settings = with(method);
  settings.tol_feas = settings.tol_gap = 1e-2;
  return settings;
}

std::vector<Case> cases() {
  return {
      {"dense_path", "dense_qp", {{"n", 4}, {"m", 40}}, with(Method::path, LinearAlgebra::dense)},
      {"sparse_interior", "sparse_qp", {{"n", 12}, {"m", 20}}, with(Method::path, LinearAlgebra::sparse)},
      {"conic", "robust_lp", {{"n", 3}, {"m", 6}}, with(Method::automatic)},
      {"semidefinite", "shor_boxqp", {{"d", 3}}, with(Method::automatic)},
      {"first_order", "ridge", {{"n", 3}, {"m", 10}}, loose(Method::apg)},
      {"soft_bands", "quantile", {{"n", 3}, {"m", 60}}, with(Method::automatic)},
      {"log_sum_exp", "log_sum_exp", {{"n", 3}, {"m", 20}}, with(Method::automatic)},
      {"ellipsoid", "ellipsoid", {{"d", 2}, {"m", 30}}, with(Method::automatic)},
      {"infeasible", "infeasible", {{"n", 3}, {"m", 20}}, with(Method::automatic)},
  };
}

class MemoryRunsOut : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Case case_ = cases().at(GetParam());

  Result solve_it() const { return solve(generate(case_.family, case_.parameters), case_.settings); }
  // Allocations of a whole solve.
  long count() const {
    const FailingMemory none(0, Shortage::once);
    (void)solve_it();
    return FailingMemory::asked();
  }
  void fail_at(long k, Shortage shortage) const;
  // Blocks that are left behind.
  long left_behind(long k, Shortage shortage) const;
};

bool same_bytes(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

// A result that claims to solve the problem, or that nothing does, proves it to `check`.
void expect_honest(const Case& c, const Result& result) {
  const Problem problem = generate(c.family, c.parameters);
  const Verdict verdict = check(problem, to_solution(problem, result), c.settings);
  EXPECT_TRUE(result.status != Status::optimal || verdict.satisfied);
  EXPECT_TRUE(result.status != Status::primal_infeasible || verdict.infeasible.holds);
}

long MemoryRunsOut::left_behind(long k, Shortage shortage) const {
  std::optional<Result> result;
  bool refused = false;
  std::string words;
  const long before = testing::live_blocks();
  {
    const FailingMemory failing(k, shortage);
    try {
      result.emplace(solve_it());
    } catch (const std::bad_alloc&) {
      refused = true;
    } catch (const InputError& error) {
      words = error.what();
    }
  }
  if (result) expect_honest(case_, *result);
  if (!result && !refused) {
    EXPECT_NE(words.find("memory"), std::string::npos) << words;
  }
  words = {};
  result.reset();
  return testing::live_blocks() - before;
}

// What a thread keeps for the next time it keeps once; what is lost is lost again.
void MemoryRunsOut::fail_at(long k, Shortage shortage) const {
  SCOPED_TRACE(case_.name + ", allocation " + std::to_string(k) +
               (shortage == Shortage::once ? " alone" : " and after"));
  if (left_behind(k, shortage) != 0) {
    EXPECT_LE(left_behind(k, shortage), kLostByEigen) << "blocks leaked";
  }
}

// In order through the first allocations, then by random steps; or all of them.
TEST_P(MemoryRunsOut, AtTheKthAllocation) {
  const Result first = solve_it();  // what threads keep for themselves is theirs from here on
  const long all = count();
  ASSERT_GT(all, 0);
  if (const char* one = std::getenv("PLIANT_ALLOCATION"); one != nullptr)
    return fail_at(std::atol(one), Shortage::once);
  const bool every = std::getenv("PLIANT_EVERY_ALLOCATION") != nullptr;
  constexpr long kInOrder = 200, kAtRandom = 200;
  Random random(GetParam());
  long tried = 0;
  for (long k = 1; k <= all && !HasFailure(); ++tried) {
    fail_at(k, tried % 2 == 0 ? Shortage::once : Shortage::lasting);
    if (every) fail_at(k, tried % 2 == 0 ? Shortage::lasting : Shortage::once);
    k += every || k < kInOrder ? 1 : random.integer(1, std::max<Index>(1, 2 * all / kAtRandom));
  }
  std::cout << case_.name << ": failed at " << tried << " of " << all << " allocations\n";
  const Result last = solve_it();
  EXPECT_EQ(last.status, first.status);
  EXPECT_TRUE(same_bytes(last.x, first.x));
}

INSTANTIATE_TEST_SUITE_P(Solves, MemoryRunsOut, ::testing::Range<std::size_t>(0, cases().size()),
                         [](const auto& tested) { return cases().at(tested.param).name; });

}  // namespace
}  // namespace pliant
