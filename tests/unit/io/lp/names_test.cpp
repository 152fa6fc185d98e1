// Whatever variables are called: what is written as LP or MPS can be read, and is the same problem.
#include "io/lp/words.hpp"
#include "lp_support.hpp"

#include "support/random.hpp"

#include <fmt/format.h>

namespace pliant::testing {
namespace {

std::vector<std::string> words() {
  std::vector<std::string> out{"to",     "that", "x y",  "",         " ",      "1x",     "e5",   "E",
                               ".x",     "*x",   "$x",   "x:",       "[x]",    "x\ny",   "x\ry", "x\ty",
                               "x\vy",   "x\fy", "\x7f", "\xc2\x85", "ENDATA", "RANGES", "RHS",  "'MARKER'",
                               "MARKER", "nan",  "-",    "+x",       "12",     "\xff",   "OBJ"};
  const auto add = [&out](const auto&... lists) { (out.insert(out.end(), lists.begin(), lists.end()), ...); };
  add(io::kMinimizeWords, io::kMaximizeWords, io::kRowsWords, io::kFirstOfTwoWords, io::kBoundsWords, io::kEndWords,
      io::kRefusedWords, io::kInfinityWords, io::kFreeWords);
  return out;
}

// Free, fixed, one-sided and two-sided variables begin their lines in different ways.
Problem named(const std::string& word, Random& random, bool rows) {
  Problem problem(5);
  problem.minimize(linear(to_array(random.vector(5)), random.normal()));
  problem.regularize(
      box(Doubles({-kInfinity, 2.0, -kInfinity, 0.0, -1.0}), Doubles({kInfinity, 2.0, 3.0, kInfinity, 1.0})));
  problem.subject_to(
      linear_range(Doubles({-1.0, -kInfinity}), DataMatrix::from(random.matrix(2, 5)), Doubles({2.0, 1.0})));
  problem.equal(DataMatrix::from(random.matrix(1, 5)), Doubles(std::vector<double>{0.5}));
  problem.name = word;
  std::vector<std::string>& list = rows ? problem.names.constraints.emplace_back() : problem.names.variables;
  for (Index k = 0; k < (rows ? 2 : 5); ++k) list.push_back(fmt::format("n{}", k));
  list[static_cast<std::size_t>(random.integer(0, static_cast<Index>(list.size()) - 1))] = word;
  if (rows) problem.names.equalities = {"e"};
  return problem;
}

TEST_F(LpTest, WhateverNamesAreWrittenIsReadAgain) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    Random random(seed);
    for (const std::string& word : words()) {
      SCOPED_TRACE(fmt::format("{} {}", seed, word));
      const Problem problem = named(word, random, seed % 2 == 1);
      for (const char* ending : {"lp", "mps"}) {
        const fs::path path = directory_ / fmt::format("names.{}", ending);
        write_problem(problem, path);
        ASSERT_EQ(error_of([&] { read_problem(path); }), "(no error)") << bytes_of(path);
        const Problem again = read_problem(path);
        ASSERT_EQ(again.dimension(), 5);
        ASSERT_EQ(again.constraints(), problem.constraints());
        const Vector x = random.vector(5);
        EXPECT_EQ(again.objective(x), problem.objective(x));
        EXPECT_EQ(again.prox().domain_violation(x), problem.prox().domain_violation(x));
      }
    }
  }
}

}  // namespace
}  // namespace pliant::testing
