// Every way a file can be wrong gets one line: file, line, what was expected.
#include "mps_support.hpp"

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The sample's lines: NAME 1, ROWS 2, rows 3-6, COLUMNS 7, columns 8-13, RHS 14, 15-16, then `after` from 17.
TEST_F(MpsTest, ErrorsNameTheLine) {
  SampleText s;
  s.after = "BOUNDS\n UP B nobody 3\n";
  EXPECT_EQ(error(s), "line 18: unknown column \"nobody\", expected one of the section COLUMNS");
  s.after = "BOUNDS\n UP B x three\n";
  EXPECT_EQ(error(s), "line 18: \"three\" after x: expected a number");
}

TEST_F(MpsTest, SectionsAndTheirOrder) {
  EXPECT_THAT(error("NAME x\nROWS\n N c\n"), StartsWith("line 3: the file ends here, expected ENDATA"));
  EXPECT_THAT(error("NAME x\nENDATA\n"), StartsWith("line 2: expected the sections ROWS and COLUMNS"));
  EXPECT_THAT(error("NAME x\nCOLUMNS\n"), StartsWith("line 2: expected the section ROWS before"));
  EXPECT_THAT(error("NAME x\nROWS\n N c\nRHS\n"), StartsWith("line 4: expected the sections ROWS and COLUMNS"));
  EXPECT_THAT(error("NAME x\nROWS\n N c\nROWS\n"), StartsWith("line 4: the section appears for the second time"));
  EXPECT_THAT(error("NAME x\n N c\n"), StartsWith("line 2: expected a section"));
  EXPECT_THAT(error("NAME x\nROWS\n N c\nCOLUMNS\nENDATA\n"), StartsWith("line 5: there are no columns"));
  EXPECT_THAT(error("NAME x\nSOS1\n"), StartsWith("line 2: section SOS1: special ordered sets are not supported"));
  EXPECT_THAT(error("NAME x\nTYPO\n"), StartsWith("line 2: unknown section \"TYPO\", expected one of NAME"));
  EXPECT_THAT(error("NAME x\nROWS\n N c\nOBJNAME c\n"), StartsWith("line 4: expected OBJNAME before ROWS"));
  EXPECT_THAT(error("NAME x\nOBJNAME d\nROWS\n N c\nCOLUMNS\n"), StartsWith("line 5: OBJNAME is d, expected a row"));
  EXPECT_THAT(error("NAME x\nOBJSENSE sideways\n"), StartsWith("line 2: \"sideways\": expected MAX or MIN"));
  SampleText s;
  s.rhs = "RHS e 4\n";  // a data line in the first column is not taken for a section
  EXPECT_THAT(error(s), HasSubstr("begins in the first column, where sections begin; expected RHS alone"));
}

TEST_F(MpsTest, RowsAndColumns) {
  const auto rows = [&](const std::string& text) {
    SampleText s;
    s.rows = text;
    return error(s);
  };
  EXPECT_THAT(rows(" N cost\n X e\n"), StartsWith("line 4: row type \"X\", expected N, E, L or G"));
  EXPECT_THAT(rows(" N cost\n E e\n L e\n"), StartsWith("line 5: row e appears for the second time"));
  EXPECT_THAT(rows(" N cost\n E\n"), StartsWith("line 4: 1 fields, expected a row's type and its name"));
  const auto columns = [&](const std::string& text) {
    SampleText s;
    s.columns = text;
    return error(s);
  };
  EXPECT_THAT(columns(" x cost\n"), StartsWith("line 8: 2 fields, expected a column and one or two pairs"));
  EXPECT_THAT(columns(" x f 1\n"), StartsWith("line 8: unknown row \"f\""));
  EXPECT_THAT(columns(" x e 1e999\n"), StartsWith("line 8: \"1e999\" after e: expected a number"));
  EXPECT_THAT(columns(" x e inf\n"), StartsWith("line 8: inf after e: expected a finite number"));
  EXPECT_THAT(columns(" x e nan\n"), StartsWith("line 8: \"nan\" after e: expected a number"));
  EXPECT_THAT(columns(" x e 0x10\n"), StartsWith("line 8: \"0x10\" after e: expected a number"));
  EXPECT_THAT(columns(" x e 1 e 2\n"), StartsWith("line 8: column x has a second entry in row e"));
  EXPECT_THAT(columns(" x cost 1\n x cost 2\n"), StartsWith("line 9: column x has a second entry in row cost"));
  EXPECT_THAT(columns(" x e 1\n y e 1\n x l 1\n"), StartsWith("line 10: column x continues after other columns"));
  EXPECT_THAT(columns(" M 'MARKER' 'INTORG'\n"), StartsWith("line 8: integer variables (a MARKER line)"));
  EXPECT_THAT(columns(" x\x01 e 1\n"), StartsWith("line 8: the name \"x\\x01\" is not UTF-8 text"));
  EXPECT_THAT(columns(" " + std::string(300, 'x') + " e 1\n"), StartsWith("line 8: a name longer than 255"));
}

