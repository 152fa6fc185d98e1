// Bad input: exit code 1, one clear line, no partial output.
#include "command.hpp"

#include "pliant/io.hpp"
#include "pliant/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace pliant {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::WorkFolder;

void expect_refused(const Outcome& outcome, const std::string& fragment) {
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("pliant: "), HasSubstr(fragment)));
}

// Writes a problem without validating it, solves it and expects a refusal that leaves no output.
void expect_problem_refused(const Problem& problem, const std::string& fragment) {
  SCOPED_TRACE(fragment);
  const WorkFolder work;
  write_problem(problem, work.file("p.h5"));
  expect_refused(work.pliant("solve p.h5 --json r.json --solution s.h5 --trace t.csv"), fragment);
  EXPECT_EQ(work.listing(), "p.h5");
}

Problem qp() {
  Problem problem(2);
  problem.minimize(quadratic(DataMatrix::dense(2, 2, Doubles({2.0, 0.0, 0.0, 2.0})), Doubles({1.0, 1.0})));
  return problem;
}

const double nan = std::nan("");

TEST(BadInput, NotFiniteInEveryArray) {
  const auto matrix = [](double entry) { return DataMatrix::dense(2, 2, Doubles({1.0, 0.0, entry, 1.0})); };
  for (const double bad : {nan, kInfinity}) {
    Problem p = qp();
    p.subject_to(linear_le(matrix(bad), Doubles({1.0, 1.0})));
    expect_problem_refused(p, "row 1");
    p = qp();
    p.subject_to(linear_le(matrix(0.0), Doubles({1.0, bad == kInfinity ? -bad : bad})));  // +inf means no row
    expect_problem_refused(p, "h[1]");
    p = Problem(2);
    p.minimize(linear(Doubles({1.0, bad})));
    expect_problem_refused(p, "c");
    p = Problem(2);
    p.minimize(quadratic(matrix(bad), Doubles({1.0, 1.0})));
    expect_problem_refused(p, "P");
    p = Problem(2);
    p.minimize(least_squares(matrix(bad), Doubles({1.0, 1.0})));
    expect_problem_refused(p, "A");
    p = Problem(2);
    p.minimize(logistic(matrix(0.0), Doubles({1.0, bad})));
    expect_problem_refused(p, "y");
    p = qp();
    p.subject_to(quadratic_le(Tensor({1, 2, 2}, Doubles({1.0, 0.0, 0.0, bad})), Tensor({1, 2}, Doubles({0.0, 0.0})),
                              Doubles({-1.0})));
    expect_problem_refused(p, "constraint 0");
    p = qp();
    p.subject_to(quadratic_lowrank_le(Tensor({1, 1, 2}, Doubles({1.0, bad})), Tensor({1, 2}, Doubles({0.0, 0.0})),
                                      Doubles({-1.0})));
    expect_problem_refused(p, "constraint 0");
    p = qp();
    p.subject_to(quadratic_diagonal_le(Tensor({1, 2}, Doubles({1.0, 1.0})), Tensor({1, 2}, Doubles({bad, 0.0})),
                                       Doubles({-1.0})));
    expect_problem_refused(p, "constraint 0");
    p = qp();
    p.subject_to(log_sum_exp_le(Tensor({1, 1, 2}, Doubles({1.0, 1.0})), Tensor({1, 1}, Doubles({bad}))));
    expect_problem_refused(p, "constraint 0");
    p = qp();
    p.equal(matrix(bad), Doubles({1.0, 1.0}));
    expect_problem_refused(p, "row 1");
  }
  Problem p = qp();
  p.regularize(box(Doubles({nan, 0.0}), Doubles({1.0, 1.0})));
  expect_problem_refused(p, "lo: entry 0 is nan");
  p = qp();
  p.start = Vector{{nan, 0.0}};
  expect_problem_refused(p, "start");
}

TEST(BadInput, NonConvexDataNameTheConstraintAndItsEigenvalue) {
  Problem p = qp();
  p.subject_to(quadratic_le(Tensor({2, 2, 2}, Doubles({1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, -0.5})),
                            Tensor({2, 2}, Doubles({0.0, 0.0, 0.0, 0.0})), Doubles({-1.0, -1.0})));
  expect_problem_refused(p, "constraint 1");
  expect_problem_refused(p, "-0.5");
  p = qp();
  p.subject_to(quadratic_diagonal_le(Tensor({1, 2}, Doubles({1.0, -0.25})), Tensor({1, 2}, Doubles({0.0, 0.0})),
                                     Doubles({-1.0})));
  expect_problem_refused(p, "-0.25");
  p = Problem(2);
  p.minimize(quadratic(DataMatrix::dense(2, 2, Doubles({1.0, 2.0, 2.0, 1.0})), Doubles({0.0, 0.0})));
  expect_problem_refused(p, "-1");
}

