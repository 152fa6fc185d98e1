// `check` and `to_json` as the library offers them.
#include "pliant/pliant.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pliant {
namespace {

using Json = nlohmann::json;

TEST(Check, JudgesASolution) {
  const Problem problem = generate("dense_qp", {{"n", 5}, {"m", 60}, {"seed", 4}});
  const Settings settings;
  const Result result = solve(problem, settings);
  const Solution solution = to_solution(problem, result);
  const Verdict good = check(problem, solution, settings);
  EXPECT_TRUE(good.satisfied);
  EXPECT_EQ(good.certificate.objective, problem.objective(result.x));
  EXPECT_FALSE(good.infeasible.holds);
  Solution bad = solution;
  bad.x.array() += 100.0;
  EXPECT_FALSE(check(problem, bad, settings).satisfied);
  bad.x.resize(3);
  EXPECT_THROW(check(problem, bad, settings), InputError);

  const Json text = Json::parse(to_json(problem, good));
  EXPECT_EQ(text.at("satisfied"), true);
  EXPECT_EQ(text.at("objective").get<double>(), good.certificate.objective);
  EXPECT_EQ(text.at("violation").at("linf").get<double>(), good.certificate.violation_linf);
}

TEST(Check, ResultsAsJson) {
  const Problem problem = generate("dense_qp", {{"n", 5}, {"m", 60}, {"seed", 4}});
  Settings settings;
  settings.threads = 1;
  settings.seed = 7;
  Result result = solve(problem, settings);
  Json text = Json::parse(to_json(problem, settings, result));
  EXPECT_EQ(text.at("status"), "optimal");
  EXPECT_EQ(text.at("passes").get<double>(), result.passes);
  EXPECT_EQ(text.at("m"), 60);
  EXPECT_EQ(text.at("seed"), 7);
  EXPECT_TRUE(text.at("stream_time").is_null());
  EXPECT_EQ(text.at("time").at("total").get<double>(), result.time.total);
  // What JSON cannot write is null.
  result.certificate.lower_bound = -kInfinity;
  result.xi = std::nan("");
  text = Json::parse(to_json(problem, settings, result));
  for (const char* name : {"lower_bound", "gap_abs", "gap_rel", "xi"}) EXPECT_TRUE(text.at(name).is_null()) << name;
}

}  // namespace
}  // namespace pliant
