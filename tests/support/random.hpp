// Seeded random data for tests. Every test prints its seed on failure through SCOPED_TRACE.
#pragma once

#include "pliant/types.hpp"

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace pliant::testing {

/// PLIANT_TEST_SEED shifts every seed, so that the suite can be run on other random data.
inline std::uint64_t base_seed() {
  const char* text = std::getenv("PLIANT_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed * 7919 + base_seed() * 104729 + 17) {}
  double normal() { return normal_(engine_); }
  double uniform(double lo = 0.0, double hi = 1.0) { return lo + (hi - lo) * uniform_(engine_); }
  double log_uniform(double lo, double hi) { return lo * std::pow(hi / lo, uniform()); }
  Index integer(Index lo, Index hi) {
    return lo + static_cast<Index>(uniform() * static_cast<double>(hi - lo + 1)) % (hi - lo + 1);
  }
  Vector vector(Index n) {
    Vector v(n);
    for (double& t : v) t = normal();
    return v;
  }
  std::vector<double> numbers(Index n) {
    std::vector<double> v(static_cast<std::size_t>(n));
    for (double& t : v) t = normal();
    return v;
  }
  Matrix matrix(Index rows, Index cols) {
    Matrix m(rows, cols);
    for (double& t : m.reshaped()) t = normal();
    return m;
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

}  // namespace pliant::testing
