// The public instances: what we read agrees with the sizes and counts of their index, made by other programs.
#include "mps_support.hpp"

#include <cmath>
#include <map>
#include <sstream>

namespace pliant::testing {
namespace {

struct Instance {
  std::string file, m, n, nonzeros, counts;
};

// index.csv: set,file,format,m,n,nnz,cones,...; quoted fields come behind those.
std::vector<Instance> instances() {
  std::vector<Instance> out;
  std::istringstream index(bytes_of(fs::path(PLIANT_DATA) / "index.csv"));
  for (std::string line; std::getline(index, line);) {
    std::istringstream fields(line);
    std::array<std::string, 7> f;
    for (std::string& field : f) std::getline(fields, field, ',');
    if (f[0] == "maros" || f[0] == "netlib") out.push_back({f[1], f[3], f[4], f[5], f[6]});
  }
  return out;
}

// "eq:8 ineq:19 ranged:0 lb:32 ub:0 fixed:0 free:0 nnzQ_upper:6 obj_const:7.113", from the problem.
std::string counts(const io::MpsFile& mps) {
  std::map<std::string, int> c;
  for (std::size_t i = 0; i < mps.rows.size(); ++i) {
    const double lower = mps.row_lower[i], upper = mps.row_upper[i];
    ++c[lower == upper ? "eq" : "ineq"];
    if (lower != upper && std::isfinite(lower) && std::isfinite(upper)) ++c["ranged"];
  }
  for (std::size_t j = 0; j < mps.columns.size(); ++j) {
    const double lower = mps.lower[j], upper = mps.upper[j];
    if (lower == upper) {
      ++c["fixed"];
      continue;
    }
    if (std::isfinite(lower)) ++c["lb"];
    if (std::isfinite(upper)) ++c["ub"];
    if (std::isinf(lower) && std::isinf(upper)) ++c["free"];
  }
  std::string text;
  for (const char* name : {"eq", "ineq", "ranged", "lb", "ub", "fixed", "free"})
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", name, c[name]);
  const auto upper =
      std::count_if(mps.quadratic.begin(), mps.quadratic.end(), [](const auto& e) { return e.row <= e.column; });
  if (upper > 0) text += fmt::format(" nnzQ_upper:{}", upper);
  if (mps.constant != 0.0) text += fmt::format(" obj_const:{:g}", mps.constant);
  return text;
}

TEST(Library, SizesAndCountsOfTheIndex) {
  const std::vector<Instance> all = instances();
  if (all.empty()) GTEST_SKIP() << "no instances at " << PLIANT_DATA;
  for (const Instance& instance : all) {
    SCOPED_TRACE(instance.file);
    const io::MpsFile mps = io::read_mps(fs::path(PLIANT_DATA) / instance.file);
    EXPECT_EQ(std::to_string(mps.rows.size()), instance.m);
    EXPECT_EQ(std::to_string(mps.columns.size()), instance.n);
    EXPECT_EQ(std::to_string(mps.entries.size()), instance.nonzeros);
    EXPECT_EQ(counts(mps), instance.counts);
    const Problem problem = io::to_problem(mps, instance.file);
    EXPECT_EQ(problem.dimension(), static_cast<Index>(mps.columns.size()));
  }
}

// Both layouts say the same where names have no blanks and fields stand in their columns.
TEST(Library, FixedAndFreeLayoutsAgree) {
  const std::vector<Instance> all = instances();
  if (all.empty()) GTEST_SKIP() << "no instances at " << PLIANT_DATA;
  int compared = 0;
  for (const Instance& instance : all) {
    SCOPED_TRACE(instance.file);
    const fs::path file = fs::path(PLIANT_DATA) / instance.file;
    try {
      const io::MpsFile fixed = io::parse_mps(file, io::MpsLayout::fixed);
      const io::MpsFile free = io::parse_mps(file, io::MpsLayout::free);
      ++compared;
      EXPECT_EQ(fixed.rows, free.rows);
      EXPECT_EQ(fixed.columns, free.columns);
      EXPECT_EQ(fixed.cost, free.cost);
      EXPECT_EQ(fixed.row_lower, free.row_lower);
      EXPECT_EQ(fixed.row_upper, free.row_upper);
      EXPECT_EQ(fixed.lower, free.lower);
      EXPECT_EQ(fixed.upper, free.upper);
      ASSERT_EQ(fixed.entries.size(), free.entries.size());
      for (std::size_t k = 0; k < free.entries.size(); ++k) EXPECT_EQ(fixed.entries[k].value, free.entries[k].value);
    } catch (const InputError&) {
      // some authors do not keep to the columns
    }
  }
  EXPECT_GT(compared, 10);
}

}  // namespace
}  // namespace pliant::testing
