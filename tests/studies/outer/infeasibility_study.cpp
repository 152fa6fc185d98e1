// Infeasible and unbounded problems are recognised with proofs that hold on the raw data; problems that are feasible by
// a hair are never called infeasible.
#include "engines/phase_one/feasibility_search.hpp"
#include "pliant/generate.hpp"
#include "pliant/solve.hpp"

#include "support/random.hpp"
#include "support/raw_proofs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace pliant {
namespace {

using testing::Random;
using testing::raw_combination;
using testing::raw_minimum;
using testing::raw_ray;
using testing::RawRay;
using Values = std::map<std::string, double>;

Values sizes(Random& random, std::uint64_t seed) {
  const auto n = static_cast<double>(random.integer(2, 15));
  const double m = std::floor(random.log_uniform(3.0 * n, 3000.0));
  return {{"n", n}, {"m", m}, {"seed", static_cast<double>(seed + 1000 * (testing::base_seed() % 100000))}};
}

Result solve_within(const Problem& problem) {
  Settings settings;
  settings.time_limit = 20.0;  // a problem that needs longer counts as not recognised
  return solve(problem, settings);
}

std::string summary(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{} {}; ", count, name);
  return text;
}

TEST(InfeasibilityStudy, TwoHundredInfeasibleProblems) {
  std::map<std::string, int> counts;
  int unconditional = 0;
  double longest = 0.0, passes = 0.0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Values values = sizes(random, seed);
    values["margin"] = random.log_uniform(1e-4, 1.0);
    values["qp"] = seed % 2 == 0;
    values["boxed"] = seed / 2 % 2 == 0;
    values["curved"] = seed % 5 == 4;
    const Problem problem = generate("infeasible", values);
    SCOPED_TRACE(problem.name);
    const Result r = solve_within(problem);
    ++counts[std::string(to_string(r.status))];
    longest = std::max(longest, r.time.solve);
    passes = std::max(passes, r.passes);
    EXPECT_EQ(r.status, Status::primal_infeasible) << r.message;
    if (r.status != Status::primal_infeasible) continue;
    const auto at = raw_combination(problem, r.x, r.multipliers);
    const bool boxed = !separable_parameters(problem.prox())->lo.empty();
    EXPECT_GT(raw_minimum(problem, r.x, at, boxed ? 1e30L : 1e7L), 0.0L);
    ASSERT_TRUE(r.infeasibility.has_value());
    EXPECT_TRUE(std::isinf(r.infeasibility->radius) || !boxed);  // elsewhere by an enclosure, or up to a radius
    unconditional += std::isinf(r.infeasibility->radius) ? 1 : 0;
  }
  fmt::print("infeasible: {}{} proved without a radius, longest {:.2f} s, most passes {:.0f}\n", summary(counts),
             unconditional, longest, passes);
}

TEST(InfeasibilityStudy, TwoHundredUnboundedProblems) {
  std::map<std::string, int> counts;
  double longest = 0.0, passes = 0.0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed + 7000);
    Values values = sizes(random, seed);
    values["margin"] = random.log_uniform(1e-3, 0.9);
    values["qp"] = seed % 2 == 0;
    values["boxed"] = seed / 2 % 2 == 0;
    values["thin"] = seed % 5 == 4;
    const Problem problem = generate("unbounded", values);
    SCOPED_TRACE(problem.name);
    const Result r = solve_within(problem);
    ++counts[std::string(to_string(r.status))];
    longest = std::max(longest, r.time.solve);
    passes = std::max(passes, r.passes);
    EXPECT_EQ(r.status, Status::dual_infeasible) << r.message;
    if (r.status != Status::dual_infeasible) continue;
    const RawRay ray = raw_ray(problem, r.ray);
    EXPECT_LT(ray.slope, 0.0L);
    EXPECT_LE(ray.leaving, 1e-12L);
    EXPECT_LE(ray.curvature, -1e-10L * ray.slope);
    EXPECT_TRUE(ray.in_domain);
    // Unbounded, not just without a dual point: x is feasible, and far out the objective is far down.
    Vector a(problem.constraints());
    problem.batches()[0]->values(r.x, Rows::range(0, a.size()), a);
    EXPECT_LE(a.maxCoeff(), 1e-6 * (1.0 + problem.constant_scale()));
    EXPECT_LT(problem.objective(r.x + 1e6 * r.ray), problem.objective(r.x) - 1.0);
  }
  fmt::print("unbounded: {}longest {:.2f} s, most passes {:.0f}\n", summary(counts), longest, passes);
}

// At the default tolerances, which are wider than the feasible sets, and at ones a thousand times tighter.
TEST(InfeasibilityStudy, FiveHundredBarelyFeasibleProblems) {
  for (const double tolerance : {1e-6, 1e-9}) {
    std::map<std::string, int> counts;
    double longest = 0.0;
    std::string slowest;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      Random random(seed + 14000);
      Values values = sizes(random, seed);
      values["slater"] = 1e-6;
      values["qp"] = seed % 2 == 0;
      values["curved"] = seed % 10 == 9;
      Problem problem = generate("barely_feasible", values);
      problem.slater_point.reset();  // no help
      SCOPED_TRACE(problem.name);
      Settings settings;
      settings.tol_feas = settings.tol_gap = tolerance;
      settings.max_iterations = 2000;
      const Result r = solve(problem, settings);
      ++counts[std::string(to_string(r.status))];
      if (r.time.solve > longest) slowest = problem.name;
      longest = std::max(longest, r.time.solve);
      EXPECT_NE(r.status, Status::primal_infeasible) << r.message;
      EXPECT_NE(r.status, Status::dual_infeasible) << r.message;
    }
    fmt::print("barely feasible, tolerance {:.0e}: {}longest {:.2f} s ({})\n", tolerance, summary(counts), longest,
               slowest);
  }
}

// The search itself, asked directly: a solve that succeeds never asks it.
TEST(InfeasibilityStudy, TheSearchNeverProvesABarelyFeasibleProblemInfeasible) {
  std::map<Feasibility, int> counts;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed + 21000);
    Values values = sizes(random, seed);
    values["slater"] = 1e-6;
    values["curved"] = seed % 3 == 2;
    const Problem problem = generate("barely_feasible", values);
    SCOPED_TRACE(problem.name);
    ConstraintSystem system(problem);
    const Vector start = Vector::Zero(problem.dimension());
    const FeasibilityOutcome found = search_feasibility(problem, system, start, {}, [] { return false; });
    ++counts[found.answer];
    EXPECT_NE(found.answer, Feasibility::infeasible);
  }
  fmt::print("barely feasible, asked directly: {} feasible, {} open\n", counts[Feasibility::feasible],
             counts[Feasibility::open]);
}

}  // namespace
}  // namespace pliant
