// What the segments of an NL file become.
#include "nl_support.hpp"

#include <cmath>
#include <cstring>

namespace pliant::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double value(const ConstraintBatch& batch, Index i, const Vector& x) { return batch.component_value(i, x); }

// max 2x + 3y - 7 s.t. 1 <= x + y <= 4, x - y = 0.5, y >= -1 (a row), x in [0, 5], y free.
const std::string kLinear = nl_header(2, 3) +
                            "C0\nn0\nC1\nn0\nC2\nn0\nO0 1\nn-7\nr\n0 1 4\n4 0.5\n2 -1\nb\n0 0 5\n3\n"
                            "k1\n2\nJ0 2\n0 1\n1 1\nJ1 2\n0 1\n1 -1\nJ2 1\n1 1\nG0 2\n0 2\n1 3\n";

TEST_F(NlTest, LinearProgramsAreExact) {
  const Problem problem = read(kLinear);
  problem.validate();
  EXPECT_EQ(problem.sense, Sense::maximize);
  const Vector x{{1.5, 2.0}};
  EXPECT_EQ(problem.reported(problem.objective(x)), 2.0);
  EXPECT_THAT(problem.names.variables, ElementsAre("x0", "x1"));
  EXPECT_THAT(problem.names.equalities, ElementsAre("c1"));
  ASSERT_EQ(problem.batches().size(), 1u);
  EXPECT_THAT(problem.names.constraints.at(0), ElementsAre("c0", "c2"));
  const LinearRows& rows = *problem.batches()[0]->linear_rows();
  EXPECT_THAT(std::vector<double>(rows.lower().begin(), rows.lower().end()), ElementsAre(1.0, -1.0));
  EXPECT_THAT(std::vector<double>(rows.upper().begin(), rows.upper().end()), ElementsAre(4.0, kInfinity));
  EXPECT_EQ(separable_parameters(problem.prox())->hi[0], 5.0);
  EXPECT_FALSE(problem.start.has_value());
}

// (x - 3)^2 + 2 x y + 4 y^2 over  x^2 + y^2 <= 4  and  5 - (x + y)^2 - x >= 0, with a defined variable x + y.
TEST_F(NlTest, QuadraticsAreExact) {
  const Problem problem = read(nl_header(2, 2) +
                               "V2 2 0\n0 1\n1 1\nn0\nC0\no0\no5\nv0\nn2\no2\nv1\nv1\nC1\no16\no5\nv2\nn2\nO0 0\n"
                               "o54\n3\no5\no1\nv0\nn3\nn2\no2\no2\nn2\nv0\nv1\no2\nn4\no5\nv1\nn2\nx1\n0 0.5\nr\n1 4\n"
                               "2 -5\nb\n3\n3\nk1\n2\nJ0 2\n0 0\n1 0\nJ1 2\n0 -1\n1 0\nG0 2\n0 0\n1 0\n");
  problem.validate();
  const Vector x{{1.25, -0.75}};
  EXPECT_NEAR(problem.objective(x), 1.75 * 1.75 + 2 * 1.25 * -0.75 + 4 * 0.5625, 1e-14);
  ASSERT_EQ(problem.terms()[0].term->kind(), "quadratic");
  ASSERT_EQ(problem.batches().size(), 2u);
  for (const BatchPtr& batch : problem.batches()) EXPECT_NE(batch->quadratic_rows(), nullptr);
  EXPECT_THAT(problem.names.constraints, ElementsAre(ElementsAre("c0"), ElementsAre("c1")));
  EXPECT_NEAR(value(*problem.batches()[0], 0, x), 1.5625 + 0.5625 - 4.0, 1e-14);
  EXPECT_NEAR(value(*problem.batches()[1], 0, x), 0.25 + 1.25 - 5.0, 1e-14);
  ASSERT_TRUE(problem.start.has_value());
  EXPECT_EQ((*problem.start)[0], 0.5);
}

// log(exp(x) + 2 exp(y - 1) + 3) + x <= 1 and 2 exp(x) + exp(-y) + 1 <= 5 are log-sum-exp rows.
TEST_F(NlTest, LogSumExpRowsAreRecognised) {
  const std::string text =
      nl_header(2, 2) +
      "C0\no43\no54\n3\no44\nv0\no2\nn2\no44\no1\nv1\nn1\nn3\nC1\no54\n3\no2\nn2\no44\nv0\no44\no16\nv1\n"
      "n1\nO0 0\nn0\nr\n1 1\n1 5\nb\n3\n3\nk1\n2\nJ0 2\n0 1\n1 0\nJ1 2\n0 0\n1 0\nG0 2\n0 -1\n1 1\n";
  const io::NlFile contents = io::parse_nl(file(text));
  const io::NlProblem nl = io::to_problem(contents, "p.nl");
  const Problem& problem = nl.problem;
  ASSERT_EQ(problem.batches().size(), 2u);
  for (const BatchPtr& batch : problem.batches()) EXPECT_EQ(batch->family(), "log_sum_exp");
  const Vector x{{0.25, -0.5}};
  const double first = std::log(std::exp(0.25) + 2.0 * std::exp(-1.5) + 3.0) + 0.25 - 1.0;
  const double second = std::log((2.0 * std::exp(0.25) + std::exp(0.5)) / 4.0);
  EXPECT_NEAR(value(*problem.batches()[1], 0, x), first, 1e-13);   // three exponentials
  EXPECT_NEAR(value(*problem.batches()[0], 0, x), second, 1e-13);  // two
  EXPECT_EQ(nl.places[0].factor, 1.0);
  EXPECT_EQ(nl.places[1].factor, 0.25);
  EXPECT_EQ(nl.places[0].batch, 1);
}

