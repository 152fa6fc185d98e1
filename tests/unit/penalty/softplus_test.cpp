// Kernels against long double references.
#include "softplus/softplus.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace pliant {
namespace {

using testing::Random;

long double reference_softplus(long double t, long double delta) {
  return std::max(t, 0.0L) + delta * std::log1p(std::exp(-std::abs(t) / delta));
}
long double reference_sigmoid(long double t, long double delta) {
  const long double e = std::exp(-std::abs(t) / delta);
  return t >= 0 ? 1.0L / (1.0L + e) : e / (1.0L + e);
}

// |got - expected| in units of the last place of expected. `scale` is what multiplies the exponential:
// where that itself leaves the normal range, the result may be 0.
long double ulps(double got, long double expected, long double scale) {
  if (std::isnan(got)) return std::numeric_limits<long double>::infinity();
  const long double smallest = 1e-304L * std::max(1.0L, scale);
  if (std::abs(expected) < smallest) {
    return std::abs(got) < smallest ? 0.0L : std::numeric_limits<long double>::infinity();
  }
  const double rounded = std::abs(static_cast<double>(expected));
  const double ulp = std::nextafter(rounded, kInfinity) - rounded;
  return std::abs(static_cast<long double>(got) - expected) / ulp;
}

// Ratios t/delta from far below underflow to far above overflow, dense around 0.
std::vector<double> ratios(Random& random) {
  std::vector<double> r{0.0, -0.0, 1e308, -1e308, 745.0, -745.0, 710.0, -710.0, 36.7, -36.7, 1e-300, -1e-300};
  for (int k = 0; k < 4000; ++k) {
    r.push_back(random.uniform(-750.0, 750.0));
    r.push_back(random.normal());
    r.push_back(random.normal() * random.log_uniform(1e-20, 1e5));
  }
  return r;
}

TEST(Softplus, AgreesWithLongDoubleForAnyArgument) {
  Random random(1);
  for (const double delta : {1.0, 1e-6, 3.7e-12, 1e5}) {
    SCOPED_TRACE(delta);
    std::vector<double> t;
    for (double r : ratios(random)) t.push_back(std::abs(r) > 1e300 ? r : r * delta);
    const Index n = static_cast<Index>(t.size());
    std::vector<double> p(t.size()), s(t.size()), s2(t.size()), c(t.size());
    penalty::softplus_sigmoid(n, t.data(), nullptr, delta, p.data(), s.data());
    penalty::sigmoid_curvature(n, t.data(), nullptr, delta, s2.data(), c.data());
    long double worst_p = 0, worst_s = 0, worst_c = 0;
    for (std::size_t k = 0; k < t.size(); ++k) {
      // The rounded ratio decides the value: its error of half an ulp is amplified by |t/delta|.
      const long double ratio = static_cast<long double>(t[k]) / delta;
      const long double allowance = 4.0L + std::min(800.0L, std::abs(ratio));
      const long double p_exact = reference_softplus(t[k], delta);
      const long double s_exact = reference_sigmoid(t[k], delta);
      const long double c_exact = s_exact * reference_sigmoid(-static_cast<long double>(t[k]), delta) / delta;
      ASSERT_TRUE(std::isfinite(p[k]) || std::abs(t[k]) > 1e300);
      worst_p = std::max(worst_p, ulps(p[k], p_exact, delta) / allowance);
      worst_s = std::max(worst_s, ulps(s[k], s_exact, 1) / allowance);
      worst_c = std::max(worst_c, ulps(c[k], c_exact, 1.0L / delta) / allowance);
      EXPECT_EQ(s[k], s2[k]);
      EXPECT_LE(ulps(penalty::softplus(t[k], delta), p_exact, delta), allowance) << t[k];
      EXPECT_LE(ulps(penalty::sigmoid(t[k] / delta), s_exact, 1), allowance) << t[k];
    }
    EXPECT_LE(worst_p, 1.0L);
    EXPECT_LE(worst_s, 1.0L);
    EXPECT_LE(worst_c, 1.0L);
  }
}

// Where the exponential's argument is exact (delta a power of two), a few ulp must do.
TEST(Softplus, FewUlpsWhereTheArgumentIsExact) {
  Random random(2);
  std::vector<double> t;
  for (int k = 0; k < 20000; ++k) t.push_back(random.uniform(-700.0, 700.0) * random.log_uniform(1e-6, 1.0));
  const Index n = static_cast<Index>(t.size());
  std::vector<double> p(t.size()), s(t.size());
  penalty::softplus_sigmoid(n, t.data(), nullptr, 1.0, p.data(), s.data());
  for (std::size_t k = 0; k < t.size(); ++k) {
    EXPECT_LE(ulps(p[k], reference_softplus(t[k], 1.0), 1), 4.0L) << t[k];
    EXPECT_LE(ulps(s[k], reference_sigmoid(t[k], 1.0), 1), 4.0L) << t[k];
  }
}

TEST(Softplus, ResultsDoNotDependOnPositionInMemory) {
  Random random(3);
  std::vector<double> t(300), whole_p(300), whole_s(300);
  for (double& v : t) v = 10.0 * random.normal();
  penalty::softplus_sigmoid(300, t.data(), nullptr, 0.3, whole_p.data(), whole_s.data());
  for (Index begin = 0; begin < 300; begin += 7) {
    for (Index count : {Index{1}, Index{5}, std::min<Index>(130, 300 - begin)}) {
      if (begin + count > 300) continue;
      std::vector<double> p(static_cast<std::size_t>(count)), s(static_cast<std::size_t>(count));
      penalty::softplus_sigmoid(count, t.data() + begin, nullptr, 0.3, p.data(), s.data());
      for (Index k = 0; k < count; ++k) {
        EXPECT_EQ(p[static_cast<std::size_t>(k)], whole_p[static_cast<std::size_t>(begin + k)]);
        EXPECT_EQ(s[static_cast<std::size_t>(k)], whole_s[static_cast<std::size_t>(begin + k)]);
      }
    }
  }
}

TEST(Softplus, ShiftAndZeroDelta) {
  const std::vector<double> t{-1.0, 0.0, 2.0}, u{1.0, 0.0, -3.0};
  std::vector<double> p(3), s(3), q(3), r(3);
  penalty::softplus_sigmoid(3, t.data(), u.data(), 0.5, p.data(), s.data());
  const std::vector<double> sum{0.0, 0.0, -1.0};
  penalty::softplus_sigmoid(3, sum.data(), nullptr, 0.5, q.data(), r.data());
  EXPECT_EQ(p, q);
  EXPECT_EQ(s, r);
  penalty::softplus_sigmoid(3, t.data(), nullptr, 0.0, p.data(), s.data());
  EXPECT_EQ(p, (std::vector<double>{0.0, 0.0, 2.0}));
  EXPECT_EQ(s, (std::vector<double>{0.0, 0.5, 1.0}));
}

TEST(Softplus, EntropyIsTheConjugate) {
  // p_delta(t) = max over s of s t + delta H(s), attained at sigma(t/delta).
  Random random(4);
  for (int k = 0; k < 1000; ++k) {
    const double delta = random.log_uniform(1e-4, 10.0);
    const double t = delta * 8.0 * random.normal();
    const double s = penalty::sigmoid(t / delta);
    const double attained = s * t + delta * penalty::entropy(s);
    EXPECT_NEAR(attained, penalty::softplus(t, delta), 1e-13 * (std::abs(t) + delta));
    const double other = random.uniform();
    EXPECT_LE(other * t + delta * penalty::entropy(other), penalty::softplus(t, delta) * (1 + 1e-14) + 1e-300);
  }
  EXPECT_EQ(penalty::entropy(0.0), 0.0);
  EXPECT_EQ(penalty::entropy(1.0), 0.0);
}

}  // namespace
}  // namespace pliant
