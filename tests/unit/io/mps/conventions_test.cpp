// Every section and convention of MPS and QPS, on files small enough to be read by eye.
#include "constraints/linear.hpp"
#include "constraints/quadratic.hpp"
#include "mps_support.hpp"
#include "objective/linear.hpp"
#include "objective/quadratic.hpp"

#include <zlib.h>

namespace pliant::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
constexpr double kInf = kInfinity;

TEST_F(MpsTest, RowsColumnsAndRightHandSides) {
  const io::MpsFile mps = parse(SampleText{});
  EXPECT_EQ(mps.name, "sample");
  EXPECT_EQ(mps.objective, "cost");
  EXPECT_THAT(mps.rows, ElementsAre("e", "l", "g"));
  EXPECT_THAT(mps.columns, ElementsAre("x", "y", "z"));
  EXPECT_THAT(mps.cost, ElementsAre(1, 2, 3));
  EXPECT_THAT(mps.row_lower, ElementsAre(4, -kInf, 1));
  EXPECT_THAT(mps.row_upper, ElementsAre(4, 5, kInf));
  EXPECT_THAT(mps.lower, ElementsAre(0, 0, 0));
  EXPECT_THAT(mps.upper, ElementsAre(kInf, kInf, kInf));
  EXPECT_THAT(mps.entries, SizeIs(6));
  EXPECT_FALSE(mps.maximize);
  EXPECT_EQ(mps.constant, 0.0);
  EXPECT_TRUE(mps.notes.empty());
}

TEST_F(MpsTest, BecomesAProblem) {
  const Problem p = read({});
  ASSERT_EQ(p.terms().size(), 1u);
  const Vector x{{1.0, 2.0, 5.0}};
  EXPECT_EQ(p.objective(x), 1 + 4 + 15);
  ASSERT_EQ(p.batches().size(), 1u);
  const auto& rows = dynamic_cast<const LinearBatch&>(*p.batches()[0]);
  EXPECT_TRUE(rows.matrix().is_sparse());
  EXPECT_EQ(rows.matrix().row(0), Vector({{1.0, 0.0, -1.0}}));
  EXPECT_EQ(rows.matrix().row(1), Vector({{0.0, 1.0, 2.0}}));
  EXPECT_EQ(rows.upper()[0], 5.0);
  EXPECT_EQ(rows.lower()[1], 1.0);
  EXPECT_EQ(rows.size(), 2);
  EXPECT_EQ(p.equality_matrix().row(0), Vector({{1.0, 1.0, 0.0}}));
  EXPECT_EQ(p.equality_rhs()[0], 4.0);
  EXPECT_EQ(p.prox().kind(), "nonnegative");
  EXPECT_THAT(p.names.variables, ElementsAre("x", "y", "z"));
  EXPECT_THAT(p.names.equalities, ElementsAre("e"));
  ASSERT_EQ(p.names.constraints.size(), 1u);
  EXPECT_THAT(p.names.constraints[0], ElementsAre("l", "g"));
  EXPECT_EQ(p.names.objective, "cost");
  EXPECT_NO_THROW(p.validate());
}

TEST_F(MpsTest, RangesWidenByTypeAndSign) {
  SampleText s;
  s.rows = " N cost\n E plus\n E minus\n E none\n L l\n L l2\n G g\n G g2\n";
  s.columns = " x plus 1 minus 1\n x none 1 l 1\n x l2 1 g 1\n x g2 1\n";
  s.rhs = " RHS plus 10 minus 10\n RHS none 10 l 10\n RHS l2 10 g 10\n RHS g2 10\n";
  s.after = "RANGES\n RNG plus 3 minus -3\n RNG none 0 l 3\n RNG l2 -3 g 3\n RNG g2 -3\n";
  const io::MpsFile mps = parse(s);
  EXPECT_THAT(mps.row_lower, ElementsAre(10, 7, 10, 7, 7, 10, 10));
  EXPECT_THAT(mps.row_upper, ElementsAre(13, 10, 10, 10, 10, 13, 13));
  // A row whose sides meet is an equality, whatever its type.
  EXPECT_EQ(read(s).equality_rhs().size(), 1);
  s.rhs = "";
  s.after = "RANGES\n RNG l 0 g 2\n";  // right-hand sides default to 0
  EXPECT_EQ(read(s).equality_rhs().size(), 4);
  EXPECT_EQ(parse(s).row_upper[5], 2.0);
}

