// Conic constraints in the model: what is refused, and what other parts of the library say to them.
#include "pliant/io.hpp"
#include "pliant/solve.hpp"
#include "support/cone_samples.hpp"
#include "support/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;

ConicConstraint sample(const std::vector<Cone>& cones, Index rows, Index n = 2) {
  return {DataMatrix::dense(rows, n, std::vector<double>(static_cast<std::size_t>(rows * n), 1.0)),
          std::vector<double>(static_cast<std::size_t>(rows), 1.0), cones};
}

std::string refused(const ConicConstraint& conic) {
  return refusal_of([&] {
    Problem problem(2);
    problem.subject_to(conic, "mine");
    problem.validate();
  });
}

TEST(ConicModel, ShapesAreChecked) {
  EXPECT_EQ(refused(sample({{ConeKind::nonnegative, 2}}, 3)),
            "conic constraint 0 (mine): cones: expected 3 rows as in G, got 2");
  EXPECT_EQ(refused(sample({{ConeKind::semidefinite, 4}}, 4)),
            "conic constraint 0 (mine): cone 0 (psd): expected k(k+1)/2 rows (of a k x k matrix), got 4");
  EXPECT_EQ(refused(sample({{ConeKind::nonnegative, 1}, {ConeKind::exponential, 2}}, 3)),
            "conic constraint 0 (mine): cone 1 (exp): expected 3 rows, got 2");
  EXPECT_EQ(refused(sample({{ConeKind::second_order, 0}}, 0)),
            "conic constraint 0 (mine): cone 0 (soc): expected 1 or more rows, got 0");
  EXPECT_EQ(refused(sample({{ConeKind::nonnegative, 3}}, 3, 4)),
            "conic constraint 0 (mine): expected 2 variables, got 4");
  ConicConstraint short_h = sample({{ConeKind::nonnegative, 3}}, 3);
  short_h.h = std::vector<double>{1.0};
  EXPECT_EQ(refused(short_h), "conic constraint 0 (mine): h: expected 3 entries, got 1");
}

TEST(ConicModel, NumbersAreChecked) {
  EXPECT_EQ(refused(sample({{ConeKind::power, 3, 1.0}}, 3)),
            "conic constraint 0 (mine): cone 0 (pow): expected 0 < alpha < 1, got 1");
  ConicConstraint conic = sample({{ConeKind::nonnegative, 2}}, 2);
  conic.h = std::vector<double>{1.0, std::nan("")};
  EXPECT_EQ(refused(conic), "conic constraint 0 (mine): h: entry 1 is nan, expected a finite number");
  conic = sample({{ConeKind::nonnegative, 1}}, 1);
  conic.G = DataMatrix::dense(1, 2, std::vector<double>{1.0, kInfinity});
  EXPECT_THAT(refused(conic), HasSubstr("conic constraint 0 (mine): G"));
}

TEST(ConicModel, MethodsThatDoNotTakeConesSaySo) {
  Problem problem(2);
  problem.minimize(linear(std::vector<double>{1.0, 1.0}));
  problem.subject_to(sample({{ConeKind::exponential, 3}}, 3));
  Settings settings;
  for (const Method method : {Method::apg, Method::lbfgs, Method::sdca, Method::katyusha}) {
    settings.method = method;
    EXPECT_THAT(refusal_of([&] { solve(problem, settings); }), HasSubstr("does not take conic constraints"));
  }
  settings = Settings{};
  settings.delta = 1.0;
  EXPECT_THAT(refusal_of([&] { solve(problem, settings); }), HasSubstr("do not apply to problems with conic"));
  EXPECT_THAT(refusal_of([&] { minimize_penalized(problem, 1.0, 1.0, 1e-3); }), HasSubstr("conic constraints"));
}

TEST(ConicModel, ContainerKeepsEverything) {
  Random random(7);
  Problem problem(3);
  problem.minimize(linear(random.numbers(3)));
  std::vector<Cone> cones = cone_zoo();
  cones.push_back({ConeKind::zero, 2});
  for (int k = 0; k < 5; ++k) cones.push_back({ConeKind::second_order, 3});
  Index rows = 0;
  for (const Cone& cone : cones) rows += cone.rows;
  problem.subject_to(ConicConstraint{DataMatrix::from(random.matrix(rows, 3)), random.numbers(rows), cones}, "first");
  problem.subject_to(sample({{ConeKind::nonnegative, 2}}, 2, 3));
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "pliant_conic_model.h5";
  write_problem(problem, file);
  const Problem read = read_problem(file);
  std::filesystem::remove(file);
  ASSERT_EQ(read.conic().size(), 2u);
  EXPECT_EQ(read.conic_name(0), "first");
  EXPECT_EQ(read.conic_name(1), "");
  EXPECT_EQ(read.constraints(), problem.constraints());
  for (std::size_t k = 0; k < 2; ++k) {
    const ConicConstraint &a = problem.conic()[k], &b = read.conic()[k];
    EXPECT_TRUE(std::equal(a.h.begin(), a.h.end(), b.h.begin(), b.h.end()));
    EXPECT_TRUE(std::equal(a.G.values().begin(), a.G.values().end(), b.G.values().begin(), b.G.values().end()));
    ASSERT_EQ(a.cones.size(), b.cones.size());
    for (std::size_t i = 0; i < a.cones.size(); ++i) {
      EXPECT_EQ(a.cones[i].kind, b.cones[i].kind);
      EXPECT_EQ(a.cones[i].rows, b.cones[i].rows);
      if (a.cones[i].kind == ConeKind::power) {
        EXPECT_EQ(a.cones[i].alpha, b.cones[i].alpha);
      }
    }
  }
}

TEST(ConicModel, SolutionsHaveDualsOfCones) {
  Problem problem(2);
  problem.subject_to(linear_le(DataMatrix::from(Matrix::Ones(1, 2)), std::vector<double>{1.0}));
  problem.subject_to(sample({{ConeKind::nonnegative, 2}}, 2));
  Solution solution;
  solution.x = Vector::Zero(2);
  solution.duals = {Vector::Ones(1), Vector::Ones(2)};
  EXPECT_NO_THROW(check_solution_shape(problem, solution));
  solution.duals[1] = Vector::Ones(3);
  EXPECT_EQ(refusal_of([&] { check_solution_shape(problem, solution); }), "duals/1: expected 2 entries, got 3");
  solution.duals.pop_back();
  EXPECT_EQ(refusal_of([&] { check_solution_shape(problem, solution); }), "duals: expected 2 arrays, got 1");
}

}  // namespace
}  // namespace pliant::testing