TEST_F(MpsTest, Sides) {
  const auto rhs = [&](const std::string& text, const std::string& after = "") {
    SampleText s;
    s.rhs = text;
    s.after = after;
    return error(s);
  };
  EXPECT_THAT(rhs(" RHS e 1\n RHS e 2\n"), StartsWith("line 16: row e has a second right-hand side"));
  EXPECT_THAT(rhs(" RHS cost 1\n RHS cost 2\n"), StartsWith("line 16: row cost has a second right-hand side"));
  EXPECT_THAT(rhs(" RHS e 1e20\n"), StartsWith("line 15: the right-hand side 1e20 of row e is infinite"));
  EXPECT_THAT(rhs(" RHS l -1e20\n"), StartsWith("line 15: the right-hand side -1e20 of row l is infinite"));
  EXPECT_THAT(rhs(" RHS l 1e20\n", "RANGES\n R l 1\n"), HasSubstr("row l has a range but an infinite"));
  EXPECT_THAT(rhs("", "RANGES\n R l 1\n R l 2\n"), StartsWith("line 17: row l has a second range"));
}

TEST_F(MpsTest, BoundLines) {
  const auto bounds = [&](const std::string& text) {
    SampleText s;
    s.after = "BOUNDS\n" + text;
    return error(s);
  };
  EXPECT_THAT(bounds(" BV B x\n"), StartsWith("line 18: bounds of type BV make integer variables"));
  EXPECT_THAT(bounds(" LI B x 1\n"), StartsWith("line 18: bounds of type LI make integer variables"));
  EXPECT_THAT(bounds(" UI B x 1\n"), StartsWith("line 18: bounds of type UI make integer variables"));
  EXPECT_THAT(bounds(" SC B x 1\n"), StartsWith("line 18: bounds of type SC make semicontinuous variables"));
  EXPECT_THAT(bounds(" XX B x 1\n"), StartsWith("line 18: bound type \"XX\", expected LO, UP, FX, FR, MI or PL"));
  EXPECT_THAT(bounds(" UP B x\n"), StartsWith("line 18: unknown column \"B\""));
  EXPECT_THAT(bounds(" UP B x -1e30\n"), StartsWith("line 18: UP bound -1e30 of column x: expected"));
  EXPECT_THAT(bounds(" LO B x 1e30\n"), StartsWith("line 18: LO bound 1e30 of column x: expected"));
  EXPECT_THAT(bounds(" LO B x 3\n UP B x 2\n"), HasSubstr("column x has the lower bound 3 above its upper bound 2"));
}