TEST_F(MpsTest, Bounds) {
  SampleText s;
  s.rows = " N cost\n";
  s.columns = s.rhs = "";
  for (const char* name :
       {"lo", "up", "fx", "fr", "mi", "pl", "both", "mi_up", "neg", "neg_lo", "lo_neg", "zero", "inf"})
    s.columns += std::string(" ") + name + " cost 1\n";
  s.after =
      "BOUNDS\n LO B lo 2\n UP B up 3\n FX B fx -4\n FR B fr\n MI B mi\n PL B pl\n LO B both -1\n UP B both 1\n"
      " MI B mi_up\n UP B mi_up 7\n UP B neg -2\n UP B neg_lo -2\n LO B neg_lo -9\n LO B lo_neg -9\n UP B lo_neg -2\n"
      " UP B zero 0\n LO B inf -1e30\n UP B inf 1e20\n";
  const io::MpsFile mps = parse(s);
  EXPECT_THAT(mps.lower, ElementsAre(2, 0, -4, -kInf, -kInf, 0, -1, -kInf, -kInf, -9, -9, 0, -kInf));
  EXPECT_THAT(mps.upper, ElementsAre(kInf, 3, -4, kInf, kInf, kInf, 1, 7, -2, -2, -2, 0, kInf));
  EXPECT_THAT(mps.notes, ElementsAre(HasSubstr("negative upper bound")));
  const SeparableParameters* box = separable_parameters(read(s).prox());
  ASSERT_NE(box, nullptr);
  EXPECT_TRUE(std::equal(box->lo.begin(), box->lo.end(), mps.lower.begin(), mps.lower.end()));
  EXPECT_TRUE(std::equal(box->hi.begin(), box->hi.end(), mps.upper.begin(), mps.upper.end()));
}

TEST_F(MpsTest, VectorNamesAreOptionalAndFirstVectorCounts) {
  SampleText s;
  s.rhs = " e 4 l 5\n g 1\n";
  s.after = "RANGES\n l 2\nBOUNDS\n UP x 3\n FR y\n FR z 0\n";
  io::MpsFile mps = parse(s);
  EXPECT_THAT(mps.row_lower, ElementsAre(4, 3, 1));
  EXPECT_THAT(mps.upper, ElementsAre(3, kInf, kInf));
  EXPECT_THAT(mps.lower, ElementsAre(0, -kInf, -kInf));
  s.rhs = " A e 4\n B e 7 l 5\n B g 1\n";
  s.after = "BOUNDS\n UP B1 x 3\n UP B2 x 4\n";
  mps = parse(s);
  EXPECT_THAT(mps.row_upper, ElementsAre(4, 0, kInf));
  EXPECT_EQ(mps.upper[0], 3);
  EXPECT_THAT(mps.notes, ElementsAre(HasSubstr("vector B is ignored"), HasSubstr("vector B2 is ignored")));
}

TEST_F(MpsTest, ObjectiveConstantIsMinusItsRightHandSide) {
  SampleText s;
  s.rhs = " RHS cost -2.5 e 4\n";
  EXPECT_EQ(parse(s).constant, 2.5);
  EXPECT_EQ(read(s).objective(Vector::Zero(3)), 2.5);
  s.after = "QUADOBJ\n x x 2\n";
  EXPECT_EQ(read(s).objective(Vector::Zero(3)), 2.5);
}

