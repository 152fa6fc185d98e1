// The family `fairness`, with its own samples and with those of a file.
#include "pliant/io.hpp"
#include "raw_data.hpp"
#include "support/random.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace pliant {
namespace {

using namespace pliant::testing;
using ::testing::HasSubstr;

const QuadraticLowRankBatch& rows_of(const Problem& problem) { return only_batch<QuadraticLowRankBatch>(problem); }

// d_j / eps
Vector factor(const Problem& problem, Index j) {
  const Index n = problem.dimension();
  return Eigen::Map<const Vector>(rows_of(problem).factors().data() + j * n, n);
}

TEST(Fairness, ConstraintsBoundTheDifferenceOfMeanScores) {
  for (double seed : {0.0, 1.0, 2.0}) {
    const double eps = 0.05, group = 37.0;
    const Problem problem =
        generate("fairness", {{"n", 40.0}, {"m", 50.0}, {"l", 300.0}, {"eps", eps}, {"group", group}, {"seed", seed}});
    problem.validate();
    const auto& loss = term<LogisticTerm>(problem);
    const Matrix A = to_dense(loss.A());
    ASSERT_EQ(A.rows(), 300);
    EXPECT_TRUE(((A.array() == 0.0) || (A.array() == 1.0)).all());
    EXPECT_EQ(A.rowwise().sum(), Vector::Constant(300, 14.0));  // one feature of each attribute
    const Vector y = Eigen::Map<const Vector>(loss.targets().data(), 300);
    EXPECT_EQ(y.cwiseAbs(), Vector::Ones(300));
    EXPECT_GT((y.array() > 0.0).count(), 30);
    EXPECT_LT((y.array() > 0.0).count(), 270);
    EXPECT_EQ(rows_of(problem).rank(), 1);
    Random random(static_cast<std::uint64_t>(seed));
    const Vector x = random.vector(40);
    Vector a(50);
    rows_of(problem).values(x, Rows::range(0, 50), a);
    for (Index j = 0; j < 50; ++j) {
      const Vector counts = group * eps * factor(problem, j);  // of a feature in one group minus the other
      EXPECT_LT((counts - counts.array().round().matrix()).norm(), 1e-9);
      EXPECT_NEAR(counts.sum(), 0.0, 1e-9);
      EXPECT_GT(counts.norm(), 0.0);
      EXPECT_LE(counts.lpNorm<Eigen::Infinity>(), group + 1e-9);
      const double score = eps * factor(problem, j).dot(x);
      EXPECT_NEAR(a[j], 0.5 * (score * score / (eps * eps) - 1.0), 1e-9 * (1.0 + std::abs(a[j])));
    }
    const SeparableParameters* psi = separable_parameters(problem.prox());
    ASSERT_NE(psi, nullptr);
    EXPECT_EQ(psi->l1, 1e-3);
    EXPECT_EQ(psi->l2, 1e-3);
  }
}

class FairnessOfAFile : public ::testing::Test {
 protected:
  FairnessOfAFile() : file_(std::filesystem::path(::testing::TempDir()) / fmt::format("fairness_{}.txt", getpid())) {
    std::ofstream(file_) << "1 1:0.5 4:2\n-1 2:1\n-1 1:3 3:-1\n1 4:1\n";
    samples_ << 0.5, 0, 0, 2, 0, 1, 0, 0, 3, 0, -1, 0, 0, 0, 0, 1;
  }
  ~FairnessOfAFile() override { std::filesystem::remove(file_); }
  Problem make(std::map<std::string, double> values) const {
    values.insert({"m", 30.0});
    return generate("fairness", values, {{"data", file_.string()}});
  }
  std::string message(const std::map<std::string, double>& values) const {
    try {
      make(values);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path file_;
  Eigen::Matrix<double, 4, 4> samples_;
};

TEST_F(FairnessOfAFile, TakesItsSamplesAndGroups) {
  const Problem problem = make({{"group", 1.0}, {"eps", 0.5}});
  EXPECT_EQ(problem.dimension(), 4);
  EXPECT_EQ(to_dense(term<LogisticTerm>(problem).A()), Matrix(samples_));
  EXPECT_EQ(problem.name, "fairness n=4 m=30 seed=0 eps=0.5 group=1 data=" + file_.filename().string());
  for (Index j = 0; j < 30; ++j) {  // groups of one: differences of two samples
    bool found = false;
    for (Index s = 0; s < 4; ++s) {
      for (Index t = 0; t < 4; ++t) {
        found = found || (0.5 * factor(problem, j) - (samples_.row(s) - samples_.row(t)).transpose()).norm() < 1e-12;
      }
    }
    EXPECT_TRUE(found) << j;
  }
  EXPECT_EQ(make({{"n", 6.0}}).dimension(), 6);
  EXPECT_EQ(make({{"l", 3.0}}).components(), 3);
}

TEST_F(FairnessOfAFile, GivesTheSameBytesWhenStreamed) {
  const auto out = file_.string() + ".h5", streamed = file_.string() + "_streamed.h5";
  write_problem(make({}), out);
  GenerateFileOptions options;
  options.files = {{"data", file_.string()}};
  options.block_bytes = 100;
  generate_file("fairness", {{"m", 30.0}}, streamed, options);
  const auto bytes = [](const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  EXPECT_EQ(bytes(out), bytes(streamed));
  EXPECT_FALSE(bytes(out).empty());
  std::filesystem::remove(out);
  std::filesystem::remove(streamed);
}

TEST_F(FairnessOfAFile, NamesWhatDoesNotFit) {
  EXPECT_THAT(message({{"n", 3.0}}), HasSubstr("fairness: n: expected at least the 4 features of"));
  EXPECT_THAT(message({{"l", 5.0}}), HasSubstr("fairness: l: expected at most the 4 samples of"));
  EXPECT_THROW(generate("fairness", {}, {{"data", file_.string() + ".none"}}), InputError);
  EXPECT_THROW(generate("svm", {}, {{"data", file_.string()}}), InputError);
}

}  // namespace
}  // namespace pliant
