// Every way an NL file can be wrong gets one line: file, line, what was expected.
#include "nl_support.hpp"

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kEnd = "r\n1 1\nb\n3\n3\n";

TEST_F(NlTest, Headers) {
  EXPECT_THAT(error(""), HasSubstr("expected an NL file, which begins with g or b"));
  EXPECT_THAT(error("hello\n"), HasSubstr("line 1: expected an NL file"));
  EXPECT_THAT(error("g3 1 1 0\n"), HasSubstr("expected a header of ten lines"));
  EXPECT_THAT(error("g3 1 1 0\n 2 x\n"),
              HasSubstr("line 3: expected numbers of variables, constraints and objectives"));
  EXPECT_THAT(error(nl_header(0, 0)), HasSubstr("there are no variables"));
  EXPECT_THAT(error(nl_header(2, 1, 1, "0 1 0 0 0")), HasSubstr("integer variables are not supported"));
  EXPECT_THAT(error("g3 1 1 0\n 99999999999999 1 1\n"), HasSubstr("at least 3 numbers"));
  EXPECT_THAT(error("g3 1 1 0\n 100000000 1 1\n 0\n 0\n 0\n 0\n 0\n 0\n 0\n 0\nb\n"),
              HasSubstr("expected bounds of variables"));  // sizes are claims
}

TEST_F(NlTest, Segments) {
  const auto body = [&](const std::string& text) { return error(nl_header(2, 1) + text); };
  EXPECT_THAT(body("Q0\n"), HasSubstr("line 11: expected a segment"));
  EXPECT_THAT(body("C1\nn0\n"), HasSubstr("expected a constraint from 0 to 0, got 1"));
  EXPECT_THAT(body("C0\nn0\nC0\nn0\n"), HasSubstr("constraint 0 is given twice"));
  EXPECT_THAT(body("L0\n"), HasSubstr("logical constraints"));
  EXPECT_THAT(body("F0 1 1 f\n"), HasSubstr("functions of libraries"));
  EXPECT_THAT(body("r\n5 1 1\n"), HasSubstr("complementarity"));
  EXPECT_THAT(body("r\n0 4 1\n"), HasSubstr("leave nothing"));
  EXPECT_THAT(body("b\n0 1 x\n"), HasSubstr("expected an upper bound, got 'x'"));
  EXPECT_THAT(body("J0 3\n"), HasSubstr("expected a number of entries from 0 to 2, got 3"));
  EXPECT_THAT(body("J0 1\n2 1\n"), HasSubstr("expected a variable from 0 to 1, got 2"));
  EXPECT_THAT(body("J0 1\n0 inf\n"), HasSubstr("expected a finite coefficient"));
  EXPECT_THAT(body("C0\nn0\n"), HasSubstr("without bounds of the variables"));
  EXPECT_THAT(body("b\n3\n3\n"), HasSubstr("without sides of the constraints"));
  EXPECT_THAT(body(kEnd), HasSubstr("without its objective"));
  EXPECT_THAT(body(std::string("C0\nn0\n\0", 7)), HasSubstr("a zero byte"));
  EXPECT_THAT(body("k" + std::string(5000, '1') + "\n"), HasSubstr("got more than 4096 characters"));
}

TEST_F(NlTest, Expressions) {
  const auto body = [&](const std::string& text) { return error(nl_header(2, 1) + "C0\n" + text); };
  EXPECT_THAT(body("o15\nv0\n"), HasSubstr("line 12: the operation 'abs' is not supported"));
  EXPECT_THAT(body("o12\n2\nv0\nv1\n"), HasSubstr("'max' is not supported"));
  EXPECT_THAT(body("o35\n"), HasSubstr("'if' is not supported"));
  EXPECT_THAT(body("o999\n"), HasSubstr("'number 999' is not supported"));
  EXPECT_THAT(body("o0\nv0\n"), HasSubstr("expected an expression (o, n or v), got the end of the file"));
  EXPECT_THAT(body("v2\n"), HasSubstr("variable 2 is not defined before its use"));
  EXPECT_THAT(body("f0 1\nv0\n"), HasSubstr("functions of libraries"));
  EXPECT_THAT(body("o54\n0\n"), HasSubstr("a sum of nothing"));
  EXPECT_THAT(body("nnan\n"), HasSubstr("expected a number, got 'nan'"));
  std::string deep;
  for (int k = 0; k < 300000; ++k) deep += "o16\n";
  EXPECT_THAT(body(deep), HasSubstr("expected an expression"));  // no recursion
  EXPECT_EQ(error(nl_header(2, 1) + "C0\n" + deep + "v0\nO0 0\nn0\n" + kEnd), "(no error)");
}

TEST_F(NlTest, WhatIsNotConvexIsRefusedByName) {
  const auto row = [&](const std::string& sides, const std::string& text) {
    return error(nl_header(2, 1) + "C0\n" + text + "O0 0\nn0\nr\n" + sides + "\nb\n3\n3\n");
  };
  EXPECT_THAT(row("4 1", "o44\nv0\n"), StartsWith("constraint c0 is nonlinear and has two equal sides"));
  EXPECT_THAT(row("0 1 2", "o44\nv0\n"), StartsWith("constraint c0 is nonlinear and has two sides"));
  EXPECT_THAT(row("4 1", "o5\nv0\nn2\n"), HasSubstr("row c0 has quadratic terms"));
  EXPECT_THAT(row("2 1", "o5\nv0\nn2\n"), HasSubstr("not convex"));  // x^2 >= 1, by validate
  EXPECT_EQ(row("3", "o44\nv0\n"), "(no error)");                    // says nothing
  EXPECT_THAT(error_of([&] { write_problem(Problem(1), directory_ / "w.nl"); }), HasSubstr("writing AMPL NL files"));
}

}  // namespace
}  // namespace pliant::testing
