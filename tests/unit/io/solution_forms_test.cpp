// Text forms of solutions: what was written comes back to the bit, and damaged files are refused in one line.
#include "io_support.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Solution named_solution(std::uint64_t seed) {
  Random random(seed);
  Solution out{
      random.vector(3), {random.vector(4), Vector(), random.vector(2)}, random.vector(1), random.vector(3), {}};
  out.x[0] = 1e-310;  // numbers no decimal of few digits gives back
  out.x[1] = -1.0 / 3.0;
  out.labels.status = "optimal";
  out.labels.objective = 0.1;
  out.labels.lower_bound = -kInfinity;
  out.labels.names.variables = {"steel, cold", "a \"quoted\" name", "with blanks 7"};
  out.labels.names.constraints = {{"c0", "c1", "c 2", "#3"}, {}, {"x 3", "ray 2"}};
  return out;
}

void expect_same(const Solution& read, const Solution& written) {
  EXPECT_TRUE(same_bits(read.x, written.x));
  ASSERT_EQ(read.duals.size(), written.duals.size());
  for (std::size_t b = 0; b < read.duals.size(); ++b) EXPECT_TRUE(same_bits(read.duals[b], written.duals[b]));
  EXPECT_TRUE(same_bits(read.equality_duals, written.equality_duals));
  EXPECT_TRUE(same_bits(read.bound_duals, written.bound_duals));
  EXPECT_TRUE(same_bits(read.ray, written.ray));
}

TEST(SolutionForms, RoundTripsAreExact) {
  const TemporaryDirectory directory;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Solution written = named_solution(seed);
    if (seed % 2 == 0) written.ray = written.bound_duals, written.labels = {};
    for (const char* name : {"s.csv", "s.json", "s.sol", "s.CSV.gz", "s.json.gz", "s.sol.gz"}) {
      SCOPED_TRACE(name);
      write_solution(written, directory / name);
      expect_same(read_solution(directory / name), written);
    }
  }
}

TEST(SolutionForms, SayStatusObjectiveAndNames) {
  const TemporaryDirectory directory;
  const Solution solution = named_solution(1);
  for (const char* name : {"s.csv", "s.json", "s.sol"}) {
    write_solution(solution, directory / name);
    const std::string text = text_of(directory / name);
    for (const char* word : {"optimal", "0.1", "steel, cold", "with blanks 7", "c 2"})
      EXPECT_THAT(text, HasSubstr(word));
  }
  write_solution({Vector::Ones(2), {}, Vector::Ones(1), {}, {}}, directory / "bare.sol");
  EXPECT_EQ(text_of(directory / "bare.sol"), "# pliant solution\nx 2\nx0 1\nx1 1\nequality_duals 1\nequality0 1\n");
}

TEST(SolutionForms, HDF5MayHaveAnyName) {
  const TemporaryDirectory directory;
  write_solution({Vector::Ones(2), {}, {}, {}, {}}, directory / "s.h5");
  fs::rename(directory / "s.h5", directory / "s.csv");
  EXPECT_EQ(read_solution(directory / "s.csv").x, Vector::Ones(2));
}

TEST(SolutionForms, DamagedFilesAreRefusedByLine) {
  const TemporaryDirectory directory;
  const auto message = [&](const char* name, const std::string& text) {
    write_bytes(directory / name, text);
    return error_of([&] { read_solution(directory / name); });
  };
  const std::string csv = "part,index,name,value\n", sol = "# pliant solution\n";
  EXPECT_THAT(message("s.csv", "x,1\n"), HasSubstr("s.csv: line 1: expected the header part,index,name,value"));
  EXPECT_THAT(message("s.csv", csv + "x,0,a,1\nx,2,b,1\n"), HasSubstr("line 3: expected index 1 of x, got '2'"));
  EXPECT_THAT(message("s.csv", csv + "x,0,a,nan\n"), HasSubstr("line 2: expected a finite number, got 'nan'"));
  EXPECT_THAT(message("s.csv", csv + "x,0,a\n"), HasSubstr("line 2: expected four fields"));
  EXPECT_THAT(message("s.csv", csv + "x,0,\"a,1\n"), HasSubstr("line 2: expected four fields"));
  EXPECT_THAT(message("s.csv", csv + "y,0,a,1\n"), HasSubstr("'y' is unknown or out of order"));
  EXPECT_THAT(message("s.csv", csv), HasSubstr("no lines of the part x"));
  EXPECT_THAT(message("s.sol", "Optimal\nx 1\n"), HasSubstr("s.sol: line 1: expected '# pliant solution'"));
  EXPECT_THAT(message("s.sol", sol + "x 3\na 1\n"), HasSubstr("the file ends after 1 of 3 entries of x"));
  EXPECT_THAT(message("s.sol", sol + "x 9000000000000000000\na 1\n"), HasSubstr("the file ends after 1 of"));
  EXPECT_THAT(message("s.sol", sol + "x 1\na 1e999\n"), HasSubstr("line 3: expected a finite number"));
  EXPECT_THAT(message("s.sol", sol + "x -1\n"), HasSubstr("line 2: expected the length of a part, got '-1'"));
  EXPECT_THAT(message("s.sol", sol + "x 1\na 1\nx 1\na 1\n"), HasSubstr("'x' is unknown or out of order"));
  EXPECT_THAT(message("s.sol", sol + std::string("x 1\na\0 1\n", 10)), HasSubstr("zero byte"));
  EXPECT_THAT(message("s.json", "{\"x\": [1, null]}"), HasSubstr("x: entry 1: expected a finite number"));
  EXPECT_THAT(message("s.json", "{\"x\": [1,"), HasSubstr("s.json: not JSON"));
  EXPECT_THAT(message("s.json", "{\"x\": [1e999]}"), HasSubstr("s.json: not JSON"));
  EXPECT_THAT(message("s.json", "[1, 2]"), HasSubstr("expected a solution"));
  EXPECT_THAT(message("s.json", std::string(100000, '[')), HasSubstr("not JSON"));
  EXPECT_THAT(message("s.json", "{\"x\": [1], \"duals\": 3}"), HasSubstr("duals: expected a list of lists"));
}

}  // namespace
}  // namespace pliant::testing
