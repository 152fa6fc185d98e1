// Safe screening never removes a constraint that is active at the solution. The solutions are planted, so the truth
// does not come from the engine; points come from solves at loose and tight tolerances, made feasible.
#include "engines/path/working_set.hpp"
#include "pliant/solve.hpp"
#include "rows/local_rows.hpp"
#include "support/planted.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::plant;
using testing::Planted;
using testing::PlantedFamily;
using testing::PlantedOptions;
using testing::Random;

struct Instance {
  Problem problem;
  std::vector<bool> active;  ///< at the solution
  Vector slater;
};

Instance planted(PlantedFamily family, std::uint64_t seed) {
  Random random(seed + 5000);
  PlantedOptions options;
  options.family = family;
  options.n = random.integer(2, 8);
  options.active = random.integer(1, options.n);
  options.inactive = random.integer(5, 60);
  options.mu = random.log_uniform(0.1, 10.0);
  options.norm_spread = random.log_uniform(1.0, 100.0);
  options.weakly_active = seed % 3 == 0;
  const Planted p = plant(options, seed);
  Instance out{p.problem, {}, p.slater_point};
  for (const double a : p.optimal) out.active.push_back(a == 0.0);
  return out;
}

// 3n rows through x*, some with multipliers, some without; every row `copies` times.
Instance vertex(std::uint64_t seed, Index copies) {
  Random random(seed + 9000);
  const Index n = random.integer(2, 6), active = 3 * n, distinct = active + 40;
  const Vector x = random.vector(n), inward = random.vector(n).normalized();
  Matrix G(distinct * copies, n);
  Vector h(G.rows());
  Vector q = -x;
  for (Index i = 0; i < distinct; ++i) {
    Vector g = random.vector(n);
    g -= g.dot(inward) * inward;
    g -= random.uniform(0.2, 1.0) * inward;  // every row falls along `inward`
    const double slack = i < active ? 0.0 : random.log_uniform(1e-3, 3.0);
    if (i < active && random.uniform() < 0.5) q -= random.log_uniform(1e-3, 1.0) * g;
    for (Index c = 0; c < copies; ++c) {
      G.row(i * copies + c) = g;
      h[i * copies + c] = g.dot(x) + slack;
    }
  }
  Instance out{Problem(n), {}, x + 1e-3 * inward};
  out.problem.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(q)));
  out.problem.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
  for (Index i = 0; i < G.rows(); ++i) out.active.push_back(i < active * copies);
  return out;
}

struct Count {
  Index problems = 0, points = 0, removed = 0, inactive = 0, wrong = 0;
};

void screen(const Instance& instance, Count& count) {
  ++count.problems;
  const double mu = instance.problem.strong_convexity();
  ASSERT_GT(mu, 0.0);
  ConstraintSystem system(instance.problem);
  RowKnowledge known;
  LocalRows lazy(instance.problem, system, known, 1e-6);
  for (const double tolerance : {1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
    Settings settings;
    settings.method = Method::path;
    settings.tol_feas = settings.tol_gap = tolerance;
    settings.threads = 1;
    const Result r = solve(instance.problem, settings);
    ASSERT_EQ(r.status, Status::optimal) << r.message << " at " << tolerance << ", gap " << r.certificate.gap_rel()
                                         << ", violation " << r.certificate.violation_rel();
    const auto feasible = feasible_from_slater(instance.problem, r.x, instance.slater);
    if (!feasible) continue;
    const Certificate c = certify(instance.problem, *feasible, r.multipliers);
    const auto radius = solution_radius(c, mu);
    ASSERT_TRUE(radius.has_value());
    ++count.points;
    lazy.check(*feasible, 0.0, 0.8);
    for (const Index i : lazy.list_inactive_within(*feasible, *radius)) {
      ++count.removed;
      if (instance.active[static_cast<std::size_t>(i)]) {
        ++count.wrong;
        ADD_FAILURE() << "row " << i << " is active, tolerance " << tolerance << " radius " << *radius << " gap "
                      << c.gap_abs();
      }
    }
    count.inactive += std::count(instance.active.begin(), instance.active.end(), false);
  }
}

TEST(ScreeningStudy, NeverRemovesAnActiveConstraint) {
  Count count;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    for (const PlantedFamily family :
         {PlantedFamily::linear, PlantedFamily::quadratic, PlantedFamily::log_sum_exp, PlantedFamily::mixed}) {
      SCOPED_TRACE(static_cast<int>(family));
      screen(planted(family, seed), count);
    }
    screen(vertex(seed, 1), count);
    screen(vertex(seed, 3), count);
  }
  fmt::print("{} problems, {} points: {} of {} inactive rows removed, {} active ones\n", count.problems, count.points,
             count.removed, count.inactive, count.wrong);
  EXPECT_GE(count.problems, 500);
  EXPECT_GE(count.points, 4 * count.problems);
  EXPECT_GE(static_cast<double>(count.removed), 0.3 * static_cast<double>(count.inactive));
}

}  // namespace
}  // namespace pliant
