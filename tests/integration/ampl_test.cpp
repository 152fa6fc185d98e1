// The protocol of AMPL: models that Pyomo wrote, with values and duals of Ipopt (tolerance 1e-10).
#include "command.hpp"

#include "pliant/io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using ::testing::StartsWith;
using testing::WorkFolder;

struct Model {
  std::string name;
  double objective;
  std::vector<double> duals;  // in AMPL's sign; none where they are not unique
};
const std::vector<Model> kModels{
    {"lp_diet", 6.32307688, {1.6312, 0, 1.5304}},
    {"lp_max_range", 36.2769384, {0.50322, -4.6565, 1.2789, 0.61352}},
    {"lp_equality", 11.9483894, {-1.8964, -7.6417}},
    {"lp_transport", 215.5405, {}},
    {"qp_portfolio", -0.0751259879, {-0.012286}},
    {"qp_least_squares", 11.1160306, {-4.8142}},
    {"qp_concave_max", 0.0, {0}},
    {"qcqp_ball", -4.74555495, {-0.68345, 0}},
    {"qcqp_geq", -4.47213598, {0.55902}},
    {"lse_row", -2.36627168, {-1.5123}},
    {"sum_exp_row", -8.94940936, {-0.14972}},
    {"entropy", -1.6135811, {-0.057008, -0.37105}},
    {"log_utility_max", 2.80138953, {1.1483}},
    {"logistic", 12.2316998, {-1.3707}},
    {"quad_over_lin", 0.99999997, {-2}},
    {"sqrt_norm", 1.33452736, {0.55706}},
    {"power4", 1.16346799, {-0.32413}},
    {"exp_rows", -2.74769149, {-0.63283, 0.33612}},
    {"reciprocal_rows", 3.88561804, {-2.5904}},
    {"log_rows", 5.13610165, {1.284, 0}},
    {"fixed_and_defined", 1.77391535, {0.76127}},
};

// What stands in a .sol file.
struct AmplSolution {
  std::string message;
  std::vector<double> options, duals, x;
  int code = -1;
};

AmplSolution read_sol(const std::string& file) {
  AmplSolution out;
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line) && !line.empty()) out.message += line;
  std::getline(in, line);
  EXPECT_EQ(line, "Options");
  std::size_t options = 0, rows = 0, duals = 0, columns = 0, values = 0;
  in >> options;
  out.options.resize(options);
  for (double& v : out.options) in >> v;
  in >> rows >> duals >> columns >> values;
  EXPECT_EQ(rows, duals);
  EXPECT_EQ(columns, values);
  out.duals.resize(duals);
  out.x.resize(values);
  for (double& v : out.duals) in >> v;
  for (double& v : out.x) in >> v;
  int objective = -1;
  std::string word;
  in >> word >> objective >> out.code;
  EXPECT_TRUE(in.good() || in.eof());
  EXPECT_EQ(word, "objno");
  EXPECT_EQ(objective, 0);
  return out;
}

class Ampl : public ::testing::Test {
 protected:
  void take(const std::string& name) const {
    std::filesystem::copy_file(std::string(PLIANT_SOURCE_DIR) + "/tests/integration/pyomo/" + name + ".nl",
                               work_.file(name + ".nl"));
  }
  WorkFolder work_;
};

TEST_F(Ampl, ModelsOfPyomo) {
  for (const Model& model : kModels) {
    SCOPED_TRACE(model.name);
    take(model.name);
    const Outcome outcome = work_.pliant(model.name + " -AMPL tol_gap=1e-8 tol-feas=1e-8");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("pliant "));
    const AmplSolution sol = read_sol(work_.file(model.name + ".sol"));
    EXPECT_EQ(sol.code, 0);
    EXPECT_THAT(sol.message, HasSubstr("optimal"));
    EXPECT_THAT(sol.options, ::testing::ElementsAre(1.0, 1.0, 0.0));
    const Problem problem = read_problem(work_.file(model.name + ".nl"));
    ASSERT_EQ(static_cast<Index>(sol.x.size()), problem.dimension());
    const Vector x = Eigen::Map<const Vector>(sol.x.data(), problem.dimension());
    EXPECT_NEAR(problem.reported(problem.objective(x)), model.objective, 1e-6 * (1.0 + std::abs(model.objective)));
    if (model.duals.empty()) continue;
    ASSERT_EQ(sol.duals.size(), model.duals.size());
    for (std::size_t i = 0; i < sol.duals.size(); ++i) {
      EXPECT_NEAR(sol.duals[i], model.duals[i], 2e-4 * (1.0 + std::abs(model.duals[i]))) << i;
    }
  }
}