TEST(BadInput, SidesInTheWrongOrder) {
  Problem p = qp();
  p.subject_to(linear_range(Doubles({2.0}), DataMatrix::dense(1, 2, Doubles({1.0, 1.0})), Doubles({1.0})));
  expect_problem_refused(p, "lo > hi");
  p = qp();
  p.regularize(box(Doubles({0.0, 1.0}), Doubles({1.0, 0.0})));
  expect_problem_refused(p, "1");
}

TEST(BadInput, ShapesAndWeightsAreRefusedAtOnce) {
  EXPECT_THROW(Problem(0), InputError);
  EXPECT_THROW(linear_le(DataMatrix::dense(2, 2, Doubles({1.0, 0.0, 0.0, 1.0})), Doubles({1.0})), InputError);
  EXPECT_THROW(qp().minimize(linear(Doubles({1.0, 1.0})), -1.0), InputError);
  EXPECT_THROW(qp().minimize(linear(Doubles({1.0, 1.0})), nan), InputError);
  EXPECT_THROW(qp().minimize(linear(Doubles({1.0, 1.0, 1.0}))), InputError);
  EXPECT_THROW(l1(2, -1.0), InputError);
  EXPECT_THROW(qp().regularize(ball(2, 1.0)).regularize(l1(2, 1.0)), InputError);
  EXPECT_THROW(qp().regularize(l1(3, 1.0)), InputError);
}

TEST(BadInput, NoConstraintsAreLegal) {
  const WorkFolder work;
  write_problem(qp(), work.file("p.h5"));
  const Outcome outcome = work.pliant("solve p.h5 --quiet --json r.json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(BadInput, UnknownOptionsCommandsAndValues) {
  const WorkFolder work;
  write_problem(qp(), work.file("p.h5"));
  expect_refused(work.pliant("solve p.h5 --wrong 3"), "--wrong");
  expect_refused(work.pliant("solve p.h5 --method simplex"), "--method: expected auto|path|apg");
  expect_refused(work.pliant("solve p.h5 --tol-gap -1"), "--tol-gap");
  expect_refused(work.pliant("frobnicate"), "unknown command 'frobnicate'");
  expect_refused(work.pliant("solve"), "FILE");
  expect_refused(work.pliant("generate nothing out.h5"), "nothing");
  expect_refused(work.pliant("generate dense_qp out.h5 wrong=1"), "wrong");
  expect_refused(work.pliant("generate dense_qp out.h5 n=0"), "n");
  expect_refused(work.pliant("generate dense_qp out.h5 n=two"), "n=two");
  expect_refused(work.pliant("bounds colour=3"), "colour");
  EXPECT_EQ(work.listing(), "p.h5");
}

TEST(BadInput, FilesThatAreNotProblems) {
  const WorkFolder work;
  expect_refused(work.pliant("solve missing.h5"), "missing.h5");
  std::ofstream(work.file("text.h5")) << "this is no container\n";
  expect_refused(work.pliant("solve text.h5"), "text.h5");
  std::ofstream(work.file("empty.h5")) << "";
  expect_refused(work.pliant("solve empty.h5"), "empty.h5");
  write_problem(qp(), work.file("p.h5"));
  write_solution(Solution{Vector::Zero(2), {}, {}, {}, {}}, work.file("s.h5"));
  expect_refused(work.pliant("solve s.h5"), "s.h5");  // a foreign HDF5 file
  const auto size = std::filesystem::file_size(work.file("p.h5"));
  std::filesystem::copy_file(work.file("p.h5"), work.file("cut.h5"));
  std::filesystem::resize_file(work.file("cut.h5"), size / 2);
  expect_refused(work.pliant("solve cut.h5"), "cut.h5");
  write_solution(Solution{Vector::Zero(3), {}, {}, {}, {}}, work.file("long.h5"));
  expect_refused(work.pliant("check p.h5 long.h5"), "long.h5");
  expect_refused(work.pliant("solve p.h5 --warm-start long.h5"), "x");
}

TEST(BadInput, UnwritableOutputsAreReportedBeforeTheWork) {
  const WorkFolder work;
  write_problem(qp(), work.file("p.h5"));
  for (const char* option : {"--json", "--solution", "--trace", "--report"}) {
    expect_refused(work.pliant(std::string("solve p.h5 ") + option + " no/such/folder/out"), "no/such/folder");
  }
  expect_refused(work.pliant("generate dense_qp no/such/folder/p.h5"), "no/such/folder");
  expect_refused(work.pliant("convert p.h5 no/such/folder/p.h5"), "no/such/folder");
  EXPECT_EQ(work.listing(), "p.h5");
}

}  // namespace
}  // namespace pliant
