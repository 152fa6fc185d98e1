// What the statements of an LP file mean, and that a written one comes back.
#include "lp_support.hpp"

#include "support/random.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double entry(const io::MpsFile& lp, Index row, Index column) {
  double sum = 0.0;
  for (const auto& e : lp.entries) sum += e.row == row && e.column == column ? e.value : 0.0;
  return sum;
}

double entry(const std::vector<io::QuadraticEntry>& entries, Index row, Index column) {
  double sum = 0.0;
  for (const auto& e : entries) sum += e.row == row && e.column == column ? e.value : 0.0;
  return sum;
}

constexpr const char* kWhole = R"(\ a comment
Maximize
 profit: 3 coal + 2 wood - 1.5e0 peat \ more comment
   + [ - 2 coal ^ 2 + coal * wood - wood^2 ]/2 + 7
Subject To
 furnace: coal + wood
   + peat + coal <= 4
 -3 <= coal - wood <= 8
 eq: 2 coal = - 1
 inf >= coal + 2 wood >= -1
 q: [ coal^2 + 3 coal * wood + 4 wood^2 ] + coal <= 9
 moved: coal + 5 >= 1
Bounds
 coal <= 1
 -inf <= peat <= 10
 2 <= wood
 ash free
 fixed = -4
 1 >= late
General
End
)";

TEST_F(LpTest, WholeFile) {
  const io::MpsFile lp = parse(kWhole);
  EXPECT_TRUE(lp.maximize);
  EXPECT_EQ(lp.objective, "profit");
  EXPECT_EQ(lp.constant, 7.0);
  EXPECT_THAT(lp.columns, ElementsAre("coal", "wood", "peat", "ash", "fixed", "late"));
  EXPECT_THAT(lp.cost, ElementsAre(3.0, 2.0, -1.5, 0.0, 0.0, 0.0));
  EXPECT_THAT(lp.rows, ElementsAre("furnace", "R2", "eq", "R4", "q", "moved"));
  EXPECT_THAT(lp.row_lower, ElementsAre(-kInfinity, -3.0, -1.0, -1.0, -kInfinity, -4.0));
  EXPECT_THAT(lp.row_upper, ElementsAre(4.0, 8.0, -1.0, kInfinity, 9.0, kInfinity));
  EXPECT_THAT(lp.lower, ElementsAre(0.0, 2.0, -kInfinity, -kInfinity, -4.0, 0.0));
  EXPECT_THAT(lp.upper, ElementsAre(1.0, kInfinity, 10.0, kInfinity, -4.0, 1.0));
  EXPECT_EQ(entry(lp, 0, 0), 2.0);  // coal is named twice
  EXPECT_EQ(entry(lp, 1, 1), -1.0);
  // 1/2 x'Qx of the objective: -coal^2 + 1/2 coal wood - 1/2 wood^2.
  EXPECT_EQ(entry(lp.quadratic, 0, 0), -2.0);
  EXPECT_EQ(entry(lp.quadratic, 0, 1), 0.5);
  EXPECT_EQ(entry(lp.quadratic, 1, 0), 0.5);
  EXPECT_EQ(entry(lp.quadratic, 1, 1), -1.0);
  // Of the row: coal^2 + 3 coal wood + 4 wood^2.
  EXPECT_EQ(entry(lp.quadratic_rows.at(4), 0, 0), 2.0);
  EXPECT_EQ(entry(lp.quadratic_rows.at(4), 0, 1), 3.0);
  EXPECT_EQ(entry(lp.quadratic_rows.at(4), 1, 1), 8.0);
}

// The functions of the problem at a point, from the text by hand.
TEST_F(LpTest, ValuesAreThoseOfTheText) {
  const Problem problem = read_problem(file(kWhole));
  problem.validate();
  const Vector x{{0.5, 2.5, 1.0, -3.0, -4.0, 0.25}};
  const double f = 3 * 0.5 + 2 * 2.5 - 1.5 + (-2 * 0.25 + 0.5 * 2.5 - 2.5 * 2.5) / 2 + 7;
  EXPECT_NEAR(problem.reported(problem.objective(x)), f, 1e-14);
  const auto& curved = *problem.batches().back();
  Vector a(1);
  curved.values(x, Rows::range(0, 1), a);
  EXPECT_NEAR(a[0], 0.25 + 3 * 0.5 * 2.5 + 4 * 6.25 + 0.5 - 9, 1e-13);
}

