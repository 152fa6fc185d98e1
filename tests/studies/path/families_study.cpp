// Every kind of problem the path engine takes: solved on working sets and on all rows, with one thread and two, and
// again from its own solution. Judged from the raw numbers.
#include "engines/path/working_set.hpp"
#include "pliant/solve.hpp"
#include "support/path_zoo.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

namespace pliant {
namespace {

using testing::path_zoo;
using testing::Random;
using testing::raw_kkt;
using testing::RawKkt;
using testing::RawProblem;
using testing::ZooFamily;

constexpr double kTolerance = 1e-8;
constexpr std::uint64_t kSeeds = 60;

Settings tight(int threads = 1) {
  Settings s;
  s.method = Method::path;
  s.tol_feas = s.tol_gap = kTolerance;
  s.threads = threads;
  return s;
}

// The same engine with every row in the working set from the beginning.
Result solve_on_all_rows(const Problem& problem) {
  const Settings settings = tight();
  const SolveHooks hooks;
  WorkingSetParameters parameters;
  parameters.least_rows = parameters.most_rows = problem.constraints();
  Context run(problem, settings, hooks);
  InnerPoint point;
  point.x = problem.start.value_or(Vector::Zero(problem.dimension()));
  problem.prox().project(point.x);
  solve_with_working_sets(run, point, nullptr, parameters);
  return run.finish(point);
}

bool same_bytes(const Vector& a, const Vector& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * 8) == 0;
}

// F(x) >= L(x, lambda) - |lambda|_1 violation(x) >= bound - ... for anybody's multipliers: how far the objective at
// x may lie below that of the other result.
double allowed_below(const Result& at, const Result& other) {
  double multipliers = other.multipliers.nu.lpNorm<1>();
  for (const Vector& lambda : other.multipliers.lambda) multipliers += lambda.sum();
  const Certificate& c = at.certificate;
  return kTolerance * (1.0 + std::abs(other.certificate.objective)) +
         multipliers * std::max({c.violation_linf, c.equality_residual, c.domain_violation});
}

class PathFamilies : public ::testing::TestWithParam<ZooFamily> {
 protected:
  void expect_solved(const RawProblem& raw, const Result& r) {
    ASSERT_EQ(r.status, Status::optimal) << r.message << " gap " << r.certificate.gap_rel() << " violation "
                                         << r.certificate.violation_linf << " residual " << r.certificate.dual_residual;
    const Certificate again = certify(raw.problem, r.x, r.multipliers);
    EXPECT_TRUE(again.satisfies(tight())) << again.gap_rel() << ' ' << again.violation_rel();
    const RawKkt kkt = raw_kkt(raw, r.x, r.multipliers, 1e-4);
    const double room = kTolerance * (1.0 + again.constant_scale);
    EXPECT_NEAR(kkt.objective, r.certificate.objective, 1e-12 * (1.0 + std::abs(kkt.objective)));
    EXPECT_LE(kkt.violation, room * (1.0 + 1e-6) + 1e-14);
    EXPECT_LE(kkt.stationarity, 3e-4);
    EXPECT_LE(kkt.complementarity, 1e-6);
    EXPECT_EQ(kkt.negative, 0.0);
  }
};

TEST_P(PathFamilies, EverythingAgrees) {
  Index steps = 0;
  double passes = 0.0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed * 100 + 7);
    const RawProblem raw = GetParam().make(random, seed % 3 == 0 ? random.integer(2, 40) : GetParam().large);
    const Result one = solve(raw.problem, tight(1));
    steps += one.iterations;
    passes += one.passes;
    expect_solved(raw, one);
    const Result all = solve_on_all_rows(raw.problem);
    expect_solved(raw, all);
    EXPECT_GE(one.certificate.objective, all.certificate.objective - allowed_below(one, all));
    EXPECT_GE(all.certificate.objective, one.certificate.objective - allowed_below(all, one));
    const Result two = solve(raw.problem, tight(2));
    EXPECT_TRUE(same_bytes(one.x, two.x));
    ASSERT_EQ(one.multipliers.lambda.size(), two.multipliers.lambda.size());
    for (std::size_t b = 0; b < one.multipliers.lambda.size(); ++b) {
      EXPECT_TRUE(same_bytes(one.multipliers.lambda[b], two.multipliers.lambda[b]));
    }
    SolveHooks hooks;
    hooks.warm_start = &one.x;
    hooks.warm_multipliers = &one.multipliers;
    const Result warm = solve(raw.problem, tight(1), hooks);
    expect_solved(raw, warm);
    EXPECT_EQ(warm.iterations, 0);
  }
  fmt::print("{:>24}: {:5.1f} Newton steps, {:6.2f} passes on average\n", GetParam().name,
             static_cast<double>(steps) / static_cast<double>(kSeeds), passes / static_cast<double>(kSeeds));
}

INSTANTIATE_TEST_SUITE_P(All, PathFamilies, ::testing::ValuesIn(path_zoo()),
                         [](const auto& family) { return family.param.name; });

}  // namespace
}  // namespace pliant
