#include "io_support.hpp"
#include "support/random.hpp"

namespace pliant::testing {
namespace {

using ::testing::EndsWith;

Problem two_batches() {
  Random random(3);
  Problem problem(3);
  const auto rows = [&](Index m) { return DataMatrix::dense(m, 3, random.numbers(3 * m)); };
  problem.subject_to(linear_le(rows(4), random.numbers(4)));
  // Two sides per row, one dual per row.
  problem.subject_to(linear_range(std::vector<double>(2, -1.0), rows(2), std::vector<double>(2, 1.0)));
  problem.equal(rows(1), random.numbers(1));
  return problem;
}

Solution full_solution() {
  Random random(4);
  return {random.vector(3), {random.vector(4), random.vector(2)}, random.vector(1), random.vector(3), random.vector(3)};
}

TEST(SolutionFile, RoundTripIsExact) {
  const TemporaryDirectory directory;
  const Solution written = full_solution();
  write_solution(written, directory / "s.h5");
  const Solution read = read_solution(directory / "s.h5");
  EXPECT_TRUE(same_bits(read.x, written.x));
  ASSERT_EQ(read.duals.size(), 2u);
  EXPECT_TRUE(same_bits(read.duals[0], written.duals[0]));
  EXPECT_TRUE(same_bits(read.duals[1], written.duals[1]));
  EXPECT_TRUE(same_bits(read.equality_duals, written.equality_duals));
  EXPECT_TRUE(same_bits(read.bound_duals, written.bound_duals));
  EXPECT_TRUE(same_bits(read.ray, written.ray));
  check_solution_shape(two_batches(), read);
}

TEST(SolutionFile, OnlyXIsRequired) {
  const TemporaryDirectory directory;
  RawFile::create(directory / "x.h5").doubles("x", {3}, {1.0, 2.0, 3.0}, H5T_IEEE_F32LE);
  const Solution solution = read_solution(directory / "x.h5");
  EXPECT_EQ(solution.x, Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_TRUE(solution.duals.empty());
  check_solution_shape(two_batches(), solution);
}

TEST(SolutionFile, BatchesWithoutConstraintsKeepTheirPlace) {
  const TemporaryDirectory directory;
  write_solution({Vector::Ones(3), {Vector(), Vector::Ones(2)}, {}, {}, {}}, directory / "s.h5");
  const Solution solution = read_solution(directory / "s.h5");
  ASSERT_EQ(solution.duals.size(), 2u);
  EXPECT_EQ(solution.duals[0].size(), 0);
  EXPECT_EQ(solution.duals[1], Vector::Ones(2));
}

TEST(SolutionFile, RefusesWhatItCannotUse) {
  const TemporaryDirectory directory;
  const fs::path file = directory / "s.h5";
  const auto message = [&] { return error_of([&] { read_solution(file); }); };

  RawFile::create(file).doubles("y", {3}, {1.0, 2.0, 3.0});
  EXPECT_EQ(message(), file.string() + ": x: missing, expected a dataset");
  RawFile::create(file).doubles("x", {3}, {1.0, std::nan(""), 3.0});
  EXPECT_EQ(message(), file.string() + ": x: entry 1 is nan, expected a finite number");
  write_solution(full_solution(), file);
  RawFile::change(file).doubles("dual", {1}, {1.0});
  EXPECT_THAT(message(), ::testing::HasSubstr("unknown member \"dual\""));
  write_problem(two_batches(), file);
  EXPECT_THAT(message(), EndsWith("format is \"pliant-problem\", expected \"pliant-solution\""));
  write_bytes(file, "x = 1 2 3\n");
  EXPECT_EQ(message(), file.string() + ": not an HDF5 file");
  EXPECT_THAT(error_of([] { write_solution(full_solution(), "-"); }), ::testing::HasSubstr("standard output"));
}

TEST(SolutionFile, LengthsAreCheckedAgainstTheProblem) {
  const Problem problem = two_batches();
  const auto message = [&](auto change) {
    Solution solution = full_solution();
    change(solution);
    return error_of([&] { check_solution_shape(problem, solution); });
  };
  EXPECT_EQ(message([](Solution&) {}), "(no error)");
  EXPECT_EQ(message([](Solution& s) { s.x.resize(2); }), "x: expected 3 entries, got 2");
  EXPECT_EQ(message([](Solution& s) { s.duals.pop_back(); }), "duals: expected 2 arrays, got 1");
  EXPECT_EQ(message([](Solution& s) { s.duals[1].resize(4); }), "duals/1: expected 2 entries, got 4");
  EXPECT_EQ(message([](Solution& s) { s.equality_duals.resize(2); }), "equality_duals: expected 1 entries, got 2");
  EXPECT_EQ(message([](Solution& s) { s.bound_duals.resize(4); }), "bound_duals: expected 3 entries, got 4");
  EXPECT_EQ(message([](Solution& s) { s.ray.resize(1); }), "ray: expected 3 entries, got 1");
  EXPECT_EQ(message([](Solution& s) { s.duals.clear(), s.ray.resize(0); }), "(no error)");
}

}  // namespace
}  // namespace pliant::testing
