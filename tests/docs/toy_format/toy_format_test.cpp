// The toy format works like any other: read, written, refused and listed through the public functions.
#include "pliant/pliant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace pliant {
namespace {

using ::testing::HasSubstr;

class ToyFormat : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / (std::string("toy_format_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name, const std::string& text = {}) const {
    if (!text.empty()) std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static std::string message(const std::function<void()>& call) {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  std::filesystem::path folder_;
};

// min -x - 2y over x, y >= 0, x + y <= 1: the corner (0, 1).
constexpr const char* kTriangle = "minimise -1 -2\nrow -1 0 0\n\nrow 0 -1 0\nrow 1 1 1\n";

TEST_F(ToyFormat, ReadsWhatSolveTakes) {
  const Result result = solve(read_problem(file("p.toy", kTriangle)));
  EXPECT_EQ(result.status, Status::optimal);
  EXPECT_NEAR(result.x[0], 0.0, 1e-5);
  EXPECT_NEAR(result.x[1], 1.0, 1e-5);
}

TEST_F(ToyFormat, WritesWhatItReads) {
  const Problem problem = read_problem(file("p.toy", kTriangle));
  for (const char* name : {"copy.toy", "copy.toy.gz"}) {
    write_problem(problem, file(name));
    const Problem copy = read_problem(file(name));
    ASSERT_EQ(copy.dimension(), 2);
    ASSERT_EQ(copy.constraints(), 3);
    const Vector x = Vector::LinSpaced(2, 0.25, 0.7);
    Vector a(3), b(3);
    problem.batches()[0]->values(x, Rows::range(0, 3), a);
    copy.batches()[0]->values(x, Rows::range(0, 3), b);
    EXPECT_EQ(a, b);
    EXPECT_EQ(problem.objective(x), copy.objective(x));
  }
}

TEST_F(ToyFormat, NamesWhatIsWrong) {
  const auto read = [&](const std::string& text) {
    const std::filesystem::path bad = file("bad.toy", text);
    return message([&] { read_problem(bad); });
  };
  EXPECT_THAT(read("minimise 1\nrow 1\n"), HasSubstr("bad.toy: line 2: expected 'row' and 2 numbers"));
  EXPECT_THAT(read("minimise 1 one\n"), HasSubstr("line 1: expected a number, got 'one'"));
  EXPECT_THAT(read("row 1 2\n"), HasSubstr("line 1: expected 'minimise'"));
  EXPECT_THAT(message([&] { read_problem(file("a.unknown", "x")); }), HasSubstr(".toy"));
}

TEST_F(ToyFormat, RefusesWhatItCannotExpress) {
  Problem problem(2);
  problem.minimize(linear(std::vector<double>{1.0, 1.0}));
  problem.regularize(box(std::vector<double>{0.0, 0.0}, std::vector<double>{1.0, 1.0}));
  EXPECT_THAT(message([&] { write_problem(problem, file("p.toy")); }), HasSubstr("a prox term of kind box"));
  EXPECT_FALSE(std::filesystem::exists(file("p.toy")));
}

TEST_F(ToyFormat, IsListed) {
  EXPECT_THAT(readable_endings(), HasSubstr(".toy"));
  EXPECT_THAT(writable_endings(), HasSubstr(".toy"));
}

}  // namespace
}  // namespace pliant