TEST_F(LpTest, KeywordsInAnySpelling) {
  for (const char* sense : {"min", "MINIMIZE", "Minimise", "minimum"}) {
    for (const char* rows : {"st", "ST.", "s.t.", "subject to", "Such That"}) {
      const io::MpsFile lp = parse(fmt::format("{}\n x + y\n{}\n x + y => 1\nbound\nend\n", sense, rows));
      EXPECT_FALSE(lp.maximize);
      EXPECT_EQ(lp.objective, "obj");
      EXPECT_THAT(lp.row_lower, ElementsAre(1.0));
    }
  }
  // A heading followed by a colon is the name of a row.
  EXPECT_THAT(parse("max x\nst\nbounds: x <= 1\nend\n").rows, ElementsAre("bounds"));
  EXPECT_EQ(parse("max\nst\n x < 1e20\nend").row_upper[0], kInfinity);
}

TEST_F(LpTest, FilesAreRecognisedByContent) {
  EXPECT_EQ(read_problem(file("\\ c\n\nMaximize x\nst\n x <= 1\nend\n", "nameless")).dimension(), 1);
}

// Numbers of every size in every place: a problem written and read again is written with the same bytes.
TEST_F(LpTest, RoundTripsAreExact) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Index n = random.integer(1, 6), m = random.integer(0, 6);
    const auto number = [&] { return random.normal() * std::pow(10.0, random.uniform(-9.0, 9.0)); };
    std::string text = random.uniform() < 0.5 ? "max\n f:" : "min\n f:";
    const auto sum = [&] {
      std::string out;
      for (Index j = 0; j < n; ++j) out += fmt::format(" {:+} x{}", number(), j);
      return out;
    };
    text += sum();
    if (random.uniform() < 0.5) {  // convex in either sense: the sign follows it
      text += text.starts_with("max") ? " - [" : " + [";
      for (Index j = 0; j < n; ++j) text += fmt::format(" + {} x{} ^ 2", 2.0 + random.uniform(), j);
      if (n > 1) text += fmt::format(" {:+} x0 * x1", random.uniform());
      text += " ] / 2";
    }
    text += fmt::format(" {:+}\nst\n", number());
    for (Index i = 0; i < m; ++i) {
      const double lower = number();
      const Index kind = random.integer(0, 3);
      if (kind == 0) text += fmt::format(" r{}: {} = {}\n", i, sum(), lower);
      if (kind == 1) text += fmt::format(" r{}: {} <= {} <= {}\n", i, lower, sum(), lower + std::abs(number()));
      if (kind == 2) text += fmt::format(" r{}: {} >= {}\n", i, sum(), lower);
      if (kind == 3) text += fmt::format(" r{}: {} + [ {} x0^2 ] <= {}\n", i, sum(), random.uniform(), lower);
    }
    text += "bounds\n";
    for (Index j = 0; j < n; ++j) {
      if (random.uniform() < 0.5) text += fmt::format(" {} <= x{} <= {}\n", -std::abs(number()), j, std::abs(number()));
    }
    const Problem first = read_problem(file(text + "end\n"));
    const std::string ending = seed % 2 == 0 ? "b.lp" : "b.lp.gz";
    write_problem(first, directory_ / ending);
    const Problem second = read_problem(directory_ / ending);
    write_problem(first, directory_ / "c.mps");
    write_problem(second, directory_ / "d.mps");
    EXPECT_EQ(bytes_of(directory_ / "c.mps"), bytes_of(directory_ / "d.mps")) << seed;
  }
}

TEST_F(LpTest, NamesNobodyCouldReadAreReplaced) {
  Problem problem(2);
  problem.minimize(linear(Doubles({1.0, 2.0})));
  problem.subject_to(linear_le(DataMatrix::dense(1, 2, Doubles({1.0, 1.0})), Doubles({3.0})));
  problem.names.variables = {"3x", "y"};
  problem.names.constraints = {{"e5"}};
  write_problem(problem, directory_ / "p.lp");
  const Problem again = read_problem(directory_ / "p.lp");
  EXPECT_THAT(again.names.variables, ElementsAre("C1", "C2"));
  EXPECT_THAT(again.names.constraints.at(0), ElementsAre("R1"));
  problem.minimize(logistic(DataMatrix::dense(1, 2, Doubles({1.0, 1.0})), Doubles({1.0})));
  EXPECT_THAT(error_of([&] { write_problem(problem, directory_ / "no.lp"); }),
              HasSubstr("an objective term of kind logistic cannot be expressed in LP"));
  EXPECT_FALSE(fs::exists(directory_ / "no.lp"));
}

}  // namespace
}  // namespace pliant::testing