TEST_F(MpsTest, Senses) {
  for (const char* sense :
       {"OBJSENSE\n    MAX\n", "OBJSENSE MAX\n", "OBJSENSE\nMAXIMIZE\n", "OBJSENSE\n maximise\n", "MAX\n"}) {
    SampleText s;
    s.before = sense;
    s.rhs = " RHS cost -7\n";
    s.after = "QUADOBJ\n x x -2\n";
    EXPECT_TRUE(parse(s).maximize) << sense;
    const Problem p = read(s);
    EXPECT_EQ(p.sense, Sense::maximize);
    const Vector x{{2.0, 1.0, 1.0}};
    EXPECT_EQ(p.objective(x), -(2 + 2 + 3 - 0.5 * 2 * 4 + 7));
    EXPECT_EQ(p.reported(p.objective(x)), 2 + 2 + 3 - 0.5 * 2 * 4 + 7);
    EXPECT_NO_THROW(p.validate());
  }
  for (const char* sense : {"OBJSENSE\n    MIN\n", "OBJSENSE MINIMIZE\n"}) {
    SampleText s;
    s.before = sense;
    EXPECT_FALSE(parse(s).maximize) << sense;
  }
}

TEST_F(MpsTest, OtherFreeRowsAreIgnoredWithANote) {
  SampleText s;
  s.rows = " N first\n N cost\n E e\n L l\n G g\n";
  s.columns += " z2 first 9 cost 8\n";
  s.rhs += " RHS cost 3\n";
  io::MpsFile mps = parse(s);
  EXPECT_THAT(mps.cost, ElementsAre(0, 0, 0, 9));
  EXPECT_EQ(mps.constant, 0.0);
  EXPECT_THAT(mps.notes, ElementsAre(HasSubstr("cost")));
  for (const char* header : {"OBJNAME\n cost\n", "OBJNAME cost\n"}) {
    s.before = header;
    mps = parse(s);
    EXPECT_EQ(mps.objective, "cost");
    EXPECT_THAT(mps.cost, ElementsAre(1, 2, 3, 8));
    EXPECT_EQ(mps.constant, -3.0);
    EXPECT_THAT(mps.notes, ElementsAre(HasSubstr("first")));
  }
}

TEST_F(MpsTest, ObjectiveMatrices) {
  // 1/2 x'Qx with Q = [4 1; 1 2] in (x, z), by one triangle (either) or both.
  const Vector x{{3.0, 10.0, 5.0}};
  const double expected = 0.5 * (4 * 9 + 2 * 1 * 15 + 2 * 25) + 3 + 20 + 15;
  for (const char* after :
       {"QUADOBJ\n x x 4 z 1\n z z 2\n", "QUADOBJ\n x x 4\n z x 1 z 2\n", "QSECTION\n x x 4 z 1\n z z 2\n",
        "QSECTION cost\n x x 4 z 1\n z z 2\n", "QMATRIX\n x x 4 z 1\n z x 1 z 2\n"}) {
    SampleText s;
    s.after = after;
    const Problem p = read(s);
    EXPECT_EQ(p.objective(x), expected) << after;
    const auto& term = dynamic_cast<const QuadraticTerm&>(*p.terms()[0].term);
    EXPECT_TRUE(term.P().is_sparse());
    EXPECT_EQ(term.P().nonzeros(), 4);
    EXPECT_NO_THROW(p.validate());
  }
}

TEST_F(MpsTest, QuadraticRows) {
  // QCMATRIX: x'Qx without 1/2, both triangles. l: x - z + 2x^2 + 2xz + z^2 <= 5, g: y + 2z - y^2 >= 1.
  SampleText s;
  s.after = "QCMATRIX l\n x x 2\n x z 1\n z x 1\n z z 1\nQCMATRIX g\n y y -1\n";
  const Problem p = read(s);
  ASSERT_EQ(p.batches().size(), 2u);
  EXPECT_EQ(p.batches()[0]->family(), "quadratic_diagonal");
  EXPECT_THAT(p.names.constraints, ElementsAre(ElementsAre("g"), ElementsAre("l")));
  const Vector x{{3.0, 10.0, 5.0}};
  EXPECT_EQ(p.batches()[0]->component_value(0, x), 1 - (10 + 10 - 100.0));
  EXPECT_EQ(p.batches()[1]->component_value(0, x), 3 - 5 + 18 + 30 + 25 - 5.0);
  EXPECT_NO_THROW(p.validate());
  // QSECTION of a row: 1/2 x'Qx, one triangle.
  s.after = "QSECTION l\n x x 4 z 2\n z z 2\n";
  EXPECT_EQ(read(s).batches()[1]->component_value(0, x), 3 - 5 + 18 + 30 + 25 - 5.0);
}

