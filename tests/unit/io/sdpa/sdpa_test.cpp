// SDPA files: conventions one by one, what comes back after writing, and one line for everything that is wrong.
#include "io/sdpa/sdpa.hpp"
#include "../io_support.hpp"
#include "pliant/svec.hpp"
#include "support/symmetric.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two variables; blocks of order 2 and a diagonal one of 3.
constexpr const char* kSample =
    "\"a comment\n* another\n 2 = number of variables\n2 =nblocks\n(2, -3) block sizes\n{1.5, -2}\n"
    "0 1 1 2 0.5\n0 2 3 3 -1\n1 1 1 1 1.0\n1 1 1 2 2 trailing text\n2 1 2 2 +3.0e0\n2 2 1 1 4\n2 2 2 2 5D-1\n";

class SdpaTest : public ::testing::Test {
 protected:
  fs::path file(const std::string& text, const std::string& name = "p.dat-s") const {
    write_bytes(directory_ / name, text);
    return directory_ / name;
  }
  Problem read(const std::string& text) const { return read_problem(file(text)); }
  std::string error(const std::string& text) const {
    const fs::path path = file(text);
    const std::string message = error_of([&] { read_problem(path); });
    const std::string prefix = path.string() + ": ";
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }
  TemporaryDirectory directory_;
};

// sum x_i F_i - F0 of the sample, by hand.
TEST_F(SdpaTest, Conventions) {
  const Problem problem = read(kSample);
  ASSERT_EQ(problem.dimension(), 2);
  ASSERT_EQ(problem.conic().size(), 1u);
  const ConicConstraint& conic = problem.conic()[0];
  ASSERT_EQ(conic.cones.size(), 2u);
  EXPECT_EQ(conic.cones[0].kind, ConeKind::semidefinite);
  EXPECT_EQ(conic.cones[0].rows, 3);
  EXPECT_EQ(conic.cones[1].kind, ConeKind::nonnegative);
  EXPECT_EQ(conic.cones[1].rows, 3);
  Vector x(2);
  x << 0.7, -1.3;
  EXPECT_DOUBLE_EQ(problem.objective(x), 1.5 * 0.7 + 2.0 * 1.3);
  Vector s(6);
  conic.G.multiply(x.data(), Rows::range(0, 6), s.data());
  s = Eigen::Map<const Vector>(conic.h.data(), 6) - s;
  const LongMatrix S = long_smat(s.head(3), 2);
  EXPECT_NEAR(static_cast<double>(S(0, 0)), 0.7, 1e-15);
  EXPECT_NEAR(static_cast<double>(S(1, 0)), 2.0 * 0.7 - 0.5, 1e-15);
  EXPECT_NEAR(static_cast<double>(S(1, 1)), 3.0 * -1.3, 1e-15);
  EXPECT_NEAR(s[3], 4.0 * -1.3, 1e-15);
  EXPECT_NEAR(s[4], 0.5 * -1.3, 1e-15);
  EXPECT_NEAR(s[5], 1.0, 1e-15);
}

TEST_F(SdpaTest, LowerTrianglesAndNumbersOverSeveralLines) {
  const Problem problem = read("2\n1\n2\n1\n2\n1 1 2 1 7\n");
  EXPECT_DOUBLE_EQ(problem.objective(Vector::Ones(2)), 3.0);
  EXPECT_DOUBLE_EQ(problem.conic()[0].G.row(1)[0], -7.0 * std::sqrt(2.0));
}

TEST_F(SdpaTest, ErrorsNameTheLine) {
  EXPECT_EQ(error("x\n"), "line 1: expected the number of variables from 1 to 100000000, got \"x\"");
  EXPECT_EQ(error("0\n"), "line 1: expected the number of variables from 1 to 100000000, got \"0\"");
  EXPECT_EQ(error("2\n1\n2.5\n"), "line 3: size of block 1: expected a whole number other than 0, got \"2.5\"");
  EXPECT_EQ(error("2\n1\n0\n"), "line 3: size of block 1: expected a whole number other than 0, got \"0\"");
  EXPECT_EQ(error("2\n1\n2\n1 inf\n"), "line 4: cost 2: expected a finite number, got \"inf\"");
  EXPECT_EQ(error("2\n1\n2\n1\n"), "line 4: the file ends, expected cost 2 (of 2)");
  EXPECT_EQ(error(""), "line 0: the file ends, expected the number of variables");
  EXPECT_EQ(error("2\n1\n99999\n"), "line 3: the blocks have more than 100000000 entries together");
  EXPECT_THAT(error("2\n1\n9999\n1 2\n1 1 1 1 1\n"), StartsWith("line 5: the file ends with 1 entries"));
  const std::string head = "2\n2\n2 -3\n1 2\n";
  EXPECT_EQ(error(head + "3 1 1 1 1\n"), "line 5: expected a matrix from 0 to 2, got \"3\"");
  EXPECT_EQ(error(head + "1 3 1 1 1\n"), "line 5: expected a block from 1 to 2, got \"3\"");
  EXPECT_EQ(error(head + "1 1 0 1 1\n"), "line 5: expected a row from 1 to 2, got \"0\"");
  EXPECT_EQ(error(head + "1 1 1 3 1\n"), "line 5: expected a column from 1 to 2, got \"3\"");
  EXPECT_EQ(error(head + "1 1 1 1\n"), "line 5: expected a finite number as value, got \"\"");
  EXPECT_EQ(error(head + "1 1 1 1 nan\n"), "line 5: expected a finite number as value, got \"nan\"");
  EXPECT_EQ(error(head + "1 2 1 2 1\n"), "line 5: row 1 and column 2 differ, but block 2 is diagonal");
  EXPECT_EQ(error(head + "1 1 1 2 1\n1 1 2 1 1\n"), "line 6: the entry was given before, in line 5");
}

