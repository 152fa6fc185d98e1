// Seeing the answer: values by name on the terminal, in JSON and in every form of a solution file.
#include "command.hpp"

#include "pliant/io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Json;
using ::testing::Not;
using testing::Outcome;
using testing::read_json;
using testing::WorkFolder;

// max 3 coal + 2 wood, coal + wood <= 4, coal <= 1, wood <= 10, both >= 0: coal = 1, wood = 3.
void write_mix(const WorkFolder& work) {
  std::ofstream(work.file("mix.mps")) << R"(NAME mix
OBJSENSE
    MAX
ROWS
 N  profit
 L  furnace
COLUMNS
    coal  profit  3  furnace  1
    wood  profit  2  furnace  1
    peat  profit  -1  furnace  1
RHS
    RHS  furnace  4
BOUNDS
 UP BND  coal  1
 UP BND  wood  10
ENDATA
)";
}

TEST(Answers, EveryFormHasNamesAndIsCheckedAlike) {
  const WorkFolder work;
  write_mix(work);
  std::string verdict;
  for (const std::string form : {"s.h5", "s.csv", "s.json", "s.sol", "s.sol.gz"}) {
    SCOPED_TRACE(form);
    const Outcome solved = work.pliant("solve mix.mps --quiet --solution " + form);
    ASSERT_EQ(solved.exit_code, 0) << solved.err;
    const Vector x = read_solution(work.file(form)).x;
    ASSERT_EQ(x.size(), 3);
    EXPECT_NEAR(x[0], 1.0, 1e-5);
    EXPECT_NEAR(x[1], 3.0, 1e-5);
    EXPECT_NEAR(x[2], 0.0, 1e-5);
    const Outcome checked = work.pliant("check mix.mps " + form);
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_THAT(checked.out, HasSubstr("within the tolerances"));
    if (verdict.empty()) verdict = checked.out;
    EXPECT_EQ(checked.out, verdict);
    EXPECT_EQ(work.pliant("solve mix.mps --quiet --warm-start " + form).exit_code, 0);
  }
  const Json json = read_json(work.file("s.json"));
  EXPECT_EQ(json.at("status"), "optimal");
  EXPECT_NEAR(json.at("objective").get<double>(), 9.0, 1e-4);
  EXPECT_EQ(json.at("names").at("variables"), Json({"coal", "wood", "peat"}));
  EXPECT_EQ(json.at("names").at("constraints"), Json({{"furnace"}}));
}

// Nobody finds HDF5 in a table of a spreadsheet; and a solve of an hour must not end with a refusal.
TEST(Answers, UnknownEndingsAreRefusedBeforeTheSolve) {
  const WorkFolder work;
  write_mix(work);
  for (const std::string name : {"s.xlsx", "s", "s.h5.gz", "s.csv.zip"}) {
    SCOPED_TRACE(name);
    const Outcome refused = work.pliant("solve mix.mps --solution " + name);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err,
                HasSubstr(name + ": the ending stands for no form of solutions (expected .h5, .csv, .json, "));
    EXPECT_EQ(refused.out, "");
    EXPECT_FALSE(std::filesystem::exists(work.file(name)));
  }
  EXPECT_EQ(work.pliant("solve mix.mps --quiet --solution s.HDF5").exit_code, 0);
  EXPECT_EQ(work.pliant("check mix.mps s.HDF5").exit_code, 0);
  const Outcome converted = work.pliant("convert mix.mps mix.xlsx");
  EXPECT_EQ(converted.exit_code, 1);
  EXPECT_THAT(converted.err, HasSubstr("mix.xlsx: .xlsx is the ending of no format (expected .h5, .mps, "));
  EXPECT_FALSE(std::filesystem::exists(work.file("mix.xlsx")));
}

TEST(Answers, PrintedVariablesAreTheLargestByName) {
  const WorkFolder work;
  write_mix(work);
  const Outcome all = work.pliant("solve mix.mps --print-x");
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("variables    1 at lower bounds, 1 at upper ones, 0 fixed, 1 between"));
  const auto place = [&](const char* name) { return all.out.find(std::string("             ") + name); };
  EXPECT_LT(place("wood"), place("coal"));
  EXPECT_LT(place("coal"), place("peat"));
  EXPECT_LT(place("peat"), all.out.size());
  EXPECT_THAT(all.out.substr(place("coal")), HasSubstr("at upper"));
  const Outcome one = work.pliant("solve mix.mps --quiet --print-x 1");
  EXPECT_THAT(one.out, HasSubstr("wood"));
  EXPECT_THAT(one.out, HasSubstr("... and 2 smaller ones"));
  EXPECT_THAT(one.out, Not(HasSubstr("coal")));
  const Outcome wrong = work.pliant("solve mix.mps --print-x=some");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("--print-x: expected a number of variables or all, got 'some'"));
}

TEST(Answers, JsonHoldsXWhenAsked) {
  const WorkFolder work;
  write_mix(work);
  const Json without = Json::parse(work.pliant("solve mix.mps --json -").out);
  EXPECT_FALSE(without.contains("x"));
  const Outcome solved = work.pliant("solve mix.mps --json - --json-x --print-x");
  const Json with = Json::parse(solved.out);
  EXPECT_EQ(with.at("variables"), Json({"coal", "wood", "peat"}));
  EXPECT_NEAR(with.at("x").at(1).get<double>(), 3.0, 1e-5);
  EXPECT_THAT(solved.err, HasSubstr("wood"));  // standard output carries JSON
  ASSERT_EQ(work.pliant("generate dense_qp p.h5 n=3 m=5").exit_code, 0);
  const Json unnamed = Json::parse(work.pliant("solve p.h5 --json - --json-x").out);
  EXPECT_FALSE(unnamed.contains("variables"));
  EXPECT_EQ(unnamed.at("x").size(), 3u);
}

}  // namespace
}  // namespace pliant
