// Rank-one rows with random points, for the conformance suite.
#pragma once

#include "conformance/families.hpp"

#include <cmath>
#include <limits>

namespace pliant::testing {

/// Needs p(p+1)/2 variables: takes the largest such number up to n. a_i = sum_rc q_r q_c X_rc - b_i by plain loops.
inline Instance make_rank_one(Random& random, Index m, Index n, bool lifted, bool broken) {
  Index p = lifted ? 2 : 1;
  while ((p + 1) * (p + 2) / 2 <= n) ++p;
  const Index width = lifted ? p - 1 : p;
  std::vector<double> points = random.numbers(m * width), b = random.numbers(m);
  if (broken) points.back() = std::numeric_limits<double>::quiet_NaN();
  Instance instance;
  instance.batch =
      lifted ? rank_one_lifted_le(Tensor({m, width}, points), b) : rank_one_le(Tensor({m, width}, points), b);
  instance.value = [=](Index i, const LongVector& x) {
    const auto q = [&](Index j) {
      return j < width ? static_cast<long double>(points[static_cast<std::size_t>(i * width + j)]) : 1.0L;
    };
    long double sum = 0.0L;
    Index k = 0;
    for (Index column = 0; column < p; ++column) {
      for (Index row = column; row < p; ++row, ++k) {
        sum += q(row) * q(column) * x[k] * (row == column ? 1.0L : std::sqrt(2.0L));
      }
    }
    return sum - static_cast<long double>(b[static_cast<std::size_t>(i)]);
  };
  return instance;
}

inline Family rank_one_family(std::string name, bool lifted) {
  return {std::move(name), [=](Random& r, Index m, Index n) { return make_rank_one(r, m, n, lifted, false); },
          [=](Random& r, Index m, Index n) { return make_rank_one(r, m, n, lifted, true).batch; }, true, true};
}

}  // namespace pliant::testing