TEST_F(MpsTest, QuadraticSections) {
  const auto after = [&](const std::string& text) {
    SampleText s;
    s.after = text;
    return error(s);
  };
  EXPECT_THAT(after("QUADOBJ\n x y 1\n y x 1\n"), HasSubstr("QUADOBJ: two entries for columns y and x, expected one"));
  EXPECT_THAT(after("QMATRIX\n x y 1\n"), HasSubstr("QMATRIX: the entry for columns x and y has no equal one"));
  EXPECT_THAT(after("QMATRIX\n x y 1\n y x 2\n"), HasSubstr("expected both triangles of a symmetric matrix"));
  EXPECT_THAT(after("QMATRIX\n x x 1\n x x 1\n"),
              HasSubstr("two entries for columns x and x, expected each entry once"));
  EXPECT_THAT(after("QUADOBJ\n x x 1\nQMATRIX\n"), StartsWith("line 19: the objective has quadratic terms already"));
  EXPECT_THAT(after("QCMATRIX\n"), StartsWith("line 17: expected QCMATRIX and the name of a row"));
  EXPECT_THAT(after("QCMATRIX cost\n"), StartsWith("line 17: QCMATRIX belongs to constraints"));
  EXPECT_THAT(after("QCMATRIX nobody\n"), StartsWith("line 17: unknown row \"nobody\""));
  EXPECT_THAT(after("QCMATRIX l\n x x 1\nQCMATRIX l\n"), StartsWith("line 19: quadratic terms of row l appear"));
  EXPECT_THAT(after("QCMATRIX l\n x y 1\n"), HasSubstr("QCMATRIX of row l: the entry for columns x and y"));
  EXPECT_THAT(after("QCMATRIX e\n x x 1\n"), HasSubstr("row e has quadratic terms, expected exactly one finite side"));
  EXPECT_THAT(after("RANGES\n R l 1\nQCMATRIX l\n x x 1\n"), HasSubstr("row l has quadratic terms, expected exactly"));
}

TEST_F(MpsTest, WhatIsNotConvexIsRefusedByValidation) {
  SampleText s;
  s.after = "QUADOBJ\n x x -1\n";
  EXPECT_NE(error(s), "(no error)");
  s.before = "OBJSENSE MAX\n";
  EXPECT_EQ(error(s), "(no error)");
  s.after = "QUADOBJ\n x x 1\n";
  EXPECT_NE(error(s), "(no error)");
  s.after = "QCMATRIX g\n x x 1\n";  // >= with a convex function
  EXPECT_NE(error(s), "(no error)");
}

TEST_F(MpsTest, NotText) {
  EXPECT_THAT(error(std::string("NAME\nROWS\n N a\0b\n", 16)), StartsWith("line 3: contains a zero byte"));
  EXPECT_THAT(error("NAME x\n" + std::string(70000, 'a')), StartsWith("line 2: longer than 65536 characters"));
  EXPECT_THAT(error("NAME x\nROWS\n" + std::string(70000, ' ')), StartsWith("line 3: longer than 65536 characters"));
  EXPECT_THAT(error(""), StartsWith("line 0: the file ends here, expected ENDATA"));
}

// The layout that understood more of the file speaks.
TEST_F(MpsTest, MessagesOfTheBetterLayout) {
  const std::string text = "NAME          F\nROWS\n" + fixed_line("N", "MY COST") + fixed_line("L", "ROW 1") +
                           "COLUMNS\n" + fixed_line("", "COL 1", "MY COST", "1.5") + "RHS\n" +
                           fixed_line("", "THE RHS", "ROW 2", "4.0") + "ENDATA\n";
  EXPECT_THAT(error(text), StartsWith("line 8: unknown row \"ROW 2\""));
}

// A number that does not fit its columns is not cut.
TEST_F(MpsTest, NumbersBeyondTheirColumns) {
  const auto with = [&](const std::string& number, const std::string& behind) {
    std::string line = fixed_line("", "COL 1", "MY COST", "1.5", "ROW 1", number);
    line.insert(line.size() - 1, behind);
    return error("NAME          F\nROWS\n" + fixed_line("N", "MY COST") + fixed_line("L", "ROW 1") + "COLUMNS\n" +
                 line + "ENDATA\n");
  };
  EXPECT_EQ(with("123456789012", ""), "(no error)");
  EXPECT_EQ(with("123456789012", "           00010000"), "(no error)");  // a card's sequence number
  EXPECT_THAT(with("123456789012", "3"), StartsWith("line 6: something stands between the fields"));
  EXPECT_THAT(with("1234567890123456", ""), StartsWith("line 6: something stands between the fields"));
}

}  // namespace
}  // namespace pliant::testing
