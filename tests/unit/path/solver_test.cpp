// Re-solving after changes: updated equals rebuilt, and what is still valid is not read again.
#include "pliant/solver.hpp"
#include "pliant/generate.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

Settings tight() {
  Settings s;
  s.tol_feas = s.tol_gap = 1e-8;
  return s;
}

Handle first_of(const Solver& solver) { return solver.problem().handles()[0]; }

struct Parts {
  Matrix P, G;
  Vector q, h;
  Problem build() const {
    Problem problem(q.size());
    problem.minimize(quadratic(DataMatrix::from(P), to_array(q)));
    problem.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
    return problem;
  }
};

Parts random_parts(Random& random, Index n, Index m) {
  const Matrix root = random.matrix(n, n);
  return {root * root.transpose() + Matrix::Identity(n, n), random.matrix(m, n), 5.0 * random.vector(n),
          Vector::Constant(m, 1.0) + 0.3 * random.vector(m).cwiseAbs()};
}

void expect_same_answer(const Result& updated, const Result& rebuilt) {
  ASSERT_EQ(updated.status, Status::optimal) << updated.message;
  ASSERT_EQ(rebuilt.status, Status::optimal) << rebuilt.message;
  EXPECT_NEAR(updated.certificate.objective, rebuilt.certificate.objective,
              3e-8 * (1.0 + std::abs(rebuilt.certificate.objective)));
  EXPECT_LE((updated.x - rebuilt.x).norm(), 1e-3 * (1.0 + rebuilt.x.norm()));
}

TEST(Solver, UpdatedEqualsRebuilt) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Parts parts = random_parts(random, random.integer(2, 10), random.integer(20, 3000));
    const Index n = parts.q.size();
    Solver solver(parts.build(), tight());
    ASSERT_EQ(solver.solve().status, Status::optimal);
    for (int change = 0; change < 4; ++change) {
      switch (random.integer(0, 2)) {
        case 0:
          parts.h += random.log_uniform(1e-4, 0.5) * random.vector(parts.h.size()).cwiseAbs();
          solver.update(first_of(solver), to_array(parts.h));
          break;
        case 1:
          parts.q += random.vector(n);
          solver.update_term(0, quadratic(DataMatrix::from(parts.P), to_array(parts.q)));
          break;
        default: {
          const Index more = random.integer(1, 50);
          const Matrix G = random.matrix(more, n);
          const Vector h = Vector::Constant(more, 0.5);
          solver.append(first_of(solver), linear_le(DataMatrix::from(G), to_array(h)));
          Matrix stacked(parts.G.rows() + more, n);
          stacked << parts.G, G;
          Vector constants(stacked.rows());
          constants << parts.h, h;
          parts.G = stacked;
          parts.h = constants;
        }
      }
      const Result updated = solver.solve();
      const Problem fresh = parts.build();
      expect_same_answer(updated, solve(fresh, tight()));
      // The rebuilt problem certifies the updated answer, duals included.
      Multipliers multipliers;
      multipliers.lambda.push_back(updated.duals(first_of(solver)));
      EXPECT_TRUE(certify(fresh, updated.x, multipliers).satisfies(tight()));
    }
  }
}

TEST(Solver, QuadraticRowsToo) {
  Random random(3);
  const Problem first = generate("qcqp", {{"n", 6}, {"m", 300}, {"seed", 9}});
  Solver solver(first, tight());
  ASSERT_EQ(solver.solve().status, Status::optimal);
  Vector r = first.batches()[0]->constant_terms();
  for (int k = 0; k < 5; ++k) {
    r -= 0.2 * random.vector(r.size()).cwiseAbs();
    solver.update(first_of(solver), to_array(r));
    Problem rebuilt = first;
    rebuilt.replace_constants(rebuilt.handles()[0], to_array(r));
    expect_same_answer(solver.solve(), solve(rebuilt, tight()));
  }
}

TEST(Solver, ReadsOnlyWhatCameIntoDoubt) {
  Random random(1);
  Parts parts = random_parts(random, 20, 50000);
  Solver solver(parts.build(), tight());
  const Result first = solver.solve();
  ASSERT_EQ(first.status, Status::optimal);
  const Result again = solver.solve();
  EXPECT_EQ(again.status, Status::optimal);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_LE(again.passes, 0.05);

  parts.h += 0.01 * random.vector(parts.h.size()).cwiseAbs();
  solver.update(first_of(solver), to_array(parts.h));
  const Result updated = solver.solve();
  EXPECT_EQ(updated.status, Status::optimal);
  EXPECT_LE(updated.passes, 0.7);
  EXPECT_LT(updated.passes, 0.5 * first.passes);
}

TEST(Solver, WrongChangesAreNamedAndChangeNothing) {
  Random random(2);
  const Parts parts = random_parts(random, 4, 30);
  Solver solver(parts.build(), tight());
  const Result before = solver.solve();
  EXPECT_THROW(solver.update(first_of(solver), Doubles({1.0})), InputError);
  EXPECT_THROW(solver.update(Handle{1, ConstraintKind::batch, 1}, to_array(parts.h)), InputError);
  EXPECT_THROW(solver.update(Handle{}, to_array(parts.h)), InputError);
  Vector bad = parts.h;
  bad[7] = std::nan("");
  EXPECT_THROW(solver.update(first_of(solver), to_array(bad)), InputError);
  EXPECT_THROW(solver.update_term(3, linear(to_array(parts.q))), InputError);
  EXPECT_THROW(solver.append(first_of(solver), linear_le(DataMatrix::from(random.matrix(2, 5)), Doubles({1.0, 1.0}))),
               InputError);
  // A bad constant of an appended row leaves those before it alone, too.
  solver.append(first_of(solver), linear_le(DataMatrix::from(random.matrix(1, 4)), Doubles({1e6})));
  Vector longer(parts.h.size() + 1);
  longer << 0.5 * parts.h, std::nan("");
  EXPECT_THROW(solver.update(first_of(solver), to_array(longer)), InputError);
  EXPECT_EQ(solver.problem().batches()[0]->constant_terms(), Vector(-parts.h));
  const Result after = solver.solve();
  EXPECT_EQ(after.iterations, 0);
  EXPECT_EQ(after.certificate.objective, before.certificate.objective);
}

}  // namespace
}  // namespace pliant
