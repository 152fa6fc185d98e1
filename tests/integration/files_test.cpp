// Files of other programs through the command: solved, checked and converted, with answers known by hand.
#include "command.hpp"
#include "pliant/io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Json;
using testing::Outcome;
using testing::read_json;
using ::testing::StartsWith;
using testing::WorkFolder;

void write(const WorkFolder& work, const std::string& name, const std::string& text) {
  std::ofstream(work.file(name)) << text;
}

// max 5 + 3x + 2y, x + y <= 4, x + 3y <= 7, 0 <= x <= 3, y >= 0: x = 3, y = 1, value 16; the first row's price is 2.
constexpr const char* kMaximize =
    "NAME profit\nOBJSENSE\n    MAX\nROWS\n N p\n N idle\n L a\n L b\nCOLUMNS\n x p 3 a 1\n x b 1\n y p 2 a 1\n y b 3\n"
    "RHS\n RHS a 4 b 7\n RHS p -5\nBOUNDS\n UP B x 3\nENDATA\n";

// min 2x^2 - xy + y^2 - 8x - 6y, x + y = 3, free: x = 11/8, y = 13/8.
constexpr const char* kQuadratic =
    "NAME qp\nROWS\n N c\n E s\nCOLUMNS\n x c -8 s 1\n y c -6 s 1\nRHS\n RHS s 3\nBOUNDS\n FR B x\n FR B y\nQUADOBJ\n"
    " x x 4 y -1\n y y 2\nENDATA\n";

TEST(Files, AMaximisationIsReportedAsOne) {
  const WorkFolder work;
  write(work, "p.mps", kMaximize);
  const Outcome solved =
      work.pliant("solve p.mps --tol-feas 1e-8 --tol-gap 1e-8 --json r.json --solution s.h5 --trace t.csv");
  ASSERT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_THAT(solved.out, HasSubstr("(maximised)"));
  EXPECT_THAT(solved.out, HasSubstr("upper bound"));
  EXPECT_THAT(solved.err, HasSubstr("note: p.mps: a row of type N beside the objective is ignored: idle"));
  EXPECT_EQ(work.pliant("solve p.mps --quiet").err, "");
  ASSERT_EQ(work.pliant("check p.mps s.h5 --tol-feas 1e-8 --tol-gap 1e-8 --json c.json").exit_code, 0);
  for (const char* name : {"r.json", "c.json"}) {
    const Json figures = read_json(work.file(name));
    EXPECT_NEAR(figures.at("objective").get<double>(), 16.0, 1e-6) << name;
    EXPECT_NEAR(figures.at("lower_bound").get<double>(), 16.0, 1e-6) << name;
    EXPECT_NEAR(figures.at("gap_abs").get<double>(),
                figures.at("lower_bound").get<double>() - figures.at("objective").get<double>(), 1e-9)
        << name;
  }
  EXPECT_TRUE(read_json(work.file("c.json")).at("satisfied").get<bool>());
  const Solution solution = read_solution(work.file("s.h5"));
  EXPECT_NEAR(solution.x[0], 3.0, 1e-6);
  EXPECT_NEAR(solution.x[1], 1.0, 1e-6);
  ASSERT_EQ(solution.duals.size(), 1u);
  EXPECT_NEAR(solution.duals[0][0], 2.0, 1e-5);
  EXPECT_NEAR(solution.duals[0][1], 0.0, 1e-5);
  std::ifstream trace(work.file("t.csv"));
  std::string header, row, last;
  std::getline(trace, header);
  while (std::getline(trace, row)) last = row;
  EXPECT_THAT(header, HasSubstr("objective,lower_bound"));
  const auto split = [](const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char c : line) c == ',' ? cells.emplace_back() : cells.back() += c, void();
    return cells;
  };
  const std::vector<std::string> names = split(header);
  const auto column = std::find(names.begin(), names.end(), "objective") - names.begin();
  EXPECT_NEAR(std::stod(split(last).at(static_cast<std::size_t>(column))), 16.0, 0.1) << last;
}

TEST(Files, ConvertedProblemsHaveTheSameAnswer) {
  const double x = 11.0 / 8, y = 13.0 / 8;
  const double value = 0.5 * (4 * x * x - 2 * x * y + 2 * y * y) - 8 * x - 6 * y;
  for (const auto& [text, expected] : {std::pair{kMaximize, 16.0}, {kQuadratic, value}}) {
    const WorkFolder work;
    write(work, "a.sif", text);
    for (const auto& [from, to] : {std::pair{"a.sif", "b.h5"}, {"b.h5", "c.mps.gz"}, {"c.mps.gz", "d.qps"}}) {
      const Outcome converted = work.pliant(std::string("convert ") + from + " " + to);
      ASSERT_EQ(converted.exit_code, 0) << converted.err;
      ASSERT_EQ(work.pliant(std::string("solve ") + to + " --tol-gap 1e-8 --json r.json").exit_code, 0);
      const Json result = read_json(work.file("r.json"));
      EXPECT_NEAR(result.at("objective").get<double>(), expected, 1e-6) << to;
    }
  }
}

TEST(Files, RefusalsAreOneLine) {
  const WorkFolder work;
  write(work, "bad.mps", "NAME bad\nROWS\n N c\n L r\nCOLUMNS\n x c 1 q 2\nENDATA\n");
  const Outcome outcome = work.pliant("solve bad.mps");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "pliant: bad.mps: line 6: unknown row \"q\", expected one of the section ROWS\n");
  ASSERT_EQ(work.pliant("generate logistic l.h5 n=5 m=20").exit_code, 0);
  const Outcome refused = work.pliant("convert l.h5 l.mps");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, StartsWith("pliant: l.mps: "));
  EXPECT_THAT(refused.err, HasSubstr("cannot be expressed in MPS"));
  EXPECT_EQ(work.listing(), "bad.mps l.h5");
}

}  // namespace
}  // namespace pliant