// Everything else: exp(x) + y^4 <= 3 and log(x) >= -1 with the objective x/y.
TEST_F(NlTest, OtherFunctionsKeepTheirValues) {
  const Problem problem =
      read(nl_header(2, 2) +
           "C0\no0\no44\nv0\no5\nv1\nn4\nC1\no43\nv0\nO0 0\no3\no5\nv0\nn2\nv1\nx2\n0 1\n1 1\nr\n1 3\n"
           "2 -1\nb\n2 0\n2 0\nk1\n2\nJ0 2\n0 0\n1 0.5\nJ1 1\n0 0\nG0 2\n0 0\n1 2\n");
  const Vector x{{0.75, 1.25}};
  EXPECT_NEAR(problem.objective(x), 0.5625 / 1.25 + 2.5, 1e-14);
  ASSERT_EQ(problem.batches().size(), 1u);
  const ConstraintBatch& rows = *problem.batches()[0];
  EXPECT_NEAR(value(rows, 0, x), std::exp(0.75) + std::pow(1.25, 4.0) + 0.625 - 3.0, 1e-13);
  EXPECT_NEAR(value(rows, 1, x), -1.0 - std::log(0.75), 1e-14);
  EXPECT_EQ(value(rows, 1, Vector{{-1.0, 1.0}}), kInfinity);  // outside of the domain
  EXPECT_THAT(*problem.start, ElementsAre(1.0, 1.0));
}

TEST_F(NlTest, AStartInsideTheDomainIsFound) {
  const std::string rest = "O0 0\no16\no43\nv0\nr\nb\n2 0\nk0\nG0 1\n0 1\n";
  const Problem problem = read(nl_header(1, 0) + rest);  // -log(x) + x, no guess: 0 is outside
  EXPECT_EQ((*problem.start)[0], 1.0);
  EXPECT_THAT(error(nl_header(1, 0) + "O0 0\no0\no43\nv0\no43\no1\nn-1\nv0\nr\nb\n3\nk0\n"),
              HasSubstr("not defined at the initial guess"));
}

TEST_F(NlTest, NamesComeFromTheFilesBeside) {
  write_bytes(directory_ / "p.row", "furnace\nbalance\nlow\nprofit\n");
  write_bytes(directory_ / "p.col", "coal\nwood\n");
  const Problem problem = read(kLinear);
  EXPECT_THAT(problem.names.variables, ElementsAre("coal", "wood"));
  EXPECT_THAT(problem.names.equalities, ElementsAre("balance"));
  EXPECT_THAT(problem.names.constraints.at(0), ElementsAre("furnace", "low"));
  write_bytes(directory_ / "p.col", "same\nsame\n");  // no use
  EXPECT_THAT(read(kLinear).names.variables, ElementsAre("x0", "x1"));
}

// The binary form of min (x - 3)^2 + y, x + y >= 2, x >= 0, y free.
TEST_F(NlTest, BinaryFilesSayTheSame) {
  std::string text = nl_header(2, 1);
  text[0] = 'b';
  const auto integer = [&](std::int32_t v) { text.append(reinterpret_cast<const char*>(&v), sizeof v); };
  const auto number = [&](double v) { text.append(reinterpret_cast<const char*>(&v), sizeof v); };
  const auto short_number = [&](std::int16_t v) { text.append(reinterpret_cast<const char*>(&v), sizeof v); };
  const auto key = [&](char c, std::initializer_list<std::int32_t> numbers) {
    text += c;
    for (const std::int32_t v : numbers) integer(v);
  };
  key('C', {0}), text += 'n', number(0.0);
  key('O', {0, 0}), key('o', {5}), key('o', {1}), key('v', {0}), text += 's', short_number(3), text += 'n', number(2.0);
  text += 'r', text += '2', number(2.0);
  text += 'b', text += '2', number(0.0), text += '3';
  key('k', {1, 1});
  key('J', {0, 2}), integer(0), number(1.0), integer(1), number(1.0);
  key('G', {0, 1}), integer(1), number(1.0);
  const Problem problem = read(text);
  problem.validate();
  const Vector x{{1.0, 4.0}};
  EXPECT_EQ(problem.objective(x), 8.0);
  EXPECT_EQ(value(*problem.batches()[0], 0, x), -3.0);
  EXPECT_THAT(error(text.substr(0, text.size() - 3)), HasSubstr("the file ends in the middle of a number"));
  EXPECT_THAT(error(text.substr(0, text.size() - 3)), HasSubstr("byte "));
}

}  // namespace
}  // namespace pliant::testing
