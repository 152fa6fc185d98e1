// Every constraint family, with random data and an independent evaluation from those raw data.
#pragma once

#include "pliant/constraints.hpp"
#include "support/random.hpp"

#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace pliant::testing {

using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using Numbers = std::vector<double>;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct Instance {
  BatchPtr batch;
  /// a_i(x) from the raw numbers, in extended precision, by plain loops.
  std::function<long double(Index i, const LongVector& x)> value;
};

struct Family {
  std::string name;
  /// A random instance from m rows of data (two-sided rows make up to 2 m constraints) in n variables, or a few less
  /// where the family does not exist for n.
  std::function<Instance(Random& random, Index m, Index n)> make;
  /// The same with NaN in the data of the last row.
  std::function<BatchPtr(Random& random, Index m, Index n)> make_broken;
  /// Whether some rows have no global growth constants.
  bool growth_global = true;
  /// Whether all rows are affine and the batch says so.
  bool linear = false;
};

inline std::ostream& operator<<(std::ostream& out, const Family& family) { return out << family.name; }

const std::vector<Family>& families();

}  // namespace pliant::testing
