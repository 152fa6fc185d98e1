// What method path tries on linear and quadratic programs, and on everything else it takes: working sets, sparse
// factorisations or conjugate gradients, by predicted work (predicted_work.hpp).
#pragma once

#include "pliant/solve.hpp"

#include <string>
#include <vector>

namespace pliant {

/// The attempts, or the reason why the path cannot be followed.
struct PathPlan {
  std::vector<Attempt> attempts;
  std::string obstacle;
};
PathPlan plan_path(const Problem& problem, const Settings& settings);

}  // namespace pliant
