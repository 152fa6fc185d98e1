// What a file says about points is what the problem says about them.
#include "cbf_support.hpp"
#include "cones/distance.hpp"
#include "pliant/certificate.hpp"
#include "pliant/svec.hpp"
#include "support/random.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <numbers>

namespace pliant::testing {
namespace {

const std::string kVersionThree = "VER\n3\n\nOBJSENSE\nMIN\n\n";

// Membership as the format defines it, and by how much it holds or fails.
double exp_slack(double a, double b, double c) { return b > 0.0 ? a - b * std::exp(c / b) : -1.0; }
double dual_exp_slack(double a, double b, double c) { return c < 0.0 ? a + c * std::exp(b / c - 1.0) : -1.0; }
double pow_slack(double alpha, double a, double b, double c) {
  return a > 0.0 && b > 0.0 ? std::pow(a, alpha) * std::pow(b, 1.0 - alpha) - std::abs(c) : -1.0;
}
double slack(const std::string& cone, const Vector& r) {
  if (cone == "Q") return r[0] - r.tail(r.size() - 1).norm();
  if (cone == "QR") {
    return r[0] >= 0.0 && r[1] >= 0.0 ? std::sqrt(2.0 * r[0] * r[1]) - r.tail(r.size() - 2).norm() : -1.0;
  }
  if (cone == "EXP") return exp_slack(r[0], r[1], r[2]);
  if (cone == "EXP*") return dual_exp_slack(r[0], r[1], r[2]);
  if (cone == "@0:POW") return pow_slack(0.2, r[0], r[1], r[2]);
  return pow_slack(0.75, r[0] / 0.75, r[1] / 0.25, r[2]);  // @1:POW*
}

TEST_F(CbfTest, ConesOfVariablesAndOfRows) {
  const std::string powers = "POWCONES\n1 2\n2\n1\n4\n\nPOW*CONES\n2 5\n3\n1\n1\n1\n2\n3\n1\n\n";
  Random random(1);
  for (const std::string cone : {"Q", "QR", "EXP", "EXP*", "@0:POW", "@1:POW*"}) {
    SCOPED_TRACE(cone);
    const Problem of_variables = read(kVersionThree + powers + "VAR\n3 1\n" + cone + " 3\n");
    // Rows 2x - y + 1, y - 3, x + z + 0.5.
    const Problem of_rows =
        read(kVersionThree + powers + "VAR\n3 1\nF 3\n\nCON\n3 1\n" + cone +
             " 3\n\nACOORD\n5\n2 2 1\n0 0 2\n0 1 -1\n1 1 1\n2 0 1\n\nBCOORD\n3\n0 1\n1 -3\n2 0.5\n");
    int inside = 0, outside = 0;
    for (int k = 0; k < 400; ++k) {
      const Vector x = 2.0 * random.vector(3);
      const Vector rows = Eigen::Vector3d(2 * x[0] - x[1] + 1, x[1] - 3, x[0] + x[2] + 0.5);
      const std::vector<std::pair<const Problem*, double>> both{{&of_variables, slack(cone, x)},
                                                                {&of_rows, slack(cone, rows)}};
      for (const auto& [problem, margin] : both) {
        ASSERT_EQ(problem->conic().size(), 1u);
        const double distance = cone_distance(problem->conic()[0].cones.at(0), conic_rows(*problem, x));
        if (std::abs(margin) <= 1e-9) continue;
        EXPECT_EQ(distance <= 0.0, margin > 0.0) << x.transpose();
        ++(margin > 0.0 ? inside : outside);
      }
    }
    EXPECT_GT(inside, 5);
    EXPECT_GT(outside, 5);
  }
}

TEST_F(CbfTest, LinearConesBecomeBoundsRowsAndEqualities) {
  const Problem p = read(
      "# a comment\nVER\n1\nOBJSENSE\nMAX\nVAR\n5 4\nL+ 2\nF 1\nL- 1\nL= 1\nCON\n4 4\nL= 1\nL+ 1\nL- 1\nF 1\n"
      "OBJACOORD\n2\n0 3\n2 -1\nOBJBCOORD\n7\nACOORD\n4\n0 0 1\n1 1 2\n2 2 3\n3 3 1\nBCOORD\n3\n0 -4\n1 5\n2 6\n");
  EXPECT_EQ(p.sense, Sense::maximize);
  Vector x(5);
  x << 1, 2, 3, -4, 0;
  EXPECT_EQ(p.reported(p.objective(x)), 3 * 1 - 3 + 7);
  ASSERT_EQ(p.equality_rhs().size(), 1);
  EXPECT_EQ(p.equality_rhs()[0], 4.0);
  EXPECT_EQ(p.constraints(), 2);
  EXPECT_TRUE(p.conic().empty());
  // 2 x1 + 5 >= 0 and 3 x2 + 6 <= 0; bounds x0, x1 >= 0, x3 <= 0, x4 = 0.
  x << 4, 0, -2, 0, 0;
  EXPECT_EQ(certify(p, x).violation_linf, 0.0);
  EXPECT_EQ(certify(p, x).equality_residual, 0.0);
  x << 4, -3, -1.5, 0, 0;
  EXPECT_EQ(certify(p, x).violation_linf, 1.5);
  x << 4, 0, -2, 1, 0.5;
  EXPECT_GT(certify(p, x).domain_violation, 0.9);
}

// <F, X> counts both triangles; rows, objective and PSD constraints from dense matrices.
TEST_F(CbfTest, Matrices) {
  const Problem p =
      read(kVersionThree +
           "PSDVAR\n2\n2\n3\n\nVAR\n1 1\nF 1\n\nPSDCON\n1\n2\n\nCON\n1 1\nL= 1\n\nOBJFCOORD\n2\n1 2 0 0.5\n"
           "0 1 1 4\n\nFCOORD\n2\n0 0 1 0 3\n0 1 2 2 1\n\nACOORD\n1\n0 0 2\n\nBCOORD\n1\n0 -1\n\nHCOORD\n2\n"
           "0 0 0 0 1\n0 0 1 0 -2\n\nDCOORD\n1\n0 1 1 6\n");
  ASSERT_EQ(p.dimension(), 1 + 3 + 6);
  Random random(2);
  Matrix X = random.matrix(2, 2), Y = random.matrix(3, 3);
  X = Matrix(X + X.transpose());
  Y = Matrix(Y + Y.transpose());
  Vector x(10);
  x[0] = random.normal();
  x.segment(1, 3) = svec(X);
  x.segment(4, 6) = svec(Y);
  EXPECT_NEAR(p.objective(x), 2 * 0.5 * Y(2, 0) + 4 * X(1, 1), 1e-12);
  EXPECT_NEAR(p.equality_matrix().dot(0, x.data()), 2 * 3 * X(1, 0) + Y(2, 2) + 2 * x[0], 1e-12);
  EXPECT_EQ(p.equality_rhs()[0], 1.0);
  const Vector s = conic_rows(p, x);
  ASSERT_EQ(s.size(), 3 + 6 + 3);
  EXPECT_LE((smat(s.head(3)) - X).norm(), 1e-12);
  EXPECT_LE((smat(s.segment(3, 6)) - Y).norm(), 1e-12);
  Matrix Z(2, 2);
  Z << x[0], -2 * x[0], -2 * x[0], 6;
  EXPECT_LE((smat(s.tail(3)) - Z).norm(), 1e-12);
  EXPECT_EQ(p.conic()[0].cones.size(), 3u);
}

TEST_F(CbfTest, LineEndsAndCompression) {
  const std::string text = kVersionThree + "VAR\n2 1\nQ 2\n\nOBJACOORD\n1\n0 1\n";
  std::string dos;
  for (const char c : text) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(read(dos).dimension(), 2);
  const Problem p = read(text);
  write_problem(p, directory_ / "q.cbf.gz");
  EXPECT_EQ(bytes_of(directory_ / "q.cbf.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(read_problem(directory_ / "q.cbf.gz").dimension(), 2);
}

}  // namespace
}  // namespace pliant::testing