TEST_F(MpsTest, FixedLayoutAllowsBlanksInNames) {
  const std::string text =
      "NAME          FIXED ONE\nROWS\n" + fixed_line("N", "MY COST") + fixed_line("L", "ROW 1") + "COLUMNS\n" +
      fixed_line("", "COL 1", "MY COST", "1.5", "ROW 1", "2.") + fixed_line("", "COL 2", "ROW 1", "-1.0") + "RHS\n" +
      fixed_line("", "THE RHS", "ROW 1", "4.0") + "RANGES\n" + fixed_line("", "RNG", "ROW 1", "2.5") + "BOUNDS\n" +
      fixed_line("UP", "BND 1", "COL 2", "3.0") + fixed_line("FR", "BND 1", "COL 1") + "QUADOBJ\n" +
      fixed_line("", "COL 1", "COL 1", "1.0D+1") + "ENDATA\n";
  const io::MpsFile mps = parse(text);
  EXPECT_EQ(mps.name, "FIXED ONE");
  EXPECT_EQ(mps.objective, "MY COST");
  EXPECT_THAT(mps.columns, ElementsAre("COL 1", "COL 2"));
  EXPECT_THAT(mps.cost, ElementsAre(1.5, 0));
  EXPECT_THAT(mps.row_lower, ElementsAre(1.5));
  EXPECT_THAT(mps.upper, ElementsAre(kInf, 3));
  EXPECT_THAT(mps.lower, ElementsAre(-kInf, 0));
  ASSERT_THAT(mps.quadratic, SizeIs(1));
  EXPECT_EQ(mps.quadratic[0].value, 10.0);
}

TEST_F(MpsTest, NumbersCommentsAndLineEnds) {
  SampleText s;
  s.columns = "* a comment\n\n x\tcost\t+1.5\te\t1D0\n   \n x l .5\n y cost 2. e 1e0\n z cost 3d+0 l -1E+0\n";
  s.rhs = " RHS e 4\n* done\n RHS l 1e30\n RHS g -inf\n";
  std::string text = s.text();
  const io::MpsFile mps = parse(text);
  EXPECT_THAT(mps.cost, ElementsAre(1.5, 2, 3));
  EXPECT_THAT(mps.row_upper, ElementsAre(4, kInf, kInf));
  EXPECT_THAT(mps.row_lower, ElementsAre(4, -kInf, -kInf));
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parse(crlf).entries.size(), mps.entries.size());
  text.pop_back();  // no line end behind ENDATA
  EXPECT_EQ(parse(text).entries.size(), mps.entries.size());
  EXPECT_NO_THROW(read(s).validate());
}

TEST_F(MpsTest, RecognisedByEndingOrContentAndCompressed) {
  const std::string text = SampleText{}.text();
  for (const char* name : {"a.mps", "a.MPS", "a.qps", "a.SIF", "a.txt", "a"}) {
    EXPECT_EQ(read_problem(file(text, name)).name, "sample") << name;
  }
  const fs::path packed = directory_ / "a.mps.gz";
  gzFile out = gzopen(packed.c_str(), "wb");
  ASSERT_EQ(gzwrite(out, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(out);
  EXPECT_EQ(read_problem(packed).name, "sample");
  const std::string bytes = bytes_of(packed);
  write_bytes(packed, std::string_view(bytes).substr(0, bytes.size() / 2));
  EXPECT_THAT(error_of([&] { read_problem(packed); }), HasSubstr("cannot be read (unexpected end of file)"));
}

}  // namespace
}  // namespace pliant::testing