TEST_F(SdpaTest, RoundTripToTheBit) {
  Random random(5);
  std::string text = "3\n3\n4 -2 1\n1 2 3\n";
  for (int k = 0; k <= 3; ++k) {
    for (int i = 1; i <= 4; ++i) {
      for (int j = i; j <= 4; ++j) {
        if (random.uniform() < 0.7) text += fmt::format("{} 1 {} {} {}\n", k, i, j, random.normal());
      }
    }
    text += fmt::format("{} 2 1 1 {}\n{} 3 1 1 {}\n", k, random.normal(), k, random.normal());
  }
  const Problem before = read(text);
  for (const char* name : {"copy.dat-s", "copy.dat-s.gz", "copy.h5"}) {
    SCOPED_TRACE(name);
    write_problem(before, directory_ / name);
    const Problem after = read_problem(directory_ / name);
    const ConicConstraint &a = before.conic()[0], &b = after.conic()[0];
    EXPECT_TRUE(std::equal(a.h.begin(), a.h.end(), b.h.begin(), b.h.end()));
    EXPECT_TRUE(std::equal(a.G.values().begin(), a.G.values().end(), b.G.values().begin(), b.G.values().end()));
    EXPECT_TRUE(std::equal(a.G.columns().begin(), a.G.columns().end(), b.G.columns().begin(), b.G.columns().end()));
    EXPECT_EQ(a.cones.size(), b.cones.size());
    EXPECT_EQ(before.objective(Vector::Ones(3)), after.objective(Vector::Ones(3)));
  }
}

TEST_F(SdpaTest, WritingRefusesWhatTheFormatCannotSay) {
  const auto refused = [&](const Problem& problem) {
    return error_of([&] { write_problem(problem, directory_ / "out.dat-s"); });
  };
  Problem problem(2);
  EXPECT_THAT(refused(problem), HasSubstr("a problem without conic constraints cannot be expressed in SDPA"));
  problem.subject_to(ConicConstraint{
      DataMatrix::from(Matrix::Ones(3, 2)), std::vector<double>(3, 1.0), {{ConeKind::second_order, 3}}});
  EXPECT_THAT(refused(problem), HasSubstr("a cone of kind soc"));
  problem.regularize(nonnegative(2));
  EXPECT_THAT(refused(problem), HasSubstr("a prox term"));
  EXPECT_FALSE(fs::exists(directory_ / "out.dat-s"));
  const std::string mps = error_of([&] { write_problem(problem, directory_ / "out.mps"); });
  EXPECT_THAT(mps, HasSubstr("a conic constraint cannot be expressed in MPS"));
}

// index.csv: set,file,format,m,n,nnz,cones: what other programs counted.
TEST_F(SdpaTest, SizesOfTheLibrary) {
  const fs::path data = PLIANT_DATA;
  if (!fs::exists(data / "index.csv")) GTEST_SKIP() << "no instances at " << data;
  std::istringstream index(bytes_of(data / "index.csv"));
  int seen = 0;
  for (std::string line; std::getline(index, line);) {
    std::istringstream fields(line);
    std::array<std::string, 7> f;
    for (std::string& field : f) std::getline(fields, field, ',');
    if (f[0] != "sdplib") continue;
    SCOPED_TRACE(f[1]);
    ++seen;
    const Problem problem = read_problem(data / f[1]);
    const ConicConstraint& conic = problem.conic()[0];
    EXPECT_EQ(problem.dimension(), std::stol(f[3]));
    Index order = 0;
    for (const Cone& cone : conic.cones) {
      order += cone.kind == ConeKind::nonnegative ? cone.rows : *svec_order(cone.rows);
    }
    EXPECT_EQ(order, std::stol(f[4]));
    const Index constants = std::count_if(conic.h.begin(), conic.h.end(), [](double v) { return v != 0.0; });
    const Index zeros = std::stol(f[5]) - conic.G.nonzeros() - constants;  // the qap files list some
    EXPECT_EQ(zeros, f[1].find("qap5") != std::string::npos ? 125 : f[1].find("qap8") != std::string::npos ? 884 : 0);
  }
  EXPECT_EQ(seen, 18);
}

}  // namespace
}  // namespace pliant::testing
