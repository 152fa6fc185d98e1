// What rounding is allowed for in sums over dense rows: never less than it did, and not much more than it may have done.
#include "certify/lagrangian_enclosure.hpp"
#include "linalg/rounding.hpp"
#include "pliant/pliant.hpp"
#include "rows/constraint_system.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

// Sums of the same numbers in extended precision, signs and absolute values.
struct Exact {
  long double value = 0.0L, size = 0.0L;
  std::vector<long double> gradient, sizes;
};

Exact sums_of(const Matrix& G, const Vector& h, const Vector& lambda, const Vector& x) {
  Exact out;
  out.gradient.assign(static_cast<std::size_t>(x.size()), 0.0L);
  out.sizes = out.gradient;
  for (Index i = 0; i < G.rows(); ++i) {
    const long double weight = lambda[i];
    out.value -= weight * h[i];
    out.size += weight * std::abs(h[i]);
    for (Index j = 0; j < x.size(); ++j) {
      const long double entry = weight * G(i, j);
      out.value += entry * x[j];
      out.size += std::abs(entry * x[j]);
      out.gradient[static_cast<std::size_t>(j)] += entry;
      out.sizes[static_cast<std::size_t>(j)] += std::abs(entry);
    }
  }
  return out;
}

// Rows of all sizes at points of all sizes, a third of them without a multiplier; as h and as upper sides.
TEST(Enclosure, ErrorsOfDenseRowsCoverWhatRoundingDidAndLittleMore) {
  constexpr double kGenerous = 4.0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 40), m = random.integer(1, 300);
    Matrix G = random.matrix(m, n);
    Vector x = random.vector(n), lambda(m);
    for (double& v : x) v *= random.log_uniform(1e-6, 1e6);
    for (Index i = 0; i < m; ++i) {
      G.row(i) *= random.log_uniform(1e-3, 1e3);
      lambda[i] = random.uniform() < 0.33 ? 0.0 : random.log_uniform(1e-6, 1e6);
    }
    const Vector h = G * x;  // what is left of the value is rounding
    const bool two_sided = seed % 2 == 1;
    Problem problem(n);
    if (two_sided) {
      problem.subject_to(linear_range(to_array(Vector::Constant(m, -kInfinity)), DataMatrix::from(G), to_array(h)));
    } else {
      problem.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
    }
    ConstraintSystem system(problem);
    ASSERT_EQ(system.size(), m);
    const std::vector<Vector> cones;
    const LagrangianEnclosure found = enclose_constraints(problem, system, {x, lambda, cones});
    const Exact exact = sums_of(G, h, lambda, x);
    const double size = static_cast<double>(exact.size), longest = static_cast<double>(n + m) + 512.0;
    EXPECT_LE(std::abs(static_cast<double>(found.value - exact.value)), found.value_error);
    EXPECT_GE(found.value_error, kUnitRoundoff * size);
    EXPECT_LE(found.value_error, kGenerous * longest * kUnitRoundoff * size + kUnderflow);
    for (Index j = 0; j < n; ++j) {
      const auto k = static_cast<std::size_t>(j);
      EXPECT_LE(std::abs(static_cast<double>(found.gradient[j] - exact.gradient[k])), found.gradient_error[j]);
      EXPECT_GE(found.gradient_error[j], kUnitRoundoff * static_cast<double>(exact.sizes[k]));
    }
  }
}

}  // namespace
}  // namespace pliant
