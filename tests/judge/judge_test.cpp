// Claims of solve and check against the exact truth, and the judge against claims that are false on purpose.
#include "judge/examine.hpp"
#include "pliant/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace pliant::judge {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Claims bound(double value, BoundKind kind = BoundKind::proved) {
  Claims claims;
  claims.bounds.push_back({kind, value});
  return claims;
}

Claims empty_within(double radius) {
  Claims claims;
  claims.empty = EmptinessClaim{radius};
  return claims;
}

Claims unbounded() {
  Claims claims;
  claims.ray = RayClaim{};
  return claims;
}

// min -x subject to 2e-9 x + y <= 1, x, y >= 0: the optimum is -5e8.
RawCase slow_wall() {
  RawCase raw(2);
  raw.q << -1.0, 0.0;
  raw.add_le((Vector(2) << 2e-9, 1.0).finished(), 1.0);
  raw.add_le((Vector(2) << -1.0, 0.0).finished(), 0.0);
  raw.add_le((Vector(2) << 0.0, -1.0).finished(), 0.0);
  return raw;
}

// min x + y subject to x + y >= far, x - y <= 1.
RawCase far_set(double far) {
  RawCase raw(2);
  raw.q << 1.0, 1.0;
  raw.add_le((Vector(2) << -1.0, -1.0).finished(), -far);
  raw.add_le((Vector(2) << 1.0, -1.0).finished(), 1.0);
  return raw;
}

TEST(Judge, RefutesFalseClaimsAndAcceptsTrueOnes) {
  const RawCase wall = slow_wall();
  Judge judge(wall);
  const double optimum = Rational(-1 / exact(2e-9)).get_d();  // truncated towards 0: not below it
  EXPECT_TRUE(judge.contradictions(bound(std::nextafter(optimum, -kInfinity))).empty());
  EXPECT_FALSE(judge.contradictions(bound(std::nextafter(optimum, 0.0))).empty());
  EXPECT_FALSE(judge.contradictions(bound(kInfinity)).empty());
  EXPECT_FALSE(judge.contradictions(bound(kNan)).empty());
  EXPECT_TRUE(judge.contradictions(bound(kInfinity, BoundKind::estimate)).empty());
  EXPECT_FALSE(judge.contradictions(bound(0.0, BoundKind::proved_if_convex)).empty());
  EXPECT_FALSE(judge.contradictions(unbounded()).empty());
  EXPECT_FALSE(judge.contradictions(empty_within(kInfinity)).empty());
  Claims ray;  // the wall grows by 2e-9 along it: by 2 = 1 + its constant over 1e9
  ray.ray = RayClaim{0.999e9, (Vector(2) << 1.0, 0.0).finished()};
  EXPECT_TRUE(judge.contradictions(ray).empty());
  ray.ray->radius = 1.001e9;
  EXPECT_FALSE(judge.contradictions(ray).empty());
  ray.ray = RayClaim{1.99, (Vector(2) << 1.0, 2.0).finished()};  // the largest entry counts: 2 of them, not sqrt(5)
  EXPECT_TRUE(judge.contradictions(ray).empty());
  ray.ray->radius = 2.01;
  EXPECT_FALSE(judge.contradictions(ray).empty());

  const RawCase far = far_set(1e12);
  Judge other(far);
  EXPECT_TRUE(other.contradictions(empty_within(std::nextafter(5e11, 0.0))).empty());
  EXPECT_FALSE(other.contradictions(empty_within(5e11)).empty());
  EXPECT_FALSE(other.contradictions(empty_within(kNan)).empty());
  EXPECT_TRUE(other.contradictions(bound(1e12)).empty());
  EXPECT_FALSE(other.beyond_tolerance(Vector::Constant(2, 1e11), 1e-6).empty());
  EXPECT_TRUE(other.beyond_tolerance(Vector::Constant(2, 5e11), 1e-6).empty());
}

