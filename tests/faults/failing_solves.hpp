// What memory runs out in: solves by every engine, and the parts of the library that small solves do not reach.
#pragma once

#include "pliant/pliant.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pliant::testing {

/// A problem, what it was solved with, and what came of it.
struct Answer {
  Problem problem;
  Settings settings;
  Result result;
};

struct Task {
  std::string name;
  /// Empty where nothing is solved. Throws std::logic_error where something is wrong that no answer shows.
  std::function<std::vector<Answer>()> run;
  std::string refusal{};  ///< the words of the InputError it ends with where there is enough memory
  long tried = 250;       ///< about so many of its allocations are tried, unless all are
};

/// In a fixed order; files that they read are made now.
std::vector<Task> failing_tasks();

}  // namespace pliant::testing
