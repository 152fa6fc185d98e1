// Many problems through the judge, and a table of what was claimed.
#pragma once

#include "judge/families.hpp"

#include <string>
#include <vector>

namespace pliant::judge {

struct RunOptions {
  Index seed = 0;
  Index show = 5;      ///< false claims printed per family
  std::string family;  ///< only this one; empty: all
};

void print_header();
/// Examines `count` problems, shared evenly by the families (all of them by the one that is asked for), and prints a
/// row for each. Returns how many problems had a false claim.
Index run(const std::vector<Family>& families, Index count, const RunOptions& options);

}  // namespace pliant::judge
