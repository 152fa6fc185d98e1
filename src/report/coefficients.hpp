// How large the numbers of a problem are: what `info` says of them, and when it warns.
#pragma once

#include "pliant/problem.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pliant::report {

/// Magnitudes of numbers other than 0.
struct Magnitudes {
  Index count = 0;
  double least = kInfinity, largest = 0.0;

  void add(double value);
  void add(const Doubles& values);
  /// largest/least; 1 where there are none.
  double span() const { return count == 0 ? 1.0 : largest / least; }
};

struct Coefficients {
  /// Numbers of the rows and cones that are not 0, and the largest of each row; rows of user functions have none.
  Magnitudes entries, rows;
  Magnitudes constants;  ///< constant terms of rows, equalities and cones
  Magnitudes objective;  ///< numbers of the objective
  Magnitudes bounds;     ///< finite bounds of variables
};
/// One read of all data.
Coefficients coefficients(const Problem& problem);

/// Beyond this two numbers of the same kind leave each other few of the sixteen digits there are.
inline constexpr double kWideSpan = 1e8;
/// What wide spans mean, one sentence each; none where nothing spans more than kWideSpan.
std::vector<std::string> warnings(const Coefficients& coefficients);

}  // namespace pliant::report
