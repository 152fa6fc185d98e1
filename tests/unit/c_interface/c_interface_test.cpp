// The C interface: the same answers as in C++, and a message instead of an exception.
#include "parallel/stop.hpp"
#include "pliant.h"
#include "pliant/generate.hpp"
#include "pliant/io.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <vector>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Random;
using ProblemHandle = std::unique_ptr<pliant_problem, decltype(&pliant_problem_free)>;
using ResultHandle = std::unique_ptr<pliant_result, decltype(&pliant_result_free)>;
using SettingsHandle = std::unique_ptr<pliant_settings, decltype(&pliant_settings_free)>;

ProblemHandle hold(pliant_problem* p) { return {p, pliant_problem_free}; }
ResultHandle hold(pliant_result* r) { return {r, pliant_result_free}; }
SettingsHandle hold(pliant_settings* s) { return {s, pliant_settings_free}; }

// A random program with every kind of part, dense and sparse.
struct Data {
  static constexpr Index n = 5, rows = 8;
  std::vector<double> P, q, G, hi, lo, E, e, lower, upper;

  explicit Data(std::uint64_t seed) {
    Random random(seed);
    const Matrix F = random.matrix(n, n);
    const RowMajorMatrix S = F * F.transpose() + Matrix::Identity(n, n);
    P.assign(S.data(), S.data() + n * n);
    q = random.numbers(n);
    G = random.numbers(rows * n);
    E = random.numbers(n);
    e = {0.0};
    hi.assign(rows, 1.0);
    lo.assign(rows, -1.0);
    lo[0] = -kInfinity;
    lower.assign(n, -2.0);
    upper.assign(n, 2.0);
  }
};

TEST(CInterface, GivesTheAnswerOfTheLibrary) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Data d(seed);
    const ProblemHandle c = hold(pliant_problem_new(d.n));
    ASSERT_NE(c, nullptr);
    EXPECT_EQ(pliant_problem_dimension(c.get()), d.n);
    std::vector<int64_t> starts, columns;
    for (Index i = 0; i <= d.n; ++i) starts.push_back(i * d.n);
    for (Index i = 0; i < d.n * d.n; ++i) columns.push_back(i % d.n);
    ASSERT_EQ(seed % 2 == 0
                  ? pliant_minimize_quadratic(c.get(), d.P.data(), d.q.data())
                  : pliant_minimize_quadratic_csr(c.get(), starts.data(), columns.data(), d.P.data(), d.q.data()),
              PLIANT_OK);
    ASSERT_EQ(pliant_minimize_linear(c.get(), d.q.data(), 3.0), PLIANT_OK);
    ASSERT_EQ(pliant_set_bounds(c.get(), d.lower.data(), d.upper.data()), PLIANT_OK);
    ASSERT_EQ(pliant_add_rows(c.get(), d.rows, d.G.data(), d.lo.data(), d.hi.data()), 0);
    ASSERT_EQ(pliant_add_equalities(c.get(), 1, d.E.data(), d.e.data()), 1);
    EXPECT_EQ(pliant_problem_blocks(c.get()), 2);
    const ResultHandle r = hold(pliant_solve(c.get(), nullptr));
    ASSERT_NE(r, nullptr) << pliant_last_error();

    Problem p(d.n);
    const DataMatrix P =
        seed % 2 == 0 ? DataMatrix::dense(d.n, d.n, d.P)
                      : DataMatrix::csr(d.n, d.n, Indices(std::vector<Index>(starts.begin(), starts.end())),
                                        Indices(std::vector<Index>(columns.begin(), columns.end())), Doubles(d.P));
    p.minimize(quadratic(P, Doubles(d.q)));
    p.minimize(linear(Doubles(d.q), 3.0));
    p.regularize(box(Doubles(d.lower), Doubles(d.upper)));
    const Handle rows = p.subject_to(linear_range(Doubles(d.lo), DataMatrix::dense(d.rows, d.n, d.G), Doubles(d.hi)));
    const Handle equal = p.equal(DataMatrix::dense(1, d.n, d.E), Doubles(d.e));
    const Result expected = solve(p);
    EXPECT_EQ(pliant_result_status(r.get()), PLIANT_OPTIMAL);
    EXPECT_STREQ(pliant_result_status_name(r.get()), "optimal");
    Vector x(d.n), duals(d.rows), nu(1), bounds(d.n);
    ASSERT_EQ(pliant_result_x(r.get(), x.data(), d.n), PLIANT_OK);
    EXPECT_EQ(x, expected.x);  // the same problem, to the bit
    EXPECT_EQ(pliant_result_dual_count(r.get(), 0), d.rows);
    ASSERT_EQ(pliant_result_duals(r.get(), 0, duals.data(), d.rows), PLIANT_OK);
    ASSERT_EQ(pliant_result_duals(r.get(), 1, nu.data(), 1), PLIANT_OK);
    ASSERT_EQ(pliant_result_bound_duals(r.get(), bounds.data(), d.n), PLIANT_OK);
    EXPECT_EQ(duals, expected.duals(rows));
    EXPECT_EQ(nu, expected.duals(equal));
    EXPECT_NEAR(pliant_result_number(r.get(), "objective"), expected.certificate.objective, 0.0);
    EXPECT_EQ(pliant_result_number(r.get(), "violation.linf"), expected.certificate.violation_linf);
    EXPECT_EQ(pliant_result_number(r.get(), "n"), 5.0);
    EXPECT_EQ(pliant_result_text(r.get(), "lower_bound_kind"), to_string(expected.certificate.lower_bound_kind));
  }
}

