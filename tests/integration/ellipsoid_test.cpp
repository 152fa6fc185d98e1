// The covering ellipsoid from a user's point of view: generated, described, checked against an independent solution.
#include "command.hpp"

#include "constraints/rank_one.hpp"
#include "pliant/io.hpp"
#include "pliant/svec.hpp"
#include "support/covering_ellipsoid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Json;
using testing::Outcome;
using testing::WorkFolder;

TEST(EllipsoidCommand, InfoAndCheckWork) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate ellipsoid p.h5 d=3 m=200 dist=student seed=4").exit_code, 0);
  const Outcome info = work.pliant("info p.h5 --json -");
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const Json described = Json::parse(info.out);
  EXPECT_EQ(described.at("n"), 10);
  EXPECT_EQ(described.at("m"), 200);
  EXPECT_EQ(described.at("data_bytes"), 200 * 3 * 8);
  EXPECT_EQ(described.at("mu"), 0.0);
  EXPECT_TRUE(described.at("L_f").is_null());
  EXPECT_EQ(described.at("constraints")[0].at("family"), "rank_one");

  const Problem problem = read_problem(work.file("p.h5"));
  const auto& batch = dynamic_cast<const RankOneBatch&>(*problem.batches().at(0));
  const Matrix points = Eigen::Map<const Matrix>(batch.points().data(), 3, 200).transpose();
  const testing::CoveringEllipsoid best = testing::covering_ellipsoid(points, 1e-8);
  Solution solution;
  solution.x = svec(best.X);
  solution.duals.push_back(best.multipliers);
  write_solution(solution, work.file("s.h5"));
  const Outcome checked = work.pliant("check p.h5 s.h5 --json -");
  ASSERT_EQ(checked.exit_code, 0) << checked.err;
  const Json check = Json::parse(checked.out);
  EXPECT_TRUE(check.at("satisfied").get<bool>());
  EXPECT_TRUE(check.at("lower_bound_rigorous").get<bool>());
  EXPECT_NEAR(check.at("objective").get<double>(), best.upper, 1e-9);
  EXPECT_NEAR(check.at("lower_bound").get<double>(), best.lower, 1e-9);

  write_solution(Solution{*problem.start, {}, {}, {}, {}}, work.file("start.h5"));
  const Json at_start = Json::parse(work.pliant("check p.h5 start.h5 --json -").out);
  EXPECT_FALSE(at_start.at("satisfied").get<bool>());
  EXPECT_EQ(at_start.at("violation").at("linf"), 0.0);
}

TEST(EllipsoidCommand, MethodsThatDoNotApplySaySoInOneLine) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate ellipsoid p.h5 d=2 m=50").exit_code, 0);
  const Outcome refused = work.pliant("solve p.h5 --method apg --json r.json --solution s.h5");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err,
            "pliant: --method apg: needs an objective with a smoothness constant, which log_det has not\n");
  EXPECT_EQ(work.listing(), "p.h5");
}

TEST(EllipsoidCommand, WordsAreCheckedAndListed) {
  const WorkFolder work;
  const Outcome refused = work.pliant("generate ellipsoid p.h5 dist=cauchy");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.err, "pliant: 'dist=cauchy': expected one of gauss, student, uniform after '='\n");
  EXPECT_EQ(work.pliant("generate dense_qp p.h5 n=many").err, "pliant: 'n=many': expected a number after '='\n");
  EXPECT_THAT(work.pliant("generate --list").out, HasSubstr("dist=gauss|student|uniform"));
  EXPECT_EQ(work.listing(), "");
}

}  // namespace
}  // namespace pliant
