// Fair classification on the data set a9a: certified six digits, and what accelerated gradients need for them.
#include "objective/generalized_linear.hpp"
#include "pliant/generate.hpp"
#include "pliant/solve.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace pliant {
namespace {

// PLIANT_DATA or the folder beside the repository that the benchmarks use, too.
std::filesystem::path data_file() {
  const char* folder = std::getenv("PLIANT_DATA");
  return std::filesystem::path(folder != nullptr ? folder : PLIANT_DATA_FOLDER) / "libsvm" / "a9a.txt.gz";
}

Result timed(const Problem& problem, Method method, std::optional<double> limit) {
  Settings settings;
  settings.method = method;
  settings.time_limit = limit;
  const Result r = solve(problem, settings);
  fmt::print(
      "{:<10} {:<12} {:>8.2f} s, {:>6} iterations, {:>9.1f} passes, {:>11} evaluations, gap {:.1e}, "
      "violation {:.1e}, {} active, {} screened\n",
      to_string(r.method), to_string(r.status), r.time.solve, r.iterations, r.passes, r.component_evaluations,
      r.certificate.gap_rel(), r.certificate.violation_linf, r.certificate.active, r.screened);
  return r;
}

TEST(FairnessStudy, A9aIsCertifiedFasterThanByAcceleratedGradients) {
  if (!std::filesystem::exists(data_file())) GTEST_SKIP() << data_file() << " is not there";
  const Problem problem = generate("fairness", {{"seed", 1.0}}, {{"data", data_file().string()}});
  ASSERT_EQ(problem.dimension(), 123);
  ASSERT_EQ(problem.components(), 32561);
  ASSERT_EQ(problem.constraints(), 1000);
  const Result best = timed(problem, Method::automatic, std::nullopt);
  ASSERT_EQ(best.status, Status::optimal) << best.message;
  const Certificate again = certify(problem, best.x, best.multipliers);
  EXPECT_TRUE(again.satisfies(Settings{}));
  EXPECT_TRUE(again.lower_bound_rigorous());
  EXPECT_GT(again.active, 10);
  const Result apg = timed(problem, Method::apg, 3.0 * best.time.solve);
  EXPECT_LT(best.time.solve, apg.time.solve);
}

}  // namespace
}  // namespace pliant