// One variable x >= 1 as each kind of cone, min x; and the ray -1, which leaves them by 1 + the largest constant.
TEST(Judge, KnowsCurvedCones) {
  const auto with = [](ConeKind kind, const std::vector<double>& G, const std::vector<double>& h) {
    RawCase raw(1);
    raw.q << 1.0;
    raw.cones.push_back({kind, Eigen::Map<const Vector>(G.data(), 3), Eigen::Map<const Vector>(h.data(), 3)});
    raw.planted = {Vector::Constant(1, 1.0 + 1e-12), Vector::Constant(1, 1.0 - 1e-12)};
    return raw;
  };
  const std::vector<RawCase> cases = {
      with(ConeKind::second_order, {-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}),   // (x, 1, 0)
      with(ConeKind::semidefinite, {-1.0, 0.0, 0.0}, {-1.0, 0.0, 1.0}),  // diag(x - 1, 1)
      with(ConeKind::exponential, {0.0, 0.0, -1.0}, {0.0, 1.0, 0.0}),    // exp(0) <= x
      with(ConeKind::power, {-1.0, 0.0, 0.0}, {0.0, 1.0, 1.0})};         // sqrt(x 1) >= 1
  for (const RawCase& raw : cases) {
    SCOPED_TRACE(describe(raw));
    Judge judge(raw);
    EXPECT_TRUE(judge.contradictions(bound(1.0)).empty());
    EXPECT_FALSE(judge.contradictions(bound(1.0 + 1e-9)).empty());
    EXPECT_TRUE(judge.contradictions(empty_within(1.0)).empty());
    EXPECT_FALSE(judge.contradictions(empty_within(1.0 + 1e-9)).empty());
    Claims ray;
    // t e beside the exponential cone's (0, 0, -1) costs t/e of what it gives.
    const double reach = raw.cones.front().kind == ConeKind::exponential ? 2.0 * (1.0 - std::exp(-1.0)) : 2.0;
    ray.ray = RayClaim{reach - 1e-9, -Vector::Ones(1)};
    EXPECT_TRUE(judge.contradictions(ray).empty());
    ray.ray->radius = reach + 1e-9;
    EXPECT_FALSE(judge.contradictions(ray).empty());
  }
}

TEST(Judge, KnowsGroupTerms) {
  RawCase raw(3);  // 2 |(3, 4)| + |x_2|
  raw.groups = {0, 0, 1};
  raw.group_weights = (Vector(2) << 2.0, 1.0).finished();
  raw.q << 0.0, 0.0, 1.0;
  raw.planted.emplace_back((Vector(3) << 3.0, 4.0, -7.0).finished());
  Judge judge(raw);
  EXPECT_TRUE(judge.contradictions(bound(10.0)).empty());
  EXPECT_FALSE(judge.contradictions(bound(10.0 + 1e-12)).empty());
}

// -x + 3 max(0, x - 1) over the line: -1 at 1; with the price 1/2 there is no end to it.
TEST(Judge, KnowsPricesOfRows) {
  RawCase raw(1);
  raw.q << -1.0;
  raw.soft_rows.push_back({Matrix::Ones(1, 1), Vector::Ones(1), Vector::Constant(1, 3.0)});
  Judge judge(raw);
  EXPECT_EQ(judge.exact_value(), Rational(-1));
  EXPECT_TRUE(judge.contradictions(bound(-1.0)).empty());
  EXPECT_FALSE(judge.contradictions(bound(std::nextafter(-1.0, 0.0))).empty());
  EXPECT_FALSE(judge.contradictions(unbounded()).empty());
  EXPECT_EQ(judge.exact_multipliers()->lambda.front()[0], 1.0);
  raw.soft_rows.front().weights[0] = 0.5;
  Judge other(raw);
  EXPECT_TRUE(other.contradictions(unbounded()).empty());
  EXPECT_FALSE(other.contradictions(bound(-1e300)).empty());
}

