// Every way a file can be wrong gets one line: file, line, what was expected.
#include "cbf_support.hpp"

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kFourLines = "VER\n2\nOBJSENSE\nMIN\n";

TEST_F(CbfTest, Keywords) {
  EXPECT_THAT(error(""), HasSubstr("the file is empty, expected the keyword VER"));
  EXPECT_THAT(error("VAR\n1 1\nF 1\n"), StartsWith("line 1: expected the keyword VER at the beginning"));
  EXPECT_THAT(error("VER\n4\n"), StartsWith("line 2: version 4, expected 1, 2 or 3"));
  EXPECT_THAT(error("VER\nx\n"), StartsWith("line 2: \"x\": expected the version, a whole number"));
  EXPECT_THAT(error("VER\n1\nVER\n1\n"), StartsWith("line 3: VER appears for the second time"));
  EXPECT_THAT(error("VER\n1\nVAR\n1 1\nF 1\n"),
              StartsWith("line 5: the file ends here, expected the keyword OBJSENSE"));
  EXPECT_THAT(error("VER\n1\nOBJSENSE\nUP\n"), StartsWith("line 4: \"UP\": expected MIN or MAX"));
  EXPECT_THAT(error(kFourLines + "TYPO\n"), StartsWith("line 5: unknown keyword \"TYPO\""));
  EXPECT_THAT(error(kFourLines + "VAR 3\n"), StartsWith("line 5: \"VAR 3\": expected a keyword alone"));
  EXPECT_THAT(error(kFourLines + "VAR\n1 1\nF 1\nINT\n1\n0\n"),
              StartsWith("line 8: INT: integer variables are not supported"));
  EXPECT_THAT(error(kFourLines + "CHANGE\n"), StartsWith("line 5: CHANGE: several problems"));
  EXPECT_THAT(error(kFourLines), HasSubstr("there are no variables"));
}

TEST_F(CbfTest, Cones) {
  EXPECT_THAT(error(kFourLines + "VAR\n"), StartsWith("line 5: the file ends here, expected the number of variables"));
  EXPECT_THAT(error(kFourLines + "VAR\n3\n"), StartsWith("line 6: 1 fields, expected the number of variables"));
  EXPECT_THAT(error(kFourLines + "VAR\n-1 1\n"), StartsWith("line 6: \"-1\": expected a number of variables"));
  EXPECT_THAT(error(kFourLines + "VAR\n3 1\nF 2\n"), StartsWith("line 7: the cones cover 2 variables, expected 3"));
  EXPECT_THAT(error(kFourLines + "VAR\n3 1\nF 4\n"), StartsWith("line 7: \"4\": expected the rows of a cone"));
  EXPECT_THAT(error(kFourLines + "VAR\n3 1\nK 3\n"), StartsWith("line 7: unknown cone \"K\", expected F, L=, L+"));
  EXPECT_THAT(error(kFourLines + "VAR\n4 1\nEXP 4\n"), StartsWith("line 7: cone EXP with 4 rows, expected 3"));
  EXPECT_THAT(error(kFourLines + "VAR\n1 1\nQR 1\n"), StartsWith("line 7: cone QR with 1 rows, expected at least 2"));
  EXPECT_THAT(error(kFourLines + "VAR\n3 1\nPOW 3\n"), StartsWith("line 7: cone POW: expected parameters"));
  EXPECT_THAT(error(kFourLines + "VAR\n3 1\n@0:POW 3\n"), StartsWith("line 7: \"0\": expected no parameter list"));
  EXPECT_THAT(error(kFourLines + "VAR\n3 1\n@0POW 3\n"), StartsWith("line 7: \"@0POW\": expected @k:POW"));
  EXPECT_THAT(error(kFourLines + "POWCONES\n1 3\n3\n1\n1\n1\nVAR\n3 1\n@0:POW 3\n"),
              StartsWith("line 13: a power cone with 3 exponents, expected 2"));
  EXPECT_THAT(error(kFourLines + "POWCONES\n1 2\n2\n1e308\n1\nVAR\n3 1\n@0:POW 3\n"),
              StartsWith("line 12: a power cone whose exponents round to 0 and 1"));
  EXPECT_THAT(error(kFourLines + "POWCONES\n1 2\n2\n1\n0\n"), StartsWith("line 9: expected a parameter > 0"));
  EXPECT_THAT(error(kFourLines + "POWCONES\n1 3\n2\n1\n1\n"), StartsWith("line 9: 1 parameters are missing"));
}

