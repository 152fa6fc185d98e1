// Pages of every kind of result, the odd ones above all: well-formed, finite, and with nothing in them that acts.
#include "unit/report/checked_page.hpp"

#include "pliant/solve.hpp"
#include "support/random.hpp"
#include "support/small_problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace pliant {
namespace {

using testing::checked_page;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Random;

Problem small_qp(std::uint64_t seed, Index m = 40) {
  Random random(seed);
  return testing::planted_qp(random, 4, m, std::min<Index>(m, 2), 1).problem;
}

TEST(ReportPage, TellsASolvedProblem) {
  Problem p = small_qp(1);
  p.name = "plan";
  const Result r = solve(p);
  ASSERT_EQ(r.status, Status::optimal);
  const std::string page = checked_page(r, {{}, summarize(p, r), {}});
  for (const char* part :
       {"<h1>plan</h1>", "Solved, and proved", "id=\"objective\"", "id=\"slacks\"", "Largest multipliers", "40 linear",
        "Content-Security-Policy", "prefers-color-scheme", "@media print"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(checked_page(r), HasSubstr("Convex problem"));  // without the problem
}

TEST(ReportPage, NamesStayText) {
  Problem p = small_qp(2);
  const std::string evil = "</td></script><script>alert('x')</script>&amp;\"";
  p.name = evil;
  p.names.constraints.resize(1);
  for (int i = 0; i < 40; ++i) p.names.constraints[0].push_back(evil + std::to_string(i));
  Result r = solve(p);
  r.message = r.choice = evil;
  r.time.phases.emplace_back(evil, 1.0);
  const std::string page = checked_page(r, {{}, summarize(p, r), evil});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;&quot;"));
}

TEST(ReportPage, ResultsWithNothingInThem) {
  EXPECT_THAT(checked_page(Result{}), HasSubstr("Not solved"));
  Problem free(3);
  free.minimize(quadratic(DataMatrix::from(Matrix(Matrix::Identity(3, 3))), to_array(Vector(Vector::Ones(3)))));
  const Result r = solve(free);
  EXPECT_EQ(r.status, Status::optimal);
  EXPECT_THAT(checked_page(r, {{}, summarize(free, r), {}}), HasSubstr("There are no inequalities"));
}

TEST(ReportPage, EveryStatusIsSaid) {
  const Problem p = small_qp(3);
  Result r = solve(p);
  for (Status status : {Status::optimal, Status::time_limit, Status::pass_limit, Status::iteration_limit,
                        Status::user_stopped, Status::interrupted, Status::numerical_error}) {
    r.status = status;
    for (bool rigorous : {true, false}) {
      r.certificate.lower_bound_kind = rigorous ? BoundKind::proved : BoundKind::estimate;
      const std::string page = checked_page(r, {{}, summarize(p, r), {}});
      EXPECT_THAT(page, HasSubstr("<span class=\"badge\">" + std::string(to_string(status)) + "</span>"));
      EXPECT_EQ(page.find("not a proof") != std::string::npos, !rigorous);
    }
  }
}

std::vector<Progress> two_rows() {
  std::vector<Progress> rows(2);
  rows[0].objective = -1.0;
  rows[1].objective = -10.0;
  for (Progress& row : rows) row.violation = 1.0;
  return rows;
}

TEST(ReportPage, ProofsAreExplained) {
  Problem p(2);  // x0 >= 1 and x0 <= 0
  Matrix G(2, 2);
  G << -1.0, 0.0, 1.0, 0.0;
  p.minimize(linear(to_array(Vector(Vector::Ones(2)))));
  p.subject_to(linear_le(DataMatrix::from(G), to_array(Vector{{-1.0, 0.0}})));
  Result infeasible = solve(p);
  ASSERT_EQ(infeasible.status, Status::primal_infeasible);
  infeasible.trace = two_rows();  // whatever was recorded
  const std::string contradiction = checked_page(infeasible, {{}, summarize(p, infeasible), {}});
  EXPECT_THAT(contradiction, HasSubstr("2 constraints</strong> cannot hold together"));
  EXPECT_THAT(contradiction, HasSubstr("<dt>Missed by</dt>"));
  EXPECT_THAT(contradiction, HasSubstr("No point meets all constraints at once"));
  Problem q(2);  // min x0 + x1 s.t. x0 <= 1
  q.minimize(linear(to_array(Vector(Vector::Ones(2)))));
  q.subject_to(linear_le(DataMatrix::from(Matrix{{1.0, 0.0}}), to_array(Vector(Vector::Ones(1)))));
  Result unbounded = solve(q);
  ASSERT_EQ(unbounded.status, Status::dual_infeasible);
  unbounded.trace = two_rows();
  const std::string falling = checked_page(unbounded, {{}, summarize(q, unbounded), {}});
  EXPECT_THAT(falling, HasSubstr("the problem is unbounded"));
  EXPECT_THAT(falling, HasSubstr("It falls without end"));
  for (const std::string& proof : {contradiction, falling}) {  // which has no optimal value, nor a gap to it
    for (const char* absent : {"The optimal value lies", "relative gap</li>", "No constraint has a multiplier"})
      EXPECT_THAT(proof, Not(HasSubstr(absent)));
  }
}

// Where exact arithmetic proves what rounding hides, there is no distance; and constraints that contradict each other have
// values of any sign.
TEST(ReportPage, ExactProofsHaveNoDistance) {
  Result r;
  r.status = Status::primal_infeasible;
  r.infeasibility = InfeasibilityProof{true, 0.0, kInfinity, 1e-17, 2};
  r.overview.leading = {{LeadingMultiplier::Kind::constraint, 0, 0, 1.0, 0.5}};
  const std::string exact = checked_page(r);
  EXPECT_THAT(exact, HasSubstr("proved in exact arithmetic"));
  for (const char* absent : {"Missed by", "miss each other", "&le; 0"}) EXPECT_THAT(exact, Not(HasSubstr(absent)));
  r.infeasibility->excess = 0.25;
  const std::string far = checked_page(r);
  EXPECT_THAT(far, HasSubstr("They miss each other by at least <strong>0.25"));
  EXPECT_THAT(far, Not(HasSubstr("exact arithmetic")));
  EXPECT_THAT(describe(*r.infeasibility), HasSubstr("(they miss by 2.5e-01)"));
  r.infeasibility->excess = 0.0;
  EXPECT_THAT(describe(*r.infeasibility), HasSubstr("(in exact arithmetic)"));
}

// Nothing can be switched where nothing is drawn.
TEST(ReportPage, SwitchesBelongToCharts) {
  Result r;
  for (const double value : {-1.0, -0.5, 1e-3}) r.overview.slacks.add(value);
  const std::string bars = checked_page(r);  // slacks alone
  EXPECT_THAT(bars, HasSubstr("<label for=\"y-log\""));
  EXPECT_THAT(bars, Not(HasSubstr("<label for=\"x-")));
  EXPECT_THAT(checked_page({}), Not(HasSubstr("class=\"switch\"")));
  r.trace = two_rows();
  EXPECT_THAT(checked_page(r), HasSubstr("<label for=\"x-"));
}

TEST(ReportPage, OneConstraintIsNotMany) {
  Problem p(1);  // x^2 / 2 + 1 <= 0
  p.minimize(linear(to_array(Vector(Vector::Ones(1)))));
  p.subject_to(quadratic_le(Tensor({1, 1, 1}, Doubles({1.0})), Tensor({1, 1}, Doubles({0.0})), Doubles({1.0})));
  const Result r = solve(p);
  ASSERT_EQ(r.status, Status::primal_infeasible);
  EXPECT_THAT(r.message, HasSubstr("the multiplier of one of them proves it"));
  const std::string page = checked_page(r, {{}, summarize(p, r), {}});
  for (const char* part : {"1 constraint</strong> cannot hold. Weighted by its multiplier", "How far the constraint is",
                           "<th scope=\"row\">Constraints</th><td>1 quadratic</td>"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, Not(HasSubstr(">0.5</text>")));  // half a constraint
}

// Values of equalities and soft rows may have any sign.
TEST(ReportPage, ValuesAreAtMostZeroWhereTheyAre) {
  Result r;
  r.overview.leading = {{LeadingMultiplier::Kind::constraint, 0, 0, 2.0, -1e-9}};
  EXPECT_THAT(checked_page(r), HasSubstr("value (&le; 0)</th>"));
  r.overview.leading.push_back({LeadingMultiplier::Kind::equality, 0, 0, -1.0, 1e-9});
  EXPECT_THAT(checked_page(r), HasSubstr("value</th>"));
  r.overview.leading.pop_back();
  r.overview.soft.at_price = 3;
  const std::string soft = checked_page(r);
  EXPECT_THAT(soft, HasSubstr("value</th>"));
  EXPECT_THAT(soft, HasSubstr("The multiplier of a soft row is at most its price."));
}

// A series of one point has a mark and no line, in the chart's legend, too.
TEST(ReportPage, OnePointHasNoLine) {
  Result r;
  r.trace = two_rows();
  r.trace[0].lower_bound = -kInfinity;
  r.trace[1].lower_bound = -11.0;
  const std::string page = checked_page(r);
  const std::size_t chart = page.find("<figure class=\"card\" id=\"objective\"");
  const std::string legend = page.substr(chart, page.find("</ul>", chart) - chart);
  EXPECT_THAT(legend, HasSubstr("class=\"line s0\""));
  EXPECT_THAT(legend, HasSubstr("class=\"mark s0\""));
  EXPECT_THAT(legend, Not(HasSubstr("class=\"line s1\"")));
  EXPECT_THAT(legend, HasSubstr("class=\"mark s1 alone\""));
}

std::string section(const std::string& page, const std::string& id) {
  const std::size_t begin = page.find("<section id=\"" + id + "\"");
  return begin == std::string::npos ? "" : page.substr(begin, page.find("</section>", begin) - begin);
}

// min sum (x_j - c_j)^2 / 2, 0 <= x <= 2: x = (0, 1, 2, 2, 2), names by hand, and a row that never binds.
TEST(ReportPage, ShowsTheVariablesFirst) {
  Problem p(5);
  const Vector c{{-1.0, 1.0, 3.0, 4.0, 5.0}};
  p.minimize(quadratic(DataMatrix::from(Matrix(Matrix::Identity(5, 5))), to_array(Vector(-c))));
  p.regularize(box({0.0, 0.0, 0.0, 0.0, 0.0}, {2.0, 2.0, 2.0, 2.0, 2.0}));
  p.subject_to(linear_le(DataMatrix::from(Matrix(Matrix::Ones(1, 5))), to_array(Vector(Vector::Constant(1, 100.0)))));
  p.names.variables = {"wood", "iron", "coal", "salt", "fish & chips"};
  const Result r = solve(p);
  ASSERT_EQ(r.status, Status::optimal);
  const std::string page = checked_page(r, {{}, summarize(p, r), {}});
  const std::string shown = section(page, "variables");
  EXPECT_THAT(shown, HasSubstr("1 at lower bounds, 3 at upper ones, 0 fixed, 1 between"));
  EXPECT_THAT(shown, HasSubstr("fish &amp; chips"));
  EXPECT_LT(page.find("id=\"certificate\""), page.find("id=\"variables\""));
  EXPECT_LT(page.find("id=\"variables\""), page.find("id=\"charts\""));
  const std::string pressed = shown.substr(shown.find("Held hardest"));  // by 3, 2, 1, 1
  EXPECT_LT(pressed.find("fish &amp; chips"), pressed.find("salt"));
  EXPECT_THAT(shown.substr(0, shown.find("Held hardest")), HasSubstr("value</th><th class=\"bars\">"));
  EXPECT_THAT(pressed, HasSubstr("bound dual</th><th class=\"bars\">"));  // bars stand beside what they show
  EXPECT_EQ(section(checked_page(r), "variables"), "");                   // without the problem there are no names
}

// A path of complementarity has charts of its own, over iterations; what was not recorded has no place in a legend.
TEST(ReportPage, ChartsBelongToTheMethod) {
  Problem p = small_qp(5);
  Settings settings;
  settings.linear_algebra = LinearAlgebra::sparse;
  settings.method = Method::path;
  const Result path = solve(p, settings);
  ASSERT_EQ(path.status, Status::optimal);
  ASSERT_TRUE(std::isfinite(path.trace.back().mu) && path.trace.back().step_primal > 0.0);
  const std::string factors = checked_page(path, {settings, summarize(p, path), {}});
  for (const char* part : {"id=\"mu\"", "id=\"steps\"", "id=\"x-iteration\"", "gap, not proved"}) {
    EXPECT_THAT(factors, HasSubstr(part));
  }
  for (const char* absent : {"id=\"delta\"", "id=\"xi\"", "id=\"counts\"", "id=\"x-passes\""}) {
    EXPECT_THAT(factors, Not(HasSubstr(absent)));
  }
  const Result rows = solve(p);
  ASSERT_FALSE(std::isfinite(rows.trace.back().mu));
  const std::string penalty = checked_page(rows, {{}, summarize(p, rows), {}});
  for (const char* part : {"id=\"delta\"", "id=\"xi\"", "id=\"x-passes\""}) EXPECT_THAT(penalty, HasSubstr(part));
  for (const char* absent : {"id=\"mu\"", "id=\"steps\"", "gap, not proved", "nothing was recorded"}) {
    EXPECT_THAT(penalty, Not(HasSubstr(absent)));
  }
  const auto& slacks = rows.overview.slacks;
  const bool violated = std::any_of(slacks.violated.begin(), slacks.violated.end(), [](Index k) { return k > 0; });
  EXPECT_EQ(penalty.find("swatch violated") != std::string::npos, violated);
  EXPECT_EQ(penalty.find("proven inactive</li>") != std::string::npos, rows.screened > 0);
}

TEST(ReportPage, LimitsOfOneValueHaveOneLabel) {
  const Problem p = small_qp(6);
  Settings settings;
  const Result r = solve(p, settings);
  const std::string same = checked_page(r, {settings, {}, {}});
  EXPECT_THAT(same, HasSubstr(">allowed</text>"));
  EXPECT_THAT(same, Not(HasSubstr(">gap allowed</text>")));
  settings.tol_gap = 1e-5;
  const std::string two = checked_page(r, {settings, {}, {}});
  EXPECT_THAT(two, HasSubstr(">gap allowed</text>"));
  EXPECT_THAT(two, HasSubstr(">violation allowed</text>"));
  const std::size_t chart = two.find("<svg class=\"chart", two.find("id=\"accuracy\""));
  const std::string drawn = two.substr(chart, two.find("</svg>", chart) - chart);
  EXPECT_LT(drawn.rfind("class=\"line "), drawn.find("class=\"limit-label\""));  // no line runs through a label
}

TEST(ReportPage, TimelessPagesAreTheSameForAnyThreads) {
  const Problem p = small_qp(4, 400);
  Settings settings;
  settings.timeless = true;
  std::string first;
  for (int threads : {1, 2}) {
    settings.threads = threads;
    Settings shown = settings;
    shown.threads = 0;
    const Result r = solve(p, settings);
    const std::string page = report_html(r, {shown, summarize(p, r), {}});
    if (first.empty()) first = page;
    EXPECT_EQ(page, first);
  }
}

TEST(ReportPage, AppearsCompleteOrNotAtAll) {
  const auto folder = std::filesystem::temp_directory_path() / ("pliant-report-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  write_report(folder / "page.html", Result{});
  std::ifstream in(folder / "page.html");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_THAT(text.str(), ::testing::EndsWith("</html>\n"));
  EXPECT_THROW(write_report(folder / "none" / "page.html", Result{}), InputError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pliant
