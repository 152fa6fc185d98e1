// Several solves at once, of one problem and of different ones: each gives the very bytes it gives alone.
//
// The preset tsan builds this test with the thread sanitizer. Its eyes do not reach into OpenMP's own library, so every
// solve here runs on the thread that calls it (threads = 1); what solves share does not depend on that.
#include "linalg/sparse_ldl.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "parallel/parallel.hpp"
#include "pliant/pliant.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCore>

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

Problem with_rows(Random& random, Index n, Index m) { return testing::planted_qp(random, n, m, n / 2, 1).problem; }

// 1/2 x'P_i x + q_i'x <= 1 and ln sum exp(..) <= 0, all slack at 0; the objective pulls x away from there.
Problem with_curved_rows(Random& random, Index n, bool exponential) {
  const Index m = 30, k = 3;
  Problem problem(n);
  problem.minimize(quadratic(Matrix::Identity(n, n), 5.0 * random.vector(n)));
  if (exponential) {
    std::vector<Matrix> A;
    for (Index i = 0; i < m; ++i) A.push_back(random.matrix(k, n));
    problem.subject_to(log_sum_exp_le(A, Matrix::Constant(m, k, -2.0)));
    return problem;
  }
  std::vector<Matrix> P;
  for (Index i = 0; i < m; ++i) {
    const Matrix root = random.matrix(n, n);
    P.push_back(root * root.transpose());
  }
  problem.subject_to(quadratic_le(P, random.matrix(m, n), Vector::Constant(m, -1.0)));
  return problem;
}

// Rows with three entries each, for sparse factorisations.
Problem with_sparse_rows(Random& random) {
  const Index n = 40, m = 60;
  Eigen::SparseMatrix<double, Eigen::RowMajor> G(m, n), P(n, n);
  P.setIdentity();
  for (Index i = 0; i < m; ++i) {
    for (Index k = 0; k < 3; ++k) G.coeffRef(i, random.integer(0, n - 1)) = random.normal();
  }
  Problem problem(n);
  problem.minimize(quadratic(P, 3.0 * random.vector(n)));
  problem.subject_to(linear_le(G, Vector::Ones(m)));
  return problem;
}

// min c'x in the intersection of balls around points near 0.
Problem with_cones(Random& random) {
  const Index n = 3, m = 6;
  Problem problem(n);
  problem.minimize(linear(random.vector(n)));
  const std::vector<Matrix> A(static_cast<std::size_t>(m), Matrix::Identity(n, n));
  problem.subject_to(soc_le(A, 0.3 * random.matrix(m, n), Matrix::Zero(m, n), Vector::Constant(m, 2.0)));
  return problem;
}

// Something for every kind of engine and every cache: eigenvalues and constants that are computed once, LAPACK, cones.
std::vector<Case> cases() {
  const auto seeded = [](std::uint64_t seed, const auto& make) {
    return [=] {
      Random random(seed);
      return make(random);
    };
  };
  Settings sparse = alone(Method::path);
  sparse.linear_algebra = LinearAlgebra::sparse;
  Settings nested = alone(Method::apg);
  nested.outer = Outer::nested;
  nested.tol_feas = nested.tol_gap = 1e-3;
  return {
      {"path", seeded(1, [](Random& r) { return with_rows(r, 8, 200); }), alone()},
      {"quadratic rows", seeded(2, [](Random& r) { return with_curved_rows(r, 5, false); }), alone()},
      {"log-sum-exp", seeded(3, [](Random& r) { return with_curved_rows(r, 4, true); }), alone()},
      {"nested gradients", seeded(4, [](Random& r) { return with_rows(r, 4, 20); }), nested},
      {"sparse", seeded(5, [](Random& r) { return with_sparse_rows(r); }), sparse},
      {"cones", seeded(6, [](Random& r) { return with_cones(r); }), alone()},
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
  Random random(9);
  const Problem shared = with_curved_rows(random, 5, false);
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
