// Objective terms along a line: the value and the slope every term promises, and their weighted sum.
#include "parallel/parallel.hpp"
#include "pliant/problem.hpp"
#include "pliant/svec.hpp"
#include "support/symmetric.hpp"
#include "unit/objective/term_zoo.hpp"

#include <gtest/gtest.h>

namespace pliant::testing {
namespace {

/// The zoo and -log det with their formulas; `start` lies inside the domain of each.
struct LineSpecimen {
  std::string name;
  TermPtr term;
  std::function<long double(const Vector&)> reference;
  Vector start;
};

std::vector<LineSpecimen> line_zoo(std::uint64_t seed) {
  Random random(5000 + seed);
  std::vector<LineSpecimen> all;
  for (const Specimen& s : term_zoo(seed, 37, 6)) {
    all.push_back({s.name, s.dense, s.reference, random.vector(s.dense->dimension())});
    all.push_back({s.name + " csr", s.sparse, s.reference, random.vector(s.dense->dimension())});
  }
  const Index p = 4;
  all.push_back({"log_det", log_det(p), [=](const Vector& x) { return -long_log_det(long_smat(x, p)); },
                 svec(definite_matrix(random, p))});
  return all;
}

TEST(ObjectiveLines, AreTheTermAlongTheLine) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(6000 + seed);
    ObjectiveLine line;  // used again for every term, as engines do
    for (const LineSpecimen& s : line_zoo(seed)) {
      SCOPED_TRACE(s.name);
      const Vector d = random.vector(s.start.size());
      s.term->prepare_line(s.start, d, line);
      const double longest = std::min(1.0, 0.9 * line.max_step);
      ASSERT_GT(longest, 0.0);
      EXPECT_EQ(line.max_step, s.term->max_step(s.start, d));
      for (const double t : {0.0, 0.3 * longest, longest, 0.1 * longest}) {
        SCOPED_TRACE(t);
        const LinePoint at = s.term->line_point(line, t);
        const Vector y = s.start + t * d;
        const auto expected = static_cast<double>(s.reference(y));
        EXPECT_NEAR(at.value, expected, 1e-11 * (1.0 + std::abs(expected)));
        const double slope = gradient_of(*s.term, y).dot(d);
        EXPECT_NEAR(at.slope, slope, 1e-10 * (1.0 + std::abs(slope) + hessian_of(*s.term, y).norm()));
        const double h = 1e-6 * longest;  // differences of the formula, not of our own values
        const double difference = static_cast<double>(s.reference(y + h * d) - s.reference(y - h * d)) / (2.0 * h);
        EXPECT_NEAR(at.slope, difference, 1e-6 * (1.0 + std::abs(slope)));
      }
    }
  }
}

TEST(ObjectiveLines, DoNotDependOnTheThreads) {
  Random random(7000);
  for (const Specimen& s : term_zoo(3, 20000, 5)) {
    SCOPED_TRACE(s.name);
    const Vector x = random.vector(s.dense->dimension()), d = random.vector(x.size());
    const auto evaluate = [&](int threads) {
      const parallel::ThreadScope scope(threads);
      ObjectiveLine line;
      s.dense->prepare_line(x, d, line);
      const LinePoint at = s.dense->line_point(line, 0.4);
      return std::pair(at.value, at.slope);
    };
    EXPECT_EQ(evaluate(1), evaluate(3));
  }
}

TEST(ObjectiveLines, OfAProblemAreTheWeightedSum) {
  Random random(8000);
  const Index p = 3, n = 6;
  Problem problem(n);
  const Matrix A = random.matrix(8, n);
  problem.minimize(log_det(p), 2.0);
  problem.minimize(linear(to_array(random.vector(n)), 0.7), 0.5);
  problem.minimize(least_squares(DataMatrix::from(A), to_array(random.vector(8))), 3.0);
  const Vector x = svec(definite_matrix(random, p)), d = random.vector(n);
  SmoothLine line;
  problem.prepare_smooth_line(x, d, line);
  EXPECT_EQ(line.max_step, log_det(p)->max_step(x, d));
  EXPECT_EQ(line.max_step, problem.max_step(x, d));
  const double t = 0.5 * std::min(1.0, line.max_step);
  const LinePoint at = problem.smooth_line(line, t);
  const Vector y = x + t * d;
  Vector g = Vector::Zero(n);
  EXPECT_NEAR(at.value, problem.add_smooth_gradient(y, g), 1e-11 * (1.0 + std::abs(at.value)));
  EXPECT_NEAR(at.slope, g.dot(d), 1e-10 * (1.0 + std::abs(at.slope)));
}

// 0 times infinity would be NaN.
TEST(ObjectiveLines, TermsOfWeightZeroAndTheirDomainsDoNotCount) {
  Random random(9000);
  const Index n = 6;
  Problem problem(n), plain(n);
  const TermPtr term = linear(to_array(random.vector(n)));
  problem.minimize(log_det(3), 0.0).minimize(term);
  plain.minimize(term);
  const Vector x = -Vector::Ones(n), d = random.vector(n);
  EXPECT_EQ(problem.smooth_value(x), plain.smooth_value(x));
  EXPECT_EQ(problem.smoothness(), 0.0);
  EXPECT_EQ(problem.max_step(x, d), kInfinity);
  SmoothLine line;
  problem.prepare_smooth_line(x, d, line);
  EXPECT_NEAR(problem.smooth_line(line, 2.0).value, plain.smooth_value(x + 2.0 * d), 1e-13);
}

}  // namespace
}  // namespace pliant::testing
