// The public instances: what we read agrees with the sizes of their index, made by other programs.
#include "cbf_support.hpp"
#include "support/cblib.hpp"

#include <map>

namespace pliant::testing {
namespace {

// "var[F:26 EXP3:18] con[L=:54 L-:5]": rows of linear cones, and how many cones of which size there are of the others.
std::string summary(const std::vector<io::CbfCone>& cones) {
  const std::map<io::CbfKind, std::string> names{{io::CbfKind::free, "F"},         {io::CbfKind::zero, "L="},
                                                 {io::CbfKind::nonnegative, "L+"}, {io::CbfKind::nonpositive, "L-"},
                                                 {io::CbfKind::quadratic, "Q"},    {io::CbfKind::rotated, "QR"},
                                                 {io::CbfKind::exponential, "EXP"}};
  std::vector<std::pair<std::string, Index>> counts;
  for (const io::CbfCone& cone : cones) {
    const bool linear = cone.kind == io::CbfKind::free || cone.kind == io::CbfKind::zero ||
                        cone.kind == io::CbfKind::nonnegative || cone.kind == io::CbfKind::nonpositive;
    const std::string name = names.at(cone.kind) + (linear ? "" : std::to_string(cone.rows));
    auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == name; });
    if (found == counts.end()) found = counts.insert(counts.end(), {name, 0});
    found->second += linear ? cone.rows : 1;
  }
  std::string out;
  for (const auto& [name, count] : counts) out += (out.empty() ? "" : " ") + name + ":" + std::to_string(count);
  return out;
}

TEST(Library, SizesOfTheIndex) {
  const std::vector<CblibInstance> all = cblib_instances(PLIANT_DATA);
  if (all.empty()) GTEST_SKIP() << "no instances at " << PLIANT_DATA;
  EXPECT_EQ(all.size(), 15u);
  for (const CblibInstance& instance : all) {
    SCOPED_TRACE(instance.file);
    const io::CbfFile file = io::read_cbf(fs::path(PLIANT_DATA) / instance.file);
    EXPECT_EQ(file.n, instance.n);
    EXPECT_EQ(file.m, instance.m);
    EXPECT_EQ(static_cast<Index>(file.A.size()), instance.nonzeros);
    EXPECT_EQ("var[" + summary(file.variables) + "] con[" + summary(file.constraints) + "]", instance.cones);
  }
}

TEST(Library, SmallInstancesAreSolved) {
  int solved = 0;
  for (const CblibInstance& instance : cblib_instances(PLIANT_DATA)) {
    if (instance.nonzeros > 5000) continue;
    solved += expect_solved(PLIANT_DATA, instance) ? 1 : 0;
  }
  if (!cblib_instances(PLIANT_DATA).empty()) {
    EXPECT_EQ(solved, 5);
  }
}

}  // namespace
}  // namespace pliant::testing