TEST(CInterface, ReadsWritesAndSets) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("pliant-c-" + std::to_string(::getpid()) + ".h5")).string();
  const ProblemHandle p = hold(pliant_problem_new(2));
  const double c[2] = {1.0, -1.0}, G[2] = {1.0, 1.0}, one[1] = {1.0}, lower[2] = {0.0, 0.0};
  ASSERT_EQ(pliant_minimize_linear(p.get(), c, 0.0), PLIANT_OK);
  ASSERT_EQ(pliant_set_bounds(p.get(), lower, nullptr), PLIANT_OK);
  const int64_t starts[2] = {0, 2}, columns[2] = {0, 1};
  ASSERT_EQ(pliant_add_rows_csr(p.get(), 1, starts, columns, G, nullptr, one), 0);
  ASSERT_EQ(pliant_problem_write(p.get(), file.c_str()), PLIANT_OK);
  const ProblemHandle again = hold(pliant_problem_read(file.c_str()));
  std::filesystem::remove(file);
  ASSERT_NE(again, nullptr) << pliant_last_error();
  const SettingsHandle settings = hold(pliant_settings_new());
  EXPECT_EQ(pliant_settings_set(settings.get(), "tol-gap", "1e-9"), PLIANT_OK);
  EXPECT_EQ(pliant_settings_set(settings.get(), "max_iterations", "0"), PLIANT_OK);
  const ResultHandle stopped = hold(pliant_solve(again.get(), settings.get()));
  ASSERT_NE(stopped, nullptr);
  EXPECT_EQ(pliant_result_status(stopped.get()), PLIANT_ITERATION_LIMIT);
  const ResultHandle solved = hold(pliant_solve(again.get(), nullptr));
  EXPECT_NEAR(pliant_result_number(solved.get(), "objective"), -1.0, 1e-5);
}

// A function that a solve calls may call this interface; the solve's time is up.
TEST(CInterface, LimitsOfACallingSolveEndNothingHere) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("pliant-c-" + std::to_string(::getpid()) + ".lp")).string();
  const ProblemHandle p = hold(pliant_problem_new(2));
  const double c[2] = {1.0, 1.0}, lower[2] = {0.0, 0.5};
  ASSERT_EQ(pliant_minimize_linear(p.get(), c, 0.0), PLIANT_OK);
  ASSERT_EQ(pliant_set_bounds(p.get(), lower, nullptr), PLIANT_OK);
  ASSERT_EQ(pliant_problem_write(p.get(), file.c_str()), PLIANT_OK);
  const std::atomic<bool> up{true};
  const parallel::StopSign sign{&up};
  const parallel::StopScope calling(&sign);
  const ProblemHandle again = hold(pliant_problem_read(file.c_str()));
  std::filesystem::remove(file);
  ASSERT_NE(again, nullptr) << pliant_last_error();
  const ResultHandle solved = hold(pliant_solve(again.get(), nullptr));
  ASSERT_NE(solved, nullptr) << pliant_last_error();
  EXPECT_EQ(pliant_result_status(solved.get()), PLIANT_OPTIMAL);
  EXPECT_EQ(parallel::stop_sign(), &sign);
}

