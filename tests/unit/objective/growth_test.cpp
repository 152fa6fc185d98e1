// Growth of objective terms along rays, against the raw data.
#include "unit/objective/term_zoo.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using testing::Random;

TEST(Growth, BoundsEveryTermAlongEveryRayAndIsTightFarOut) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const testing::Specimen& s : testing::term_zoo(seed, 23, 5)) {
      SCOPED_TRACE(s.name);
      Random random(seed + 100);
      const Vector x = random.vector(s.dense->dimension());
      const Vector d = random.vector(s.dense->dimension());
      const Growth growth = s.dense->growth(x, d);
      const Growth sparse = s.sparse->growth(x, d);
      EXPECT_NEAR(growth.slope, sparse.slope, 1e-12 * (1.0 + std::abs(growth.slope)));
      EXPECT_NEAR(growth.curvature, sparse.curvature, 1e-12 * (1.0 + growth.curvature));
      const long double here = s.reference(x);
      for (const double t : {1e-2, 1.0, 30.0, 500.0}) {
        const long double rise = s.reference(x + t * d) - here;
        const long double bound = t * (static_cast<long double>(growth.slope) + 0.5L * t * growth.curvature);
        const long double size = std::abs(bound) + std::abs(here) + 1.0L;
        EXPECT_LE(rise, bound + 1e-11L * size) << t;
        EXPECT_GE(rise, t == 500.0 ? bound - 0.05L * size : -HUGE_VALL);
      }
    }
  }
}

}  // namespace
}  // namespace pliant