// 2 |(3, 4) - x| at 0 is 10; s = 7 inside the cone costs nothing, s = -7 twice 7. The eigenvalues of [1 2; 2 1] are 3, -1.
TEST(Judge, KnowsPricesOfCones) {
  RawCase raw(2);
  RawSoftCones norms;
  RawSoftCones::Piece piece{Matrix::Zero(3, 2), Vector::Zero(3), 2.0};
  piece.G(1, 0) = piece.G(2, 1) = 1.0;
  piece.h << 0.0, 3.0, 4.0;
  const auto value = [&] { return exact_objective(raw, exact(Vector::Zero(2)))->get_d(); };
  norms.cones = {piece};
  raw.soft_cones = {norms};
  EXPECT_NEAR(value(), 10.0, 1e-14);
  raw.soft_cones[0].cones[0].h[0] = 7.0;
  EXPECT_EQ(value(), 0.0);
  raw.soft_cones[0].cones[0].h[0] = -7.0;
  EXPECT_EQ(value(), 28.0);
  RawSoftCones matrices;
  matrices.kind = ConeKind::semidefinite;
  matrices.cones = {{Matrix::Zero(3, 2), -(Vector(3) << 1.0, 2.0 * std::sqrt(2.0), 1.0).finished(), 5.0}};
  raw.soft_cones = {matrices};
  EXPECT_NEAR(value(), 15.0, 1e-13);
  EXPECT_GE(value(), 15.0 - 1e-15);
  raw.planted = {Vector::Zero(2)};
  Judge judge(raw);
  EXPECT_TRUE(judge.contradictions(bound(15.0 - 1e-14)).empty());
  EXPECT_FALSE(judge.contradictions(bound(15.0 + 1e-12)).empty());
}

TEST(Judge, RepairsPointsTowardsTheInterior) {
  RawCase raw(2);  // |x| <= 1 as a cone, min x_0
  raw.q << 1.0, 0.0;
  RawCone cone{ConeKind::second_order, Matrix::Zero(3, 2), Vector::Zero(3)};
  cone.h[0] = 1.0;
  cone.G(1, 0) = cone.G(2, 1) = -1.0;
  raw.cones.push_back(cone);
  raw.inside = Vector::Zero(2);
  Judge judge(raw);
  judge.repair((Vector(2) << -1.0 - 1e-12, 0.0).finished());
  EXPECT_FALSE(judge.contradictions(bound(-1.0 + 1e-9)).empty());
  EXPECT_TRUE(judge.contradictions(bound(-1.0)).empty());
}

class JudgeFamilies : public ::testing::TestWithParam<Family> {};

// A few of each family; the study runs many.
TEST_P(JudgeFamilies, NoClaimIsFalse) {
  constexpr Index kProblems = 12;
  Index claims = 0;
  for (Index k = 0; k < kProblems; ++k) {
    SCOPED_TRACE(k);
    Random random(static_cast<std::uint64_t>(7000 + k));
    const RawCase raw = draw(GetParam(), random);
    const Examination one = examine(raw, random);
    for (const std::string& wrong : one.false_claims) ADD_FAILURE() << wrong << "\n" << describe(raw);
    claims += one.checks;
  }
  EXPECT_GT(claims, 0) << "every problem was refused";
}

