// Several solves at once, of one problem and of different ones: each gives the very bytes it gives alone.
//
// The preset tsan builds this test with the thread sanitizer. Its eyes do not reach into OpenMP's own library, so every
// solve here runs on the thread that calls it (threads = 1); what solves share does not depend on that.
#include "linalg/sparse_ldl.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "parallel/parallel.hpp"
#include "pliant/pliant.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace pliant {
namespace {

using testing::Random;

constexpr int kAtOnce = 3;

struct Case {
  std::string name;
  std::function<Problem()> make;
  Settings settings;
};

Settings alone(Method method = Method::automatic) {
  Settings settings;
  settings.threads = 1;
  settings.method = method;
  return settings;
}

// Something for every engine and every cache: eigenvalues and constants that are computed once, LAPACK, MUMPS, cones.
std::vector<Case> cases() {
  const auto family = [](const std::string& name, std::map<std::string, double> parameters) {
    return [=] { return generate(name, parameters); };
  };
  Settings sparse = alone(Method::path);
  sparse.linear_algebra = LinearAlgebra::sparse;
  Settings nested = alone(Method::apg);
  nested.outer = Outer::nested;
  nested.tol_feas = nested.tol_gap = 1e-4;
  return {
      {"path", family("dense_qp", {{"n", 8}, {"m", 400}, {"seed", 1}}), alone()},
      {"quadratic rows", family("qcqp", {{"n", 5}, {"m", 60}, {"seed", 2}}), alone()},
      {"log-sum-exp", family("log_sum_exp", {{"n", 4}, {"m", 60}, {"seed", 3}}), alone()},
      {"nested gradients", family("dense_qp", {{"n", 5}, {"m", 40}, {"seed", 4}}), nested},
      {"sparse", family("sparse_qp", {{"n", 60}, {"m", 80}, {"seed", 5}}), sparse},
      {"cones", family("small_lmi", {{"n", 4}, {"m", 20}, {"seed", 6}}), alone()},
  };
}

bool same_bytes(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

void expect_same(const Result& together, const Result& alone, const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_EQ(together.status, alone.status);
  EXPECT_TRUE(same_bytes(together.x, alone.x));
  ASSERT_EQ(together.constraint_duals.size(), alone.constraint_duals.size());
  for (std::size_t k = 0; k < alone.constraint_duals.size(); ++k) {
    EXPECT_TRUE(same_bytes(together.constraint_duals[k], alone.constraint_duals[k])) << "duals " << k;
  }
  EXPECT_EQ(together.passes, alone.passes);
  EXPECT_EQ(together.certificate.lower_bound, alone.certificate.lower_bound);
}

// f(0), ..., f(count - 1), each on a thread of its own, all started before the first may begin.
void at_once(int count, const std::function<void(int)>& f) {
  std::atomic<int> waiting{count};
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k) {
    threads.emplace_back([&, k] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      f(k);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Concurrent, OneConstProblem) {
  for (const Case& c : cases()) {
    const Result reference = solve(c.make(), c.settings);
    ASSERT_TRUE(reference.status == Status::optimal) << c.name << ": " << reference.message;
    const Problem shared = c.make();  // nothing is cached in it yet
    std::vector<Result> results(kAtOnce);
    at_once(kAtOnce, [&](int k) { results[static_cast<std::size_t>(k)] = solve(shared, c.settings); });
    for (const Result& result : results) expect_same(result, reference, c.name);
  }
}

TEST(Concurrent, DifferentProblems) {
  const std::vector<Case> all = cases();
  std::vector<Result> references, results(all.size());
  for (const Case& c : all) references.push_back(solve(c.make(), c.settings));
  at_once(static_cast<int>(all.size()), [&](int k) {
    const auto i = static_cast<std::size_t>(k);
    results[i] = solve(all[i].make(), all[i].settings);
  });
  for (std::size_t i = 0; i < all.size(); ++i) expect_same(results[i], references[i], all[i].name);
}

TEST(Concurrent, ReadingAConstProblem) {
  const Problem shared = generate("qcqp", {{"n", 5}, {"m", 60}, {"seed", 9}});
  std::vector<Problem> copies(kAtOnce, Problem(1));
  std::vector<double> constants(kAtOnce);
  at_once(kAtOnce, [&](int k) {
    const auto i = static_cast<std::size_t>(k);
    shared.validate();
    constants[i] = shared.strong_convexity() + shared.smoothness() + shared.constant_scale();
    copies[i] = shared;
    (void)shared.batches()[0]->constants();
  });
  for (const double value : constants) EXPECT_EQ(value, constants[0]);
  for (const Problem& copy : copies) EXPECT_EQ(copy.smoothness(), shared.smoothness());
}

// The libraries below keep state of their own: MUMPS and LAPACK, each of them many times from every thread.
TEST(Concurrent, FactorisationsDoNotMix) {
  constexpr int kRepeats = 5;
  Random random(1);
  const Index n = 40;
  const Matrix root = random.matrix(n, n);
  const Matrix A = root * root.transpose() + Matrix::Identity(n, n);
  const SparseMatrix lower = Matrix(A.triangularView<Eigen::Lower>()).sparseView();
  const Vector b = random.vector(n);
  const auto multifrontal = [&] {
    SparseLdlCost cost;
    const auto factor = make_sparse_ldl(lower, n, LdlKind::multifrontal, cost);
    Vector x = b;
    if (!factor->factorize(lower)) x.setConstant(std::nan(""));
    factor->solve(x);
    return x;
  };
  const Vector solution = multifrontal();
  ASSERT_LE((A * solution - b).norm(), 1e-8 * b.norm());
  const SymmetricEigen eigen = symmetric_eigen(A);
  std::vector<int> different(kAtOnce, 0);
  at_once(kAtOnce, [&](int k) {
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      const bool same = same_bytes(multifrontal(), solution) && same_bytes(symmetric_eigen(A).values, eigen.values);
      different[static_cast<std::size_t>(k)] += same ? 0 : 1;
    }
  });
  EXPECT_EQ(different, std::vector<int>(kAtOnce, 0));
}

// Settings::threads of one solve is nobody else's.
TEST(Concurrent, ThreadCountsDoNotLeak) {
  const int mine = parallel::threads();
  std::vector<int> seen(kAtOnce), after(kAtOnce);
  at_once(kAtOnce, [&](int k) {
    const int before = parallel::threads();
    const int other = k + 2;
    {
      const parallel::ThreadScope scope(other);
      std::this_thread::yield();
      seen[static_cast<std::size_t>(k)] = parallel::threads() - other;
    }
    after[static_cast<std::size_t>(k)] = parallel::threads() - before;
  });
  EXPECT_EQ(seen, std::vector<int>(kAtOnce, 0));
  EXPECT_EQ(after, std::vector<int>(kAtOnce, 0));
  EXPECT_EQ(parallel::threads(), mine);
}

}  // namespace
}  // namespace pliant