// The stub may have its ending, and settings may come from the environment.
TEST_F(Ampl, StubsAndSettings) {
  take("lp_diet");
  EXPECT_EQ(work_.pliant("lp_diet.nl -AMPL timeless").exit_code, 0);
  EXPECT_EQ(read_sol(work_.file("lp_diet.sol")).code, 0);
  const Outcome limited = work_.pliant("lp_diet -AMPL max_iterations=0");
  EXPECT_EQ(limited.exit_code, 0) << limited.err;
  EXPECT_EQ(read_sol(work_.file("lp_diet.sol")).code, 400);
  const Outcome typo = work_.pliant("lp_diet -AMPL tol_gpa=1");
  EXPECT_EQ(typo.exit_code, 1);
  EXPECT_EQ(typo.err, "pliant: unknown setting tol_gpa; did you mean tol_gap?\n");
  const Outcome missing = work_.pliant("nothing -AMPL");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("nothing.nl"));
  EXPECT_EQ(work_.pliant("-v").out, work_.pliant("--version").out);
}

TEST_F(Ampl, ProofsHaveTheirCodes) {
  // x >= 3 and x <= 2 as rows; x falling for ever.
  const std::string head =
      "g3 1 1 0\n 1 2 1 0 0\n 0 0\n 0 0\n 0 0 0\n 0 0 0 1\n 0 0 0 0 0\n 2 1\n 0 0\n 0 0 0 0 0\n"
      "C0\nn0\nC1\nn0\nO0 0\nn0\n";
  const std::string tail = "\nb\n3\nk0\nJ0 1\n0 1\nJ1 1\n0 1\nG0 1\n0 1\n";
  std::ofstream(work_.file("none.nl")) << head + "r\n2 3\n1 2" + tail;
  std::ofstream(work_.file("falls.nl")) << head + "r\n1 3\n1 2" + tail;
  EXPECT_EQ(work_.pliant("none -AMPL").exit_code, 0);
  EXPECT_EQ(read_sol(work_.file("none.sol")).code, 200);
  EXPECT_EQ(work_.pliant("falls -AMPL").exit_code, 0);
  EXPECT_EQ(read_sol(work_.file("falls.sol")).code, 300);
}

// min exp(x) + exp(-2x), without a row, and without or with a bound: x = ln(2)/3, or 1.
TEST_F(Ampl, NothingButAnObjective) {
  const std::string head =
      "g3 1 1 0\n 1 0 1 0 0\n 0 1\n 0 0\n 0 1 0\n 0 0 0 1\n 0 0 0 0 0\n 0 1\n 0 0\n 0 0 0 0 0\n"
      "O0 0\no0\no44\nv0\no44\no2\nn-2\nv0\nb\n";
  std::ofstream(work_.file("free.nl")) << head + "3\nk0\nG0 1\n0 0\n";
  std::ofstream(work_.file("bound.nl")) << head + "2 1\nk0\nG0 1\n0 0\n";
  for (const auto& [name, expected] : {std::pair{"free", std::log(2.0) / 3.0}, {"bound", 1.0}}) {
    SCOPED_TRACE(name);
    const Outcome outcome = work_.pliant(std::string(name) + " -AMPL tol_gap=1e-9");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const AmplSolution sol = read_sol(work_.file(std::string(name) + ".sol"));
    EXPECT_EQ(sol.code, 0) << sol.message;
    ASSERT_EQ(sol.x.size(), 1u);
    EXPECT_NEAR(sol.x[0], expected, 1e-4);
    EXPECT_TRUE(sol.duals.empty());
  }
}

// The same file is a problem to every other command.
TEST_F(Ampl, ModelsAreProblemsToEveryCommand) {
  take("qp_portfolio");
  ASSERT_EQ(work_.pliant("solve qp_portfolio.nl --quiet --solution s.sol").exit_code, 0);
  EXPECT_THAT(work_.pliant("check qp_portfolio.nl s.sol").out, HasSubstr("within the tolerances"));
  EXPECT_EQ(work_.pliant("convert qp_portfolio.nl q.lp").exit_code, 0);
  EXPECT_EQ(work_.pliant("solve q.lp --quiet").exit_code, 0);
  EXPECT_EQ(work_.pliant("solve - --quiet <qp_portfolio.nl").exit_code, 0);
  take("entropy");
  EXPECT_EQ(work_.pliant("solve entropy.nl --quiet").exit_code, 0);
  EXPECT_THAT(work_.pliant("convert entropy.nl e.mps").err, HasSubstr("kind expression cannot be expressed in MPS"));
}

}  // namespace
}  // namespace pliant