TEST(CInterface, FailuresSayWhatWasExpected) {
  const auto error = [] { return std::string(pliant_last_error()); };
  EXPECT_EQ(pliant_problem_new(0), nullptr);
  EXPECT_NE(error(), "");
  EXPECT_EQ(pliant_problem_read("/no/such/file.h5"), nullptr);
  EXPECT_THAT(error(), HasSubstr("/no/such/file.h5"));
  const ProblemHandle p = hold(pliant_problem_new(2));
  EXPECT_EQ(error(), "");  // a call that succeeds has none
  EXPECT_EQ(pliant_minimize_linear(p.get(), nullptr, 0.0), PLIANT_FAILED);
  EXPECT_EQ(error(), "c: expected a pointer, got NULL");
  EXPECT_EQ(pliant_minimize_linear(nullptr, nullptr, 0.0), PLIANT_FAILED);
  EXPECT_EQ(pliant_add_rows(p.get(), -1, nullptr, nullptr, nullptr), -1);
  EXPECT_THAT(error(), HasSubstr("rows: expected 0 to"));
  const int64_t starts[2] = {0, 1}, wrong[1] = {7};
  const double value[1] = {1.0};
  EXPECT_EQ(pliant_add_rows_csr(p.get(), 1, starts, wrong, value, nullptr, value), -1);
  EXPECT_NE(error(), "");
  const SettingsHandle s = hold(pliant_settings_new());
  EXPECT_EQ(pliant_settings_set(s.get(), "tol_gpa", "1"), PLIANT_FAILED);
  EXPECT_THAT(error(), HasSubstr("there is no setting tol_gpa"));
  EXPECT_EQ(pliant_settings_set(s.get(), "tol_gap", "many"), PLIANT_FAILED);
  EXPECT_THAT(error(), HasSubstr("--tol-gap: expected a number > 0, got 'many'"));
  const double P[4] = {1.0, 0.0, 0.0, -1.0};
  ASSERT_EQ(pliant_minimize_quadratic(p.get(), P, nullptr), PLIANT_OK);
  EXPECT_EQ(pliant_solve(p.get(), nullptr), nullptr);  // not convex
  EXPECT_THAT(error(), HasSubstr("not convex"));
  pliant_result_free(nullptr);
  EXPECT_TRUE(std::isnan(pliant_result_number(nullptr, "objective")));
}

TEST(CInterface, FiguresByNameAndLengths) {
  const ProblemHandle p = hold(pliant_problem_new(2));
  const double c[2] = {1.0, 1.0}, box_of[2] = {1.0, 1.0}, zero[2] = {0.0, 0.0}, G[2] = {1.0, 0.0};
  ASSERT_EQ(pliant_minimize_linear(p.get(), c, 0.0), PLIANT_OK);
  ASSERT_EQ(pliant_set_bounds(p.get(), zero, box_of), PLIANT_OK);
  EXPECT_EQ(pliant_set_bounds(p.get(), zero, box_of), PLIANT_FAILED);
  ASSERT_EQ(pliant_add_rows(p.get(), 1, G, nullptr, c), 0);
  const ResultHandle r = hold(pliant_solve(p.get(), nullptr));
  double x[3];
  EXPECT_EQ(pliant_result_x(r.get(), x, 3), PLIANT_FAILED);
  EXPECT_STREQ(pliant_last_error(), "x: expected 2 entries, got 3");
  EXPECT_EQ(pliant_result_duals(r.get(), 1, x, 1), PLIANT_FAILED);
  EXPECT_STREQ(pliant_last_error(), "block: expected 0 to 0, got 1");
  EXPECT_TRUE(std::isnan(pliant_result_number(r.get(), "beauty")));
  EXPECT_STREQ(pliant_last_error(), "name: a result has no figure beauty");
  EXPECT_EQ(pliant_result_text(r.get(), "objective"), nullptr);
  EXPECT_GE(pliant_result_number(r.get(), "time.total"), 0.0);
  EXPECT_EQ(pliant_result_number(r.get(), "lower_bound_rigorous"), 1.0);
}

}  // namespace
}  // namespace pliant
