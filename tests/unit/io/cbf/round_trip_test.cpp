// Problems written, read and written again: the same numbers, the same bytes.
#include "cbf_support.hpp"
#include "pliant/certificate.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pliant::testing {
namespace {

DataMatrix random_rows(Random& random, Index rows, Index n) {
  Matrix G = random.matrix(rows, n);
  for (double& value : G.reshaped()) value = random.uniform() < 0.4 ? 0.0 : value;
  return DataMatrix::from(G);
}

Doubles random_numbers(Random& random, Index n) { return Doubles(random.numbers(n)); }

Problem random_problem(Random& random) {
  const Index n = random.integer(1, 6);
  Problem p(n);
  p.minimize(linear(random_numbers(random, n), random.normal()));
  if (random.uniform() < 0.3) p.sense = Sense::maximize;
  std::vector<double> lo(static_cast<std::size_t>(n)), hi(lo.size());
  for (std::size_t j = 0; j < lo.size(); ++j) {
    const std::vector<std::pair<double, double>> kinds{{-kInfinity, kInfinity},
                                                       {0.0, kInfinity},
                                                       {-kInfinity, 0.0},
                                                       {0.0, 0.0},
                                                       {-1.5, 2.5},
                                                       {0.0, 3.0},
                                                       {-2.0, 0.0},
                                                       {1.25, 1.25}};
    std::tie(lo[j], hi[j]) = kinds[static_cast<std::size_t>(random.integer(0, 7))];
  }
  if (random.uniform() < 0.7) p.regularize(box(Doubles(lo), Doubles(hi)));
  if (random.uniform() < 0.5) p.equal(random_rows(random, 2, n), random_numbers(random, 2));
  if (random.uniform() < 0.5) p.subject_to(linear_le(random_rows(random, 3, n), random_numbers(random, 3)));
  if (random.uniform() < 0.5) {
    p.subject_to(
        linear_range(Doubles({-1, -kInfinity, 2, -4}), random_rows(random, 4, n), Doubles({1, 5, kInfinity, -4})));
  }
  const std::vector<Cone> kinds{{ConeKind::zero, 2, 0.5},         {ConeKind::nonnegative, 2, 0.5},
                                {ConeKind::second_order, 4, 0.5}, {ConeKind::exponential, 3, 0.5},
                                {ConeKind::power, 3, 0.3},        {ConeKind::semidefinite, 6, 0.5}};
  for (Index k = random.integer(0, 2); k > 0; --k) {
    ConicConstraint conic;
    Index rows = 0;
    for (Index c = random.integer(1, 4); c > 0; --c) {
      conic.cones.push_back(kinds[static_cast<std::size_t>(random.integer(0, 5))]);
      rows += conic.cones.back().rows;
    }
    conic.G = random_rows(random, rows, n);
    conic.h = random_numbers(random, rows);
    p.subject_to(std::move(conic));
  }
  return p;
}

TEST_F(CbfTest, WhatIsWrittenReadsTheSame) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 300);
    const Problem p = random_problem(random);
    write_problem(p, directory_ / "a.cbf");
    const Problem q = read_problem(directory_ / "a.cbf");
    EXPECT_EQ(q.dimension(), p.dimension());
    EXPECT_EQ(q.sense, p.sense);
    q.validate();
    write_problem(q, directory_ / "b.cbf");
    EXPECT_EQ(bytes_of(directory_ / "a.cbf"), bytes_of(directory_ / "b.cbf"));
    // The same points are feasible and cost the same, as far as the box does not interfere.
    Vector x = random.vector(p.dimension());
    p.prox().project(x);
    const Certificate before = certify(p, x), after = certify(q, x);
    EXPECT_NEAR(after.objective, before.objective, 1e-12 * (1.0 + std::abs(before.objective)));
    // Rows with equal sides, which are inequalities before and equalities after, count on either side.
    EXPECT_NEAR(std::max(after.violation_linf, after.equality_residual),
                std::max(before.violation_linf, before.equality_residual), 1e-9);
  }
}

}  // namespace
}  // namespace pliant::testing
