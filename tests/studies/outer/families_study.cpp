// Accelerated gradients on every generated family: the multiplier loop must certify 1e-6 within a minute; what the
// strategies `static` and `nested` reach in the time it took is printed beside it.
#include "pliant/generate.hpp"
#include "pliant/io.hpp"
#include "pliant/solve.hpp"

#include "integration/command.hpp"
#include "support/random.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace pliant {
namespace {

constexpr double kLimit = 60.0;

struct Reached {
  Status status;
  double gap, violation, time;
  Index iterations;
};

Reached run(const Problem& problem, Outer outer, double limit, Result* keep = nullptr) {
  Settings settings;
  settings.outer = outer;
  settings.time_limit = limit;
  Result r = solve(problem, settings);
  const Reached reached{r.status, std::abs(r.certificate.gap_rel()), r.certificate.violation_rel(), r.time.solve,
                        r.iterations};
  if (keep != nullptr) *keep = std::move(r);
  return reached;
}

std::string accuracy(const Reached& r) { return fmt::format("{:8.1e} {:8.1e}", r.gap, r.violation); }

/// `pliant check` on files, as a user would confirm it.
bool confirmed_by_check(const testing::WorkFolder& work, const Problem& problem, const Result& result) {
  write_problem(problem, work.file("p.h5"));
  Solution solution;
  solution.x = result.x;
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    Vector duals(problem.batches()[b]->dual_size());
    problem.batches()[b]->multipliers_to_duals(result.multipliers.lambda[b], duals);
    solution.duals.push_back(duals);
  }
  write_solution(solution, work.file("s.h5"));
  const testing::Outcome outcome = work.pliant("check p.h5 s.h5 --json -");
  return outcome.exit_code == 0 && nlohmann::json::parse(outcome.out).at("satisfied").get<bool>();
}

class FamiliesStudy : public ::testing::TestWithParam<const char*> {};

TEST_P(FamiliesStudy, MultiplierLoopCertifies) {
  const std::string family = GetParam();
  const testing::WorkFolder work;
  for (int seed = 1; seed <= 3; ++seed) {
    const double number = static_cast<double>(seed) + 10.0 * static_cast<double>(testing::base_seed());
    const double m = 2000.0;
    const double n = family == "entrywise_strong" ? m : 50.0;  // that family needs m <= n
    const Problem problem = generate(family, {{"n", n}, {"m", m}, {"seed", number}});
    Result result;
    const bool required = family != "dense_lp";  // not strongly convex: what is reached is printed, not required
    const Reached multiplier = run(problem, Outer::multiplier, required ? kLimit : kLimit / 4, &result);
    const Reached nested = run(problem, Outer::nested, std::max(0.05, multiplier.time));
    const Reached fixed = run(problem, Outer::fixed, std::max(0.05, multiplier.time));
    const bool confirmed = confirmed_by_check(work, problem, result);
    fmt::print("{:>17} seed {}: multiplier {:>10} {} ({:6} it, {:6.2f} s, check {}) | nested {} | static {}\n", family,
               seed, to_string(multiplier.status), accuracy(multiplier), multiplier.iterations, multiplier.time,
               confirmed ? "confirms" : "DENIES", accuracy(nested), accuracy(fixed));
    std::fflush(stdout);
    if (!required) continue;
    EXPECT_EQ(multiplier.status, Status::optimal) << family << " seed " << seed;
    EXPECT_LE(multiplier.time, kLimit);
    EXPECT_TRUE(confirmed);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FamiliesStudy,
                         ::testing::Values("entrywise_strong", "dense_qp", "sparse_qp", "qcqp", "qcqp_lowrank",
                                           "log_sum_exp", "ridge", "logistic", "svm", "dense_lp"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace pliant