TEST_F(CbfTest, Entries) {
  const std::string start = kFourLines + "VAR\n2 1\nF 2\nCON\n1 1\nL= 1\n";  // ten lines
  EXPECT_THAT(error(start + "ACOORD\n1\n0 2 1\n"), StartsWith("line 13: \"2\": expected a variable, a whole number"));
  EXPECT_THAT(error(start + "ACOORD\n1\n1 0 1\n"), StartsWith("line 13: \"1\": expected a constraint row"));
  EXPECT_THAT(error(start + "ACOORD\n2\n0 0 1\n"),
              StartsWith("line 13: the file ends here, expected a constraint row"));
  EXPECT_THAT(error(start + "ACOORD\n1\n0 0\n"), StartsWith("line 13: 2 fields, expected a constraint row"));
  EXPECT_THAT(error(start + "ACOORD\n1\n0 0 nan\n"), StartsWith("line 13: \"nan\": expected a finite number"));
  EXPECT_THAT(error(start + "ACOORD\n1\n0 0 1e999\n"), StartsWith("line 13: \"1e999\": expected a finite number"));
  EXPECT_THAT(error(start + "ACOORD\n2\n0 0 1\n0 0 2\n"),
              HasSubstr("constraint row 0 has a second entry of variable 0"));
  EXPECT_THAT(error(start + "BCOORD\n2\n0 1\n0 2\n"), HasSubstr("constraint row 0 has a second constant"));
  EXPECT_THAT(error(start + "OBJACOORD\n2\n1 1\n1 2\n"), HasSubstr("objective 0 has a second entry of variable 1"));
  EXPECT_THAT(error(start + "FCOORD\n1\n0 0 0 0 1\n"), StartsWith("line 11: expected the keyword PSDVAR before"));
  EXPECT_THAT(error(start + "HCOORD\n1\n0 0 0 0 1\n"), StartsWith("line 13: \"0\": expected no matrix"));
  EXPECT_THAT(error(kFourLines + "PSDVAR\n1\n2\nOBJFCOORD\n1\n0 2 0 1\n"),
              StartsWith("line 10: \"2\": expected a row of the matrix"));
  EXPECT_THAT(error(kFourLines + "PSDVAR\n1\n0\n"), StartsWith("line 7: a matrix of order 0, expected at least 1"));
  EXPECT_THAT(error(kFourLines + "PSDCON\n1\n99999\n"),
              StartsWith("line 7: \"99999\": expected the order of a matrix"));
}

TEST_F(CbfTest, SizesAreNotBelieved) {
  EXPECT_THAT(error(kFourLines + "VAR\n60000000 1\nF 60000000\n"), HasSubstr("expected more than 1 entries of them"));
  EXPECT_THAT(error(kFourLines + "VAR\n99999999999999 1\nF 1\n"), StartsWith("line 6: \"99999999999999\""));
  EXPECT_THAT(error(kFourLines + "VAR\n1 1\nF 1\nOBJACOORD\n60000000\n0 1\n"),
              StartsWith("line 10: the file ends here"));
}

TEST_F(CbfTest, WritingRefusesWhatTheFormatLacks) {
  Problem p(2);
  p.minimize(quadratic(DataMatrix::dense(2, 2, Doubles({1, 0, 0, 1})), Doubles({0, 0})));
  EXPECT_THAT(error_of([&] { write_problem(p, directory_ / "q.cbf"); }),
              HasSubstr("an objective term of kind quadratic cannot be expressed in CBF"));
  Problem r(2);
  r.regularize(l1(2, 1.0));
  EXPECT_THAT(error_of([&] { write_problem(r, directory_ / "q.cbf"); }), HasSubstr("a prox term of kind"));
  EXPECT_EQ(directory_.entries(), 0u);
}

}  // namespace
}  // namespace pliant::testing
