// Soft rows in files: the dataset `weights` makes a batch soft; formats without prices get slacks.
#include "io_support.hpp"
#include "pliant/solve.hpp"
#include "sample_problems.hpp"

#include <functional>
#include <limits>

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SoftRowsInFiles : public ::testing::Test {
 protected:
  /// Soft rows of several kinds beside hard ones; bounds make every choice of numbers solvable.
  Problem sample() {
    const Index n = 4, l = 6;
    Problem problem(n);
    problem.minimize(linear(random_.numbers(n)));
    problem.regularize(box(std::vector<double>(4, -2.0), std::vector<double>(4, 2.0)));
    problem.subject_to(linear_le(dense_matrix(random_, 3, n), std::vector<double>(3, 1.0)), "hard");
    problem.minimize(quantile(dense_matrix(random_, l, n), random_.numbers(l), 0.3), 2.0, "quantiles");
    problem.minimize(hinge(sparse_matrix(random_, l, n), std::vector<double>{1, -1, 1, 1, -1, -1}));
    problem.minimize(positive_part(sparse_matrix(random_, 2, n), random_.numbers(2), std::vector<double>{0.0, 1e6}));
    return problem;
  }
  std::string after(const std::function<void(RawFile&)>& change) {
    write_problem(sample(), path_);
    {
      RawFile file = RawFile::change(path_);
      change(file);
    }
    const std::string text = error_of([&] { read_problem(path_); });  // without the change there is none
    EXPECT_THAT(text, StartsWith(path_.string() + ": "));
    return text.substr(std::min(text.size(), path_.string().size() + 2));
  }

  TemporaryDirectory directory_;
  fs::path path_ = directory_ / "p.h5";
  Random random_{21};
};

TEST_F(SoftRowsInFiles, RoundTripKeepsPricesAndValues) {
  const Problem written = sample();
  write_problem(written, path_);
  const Problem read = read_problem(path_);
  ASSERT_EQ(read.batches().size(), written.batches().size());
  for (std::size_t b = 0; b < read.batches().size(); ++b) {
    const auto part = static_cast<Index>(b);
    EXPECT_TRUE(same_bits(read.caps(part), written.caps(part))) << b;
    EXPECT_EQ(read.batches()[b]->name, written.batches()[b]->name);
  }
  EXPECT_TRUE(read.caps(0).empty());
  for (int k = 0; k < 3; ++k) {
    const Vector x = random_.vector(written.dimension());
    EXPECT_EQ(read.objective(x), written.objective(x));
  }
}

TEST_F(SoftRowsInFiles, CurvedRowsMayBeSoft) {
  Problem written(3);
  const BatchPtr rows = quadratic_diagonal_le(Tensor({2, 3}, std::vector<double>(6, 0.5)),
                                              Tensor({2, 3}, random_.numbers(6)), random_.numbers(2));
  written.minimize(positive_part(rows, std::vector<double>{1.5, 2.5}));
  write_problem(written, path_);
  const Problem read = read_problem(path_);
  EXPECT_TRUE(same_bits(read.caps(0), written.caps(0)));
  const Vector x = random_.vector(3);
  EXPECT_EQ(read.objective(x), written.objective(x));
}

// Programs of before refuse what they do not know, and read all else.
TEST_F(SoftRowsInFiles, OnlySoftRowsRaiseTheVersion) {
  const auto version = [&](const Problem& problem) {
    write_problem(problem, path_);
    RawFile file = RawFile::change(path_);
    const RawId attribute(H5Aopen(file.id(), "version", H5P_DEFAULT));
    int value = 0;
    H5Aread(attribute, H5T_NATIVE_INT, &value);
    return value;
  };
  EXPECT_EQ(version(rich_problem()), 1);
  EXPECT_EQ(version(sample()), 2);
  EXPECT_EQ(after([](RawFile& f) { f.remove_attribute("/", "version"), f.integers("/", "version", {1}); }),
            "constraints/1/weights: soft rows need version 2 of the container, the file says 1");
}

TEST_F(SoftRowsInFiles, BadWeightsAreNamed) {
  const auto with = [&](std::vector<double> weights) {
    return after([&](RawFile& f) {
      f.remove("constraints/2/weights");
      f.doubles("constraints/2/weights", {weights.size()}, weights);
    });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(with({1, 1, 1, -0.5, 1, 1}), "constraints/2/weights: entry 3 is -0.5, expected a finite number >= 0");
  EXPECT_EQ(with({1, nan, 1, 1, 1, 1}), "constraints/2/weights: entry 1 is nan, expected a finite number >= 0");
  EXPECT_EQ(with({1, 1, 1, 1, 1, kInfinity}), "constraints/2/weights: entry 5 is inf, expected a finite number >= 0");
  EXPECT_EQ(with({1, 1, 1}), "constraints/2/weights: expected 6 entries, got 3");
}

// What other programs read is the same problem: the same optimal value, proved of both.
TEST_F(SoftRowsInFiles, OtherFormatsGetSlacks) {
  const Problem problem = sample();
  const Result soft = solve(problem);
  ASSERT_EQ(soft.status, Status::optimal) << soft.message;
  for (const char* name : {"p.mps", "p.cbf"}) {
    std::vector<std::string> notes;
    write_problem(problem, directory_ / name, &notes);
    ASSERT_EQ(notes.size(), 1u) << name;
    EXPECT_THAT(notes[0], HasSubstr("written with slacks, 23 variables instead of 4"));
    const Problem read = read_problem(directory_ / name);
    EXPECT_FALSE(read.has_soft_rows());
    const Result hard = solve(read);
    ASSERT_EQ(hard.status, Status::optimal) << hard.message;
    EXPECT_NEAR(hard.certificate.objective, soft.certificate.objective,
                1e-5 * (1.0 + std::abs(soft.certificate.objective)));
  }
  EXPECT_THAT(error_of([&] { write_problem(problem, directory_ / "p.dat-s"); }), HasSubstr("SDPA"));
}

TEST_F(SoftRowsInFiles, OtherFormatsRefuseWhatHasNoSlackForm) {
  Problem problem(3);
  problem.minimize(positive_part(quadratic_diagonal_le(Tensor({1, 3}, std::vector<double>(3, 0.5)),
                                                       Tensor({1, 3}, random_.numbers(3)), random_.numbers(1))));
  const std::string text = error_of([&] { write_problem(problem, directory_ / "p.mps"); });
  EXPECT_THAT(text, HasSubstr("MPS files have no soft rows, and soft rows of the family quadratic"));
  EXPECT_EQ(directory_.entries(), 0u);
}

TEST_F(SoftRowsInFiles, DualsComeBackWithinTheirPrices) {
  const Problem problem = sample();
  const Result result = solve(problem);
  write_solution(to_solution(problem, result), directory_ / "s.h5");
  const Solution read = read_solution(directory_ / "s.h5");
  check_solution_shape(problem, read);
  const Multipliers multipliers = to_multipliers(problem, read);
  for (std::size_t b = 1; b < problem.batches().size(); ++b) {
    const Doubles& caps = problem.caps(static_cast<Index>(b));
    for (Index i = 0; i < caps.size(); ++i) {
      EXPECT_GE(multipliers.lambda[b][i], 0.0);
      EXPECT_LE(multipliers.lambda[b][i], caps[i]);
    }
  }
}

}  // namespace
}  // namespace pliant::testing
