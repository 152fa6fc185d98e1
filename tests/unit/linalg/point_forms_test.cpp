// A form at many points beside the plain double sum.
#include "linalg/point_forms.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace pliant {
namespace {

using testing::Random;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

struct Form {
  Form(const Matrix& D, bool lifted)
      : width(lifted ? D.rows() - 1 : D.rows()),
        memory(static_cast<std::size_t>(PointForm::memory_size(width))),
        form(D, lifted, memory.data()) {}
  Index width;
  std::vector<double> memory;
  PointForm form;
};

Matrix symmetric(Random& random, Index n) {
  const Matrix B = random.matrix(n, n);
  return B + B.transpose();
}

// Widths and counts on both sides of the vectors and of the groups.
TEST(PointForm, IsTheDoubleSumWhateverTheWidthAndTheNumberOfPoints) {
  Random random(21);
  for (const bool lifted : {false, true}) {
    for (Index width = 1; width <= 22; ++width) {
      SCOPED_TRACE(width);
      const Index order = lifted ? width + 1 : width, count = 1 + 7 * (width % 11);
      const Matrix D = symmetric(random, order);
      const std::vector<double> points = random.numbers(count * width);
      const Form form(D, lifted);
      Vector out = Vector::Constant(count + 1, -7.0);
      form.form.values(points.data(), Rows::range(0, count), out.data());
      EXPECT_EQ(out[count], -7.0);
      for (Index k = 0; k < count; ++k) {
        const auto entry = [&](Index j) {
          return j < width ? static_cast<long double>(points[static_cast<std::size_t>(k * width + j)]) : 1.0L;
        };
        long double sum = 0.0L, size = 0.0L;
        for (Index i = 0; i < order; ++i) {
          for (Index j = 0; j < order; ++j) {
            const long double term = entry(i) * D(i, j) * entry(j);
            sum += term;
            size += std::abs(term);
          }
        }
        EXPECT_LE(std::abs(out[k] - static_cast<double>(sum)),
                  static_cast<double>(2 * order + 2) * kEpsilon * static_cast<double>(size));
      }
    }
  }
}

// A check of all points and a lazy one of some must see the same numbers.
TEST(PointForm, APointGivesTheSameBytesInRangesAndLists) {
  Random random(22);
  for (const Index width : {Index{1}, Index{3}, Index{20}, Index{31}}) {
    const Index count = 200;
    const std::vector<double> points = random.numbers(count * width);
    const Form form(symmetric(random, width + 1), true);
    Vector all(count);
    form.form.values(points.data(), Rows::range(0, count), all.data());
    std::vector<Index> list;
    for (Index i = 0; i < count; ++i) {
      if (random.uniform() < 0.4) list.push_back(i);
    }
    Vector some(static_cast<Index>(list.size()));
    form.form.values(points.data(), Rows::list(list), some.data());
    for (std::size_t k = 0; k < list.size(); ++k) EXPECT_EQ(some[static_cast<Index>(k)], all[list[k]]);
    double alone = 0.0;
    form.form.values(points.data(), Rows::range(37, 1), &alone);
    EXPECT_EQ(alone, all[37]);
  }
}

TEST(PointForm, NumbersThatAreNotFiniteShowAndStayWithTheirPoint) {
  Random random(23);
  const Index width = 5, count = 40;
  std::vector<double> points = random.numbers(count * width);
  points[17 * width + 4] = std::numeric_limits<double>::quiet_NaN();
  const Form form(symmetric(random, width), false);
  Vector out(count);
  form.form.values(points.data(), Rows::range(0, count), out.data());
  for (Index k = 0; k < count; ++k) EXPECT_EQ(std::isnan(out[k]), k == 17);
}

}  // namespace
}  // namespace pliant
