// Screening between stages on many random problems: no row that is active at the solution is ever dropped, and what it
// saves where one row in a hundred is active.
#include "pliant/generate.hpp"
#include "support/planted.hpp"
#include "support/stages.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using testing::plant;
using testing::Planted;
using testing::PlantedFamily;
using testing::PlantedOptions;
using testing::Random;

struct Instance {
  Problem problem;
  std::vector<bool> active;  // at a planted solution; empty: not planted
};

// Generated and planted problems; every other one knows a Slater point from the start.
Instance random_problem(std::uint64_t seed) {
  Random random(seed + 31000);
  const auto kind = seed % 10;
  std::map<std::string, double> sizes{{"n", static_cast<double>(random.integer(1, 6))},
                                      {"m", static_cast<double>(random.integer(5, 80))},
                                      {"seed", static_cast<double>(random.integer(0, 1000000))}};
  constexpr const char* kGenerated[] = {"dense_qp", "qcqp", "log_sum_exp", "svm"};
  if (kind < 4) {
    Problem problem = generate(kGenerated[kind], sizes);
    if (seed % 20 >= 10) problem.slater_point.reset();
    return {problem, {}};
  }
  PlantedOptions options;
  options.family = static_cast<PlantedFamily>(kind % 4);
  options.n = random.integer(1, 6);
  options.active = random.integer(1, options.n);
  options.inactive = random.integer(2, 60);
  options.mu = random.log_uniform(0.1, 10.0);
  options.norm_spread = random.log_uniform(1.0, 30.0);
  options.weakly_active = kind >= 7;
  const Planted p = plant(options, seed);
  Instance out{p.problem, {}};
  if (seed % 20 < 10) out.problem.slater_point = p.slater_point;
  for (const double a : p.optimal) out.active.push_back(a == 0.0);
  return out;
}

// Rows with a_i >= -1e-8 (1 + scale) or a multiplier above 1e-6 at a path solution of ten digits; empty if there is
// none.
std::vector<bool> active_rows(const Problem& problem) {
  Settings settings;
  settings.method = Method::path;
  settings.tol_feas = settings.tol_gap = 1e-10;
  settings.threads = 1;
  const Result r = solve(problem, settings);
  std::vector<bool> active;
  if (r.status != Status::optimal) return active;
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    Vector a(batch.size());
    batch.values(r.x, Rows::range(0, batch.size()), a);
    for (Index i = 0; i < a.size(); ++i) {
      active.push_back(a[i] >= -1e-8 * (1.0 + problem.constant_scale()) || r.multipliers.lambda[b][i] > 1e-6);
    }
  }
  return active;
}

TEST(ScreeningStagesStudy, NoActiveRowIsDroppedIn500Problems) {
  Index problems = 0, planted_only = 0, rows = 0, active_total = 0, dropped = 0, lost = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    const auto [problem, planted] = random_problem(seed);
    std::vector<bool> active = active_rows(problem);
    // Where a solution is planted, its active rows count in any case.
    planted_only += active.empty();
    if (active.empty()) active = planted;
    ASSERT_FALSE(active.empty());
    for (std::size_t i = 0; i < planted.size(); ++i) active[i] = active[i] || planted[i];
    ++problems;
    Settings settings;
    settings.method = seed % 3 == 0 ? Method::lbfgs : Method::apg;
    settings.outer = seed % 2 == 0 ? Outer::nested : Outer::multiplier;
    settings.tol_feas = settings.tol_gap = settings.outer == Outer::nested ? 1e-4 : 1e-7;
    settings.max_iterations = 20000;
    settings.threads = 1;
    std::vector<bool> kept(active.size(), false);
    for (const Index i : testing::run_stages(problem, settings).kept) kept[static_cast<std::size_t>(i)] = true;
    for (std::size_t i = 0; i < active.size(); ++i) {
      ++rows;
      active_total += active[i];
      dropped += !kept[i];
      if (!active[i] || kept[i]) continue;
      ++lost;
      ADD_FAILURE() << "row " << i << " is active and was dropped";
    }
  }
  fmt::print(
      "{} problems ({} of them without a path solution of ten digits, judged by the planted one), {} rows, {} of "
      "them active: {} dropped, {} active ones lost\n",
      problems, planted_only, rows, active_total, dropped, lost);
  EXPECT_LE(planted_only, 10);
  EXPECT_EQ(problems, 500);
  EXPECT_GE(active_total, problems / 2);
  EXPECT_GE(dropped, (rows - active_total) / 2);
}

// The saving on problems with about 1 % active rows.
TEST(ScreeningStagesStudy, SavesEvaluationsWhereOnePercentIsActive) {
  fmt::print("{:<10} {:>4} {:>8} {:>8} {:>12} {:>12} {:>7} {:>9} {:>9}\n", "family", "seed", "active", "screened",
             "evals off", "evals on", "ratio", "s off", "s on");
  for (const char* family : {"dense_qp", "ridge"}) {
    for (const Method method : {Method::apg, Method::katyusha}) {
      double product = 1.0;
      for (const double seed : {1.0, 2.0, 3.0}) {
        std::map<std::string, double> sizes{{"n", 20.0}, {"m", 2000.0}, {"seed", seed}};
        if (family == std::string("ridge")) sizes["l"] = 100.0;
        const Problem problem = generate(family, sizes);
        const std::vector<bool> truth = active_rows(problem);
        const auto active = std::count(truth.begin(), truth.end(), true);
        EXPECT_GT(active, 0);
        EXPECT_LE(active, 40);
        Settings settings;
        settings.method = method;
        settings.outer = Outer::nested;
        settings.tol_feas = settings.tol_gap = 1e-4;
        settings.threads = 1;
        const Result on = solve(problem, settings);
        settings.screening = false;
        const Result off = solve(problem, settings);
        ASSERT_EQ(on.status, Status::optimal) << on.message;
        ASSERT_EQ(off.status, Status::optimal) << off.message;
        const double ratio =
            static_cast<double>(off.component_evaluations) / static_cast<double>(on.component_evaluations);
        product *= ratio;
        fmt::print("{:<10} {:>4} {:>8} {:>8} {:>12} {:>12} {:>7.2f} {:>9.3f} {:>9.3f}  {}\n", family, seed, active,
                   on.screened, off.component_evaluations, on.component_evaluations, ratio, off.time.solve,
                   on.time.solve, to_string(method));
        EXPECT_GE(on.screened, 1000);
      }
      EXPECT_GT(std::cbrt(product), 1.5);
    }
  }
}

}  // namespace
}  // namespace pliant