std::vector<Family> all_families() {
  std::vector<Family> all = ordinary_families();
  all.insert(all.end(), hostile_families().begin(), hostile_families().end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, JudgeFamilies, ::testing::ValuesIn(all_families()),
                         [](const auto& family) { return std::string(family.param.name); });

void expect_true_claims(const RawCase& raw) {
  Random random(1);
  const Examination one = examine(raw, random);
  for (const std::string& wrong : one.false_claims) ADD_FAILURE() << wrong << "\n" << describe(raw);
}

TEST(KnownTraps, SlowWallsAndFarSets) {
  expect_true_claims(slow_wall());
  for (const double far : {1e6, 1e8, 1e10, 1e12, 1e14}) expect_true_claims(far_set(far));
}

// P = diag(1e6, -5e-5) in a box of 1e3: the minimum is -25.
TEST(KnownTraps, IndefiniteByAHair) {
  RawCase raw(2);
  raw.P = Vector((Vector(2) << 1e6, -5e-5).finished()).asDiagonal();
  raw.bound_all(-1e3, 1e3);
  raw.planted.emplace_back((Vector(2) << 0.0, 1e3).finished());
  expect_true_claims(raw);
}

// (1e17, 1e17, 0) for x - y <= 0, y - x <= 0, x <= 10 under the objective -x: the optimum is -10. Rows that come one by
// one meet the objective's gradient before they cancel.
TEST(KnownTraps, HugeMultipliersThatCancel) {
  RawCase raw(2);
  raw.q << -1.0, 0.0;
  raw.add_le((Vector(2) << 1.0, -1.0).finished(), 0.0);
  raw.add_le((Vector(2) << -1.0, 1.0).finished(), 0.0);
  raw.add_le((Vector(2) << 1.0, 0.0).finished(), 10.0);
  Judge judge(raw);
  Problem one_by_one(2);
  one_by_one.minimize(linear(to_array(raw.q)));
  for (Index i = 0; i < 3; ++i) {
    one_by_one.subject_to(linear_le(DataMatrix::from(raw.G.row(i)), to_array(raw.row_hi.segment(i, 1))));
  }
  for (const Problem& problem : {to_problem(raw), one_by_one}) {
    Multipliers multipliers = zero_multipliers(problem);
    for (Index i = 0; i < 2; ++i) {
      if (multipliers.lambda.size() == 1) multipliers.lambda[0][i] = 1e17;
      if (multipliers.lambda.size() == 3) multipliers.lambda[static_cast<std::size_t>(i)][0] = 1e17;
    }
    for (const double t : {0.0, 1.0, 10.0, -3.0, 0.1, 1e5}) {
      const Claims claims = claims_of(certify(problem, Vector::Constant(2, t), multipliers));
      for (const std::string& wrong : judge.contradictions(claims)) ADD_FAILURE() << wrong;
    }
  }
}

// A sparse matrix of order 12 000 that no factorisation can afford, diagonally dominant with entries up to 1e4 but for
// P_00 = -1: 0 must not be proved over the box of 1, where F reaches -1/2.
TEST(KnownTraps, NegativeDiagonalEntryOfALargeSparseMatrix) {
  constexpr Index n = 12000, partners = 4;
  Random random(3);
  std::vector<std::map<Index, double>> rows(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < partners; ++k) {
      const Index j = random.integer(0, n - 1);
      rows[static_cast<std::size_t>(i)][j] = rows[static_cast<std::size_t>(j)][i] = 1e-3;
    }
  }
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    row[i] = i == 0 ? -1.0 : 1.0 + 1e4 * static_cast<double>(i) / static_cast<double>(n);
    for (const auto& [j, value] : row) {
      columns.push_back(j);
      values.push_back(value);
    }
    starts.push_back(static_cast<Index>(columns.size()));
  }
  Problem problem(n);
  problem.minimize(quadratic(DataMatrix::csr(n, n, starts, columns, values), to_array(Vector::Zero(n))));
  problem.regularize(box(to_array(Vector::Constant(n, -1.0)), to_array(Vector::Constant(n, 1.0))));
  bool refused = false;
  try {
    problem.validate();
    const BoundClaim claim = claims_of(certify(problem, Vector::Zero(n))).bounds.front();
    EXPECT_TRUE(claim.kind != BoundKind::proved || claim.value <= -0.5) << claim.value;
  } catch (const InputError&) {
    refused = true;
  }
  RecordProperty("refused", refused ? "yes" : "no");
}

// Nobody has checked that functions of the user are convex.
TEST(KnownTraps, FunctionsOfTheUserProveNothingByThemselves) {
  Problem problem(1);
  problem.minimize(quadratic(DataMatrix::from(Matrix::Identity(1, 1)), to_array(Vector::Zero(1))));
  CallbackFunctions concave;  // -x^2 + 1/4 <= 0, called convex
  concave.values = [](ConstVectorRef x, Rows rows, VectorRef a) {
    a.head(rows.size()).setConstant(0.25 - x[0] * x[0]);
  };
  concave.jacobian = [](ConstVectorRef x, Rows, MatrixRef J) { J(0, 0) = -2.0 * x[0]; };
  problem.subject_to(callback_le(1, 1, concave));
  Multipliers multipliers = zero_multipliers(problem);
  multipliers.lambda[0][0] = 2.0;
  const BoundClaim claim = claims_of(certify(problem, Vector::Constant(1, 2.0), multipliers)).bounds.front();
  EXPECT_NE(claim.kind, BoundKind::proved);
}

}  // namespace
}  // namespace pliant::judge
